"""Ranks and dtypes where the capture knows no shapes: by construction, as np.arange(n) is a vector."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value
from gfx_ir.infer import abstract
from gfx_ir.op import active
from gfx_ir.types import LogicalTensor


def number(value: Any) -> None:
    """Note that a value stands for a number of Python's of any kind."""
    if isinstance(value, Value):
        active.builder.record.put(value, abstract.number(*abstract.PYTHON))


def rank(value: Any) -> int | None:
    """The rank of a value, where the ops that made it tell."""
    return made_type(value).rank if isinstance(value, Value) else 0


def deepen(conditions: Any) -> None:
    """Note that what would be a number under these conditions is none: the code indexes it."""
    for value, axes in conditions or ():
        if value is not None and axes is not None and len(conditions) == 1:
            active.builder.assumed.depths[value] = max(active.builder.assumed.depths.get(value, 0), axes + 1)


def is_mask(value: Value) -> bool:
    """Whether a tensor holds booleans, as far as the ops that made it tell."""
    element = made_type(value).dtype
    return element.kind == "b" if element is not None else active.builder.is_boolean(value)


def made_type(value: Value) -> LogicalTensor:
    """The type of a tensor, as far as the ops that made it tell."""
    found: LogicalTensor = active.builder.record.of(value).type
    return found


def is_integer(item: Any) -> bool:
    """Whether an item of an index is one number, which a tensor may tell."""
    if not isinstance(item, Value):
        return type(item) is int
    if not item.is_tensor:
        return item.kind == "int"
    return rank(item) == 0 and not is_mask(item)
