"""Chains of elementwise ufuncs, block by block: what one hands to the next stays in the cache of the processor."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .fused import Fuser, Loop, constant, term
from .workers import Workers

BLOCK = 1 << 17
"""Elements of a block: a few such of float32 fit in the caches, and calls of Python's are few."""


@dataclass(frozen=True)
class Source:
    """What a ufunc takes: what is in a slot, or a constant (slot -1)."""

    slot: int
    constant: Any


class _Row:
    __slots__ = ("ufunc", "operands", "kinds", "target", "dtype", "temporary")

    def __init__(
        self, ufunc: Callable[..., Any], operands: list[tuple[int, Any]], kinds: Sequence[Any], target: int, dtype: np.dtype,
        temporary: int,
    ) -> None:  # fmt: skip
        self.ufunc, self.operands, self.kinds, self.target = ufunc, operands, kinds, target
        self.dtype, self.temporary = dtype, temporary


_CONSTANT, _WHOLE, _SLICED, _LOCAL = range(4)


class Chain:
    """Ufuncs whose results all have one shape. Operands of that shape are gone through block by block along the first axis (along
    all elements at once, where nothing is broadcast), others are taken as they are."""

    def __init__(self, shape: tuple[int, ...], workers: Workers, fuser: Fuser | None = None) -> None:
        self.shape, self.workers, self.fuser = shape, workers, fuser
        self.rows: list[_Row] = []
        self.flat = True
        self._reads: dict[int, int] = {}
        self._local: dict[int, int] = {}
        self._memory = threading.local()
        self._loop: Loop | None = None
        self._takes: list[int] = []

    def add(
        self, ufunc: Callable[..., Any], sources: Sequence[Source], shapes: Sequence[tuple[int, ...]], kinds: Sequence[Any],
        local: Sequence[bool], slot: int, dtype: np.dtype, out: bool,
    ) -> None:  # fmt: skip
        """One more ufunc, whose result goes to a slot; `out`: as a whole array, which stands there already. `kinds`: the dtype of
        each source, for a constant its class."""
        operands: list[tuple[int, Any]] = []
        for source, shape, inside in zip(sources, shapes, local):
            if inside:
                operands.append((_LOCAL, source.slot))
                self._reads[source.slot] = len(self.rows)
            elif source.slot == -1:
                operands.append((_CONSTANT, source.constant))
            elif shape == self.shape:
                operands.append((_SLICED, source.slot))
            else:
                operands.append((_WHOLE, source.slot))
                self.flat &= all(size == 1 for size in shape)
        self.rows.append(_Row(ufunc, operands, kinds, slot, dtype, -1 if out else -2))

    def close(self) -> None:
        """Give each value that stays inside a temporary, those that are read no longer to the next one of its dtype."""
        free: dict[np.dtype, list[int]] = {}
        holds: dict[int, tuple[np.dtype, int]] = {}
        self.temporaries: list[np.dtype] = []
        for at, row in enumerate(self.rows):
            done = [slot for kind, slot in row.operands if kind == _LOCAL and self._reads[slot] == at and slot in holds]
            over = isinstance(row.ufunc, np.ufunc)  # which may write over what it reads, element by element
            released = [holds.pop(slot) for slot in dict.fromkeys(done)]
            if over:
                _give(released, free)
            if row.temporary != -1:
                row.temporary = self._temporary_of(row.dtype, free)
                holds[row.target] = row.dtype, row.temporary
            if not over:
                _give(released, free)
        if self.fuser is not None and self.flat:
            self._fuse(self.fuser)

    def _fuse(self, fuser: Fuser) -> None:
        """Find the one loop that computes everything."""
        taken: dict[int, tuple[str, np.dtype]] = {}
        lines, local, out = [], dict[int, str](), list[_Row]()
        for at, row in enumerate(self.rows):
            names = []
            for (kind, operand), dtype in zip(row.operands, row.kinds):
                if kind == _CONSTANT:
                    names.append(constant(operand))
                elif kind == _LOCAL:
                    names.append(local[operand])
                else:
                    found = taken.setdefault(operand, (f"x{len(taken)}", dtype))[0]
                    names.append(f"{found}[{'i' if kind == _SLICED else 0}]")
            value = term(row.ufunc, names, row.kinds, row.dtype)
            if value is None:
                return
            local[row.target] = f"v{at}"
            lines.append(f"v{at} = {value}")
            if row.temporary == -1:
                lines.append(f"y{len(out)}[i] = v{at}")
                out.append(row)
        given = [name for name, _ in taken.values()] + [f"y{at}" for at in range(len(out))]
        body = "".join(f"\n        {line}" for line in lines)
        text = f"def fused({', '.join(given)}):\n    for i in range(y0.size):{body}\n"
        self._takes = list(taken)
        self._loop = fuser.loop(text, [dtype for _, dtype in taken.values()], [row.dtype for row in out])

    def _temporary_of(self, dtype: np.dtype, free: dict[np.dtype, list[int]]) -> int:
        if free.get(dtype):
            return free[dtype].pop()
        self.temporaries.append(dtype)
        return len(self.temporaries) - 1

    def order(self, env: list[Any]) -> tuple[int, ...] | None:
        """The axes from the slowest to the fastest, as the first operand of the whole shape lies; None: row by row."""
        for row in self.rows:
            for kind, slot in row.operands:
                if kind == _SLICED and env[slot].shape == self.shape:
                    return memory_order(env[slot])
        return None

    def run(self, env: list[Any], order: tuple[int, ...] | None) -> None:
        """Fill the arrays that stand in the slots of results, along the memory."""
        axes = tuple(range(len(self.shape))) if order is None else order
        kept = [axis for axis in axes if self.shape[axis] != 1]
        shape = tuple([self.shape[axis] for axis in kept])
        whole = {
            slot: _arranged(env[slot], len(self.shape), kept)
            for row in self.rows
            for kind, slot in row.operands
            if kind in (_SLICED, _WHOLE)
        }
        out = {
            row.target: _arranged(env[row.target], len(self.shape), kept) for row in self.rows if row.temporary == -1
        }
        loop = None  # it takes memory in one piece
        if self.flat and all(x.flags.c_contiguous for x in (*out.values(), *whole.values())):
            whole = {slot: x.reshape(-1) if x.shape == shape else x.reshape(()) for slot, x in whole.items()}
            out = {slot: x.reshape(-1) for slot, x in out.items()}
            shape = (math.prod(shape),)
            loop = self._loop
        step = max(1, BLOCK // max(1, math.prod(shape[1:])))

        def in_blocks(first: int, end: int) -> None:
            temporaries = self._temporary(step, shape[1:])
            for at in range(first, end):
                self._block(slice(at * step, min((at + 1) * step, shape[0])), shape, whole, out, temporaries)

        def in_one(first: int, end: int) -> None:
            rows = slice(first * step, min(end * step, shape[0]))
            given = [whole[slot][rows] if whole[slot].ndim else whole[slot].reshape(1) for slot in self._takes]
            loop(*given, *(x[rows] for x in out.values()))  # type: ignore[misc]  # only taken where there is one

        self.workers.share(in_blocks if loop is None else in_one, -(-shape[0] // step))

    def _temporary(self, step: int, inner: tuple[int, ...]) -> list[np.ndarray]:
        found = getattr(self._memory, "made", None)
        if found is None or found[0] != (step, inner):
            found = (step, inner), [np.empty((step, *inner), dtype) for dtype in self.temporaries]
            self._memory.made = found
        return found[1]  # type: ignore[no-any-return]

    def _block(
        self, rows: slice, shape: tuple[int, ...], whole: dict[int, Any], out: dict[int, Any], temporaries: list[np.ndarray]
    ) -> None:  # fmt: skip
        local: dict[int, Any] = {}
        for row in self.rows:
            given = []
            for kind, operand in row.operands:
                if kind == _CONSTANT:
                    given.append(operand)
                elif kind == _LOCAL:
                    given.append(local[operand])
                else:
                    x = whole[operand]
                    given.append(x[rows] if x.ndim == len(shape) and len(x) == shape[0] else x)
            count = rows.stop - rows.start
            target = out[row.target][rows] if row.temporary == -1 else temporaries[row.temporary][:count]
            local[row.target] = row.ufunc(*given, out=target)


def _give(released: Sequence[tuple[np.dtype, int]], free: dict[np.dtype, list[int]]) -> None:
    for dtype, number in released:
        free.setdefault(dtype, []).append(number)


def _arranged(x: np.ndarray, rank: int, kept: list[int]) -> np.ndarray:
    """An operand with the axes that are kept, in that order; of those that it lacks none or one of size 1."""
    if x.ndim < rank:
        x = x.reshape((1,) * (rank - x.ndim) + x.shape)
    dropped = [axis for axis in range(rank) if axis not in kept]
    return x.transpose((*kept, *dropped)).reshape([x.shape[axis] for axis in kept])


def memory_order(x: np.ndarray) -> tuple[int, ...] | None:
    """The axes of an array from the slowest to the fastest; None: row by row."""
    return None if x.flags.c_contiguous else tuple(map(int, np.argsort([-step for step in x.strides], kind="stable")))


def laid_out(flat: np.ndarray, shape: tuple[int, ...], order: tuple[int, ...] | None) -> np.ndarray:
    """Flat memory as an array of this shape, whose axes lie in this order."""
    if order is None:
        return flat.reshape(shape)
    inverse = [order.index(axis) for axis in range(len(order))]
    return flat.reshape([shape[axis] for axis in order]).transpose(inverse)
