"""Arranging elements anew, and picking them by position: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from .. import ops
from ..build import assumptions, host
from ..dtypes import DType
from ..errors import MissingOp, ShapeError
from ..graph import Value
from ..op import lookup
from ..ops import _seen
from ..ops._views import along
from . import padding, rows
from .ranks import just
from .to_python import item, tolist
from .words import Dialect, Lifted, Table, ask_rank, at_least, element, expect, literal, parts, rank


class Shapes:
    """Axes, broadcasting, joining, splitting, padding."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "reshape": {".item": item, ".tolist": tolist},
            "permute_dims": {"transpose permute_dims .T@": self.transpose, ".transpose": self.transpose_method},
            "swapaxes": {"swapaxes .swapaxes": lambda a, axis1, axis2: ops.swapaxes(a, axis1, axis2)},
            "matrix_transpose": {
                "matrix_transpose linalg.matrix_transpose .mT@": lambda x: ops.matrix_transpose(x),
            },
            "moveaxis": {
                "moveaxis": lambda a, source, destination: ops.moveaxis(a, source, destination),
                "rollaxis": self.rollaxis,
            },
            "expand_dims": {"expand_dims": lambda a, axis: ops.expand_dims(self.say.as_array(a), axis)},
            "at_least": {
                "atleast_1d": lambda *arys: self.atleast(1, *arys),
                "atleast_2d": lambda *arys: self.atleast(2, *arys),
            },
            "squeeze": {"squeeze .squeeze": lambda a, axis=None: ops.squeeze(a, axis=axis)},
            "broadcast_to": {"broadcast_to": self.broadcast_to, "broadcast_arrays": self.broadcast_arrays},
            "concat": {
                "concatenate concat": self.concatenate,
                "append": self.append,
                "hstack": self.hstack,
                "vstack": self.vstack,
                "column_stack": self.column_stack,
            },
            "stack": {"stack": self.stack},
            "split": {
                "split": self.split,
                "array_split": self.array_split,
                "vsplit": lambda ary, indices_or_sections: self.split(ary, indices_or_sections, 0),
            },
            "unstack": {"unstack": lambda x, /, *, axis=0: rows.unstacked(x, axis)},
            "flip": {
                "flip": lambda m, axis=None: ops.flip(m, axis=axis),
                "flipud": lambda m: ops.flip(m, axis=0),
                "fliplr": lambda m: ops.flip(m, axis=1),
            },
            "roll": {"roll": self.roll},
            "tile": {"tile": self.tile},
            "repeat": {"repeat .repeat": self.repeat},
            "pad": {"pad": self.pad},
            "rank": {"ndim .ndim@": lambda a: ops.rank(self.say.as_array(a))},
            "shape": {".shape@": lookup("shape")},
            "numel": {"size .size@": self.size},
            "dtype_of": {".dtype@": ops.dtype_of},
            "can_cast": {"can_cast": self.can_cast},
            "device_of": {".device@": ops.device_of},
        }

    # ------------------------------------------------------------------ axes
    def transpose(self, a: Any, axes: Any = None) -> Any:
        """All axes reversed, or in the order that is given."""
        a = self.say.as_array(a)
        if axes is not None:
            return ops.permute_dims(a, tuple(axes))
        count = rank(a)
        if count is None:
            return ops.permute_dims(a)
        if count == 2:
            return ops.matrix_transpose(a)
        return ops.permute_dims(a, tuple(reversed(range(count)))) if count > 1 else a

    def transpose_method(self, x: Any, *axes: Any) -> Any:
        """x.transpose(1, 0), or x.transpose((1, 0))."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes
        return self.transpose(x, given or None)

    def roll(self, a: Any, shift: Any, axis: Any = None) -> Any:
        """Several shifts along one axis are their sum."""
        if not isinstance(axis, (tuple, list)):
            listed = isinstance(shift, (tuple, list))
            shift = (
                functools.reduce(lambda a, b: host("+", a, b), shift)
                if listed
                else ops.sum(shift)
                if rank(shift)
                else shift
            )
        return ops.roll(self.say.as_array(a), shift, axis=axis)

    def rollaxis(self, a: Any, axis: int, start: int = 0) -> Any:
        """An axis moved before another."""
        count = ask_rank(a, self.say.call("rollaxis"))
        axis, start = axis % count, start + count if start < 0 else start
        return ops.moveaxis(a, axis, start - 1 if axis < start else start)

    def atleast(self, count: int, *arrays: Any) -> Any:
        """New axes in front."""
        made = [at_least(x, count) for x in map(self.say.as_array, arrays)]
        return made[0] if len(made) == 1 else self.say.several(made)

    def can_cast(self, from_: Any, to: Any, casting: str = "safe") -> Any:
        of, to = element(from_), element(to)
        if isinstance(of, DType) and isinstance(to, DType):
            return bool(np.can_cast(of.numpy, to.numpy, casting))  # type: ignore[arg-type]
        expect(self.say.call("can_cast"), "casting", casting, "same_kind")
        return ops.can_cast(of, to, True)

    def size(self, a: Any, axis: Any = None) -> Any:
        """How many elements there are, of all or along an axis."""
        return ops.numel(a) if axis is None else ops.size(a, axis)

    # ------------------------------------------------------------------ broadcasting
    def broadcast_to(self, array: Any, shape: Any, **options: Any) -> Any:
        """An array in a larger shape."""
        self.say.refuse(self.say.call("broadcast_to"), **options)
        return ops.broadcast_to(self.say.as_array(array), shape)

    def broadcast_arrays(self, *arrays: Any, **options: Any) -> Any:
        """Each of the arrays in the shape of all: that of their sum, so that no rank need be known."""
        self.say.refuse(self.say.call("broadcast_arrays"), **options)
        zero = None
        for x in arrays:
            zero = ops.zeros_like(x) if zero is None else ops.add(zero, ops.zeros_like(x))
        return self.say.several(ops.broadcast_to(x, lookup("shape")(zero)) for x in arrays)

    # ------------------------------------------------------------------ joining
    def concatenate(self, arrays: Any, axis: Any = 0, out: Any = None, dtype: Any = None, **options: Any) -> Any:
        """Arrays one after the other along an axis that they have."""
        self.say.refuse(self.say.call("concatenate"), out=out, **options)
        if isinstance(arrays, Value):
            self._at_least_two(arrays)
            joined = ops.copy(ops.flatten(arrays) if axis is None else rows.joined(arrays, axis))
        else:
            joined = ops.concat(tuple(map(self.say.as_array, arrays)), axis=axis)
        return joined if dtype is None else ops.astype(joined, element(dtype))

    def _at_least_two(self, rows: Value) -> None:
        """The rows of an array have axes themselves: numbers cannot be joined."""
        call, known, given = self.say.call("concatenate"), rank(rows), assumptions()
        if known is not None and known < 2:
            raise ShapeError(f"{call} joins arrays, and the rows of an array of {known} axes are numbers")
        if known is None and given is not None and not given.axes(rows, 2):
            ops.check(host(">=", ops.rank(rows), 2), f"{call}: arrays to be joined have axes", "ValueError")

    def stack(self, arrays: Any, axis: int = 0, out: Any = None, dtype: Any = None, **options: Any) -> Any:
        """Arrays one after the other along a new axis."""
        self.say.refuse(self.say.call("stack"), out=out, **options)
        if isinstance(arrays, Value):
            stacked = ops.copy(rows.stacked(arrays, axis))
        else:
            stacked = ops.stack(tuple(map(self.say.as_array, arrays)), axis=axis)
        return stacked if dtype is None else ops.astype(stacked, element(dtype))

    def append(self, arr: Any, values: Any, axis: Any = None) -> Any:
        """Two arrays joined; flat without an axis."""
        return ops.concat(tuple(self._array(x) for x in (arr, values)), axis=axis)

    def _array(self, x: Any) -> Any:
        """What stands for an array: one, a list, or a number."""
        x = self.say.as_array(x)
        number = not x.is_tensor if isinstance(x, Value) else isinstance(x, (int, float, complex))
        return ops.as_tensor(x) if number else x

    def hstack(self, tup: Any, dtype: Any = None, **options: Any) -> Any:
        """Joined along the second axis; vectors along their only one."""
        arrays = [self.atleast(1, x) for x in tup]
        axis = 0 if ask_rank(arrays[0], self.say.call("hstack")) == 1 else 1
        return self.concatenate(arrays, axis, dtype=dtype, **options)

    def vstack(self, tup: Any, dtype: Any = None, **options: Any) -> Any:
        """Joined along the first axis; a vector is a row."""
        return self.concatenate([self.atleast(2, x) for x in tup], 0, dtype=dtype, **options)

    def column_stack(self, tup: Any) -> Any:
        """Joined along the second axis; a vector is a column."""
        call, arrays = self.say.call("column_stack"), map(self.say.as_array, tup)
        return ops.concat(tuple(ops.expand_dims(x, 1) if ask_rank(x, call) == 1 else x for x in arrays), axis=1)

    # ------------------------------------------------------------------ splitting
    def split(self, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        """A number of equal parts, or the positions of the cuts."""
        cuts = indices_or_sections
        if isinstance(cuts, int):
            if cuts < 1:
                raise ShapeError(f"{self.say.call('split')} into {cuts} parts")
            return parts(ops.split(ary, cuts, axis=axis))
        if isinstance(cuts, Value):
            raise MissingOp("GFX splits at positions that are known", hint="give a tuple of numbers")
        if literal(tuple(cuts)) and list(cuts) == sorted(cuts) and (not cuts or cuts[0] >= 0):
            size = _seen.size_of(ary, axis)
            end = size if isinstance(size, int) else ops.size(ary, axis)
            cuts = tuple(min(c, end) for c in cuts) if isinstance(end, int) else tuple(cuts)
            sizes = tuple(b if type(a) is int and a == 0 else host("-", b, a) for a, b in zip((0, *cuts), (*cuts, end)))
            return parts(ops.split(ary, sizes, axis=axis))
        return [ops.getitem(ary, along(axis, slice(a, b))) for a, b in zip((None, *cuts), (*cuts, None))]

    def array_split(self, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
        """Parts as equal as can be, the larger ones first."""
        if not isinstance(indices_or_sections, int):
            return self.split(ary, indices_or_sections, axis)
        size = _seen.length(ary, axis, f"{self.say.call('array_split')} needs the size of the axis")
        small, larger = divmod(size, indices_or_sections)
        sizes = (small + 1,) * larger + (small,) * (indices_or_sections - larger)
        return parts(ops.split(ary, sizes, axis=axis))

    # ------------------------------------------------------------------ repeating
    def tile(self, A: Any, reps: Any) -> Any:
        """The whole array again and again."""
        return ops.tile(self.say.as_array(A), tuple(reps) if isinstance(reps, (tuple, list, np.ndarray)) else (reps,))

    def repeat(self, a: Any, repeats: Any, axis: Any = None, *, total_repeat_length: Any = None, **options: Any) -> Any:
        """Each element again and again."""
        self.say.refuse(self.say.call("repeat"), **options)
        return ops.repeat(self.say.as_array(a), repeats, axis, total_repeat_length)

    def pad(self, array: Any, pad_width: Any, mode: str = "constant", **options: Any) -> Any:
        """Widths for each axis, or one pair or number for all."""
        call, value = self.say.call("pad"), options.pop("constant_values", 0)
        self.say.refuse(call, **options)
        expect(call, "mode", mode, "constant", "reflect", "edge", "wrap", "symmetric", "empty", *padding.STATISTICS)
        array = self.say.as_array(array)
        rows = (tuple, list, np.ndarray)
        one = pad_width[0] if isinstance(pad_width, rows) and len(pad_width) == 1 else pad_width
        if not isinstance(one, rows) or not any(isinstance(w, rows) for w in one):
            pair = tuple(one) if isinstance(one, rows) else (one, one)
            widths: tuple = (pair,) * ask_rank(array, f"{call} with one width for all axes")
        else:
            widths = tuple(tuple(w) if len(w) == 2 else (w[0], w[0]) for w in pad_width)
        if not widths:
            return ops.copy(array)
        if mode == "symmetric":
            return padding.mirrored(array, widths, call)
        if mode in padding.STATISTICS:
            return padding.with_statistics(array, widths, mode, self.say)
        if isinstance(value, (tuple, list)):
            return padding.with_numbers(array, widths, value)
        mode = "constant" if mode == "empty" else mode
        return ops.pad(array, widths, mode=mode, value=value)


def positions(say: Dialect) -> Table:
    """Triangles, diagonals, search."""

    def diag(v: Any, k: int = 0) -> Any:
        v = say.as_array(v)
        count = rank(v)
        if count == 2:
            return ops.diagonal(v, offset=k)
        return ops.diag_embed(v, k) if count == 1 else ops.diag(v, k)

    def searchsorted(a: Any, v: Any, side: str = "left", sorter: Any = None, **options: Any) -> Any:
        say.refuse(say.call("searchsorted"), **options)
        keys = say.as_array(a)
        keys = keys if sorter is None else ops.take(keys, say.as_array(sorter), axis=0)
        return ops.searchsorted(keys, say.as_array(v), side=side)

    def digitize(x: Any, bins: Any, right: bool = False, **options: Any) -> Any:
        """The bins may fall, too; of an array data tell whether they do."""
        say.refuse(say.call("digitize"), **options)
        side = "left" if right else "right"
        known = isinstance(bins, (tuple, list))
        falls = len(bins) > 1 and bins[0] > bins[-1] if known else ops.less(ops.getitem(bins, -1), ops.getitem(bins, 0))
        rising = lambda: ops.searchsorted(say.as_array(bins), x, side=side)
        turned = lambda: say.as_array(bins[::-1]) if known else ops.flip(bins, axis=(0,))
        falling = lambda: ops.subtract(ops.size(say.as_array(bins), 0), ops.searchsorted(turned(), x, side=side))
        if isinstance(falls, bool):
            return falling() if falls else rising()
        return ops.where(falls, falling(), rising())

    def diagonal(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
        return ops.diagonal(a, offset, axis1, axis2)

    lifts: dict[str, dict[str, Lifted]] = {
        "tril": {"tril": lambda m, k=0: ops.tril(say.as_array(m), k=k)},
        "triu": {"triu": lambda m, k=0: ops.triu(say.as_array(m), k=k)},
        "diagonal": {"diagonal .diagonal": diagonal, "diag": diag},
        "searchsorted": {
            "searchsorted .searchsorted": just(say.call("searchsorted"), searchsorted, 1),
            "digitize": just(say.call("digitize"), digitize, None, 1),
        },
    }
    return lifts
