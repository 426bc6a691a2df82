"""NumPy's scalars: an element, a sum and what is computed from them alone are numbers, which nothing writes.

`s += 1` makes a new number of a number, and writes an array in place. Where shapes are not known, it hangs on the rank of x
whether `x[0]` is a number: then what is found here are conditions, which the capture takes as given where they matter.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.trees import leaves
from gfx_ir.types import LogicalTensor

from .proxy import Proxy, weak_kind
from .ranks import is_integer, is_mask, made_type, origin, rank

if TYPE_CHECKING:
    from .tracer import Tracer

Conditions = frozenset[tuple[Value | None, int | None]]
"""Arguments with the rank that each must have; one with None must be a number of NumPy's itself. No argument: never known."""

SURE: Conditions = frozenset()
NEVER: Conditions = frozenset(((None, 0),))
"""A number or an array, which nothing tells: what a loop begins with a number and goes on with as an array."""
_GIVE = "give the argument at capture, or ask for x.ndim and x.dtype"
_FAMILIES = frozenset(("elementwise", "reduce", "search", "linalg"))
_ARRAYS = frozenset(("where", "copy", "stop_gradient", "i0", "isin", "cov"))
"""Ops of these that give arrays of rank 0, not numbers."""
_WHOLE = frozenset(
    ("sum", "prod", "mean", "var", "std", "all", "any", "count_nonzero", "max", "min", "argmax", "argmin", "logsumexp",
     "vector_norm", "median", "nanmedian")
)  # fmt: skip
"""Ops that give one number of a whole array, where they are asked for no axis."""


def scalar(x: Proxy) -> Conditions | None:
    """When a tensor is a number of NumPy's; None: it is an array."""
    if x.backend is None or not x.backend.numbers or x.base is not None or not isinstance(x.value, Value):
        return None
    return scalar_value(x.value)


def scalar_value(value: Any) -> Conditions | None:
    """The same of a value of the graph, or of a number of Python's, which is one."""
    if not isinstance(value, Value) or not value.is_tensor:
        return SURE
    known, root = active.builder.scalars, active.builder.facts.root
    value = root(value)
    waiting = [value]
    while waiting:
        top = waiting[-1]
        found = known[top] if top in known else _found(top)
        if type(found) is list:
            found = [root(part) for part in found]
            missing = [part for part in found if part not in known]
            waiting += missing
            if missing:
                continue
            found = every(known[part] for part in found)
        known[top] = found
        waiting.pop()
    return known[value]


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
    known = rank(array.first)
    if known is not None:
        return SURE if known == integers else None
    found = origin(array.first)
    return NEVER if found is None else frozenset(((found[0], integers + found[1]),))


def given_as_number(x: Proxy) -> bool:
    """Whether the capture has taken it as given that x is a number, by the rank of an argument."""
    given = {(guard.subject, guard.value) for guard in active.builder.guards if guard.kind == "rank"}
    root, conditions = active.builder.facts.root, scalar(x)
    return bool(conditions) and all(
        value is not None and root(value).node.op.name == "placeholder" and (root(value).node.args[0], rank) in given
        for value, rank in conditions or ()
    )


def taken(conditions: Conditions) -> bool:
    """Whether conditions can be taken as given: guards say so."""
    builder = active.builder
    return all(builder.assume_number(x) if rank is None else builder.assume_rank(x, rank) for x, rank in conditions)


def _found(value: Value) -> Any:
    """When a value is a number, or the values that have to be numbers for that."""
    node, known = value.node, value.type
    dims = known.dims if isinstance(known, LogicalTensor) else None
    if dims:
        return None
    if node.op.name == "getitem":
        return SURE if dims == () and integers_of(node.args[1])[0] else None
    if node.op.name == "constant":
        return SURE if np.ndim(node.args[0]) == 0 else None
    if node.op.family not in _FAMILIES or node.op.name in _ARRAYS:
        return None
    if dims == ():
        return SURE
    if node.op.family == "elementwise":
        return [leaf for leaf in leaves(node.args) if isinstance(leaf, Value) and leaf.is_tensor]
    whole = node.op.name in _WHOLE and node.arg("axis") is None and not node.arg("keepdims")
    return SURE if whole else None


def integers_of(index: Any) -> tuple[int, Conditions]:
    """How many integers an index has, if it has nothing else, and when these are integers; else 0."""
    items = index if type(index) is tuple else (index,)
    given = every(map(_integer, items))
    return (0, SURE) if given is None or given == NEVER else (len(items), given)


def _integer(item: Any) -> Conditions | None:
    """When an item of an index is one integer: in NumPy a number may be told by a rank that is not known."""
    if is_integer(item):
        return SURE
    owner = active.builder.backend
    unknown = isinstance(item, Value) and item.is_tensor and owner is not None and owner.numbers and rank(item) is None
    return scalar_value(item) if unknown and not is_mask(item) else None


def number_types(tracer: Tracer, x: Proxy, classes: list[Any]) -> list[type]:
    """What NumPy's class of x is, as far as it matters for being one of `classes`."""
    asked = tuple(c for c in classes if isinstance(c, type))
    value = x.read()
    element = getattr(getattr(value, "type", None), "dtype", None) or made_type(value).dtype
    number = np.generic if element is None else element.numpy.type
    if issubclass(np.ndarray, asked) == issubclass(number, asked) and (element is not None or np.generic in asked):
        return [number]
    conditions = x.base.conditions if hasattr(x.base, "conditions") else scalar(x)
    if conditions is not None and taken(conditions):
        if element is None and any(issubclass(c, np.generic) for c in asked):
            raise tracer.error(f"GFX cannot tell whether {_named(x)} is one: its dtype is not known", _GIVE)
        return [number]
    known = rank(value)
    if (conditions is not None and known == 0) or (known is None and any(issubclass(c, np.generic) for c in asked)):
        raise tracer.error(f"GFX cannot tell whether {_named(x)} is an array or a number of NumPy's", _GIVE)
    return [np.ndarray]


def _named(x: Proxy) -> str:
    return repr(getattr(x.value, "name", None) or "a tensor")
