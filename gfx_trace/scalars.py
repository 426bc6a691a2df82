"""NumPy's scalars: an element, a sum and what is computed from them alone are numbers, which nothing writes.

`s += 1` makes a new number of a number, and writes an array in place. Where shapes are not known, it hangs on the rank of x
whether `x[0]` is a number: then what is found here are conditions, which the capture takes as given where they matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from gfx_ir.graph import Value
from gfx_ir.infer.abstract import ARRAY, NUMBERS, SCALAR, UFUNC, Kinds, Ranks, Terms
from gfx_ir.infer.transfer import dropped
from gfx_ir.op import active

from .interfaces import Capturing
from .proxy import Proxy, weak_kind

Conditions = frozenset[tuple[Value | None, int | None]]
"""Arguments with the rank that each must have; one with None must be a number of NumPy's itself. No argument: never known."""

SURE: Conditions = frozenset()
_ARRAY, _GIVEN = frozenset((ARRAY,)), frozenset((ARRAY, UFUNC))
_SURELY = NUMBERS | {SCALAR}
NEVER: Conditions = frozenset(((None, 0),))
"""A number or an array, which nothing tells: what a loop begins with a number and goes on with as an array."""
_CLASSES = tuple({cls for cls in np.sctypeDict.values() if issubclass(cls, (np.number, np.bool_))})
_GIVE = "give the argument at capture, or ask for x.ndim and x.dtype"


def scalar(x: Proxy) -> Conditions | None:
    """When a tensor is a number of NumPy's; None: it is an array."""
    if x.backend is None or not x.backend.numbers or x.base is not None or not isinstance(x.value, Value):
        return None
    return scalar_value(x.value)


def number_when(x: Proxy) -> Conditions | None:
    """The same of what an index gave, too, which is a view of one place or a number."""
    found: Conditions | None = x.base.conditions if hasattr(x.base, "conditions") else scalar(x)
    return found


def scalar_value(value: Any) -> Conditions | None:
    """The same of a value of the graph, or of a number of Python's, which is one."""
    if not isinstance(value, Value) or not value.is_tensor:
        return SURE
    kinds = active.builder.record.kinds_of(value)
    if kinds <= _SURELY:
        return SURE
    return None if kinds == _ARRAY else _at_ranks(kinds, active.builder.record.ranks_of(value))


def _at_ranks(kinds: Kinds, ranks: Ranks | None) -> Conditions | None:
    """When what has one of these ranks is a number. An array that a ufunc takes is one with axes, unless more is known."""
    if ranks is None:
        return NEVER
    depths = active.builder.assumed.depths
    arrays = [any(k is not None and (a is None or k <= 0 or k < depths.get(a, 0)) for a, k in terms) for terms in ranks]
    if all(arrays) and kinds <= _GIVEN:
        return None
    return NEVER if any(arrays) or ARRAY in kinds else frozenset().union(*ranks)


def scalar_leaf(leaf: Any, value: Any) -> Conditions | None:
    """The same of a leaf that holds a value: one that stands for a number of Python's is a number."""
    return SURE if weak_kind(leaf) else scalar_value(value)


def every(found: Iterable[Conditions | None]) -> Conditions | None:
    """When all of several are numbers."""
    made = SURE
    for conditions in found:
        if conditions is None:
            return None
        made |= conditions
    return made


def element_of(array: Proxy, integers: int) -> Conditions | None:
    """When an index of so many integers gives a number, where shapes are not known."""
    return _at_ranks(_GIVEN - _ARRAY, dropped(active.builder.record.ranks_of(array.value), integers))


def deepen(conditions: Conditions | None) -> None:
    """Note that what would be a number under these conditions is none: the code indexes it."""
    for value, axes in conditions or ():
        if value is not None and axes is not None and len(conditions or ()) == 1:
            depths = active.builder.assumed.depths
            depths[value] = max(depths.get(value, 0), axes + 1)


def has_axes(terms: Terms) -> bool:
    """Whether the greatest of some ranks is one or more, or can be taken for that."""
    if any(k is not None and k < 0 for _, k in terms):
        return True
    least = sorted(
        (k + 1, argument.node.args[0], argument) for argument, k in terms if argument is not None and k is not None
    )
    return any(active.builder.assumed.axes(argument, axes) for axes, _, argument in least)


def given_as_number(x: Proxy) -> bool:
    """Whether the capture has taken it as given that x is a number, by the rank of an argument."""
    given = {(guard.subject, guard.value) for guard in active.builder.assumed.guards if guard.kind == "rank"}
    root, conditions = active.builder.facts.root, scalar(x)
    return bool(conditions) and all(
        value is not None and root(value).node.op.name == "placeholder" and (root(value).node.args[0], rank) in given
        for value, rank in conditions or ()
    )


def taken(conditions: Conditions) -> bool:
    """Whether conditions can be taken as given: guards say so."""
    builder = active.builder
    return all(builder.assumed.number(x) if rank is None else builder.assumed.rank(x, rank) for x, rank in conditions)


def integers_of(index: Any) -> tuple[int, Conditions]:
    """How many integers an index has, if it has nothing else, and when these are integers; else 0."""
    items = index if type(index) is tuple else (index,)
    given = every(map(_integer, items))
    return (0, SURE) if given is None or given == NEVER else (len(items), given)


def _integer(item: Any) -> Conditions | None:
    """When an item of an index is one integer: in NumPy a number may be told by a rank that is not known."""
    record = active.builder.record
    if record.is_integer(item):
        return SURE
    owner = active.builder.backend
    unknown = (
        isinstance(item, Value)
        and item.is_tensor
        and owner is not None
        and owner.numbers
        and record.rank_of(item) is None
    )
    return scalar_value(item) if unknown and not record.is_boolean(item) else None


def number_types(tracer: Capturing, x: Proxy, classes: list[Any]) -> list[type]:
    """What NumPy's class of x is, as far as it matters for being one of `classes`."""
    asked = tuple(c for c in classes if isinstance(c, type))
    value = x.read()
    element = tracer.record.dtype(value) if isinstance(value, Value) else None
    numbers = _CLASSES if element is None else (element.numpy.type,)
    answers = {issubclass(number, asked) for number in numbers}
    if answers == {issubclass(np.ndarray, asked)}:
        return [numbers[0]]
    conditions = number_when(x)
    if conditions is not None and taken(conditions):
        if len(answers) > 1:
            raise tracer.error(f"GFX cannot tell whether {_named(x)} is one: its dtype is not known", _GIVE)
        return [numbers[0]]
    known = tracer.record.rank_of(value)
    if conditions is not None and (known == 0 or known is None):
        raise tracer.error(f"GFX cannot tell whether {_named(x)} is an array or a number of NumPy's", _GIVE)
    return [np.ndarray]


def _named(x: Proxy) -> str:
    return repr(getattr(x.value, "name", None) or "a tensor")
