"""Small conversions at the border of a capture."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType, number_of
from gfx_ir.graph import Value
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy, is_open
from .sequences import spliced


def positions(tracer: Capturing, index: Any) -> Any:
    """An index as ops take it: a list with captured numbers is one tensor of positions, and so is a tuple in a tuple."""
    if isinstance(index, tuple):
        items = [list(item) if isinstance(item, tuple) else item for item in index]
        return spliced(tracer, tuple([positions(tracer, item) for item in items]))
    index = as_lists(own_position(tracer, index))
    if type(index) is slice:
        index = slice(*[_told(tracer, end) for end in (index.start, index.stop, index.step)])
    found = tracer.unwrap(index)
    parts = [part for part in leaves(index) if is_open(part)] if type(index) is list else []
    numbers = all(type(part) is HostProxy or part.weak for part in parts)
    apart = type(index) is list and any(item is None or item is Ellipsis or type(item) is slice for item in index)
    return ops.as_tensor(found) if parts and numbers and not apart else found


def _told(tracer: Capturing, end: Any) -> Any:
    """An end of a slice, as the number that it is for all inputs, where that is told: it tells the size of the part."""
    if isinstance(end, np.integer):
        return int(end)
    value = end.read() if type(end) is Proxy and not end.weak else None
    if type(value) is not Value:
        return end
    dtype = tracer.record.dtype(value)
    known = tracer.decided.number(value) if dtype is not None and dtype.kind in "iu" else None
    return end if known is None else known


def own_position(tracer: Capturing, x: Any) -> Any:
    """An argument or index, or what stands in a tuple, list or slice, that says itself which size or position it is."""
    kind = type(x)
    if kind in _LEAVES:
        return x
    if kind in (tuple, list, slice):
        items = x if kind is not slice else (x.start, x.stop, x.step)
        made = [own_position(tracer, item) for item in items]
        return x if all(map(operator.is_, made, items)) else slice(*made) if kind is slice else kind(made)
    if hasattr(kind, "__len__"):
        return x
    writes = tracer.journal.writes
    found = tracer.overloading.position(x)
    if tracer.journal.writes != writes:
        what = f"GFX cannot convert this: __index__ of a {kind.__name__} writes, and frameworks ask it as often as they like"
        raise tracer.error(what, "give the number itself: operator.index(x)")
    return found


def as_lists(x: Any) -> Any:
    """What a function of a framework takes, its sequences of Python's that are no lists, ranges and deques, as lists."""
    kind = type(x)
    if kind in _LEAVES:
        return x
    if kind is tuple or kind is list:
        made = [as_lists(item) for item in x]
        return x if all(map(operator.is_, made, x)) else kind(made)
    if isinstance(x, (list, tuple, str, bytes)) or not isinstance(x, Sequence):
        return x
    return [as_lists(item) for item in x]


_LEAVES = frozenset((Proxy, HostProxy, int, float, bool, str, type(None)))


def constant_data(owner: Backend, x: Any) -> tuple[Any, DType]:
    """Nested tuples of an array's numbers, and its dtype."""

    def freeze(data: Any) -> Any:
        return tuple(map(freeze, data)) if isinstance(data, list) else data

    held = owner.to_host(x)
    return freeze(held.tolist()) if held.shape else number_of(held), owner.dtype_of(x)


NUMBERS_AND_TEXT = (int, float, complex, str)


def has_class(x: Any) -> bool:
    """Whether x is a number or text of a class of its own, as an IntEnum's: Python asks it for more than its value."""
    return isinstance(x, NUMBERS_AND_TEXT) and type(x) not in _LEAVES and not isinstance(x, (complex, np.generic))


def without_class(x: Any) -> Any:
    """A number or text of a class of its own, as an IntEnum's, as what it is: source cannot hold its class."""
    if type(x) is bool:
        return x
    kind: Any = next(kind for kind in NUMBERS_AND_TEXT if isinstance(x, kind))
    return kind(*kind.__getnewargs__(x))
