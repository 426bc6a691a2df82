"""Prefix closure: whether the first rows of a table made for greater sizes are the table of these sizes, as in `cache[:n]`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

from gfx_ir.control import is_call, is_given, is_parameter
from gfx_ir.graph import Node, Value, values_in
from gfx_ir.host import Dim, DimLike, Expr, atoms, compared, sub
from gfx_ir.op import Trait
from gfx_ir.types import LogicalTensor

Dims = Sequence["DimLike | None"]
_WHOLE = slice(None)


def is_size(value: Value) -> bool:
    """Whether a value is a number that is told as a size, or in terms of sizes."""
    return value.kind == "int" and isinstance(value.type, (Dim, Expr, int))


def _is_told(value: Value) -> bool:
    """Whether what a value is does not hang on what its node takes, beyond its type."""
    return is_size(value) or value.kind == "device"


class Prefixes:
    """Answers for the values that are computed of these sizes alone. A value is closed if its elements stay where they are, and what they
    are, as a size grows: its axes of that size grow at their ends."""

    def __init__(self, sizes: Collection[DimLike]) -> None:
        self._sizes, self._atoms = sizes, {atom for size in sizes if not isinstance(size, int) for atom in atoms(size)}
        self._found: dict[Value, bool] = {}

    def closed(self, value: Value) -> bool:
        waiting = [value]
        while waiting:
            item = waiting[-1]
            parts = [] if _is_told(item) else [part for part in values_in(item.node.args) if part not in self._found]
            if parts and item not in self._found:
                waiting += parts
            else:
                self._found.setdefault(waiting.pop(), self._is_closed(item))
        return self._found[value]

    def _is_closed(self, value: Value) -> bool:
        """Whether a value is, where what its node takes is told. A number is, if it hangs on none of the sizes."""
        if _is_told(value):
            return not self._grows(value.type)
        node = value.node
        if is_parameter(node):
            return True
        return not (is_given(node) or is_call(node) or node.regions or node.op.effect) and self._keeps(node)

    def _keeps(self, node: Node) -> bool:
        given = values_in(node.args)
        if not any(value.is_tensor for value in given):
            return self._makes(node)
        return all(map(self._found.__getitem__, given)) and self._keeps_rows(node)

    def _makes(self, node: Node) -> bool:
        """Of a node without tensors: whether the sizes tell at most the shape, or where a range ends that begins at 0."""
        ends = "stop" if node.op.traits & Trait.COUNTS else "shape"
        if node.op.traits & Trait.COUNTS and node.arg("stop") is None:
            ends = "start"
        rest = [arg for param, arg in zip(node.op.params, node.args) if param != ends]
        return not node.op.draws and all(map(self._found.__getitem__, values_in(tuple(rest))))

    def _keeps_rows(self, node: Node) -> bool:
        traits, (first, *_) = node.op.traits, node.args
        if traits & (Trait.ELEMENTWISE | Trait.PERMUTES | Trait.CASTS | Trait.MOVES):
            return True
        if traits & Trait.FIRST_ROWS:
            axes = self._growing(node.value)
            return "axis" not in node.op.params or (axes is not None and self._beside(node.arg("axis"), node, axes))
        if traits & Trait.READS_AT:
            place = _place(node.args[1], len(_dims(first) or ()))
            return place is not None and self._reads_rows(place, _dims(first))
        if traits & Trait.IN_ORDER:
            return self._in_order(_dims(first), _dims(node.value))
        if node.op.contraction is not None:
            growing = [axes for value in values_in(node.args) if (axes := self._growing(value)) != []]
            return (
                len(growing) == 1 and growing[0] is not None and len(growing[0]) == len(self._growing(node.value) or ())
            )
        return False

    def _grows(self, size: Any) -> bool:
        return isinstance(size, (Dim, Expr)) and (size in self._sizes or not self._atoms.isdisjoint(atoms(size)))

    def _growing(self, value: Value) -> list[int] | None:
        """The axes that grow; None where they are not told."""
        dims = _dims(value)
        return None if dims is None else [axis for axis, dim in enumerate(dims) if self._grows(dim)]

    def _beside(self, axis: Any, node: Node, growing: Collection[int]) -> bool:
        rank = len(_dims(node.value) or ())
        stacked = node.op.traits & Trait.STACKS
        return type(axis) is int and (bool(stacked) or axis % max(rank, 1) not in growing)

    def _reads_rows(self, place: tuple, dims: Dims | None) -> bool:
        """Whether a place takes the axes that grow as they are."""
        rest = iter(dims or ())
        return dims is not None and all(
            item is None or _is_whole(item, dim := next(rest)) or not self._grows(dim) for item in place
        )

    def _in_order(self, before: Dims | None, after: Dims | None) -> bool:
        """Whether a reshape keeps the axes up to the last one that grows, but for those of size 1."""
        if before is None or after is None:
            return False
        a, b = [dim for dim in before if dim != 1], [dim for dim in after if dim != 1]
        last = max((at + 1 for at, dim in enumerate(a) if self._grows(dim)), default=0)
        return a[:last] == b[:last] and not any(map(self._grows, b[last:]))


def cut(node: Node, dims: Dims, wanted: Dims) -> Any:
    """The place that a node reads of a tensor of sizes `dims`, as one of the first rows, of sizes `wanted`; None where it takes others, or
    is no place."""
    if not node.op.traits & Trait.READS_AT or len(dims) != len(wanted):
        return None
    place = _place(node.args[1], len(dims))
    if place is None:
        return None
    axes, found = iter(zip(dims, wanted)), list[Any]()
    for item in place:
        if item is None:
            found.append(None)
            continue
        dim, size = next(axes)
        if _is_whole(item, dim) or _takes_first(item, dim, size):
            item, dim = _WHOLE, dim if _is_whole(item, dim) else size
        if dim != size:
            return None
        found.append(item)
    return tuple(found)


def _takes_first(item: Any, dim: DimLike | None, size: DimLike | None) -> bool:
    """Whether a part of a place is the slice of the first `size` of an axis."""
    if not isinstance(item, slice) or item.start not in (None, 0) or item.step not in (None, 1) or None in (dim, size):
        return False
    stop = item.stop.type if type(item.stop) is Value and is_size(item.stop) else item.stop
    return bool(stop == size and compared(">=", dim, size))  # type: ignore[arg-type]  # neither is None


def _is_whole(item: Any, dim: DimLike | None) -> bool:
    return isinstance(item, slice) and (item == _WHOLE or _takes_first(item, dim, dim) or _takes_last(item, dim))


def _takes_last(item: slice, dim: DimLike | None) -> bool:
    """Whether it is the slice of the last `dim` of an axis."""
    start = item.start.type if type(item.start) is Value and is_size(item.start) else item.start
    return None not in (start, dim) and item.stop is None and item.step in (None, 1) and start == sub(0, dim)  # type: ignore[arg-type]


def _dims(value: Any) -> Dims | None:
    known = value.type if type(value) is Value else None
    return known.dims if isinstance(known, LogicalTensor) else None


def _place(place: Any, rank: int) -> tuple | None:
    """A place with a part for each axis, of numbers, slices and None; None of any other."""
    items = list(place) if isinstance(place, tuple) else [place]
    if not all(item is None or item is Ellipsis or type(item) is int or isinstance(item, slice) for item in items):
        return None
    at = next((n for n, item in enumerate(items) if item is Ellipsis), len(items))
    taken = sum(item is not None and item is not Ellipsis for item in items)
    items[at : at + 1] = [_WHOLE] * (rank - taken)
    return tuple(items)
