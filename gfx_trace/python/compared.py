"""Comparisons of containers that hold open numbers, or objects with methods of their own: as a whole, as Python makes them."""

from __future__ import annotations

import operator
import sys
from typing import Any

from gfx_ir.op import active
from gfx_ir.trees import leaves

from ..values.here import here
from ..values.proxy import HostProxy, Proxy
from .rows import in_places

_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class Compared:
    """A tuple or list that holds open host values, as an operand of a comparison."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items

    def _compare(self, sign: str, other: Any) -> Any:
        tracer = active.builder
        tracer.site = sys._getframe(2)
        a, b = self.items, other.items if type(other) is Compared else other
        asked = tracer.native_methods.among(leaves((a, b)))
        if asked:
            return tracer.native_methods.run(asked, lambda: _COMPARE[sign](a, b))
        same = isinstance(b, tuple) if type(a) is tuple else type(b) is list
        if not same or any(type(leaf) is Proxy for leaf in leaves((a, b))):
            return tracer.truths.placed(_COMPARE[sign], a, b)
        if sign in ("==", "!=") and len(a) != len(b):
            return sign == "!="
        return tracer.wrap(tracer.host(sign, tracer.unwrap(a), tracer.unwrap(b)))

    def __eq__(self, other: Any) -> Any:
        return self._compare("==", other)

    def __ne__(self, other: Any) -> Any:
        return self._compare("!=", other)

    def __lt__(self, other: Any) -> Any:
        return self._compare("<", other)

    def __le__(self, other: Any) -> Any:
        return self._compare("<=", other)

    def __gt__(self, other: Any) -> Any:
        return self._compare(">", other)

    def __ge__(self, other: Any) -> Any:
        return self._compare(">=", other)

    __hash__ = None  # type: ignore[assignment]


def gfx_compared(x: Any) -> Any:
    """An operand of a comparison: a container that holds open numbers, or objects with methods of their own, is compared as a whole."""
    kind = type(x)
    if kind not in (tuple, list, dict):
        return x
    tracer = here()
    if kind is dict:
        tracer.effects.sure_of(x)
    if tracer.record.filled:
        x = in_places(x)
    own = tracer.native_methods.among(leaves(x))
    return Compared(x) if own or (kind is not dict and HostProxy in map(type, x)) else x
