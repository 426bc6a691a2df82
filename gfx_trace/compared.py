"""Comparisons of tuples and lists that hold open numbers: as a whole, as Python makes them."""

from __future__ import annotations

import operator
import sys
from typing import Any

from gfx_ir.op import active
from gfx_ir.trees import leaves

from .proxy import HostProxy, Proxy
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
        same = isinstance(b, tuple) if type(a) is tuple else type(b) is list
        if not same or any(type(leaf) is Proxy for leaf in leaves((a, b))):
            return tracer.placed(_COMPARE[sign], a, b)
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
    """An operand of a comparison: a tuple or list that holds open numbers is compared as a whole."""
    kind = type(x)
    if kind in (tuple, list, dict) and active.builder.record.filled:
        active.builder.site = sys._getframe(1)
        x = in_places(x)
    return Compared(x) if (kind is tuple or kind is list) and HostProxy in map(type, x) else x
