"""Putting arrays together and taking them apart by position: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .. import ops
from ..build import rank_of, told_kind
from ..defaults import float_here, number_kind
from ..dtypes import dtype as dtype_named
from ..dtypes import int64
from ..errors import MissingOp, OpenShape
from ..graph import Value
from ..op import lookup
from ..ops import _seen
from ..ops._views import along
from .ranks import just, reaches, require
from .shapes import Shapes
from .words import (
    Dialect,
    Lifted,
    Table,
    ask_rank,
    element,
    expect,
    frozen,
    known_dtype,
    literal,
    needed_dtype,
    unknown_dtype,
)


class Arranging:
    """Inserting, deleting, turning, triangles, positions of grids."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "logspace": {"logspace": self.logspace},
            "vander": {"vander": just(self.say.call("vander"), self.vander, 1)},
            "concat": {"insert": self.insert, "delete": self.delete, "dstack": self.dstack, "block": self.block},
            "expand_dims": {"atleast_3d": lambda *arys: self.atleast_3d(*arys)},
            "split": {"hsplit": self.hsplit, "dsplit": self.dsplit},
            "flip": {"rot90": self.rot90},
            "tile": {"resize": self.resize},
            "diag_embed": {"diagflat": self.diagflat},
            "tril_indices": {
                "tril_indices": self.triangle("tril_indices"),
                "tril_indices_from": self.triangle_from("tril_indices"),
            },
            "triu_indices": {
                "triu_indices": self.triangle("triu_indices"),
                "triu_indices_from": self.triangle_from("triu_indices"),
            },
            "arange": {"diag_indices": self.diag_indices, "diag_indices_from": self.diag_indices_from},
            "take": {"choose .choose": self.choose},
            "getitem": {"ix_": self.ix},
            "remainder": {"unravel_index": self.unravel_index},
            "add": {"ravel_multi_index": self.ravel_multi_index},
        }

    def _x(self, x: Any) -> Any:
        return self.say.as_array(x)

    # ------------------------------------------------------------------ inserting, deleting
    def insert(self, arr: Any, obj: Any, values: Any, axis: Any = None, **options: Any) -> Any:
        """Values before positions that are known."""
        call = self.say.call("insert")
        x, axis = (ops.flatten(self._x(arr)), 0) if axis is None else (self._x(arr), axis)
        rank = ask_rank(x, call)
        at = [obj] if isinstance(obj, int) else list(obj) if isinstance(obj, (tuple, list)) else None
        if at is None or not literal(tuple(at)):
            raise MissingOp(f"GFX has no row for {call} at positions that are data", hint="give numbers")
        size = _seen.size_of(x, axis)
        if any(p < 0 for p in at):
            size = _seen.length(x, axis, f"{call} at a negative position needs the size of the axis")
            at = [p + size if p < 0 else p for p in at]
        if self.say.rules == "numpy":  # JAX moves positions to the end of the axis
            reaches(call, x, axis, [p - 1 for p in at if p > 0])
        new = self._x(frozen(values) if isinstance(values, (list, tuple)) else values)
        new = new if isinstance(new, Value) and new.is_tensor else ops.as_tensor(new)
        parts = self._inserted(new, len(at), rank, axis, isinstance(obj, int), call)
        order = sorted(range(len(at)), key=lambda n: at[n])
        pieces, last = [], 0
        shape = tuple(1 if at == axis % rank else ops.size(x, at) for at in range(rank))
        for n in order:
            pieces.append(ops.getitem(x, along(axis, slice(last, at[n]))))
            pieces.append(self._fitted(parts[n], shape, x))
            last = at[n]
        return ops.concat((*pieces, ops.getitem(x, along(axis, slice(last, None)))), axis=axis)

    def _inserted(self, new: Any, count: int, rank: int, axis: int, single: bool, call: str) -> list:
        """What goes to each place, broadcast against a slice."""
        depth = ask_rank(new, call)
        if depth == 0:
            return [new] * count
        if rank == 1:
            length = _seen.length(new, 0, f"{call} needs the number of values")
            if single:
                return [new]
            return [new] * count if length == 1 else [ops.getitem(new, slice(n, n + 1)) for n in range(count)]
        if single and depth == rank - 1:
            return [ops.expand_dims(new, axis)]
        if depth == rank and not single and _seen.size_of(new, axis) in (1, count):
            one = _seen.size_of(new, axis) == 1
            return [new if one else ops.getitem(new, along(axis, slice(n, n + 1))) for n in range(count)]
        raise MissingOp(f"GFX has no row for {call} of values of {depth} axes here", hint="concatenate slices instead")

    def _fitted(self, part: Any, shape: tuple, x: Any) -> Any:
        """A part as large as a slice of one place, in the dtype of the array."""
        if ask_rank(x, self.say.call("insert")) > 1 or ask_rank(part, self.say.call("insert")) == 0:
            part = ops.broadcast_to(part, shape)
        known = _seen.dtype(x)
        return ops.astype(part, ops.dtype_of(x) if known is None else known)

    def delete(self, arr: Any, obj: Any, axis: Any = None, **options: Any) -> Any:
        """Without the elements at positions."""
        call = self.say.call("delete")
        self.say.refuse(call, assume_unique_indices=options.get("assume_unique_indices") or None)
        x, axis = (ops.flatten(self._x(arr)), 0) if axis is None else (self._x(arr), axis)
        if isinstance(obj, Value) and obj.is_tensor:
            kind, size = told_kind(obj), ops.size(x, axis)
            if kind is None:
                raise unknown_dtype(call)  # a mask, or positions
            gone = obj if kind == "b" else ops.isin(ops.arange(size), ops.remainder(obj, size))
            return ops.getitem(x, along(axis, ops.logical_not(gone)))
        if not isinstance(obj, (slice, Value)):
            reaches(call, x, axis, (obj,) if isinstance(obj, int) else obj)
        if isinstance(obj, int):
            rest = slice(None, 0) if obj == -1 else slice(obj + 1, None)
            return ops.concat(
                (ops.getitem(x, along(axis, slice(None, obj))), ops.getitem(x, along(axis, rest))), axis=axis
            )
        size = _seen.length(x, axis, f"{call} of several elements needs the size of the axis")
        gone = set(range(*obj.indices(size))) if isinstance(obj, slice) else {p % size for p in obj}
        kept = tuple(p for p in range(size) if p not in gone)
        return ops.take(x, ops.constant(kept) if kept else ops.arange(0), axis=axis)

    def resize(self, a: Any, new_shape: Any) -> Any:
        """The elements again and again, in a shape."""
        call = self.say.call("resize")
        shape = (new_shape,) if isinstance(new_shape, int) else tuple(new_shape)
        flat = ops.flatten(self._x(a))
        have, want = _seen.length(flat, 0, f"{call} needs the number of elements"), math.prod(shape)
        if not have:
            self.say.refuse(f"{call} of no elements", shape=shape)
        many = -(-want // have)
        flat = ops.tile(flat, (many,)) if many > 1 else flat
        return ops.reshape(flat if many * have == want else ops.getitem(flat, slice(None, want)), shape)

    # ------------------------------------------------------------------ joining, splitting, turning
    def atleast_3d(self, *arrays: Any) -> Any:
        """New axes: a vector lies in the middle, a matrix in front."""
        made = []
        for x in map(self._x, arrays):
            rank = ask_rank(x, self.say.call("atleast_3d"))
            where = {0: (0, 1, 2), 1: (0, 2), 2: 2}.get(rank)
            made.append(x if where is None else ops.expand_dims(x, where))
        return made[0] if len(made) == 1 else self.say.several(made)

    def dstack(self, tup: Any, dtype: Any = None) -> Any:
        """Joined along the third axis."""
        joined = ops.concat(tuple(self.atleast_3d(x) for x in tup), axis=2)
        return joined if dtype is None else ops.astype(joined, element(dtype))

    def block(self, arrays: Any) -> Any:
        """A nest of lists of blocks: the innermost ones side by side."""
        depth, inner = 0, arrays
        while isinstance(inner, (list, tuple)):
            depth, inner = depth + 1, inner[0]
        rank = max(depth, *(ask_rank(x, self.say.call("block")) for x in _blocks(arrays)))

        def join(part: Any, level: int) -> Any:
            if not isinstance(part, (list, tuple)):
                x = self._x(part)
                lacking = rank - ask_rank(x, self.say.call("block"))
                return ops.expand_dims(x, tuple(range(lacking))) if lacking else x
            return ops.concat(tuple(join(item, level - 1) for item in part), axis=-level)

        return join(arrays, depth)

    def hsplit(self, ary: Any, indices_or_sections: Any) -> Any:
        """Along the second axis; vectors along their only one."""
        axis = 0 if ask_rank(ary, self.say.call("hsplit")) == 1 else 1
        return Shapes(self.say).split(ary, indices_or_sections, axis)

    def dsplit(self, ary: Any, indices_or_sections: Any) -> Any:
        """Along the third axis."""
        return Shapes(self.say).split(ary, indices_or_sections, 2)

    def rot90(self, m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
        """A quarter turn, k times."""
        x, (a, b) = self._x(m), axes
        if k % 4 == 2:
            return ops.flip(x, axis=(a, b))
        if k % 4 == 0:
            return ops.getitem(x, ...)
        return ops.flip(ops.swapaxes(x, a, b), axis=a if k % 4 == 1 else b)

    # ------------------------------------------------------------------ diagonals, triangles, grids
    def diagflat(self, v: Any, k: int = 0) -> Any:
        """All elements as a diagonal."""
        return ops.diag_embed(ops.flatten(self._x(v)), k)

    def triangle(self, name: str) -> Lifted:
        """Positions of a triangle."""
        return lambda n, k=0, m=None: lookup(name)(n, m, k)

    def triangle_from(self, name: str) -> Lifted:
        """Positions of the triangle of a matrix."""
        return lambda arr, k=0: lookup(name)(ops.size(arr, 0), ops.size(arr, 1), k)

    def diag_indices(self, n: Any, ndim: int = 2) -> Any:
        """Positions of the main diagonal."""
        return (ops.arange(n),) * ndim

    def ix(self, *args: Any) -> Any:
        """Vectors whose axes do not meet."""
        vectors, count = list(map(self._x, args)), range(len(args))
        for x in vectors:
            require(self.say.call("ix_"), x, "==", 1)
        return tuple(
            ops.expand_dims(x, tuple(n for n in count if n != at)) if len(count) > 1 else x
            for at, x in enumerate(vectors)
        )

    def diag_indices_from(self, arr: Any) -> Any:
        """Positions of the main diagonal of an array."""
        return self.diag_indices(ops.size(arr, 0), ask_rank(arr, self.say.call("diag_indices_from")))

    def logspace(
        self, start: Any, stop: Any, num: Any = 50, endpoint: bool = True, base: Any = 10.0, dtype: Any = None,
        axis: int = 0,
    ) -> Any:  # fmt: skip
        """Powers of a base, their exponents evenly apart."""
        expect(self.say.call("logspace"), "axis", axis, 0)
        numbers = number_kind((start, stop)) is not None
        wanted = element(dtype) or (float_here(self.say.rules) if numbers else None)
        return ops.logspace(start, stop, num, base, wanted, endpoint)

    def vander(self, x: Any, N: Any = None, increasing: bool = False) -> Any:
        """Powers of a vector along a second axis."""
        x = self._x(x)
        if self.say.rules == "numpy":  # which computes in a dtype that holds Python's integers too
            known = needed_dtype(x, "np.vander")
            wide = dtype_named(np.promote_types(known.numpy, np.int64))
            x = x if wide == known else ops.astype(x, wide)
        return ops.vander(x, N, increasing)

    def choose(self, a: Any, choices: Any, out: Any = None, mode: str = "raise") -> Any:
        """For each element the array that it is the number of."""
        self.say.refuse(self.say.call("choose"), out=out)
        expect(self.say.call("choose"), "mode", mode, "raise")
        if isinstance(choices, Value):
            self.say.refuse(f"{self.say.call('choose')} from the rows of an array", choices=choices)
        a, given = self._x(a), [self._x(c) for c in choices]
        out = given[0]
        for number, choice in enumerate(given[1:], 1):
            out = ops.where(ops.equal(a, number), choice, out)
        return out if len(given) > 1 else ops.where(ops.equal(a, 0), out, out)

    def unravel_index(self, indices: Any, shape: Any, order: str = "C") -> Any:
        """Positions along each axis of elements counted row by row."""
        expect(self.say.call("unravel_index"), "order", order, "C")
        rest, found = self._position(indices), []
        for size in reversed(self._sizes(shape)[1:]):
            found.append(ops.remainder(rest, size))
            rest = ops.floor_divide(rest, size)
        return (rest, *reversed(found))

    def _sizes(self, shape: Any) -> tuple:
        """The sizes in a shape, of which an open one tells how many there are where the way its array was made does."""
        if not isinstance(shape, Value) or shape.kind != "shape":
            return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
        if shape.node.op is not lookup("shape"):
            raise OpenShape(f"{self.say.call('unravel_index')} needs to know how many sizes there are")
        of = shape.node.args[0]
        return tuple(ops.size(of, axis) for axis in range(rank_of(of, self.say.call("unravel_index"))))

    def _position(self, x: Any) -> Any:
        """Positions as NumPy counts with them, in 64 bits."""
        x = self._x(x)
        tensor = isinstance(x, Value) and x.is_tensor
        return ops.astype(x, int64) if tensor and self.say.rules == "numpy" and known_dtype(x) != int64 else x

    def ravel_multi_index(self, multi_index: Any, dims: Any, mode: str = "raise", order: str = "C") -> Any:
        """Numbers, row by row, of elements at positions along each axis."""
        expect(self.say.call("ravel_multi_index"), "order", order, "C")
        expect(self.say.call("ravel_multi_index"), "mode", mode, "raise")
        out: Any = None
        for at, size in zip(multi_index, dims):
            at = self._position(at)
            out = at if out is None else ops.add(ops.multiply(out, size), at)
        return out


def _blocks(nest: Any) -> list:
    return [x for item in nest for x in _blocks(item)] if isinstance(nest, (list, tuple)) else [nest]
