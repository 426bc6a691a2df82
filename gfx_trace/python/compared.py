"""What stands for an operand: an object whose class has operators of its own, and a container that holds open numbers, or such objects, which
is compared as a whole, as Python does."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir.op import active
from gfx_ir.trees import leaves, tree_map

from ..heap.reached import reached_from, shown_by
from ..interfaces import Capturing
from ..values.gated import gate_of
from ..values.here import here
from ..values.proxy import HostProxy, Proxy
from .identity import check_which
from .rows import in_places


class Operand:
    """An object of a class with operators of its own, as an operand."""

    __slots__ = ("object",)
    __array_ufunc__ = None  # NumPy's arrays leave the operator to it

    def __init__(self, x: Any) -> None:
        self.object = x

    def __str__(self) -> str:
        return str(self.object)

    def __repr__(self) -> str:
        return repr(self.object)

    def __int__(self) -> int:
        return int(self.object)

    def __float__(self) -> float:
        return float(self.object)


_COMPARE = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


_OPEN = frozenset((HostProxy, Proxy))


class Compared:
    """A tuple or list that holds open host values, as an operand of a comparison."""

    __slots__ = ("items",)

    def __init__(self, items: Any) -> None:
        self.items = items

    __hash__ = None  # type: ignore[assignment]


def _of_items(tracer: Capturing, compare: Callable[[Any, Any], Any], a: Any, b: Any) -> Any:
    """Python's comparison of two sequences that hold numbers of data: the first items that differ decide, else the lengths do."""
    asked = lambda question, p, q: tracer.truths.placed(question, gfx_compared(p), gfx_compared(q))
    decides = (
        (lambda p, q: compare is operator.ne) if compare in (operator.eq, operator.ne) else partial(asked, compare)
    )

    def behind(pairs: list[tuple[Any, Any]]) -> Any:
        if not pairs:
            return compare(len(a), len(b))
        (p, q), *rest = pairs
        return tracer.truths.ifexp(asked(operator.eq, p, q), lambda: behind(rest), lambda: decides(p, q))

    return behind([(p, q) for p, q in zip(a, b) if p is not q])


def _comparison(sign: str, compare: Callable[[Any, Any], Any]) -> Callable[[Compared, Any], Any]:
    def method(x: Compared, other: Any) -> Any:
        tracer = here()
        a, b = x.items, other.items if type(other) is Compared else other
        chosen = next((leaf for leaf in leaves((a, b)) if gate_of(leaf) is not None), None)
        if chosen is not None:
            with_side = lambda tree, side: tree_map(lambda leaf: side if leaf is chosen else leaf, tree)
            return tracer.gates.resolve(chosen, lambda side: method(Compared(with_side(a, side)), with_side(b, side)))
        asked = tracer.native_methods.among(leaves((a, b)))
        if asked:
            return tracer.native_methods.run(asked, lambda: compare(a, b))
        same = isinstance(b, tuple) if type(a) is tuple else type(b) is list
        if not same:
            return tracer.truths.placed(compare, a, b)
        if sign in ("==", "!=") and len(a) != len(b):
            return sign == "!="
        if any(type(leaf) is Proxy for leaf in leaves((a, b))):
            return _of_items(tracer, compare, a, b)
        return tracer.wrap(tracer.host(sign, tracer.unwrap(a), tracer.unwrap(b)))

    return method


for _sign, _compare in _COMPARE.items():
    setattr(Compared, f"__{_compare.__name__}__", _comparison(_sign, _compare))


def gfx_compared(x: Any) -> Any:
    """An operand of a comparison: a container that holds open numbers, or objects with methods of their own, is compared as a whole."""
    kind = type(x)
    if kind not in (tuple, list) and not isinstance(shown_by(x), dict):
        check_which(active.builder, (x,))
        return x
    tracer = here()
    for part in reached_from((x,)) if tracer.effects.unordered else (x,):
        tracer.effects.sure_of_keys(
            part, ordered=type(shown_by(part)) is not dict
        )  # a class derived from it may compare its order, too
    if kind not in (tuple, list, dict):
        return x
    if tracer.record.filled:
        x = in_places(x)
    held = list(leaves(x))
    check_which(tracer, held)
    own = tracer.native_methods.among(held) or any(gate_of(leaf) is not None for leaf in held)
    return Compared(x) if own or (kind is not dict and not _OPEN.isdisjoint(map(type, held))) else x
