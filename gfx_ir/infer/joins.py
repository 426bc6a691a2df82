"""Joins of types: of the two sides of a test, of what a loop carries, of several calls of one graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from .. import host
from ..dtypes import RANK, DType, of_widths
from ..errors import ShapeError
from ..graph import Node, Value, values_in
from ..promotion import as_type
from ..python_numbers import NUMBER_CLASSES
from ..rules import OPEN, UNKNOWN
from ..trees import BRANCHES, leaves
from ..types import LogicalTensor


@dataclass(frozen=True)
class Maybe(LogicalTensor):
    """The type of what may be None instead."""


def maybe(type_: LogicalTensor) -> Maybe:
    """The same type, of what may be None."""
    return Maybe(type_.dtype, type_.dims, type_.strides, type_.layout, type_.weak, type_.id)


def surely(type_: LogicalTensor) -> LogicalTensor:
    """The same type, of what is not None."""
    if type(type_) is LogicalTensor:
        return type_
    return LogicalTensor(type_.dtype, type_.dims, type_.strides, type_.layout, type_.weak, type_.id)


def fit(value: Value, type_: Any, rules: str) -> Any:
    """A type as a value of this kind has it: numbers become weak tensors, unknown host values unknown tensors."""
    if value.kind == "tensor":
        if isinstance(type_, LogicalTensor):
            return surely(type_)
        return UNKNOWN if type_ is None or type_ is OPEN else as_type(type_, rules)
    if value.kind == "optional":
        if type_ is OPEN:
            return maybe(UNKNOWN)
        return type_ if type_ is None or isinstance(type_, LogicalTensor) else as_type(type_, rules)
    if isinstance(type_, LogicalTensor) and value.kind != "any":
        return OPEN
    return type_


def initial(value: Value) -> Any:
    """What is known of an argument."""
    if value.type is not None:
        return maybe(value.type) if value.kind == "optional" else value.type
    return UNKNOWN if value.kind == "tensor" else maybe(UNKNOWN) if value.kind == "optional" else OPEN


def final(type_: Any) -> Any:
    """What a value keeps of a type: None where nothing is known."""
    if isinstance(type_, LogicalTensor):
        return None if surely(type_) == UNKNOWN else surely(type_)
    return None if type_ is OPEN or (type(type_) in BRANCHES and any(leaf is OPEN for leaf in leaves(type_))) else type_


def alike(a: Any, b: Any) -> bool:
    """Whether two types are the same (1, 1.0 and True are not)."""
    if type(a) is not type(b):
        return False
    if type(a) in (tuple, list):
        return len(a) == len(b) and all(map(alike, a, b))
    return a is b or bool(a == b)


def loosely(a: Any, b: Any, rules: str) -> Any:
    """What holds of either: whatever differs is unknown."""
    if alike(a, b):
        return a
    if a is None or b is None:
        other = a if b is None else b
        return maybe(other) if isinstance(other, LogicalTensor) else OPEN
    if isinstance(a, LogicalTensor) or isinstance(b, LogicalTensor):
        return _loose_tensors(a, b, rules)
    if type(a) is tuple and type(b) is tuple and len(a) == len(b):
        return tuple([loosely(x, y, rules) for x, y in zip(a, b)])
    return OPEN


def _loose_tensors(a: Any, b: Any, rules: str) -> Any:
    if not all(isinstance(t, (LogicalTensor, *NUMBER_CLASSES)) for t in (a, b)):
        return OPEN
    a, b = as_type(a, rules), as_type(b, rules)
    same = a.weak == b.weak
    dims = None
    if a.dims is not None and b.dims is not None and len(a.dims) == len(b.dims):
        dims = tuple([x if host.same(x, y) else None for x, y in zip(a.dims, b.dims)])
    dtype = a.dtype if same and a.dtype == b.dtype else None
    joined = LogicalTensor(dtype, dims, weak=a.weak and b.weak, layout=a.layout if a.layout == b.layout else "any")
    return maybe(joined) if isinstance(a, Maybe) or isinstance(b, Maybe) else joined


def agree(nodes: Iterable[Node], others: Iterable[Node], rules: str) -> None:
    """Let nodes stand for others, too, which compute the same: of the types of what they take and give stays what holds of both."""
    for node, other in zip(nodes, others):
        pairs = [*zip(values_in(node.args), values_in(other.args)), *zip(node.values, other.values)]
        for region, theirs in zip(node.regions, other.regions):
            pairs += zip(region.placeholders, theirs.placeholders)
            agree(region, theirs, rules)
        for value, seen in pairs:
            if value.type is not seen.type and not alike(value.type, seen.type):
                value.type = final(loosely(initial(value), initial(seen), rules))


def strictly(a: Any, b: Any, rules: str) -> Any:
    """The type of a tensor that is one of two: equal shapes and kinds of numbers, weak scalars widened; of two widths the dtype is
    open. Raises ShapeError."""
    if any(isinstance(t, Maybe) or not isinstance(t, (LogicalTensor, *NUMBER_CLASSES)) for t in (a, b)):
        return loosely(a, b, rules)
    if alike(a, b):
        return a
    a, b = as_type(a, rules), as_type(b, rules)
    dtype, weak = _joint_dtype(a, b)
    return replace(LogicalTensor(dtype, _joint_dims(a, b)), weak=weak)


def _joint_dtype(a: LogicalTensor, b: LogicalTensor) -> tuple[DType | None, bool]:
    if a.dtype is None or b.dtype is None:
        return None, a.weak and b.weak
    if a.weak and b.weak:
        return max(a.dtype, b.dtype, key=lambda d: RANK[d.kind]), True
    strong, other = (b, a) if a.weak else (a, b)
    assert strong.dtype is not None and other.dtype is not None
    if not other.weak and strong.dtype != other.dtype:
        if not of_widths(strong.dtype, other.dtype):
            raise ShapeError(f"dtype {a.dtype} against dtype {b.dtype}")
        return None, False
    if other.weak and RANK[other.dtype.kind] > RANK[strong.dtype.kind]:
        raise ShapeError(f"dtype {strong.dtype} against a Python number of kind {other.dtype}")
    return strong.dtype, False


def _joint_dims(a: LogicalTensor, b: LogicalTensor) -> Any:
    if a.dims is None or b.dims is None:
        return None
    if len(a.dims) != len(b.dims) or any(host.same(x, y) is False for x, y in zip(a.dims, b.dims)):
        raise ShapeError(f"shape {a} against shape {b}")
    return tuple([x if host.same(x, y) else None for x, y in zip(a.dims, b.dims)])
