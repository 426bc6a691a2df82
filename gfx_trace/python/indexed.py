"""`x.at[index].set(value)`: JAX's indexed updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.graph import Value
from gfx_ir.lifting.words import ask_rank
from gfx_ir.op import Trait

from ..heap.chains import has_slice
from ..interfaces import Capturing
from ..values.proxy import Proxy

_COMBINED = {
    "multiply": "multiply", "mul": "multiply", "divide": "divide", "min": "minimum", "max": "maximum", "power": "pow",
}  # fmt: skip
_OPTIONS = {
    **dict.fromkeys(("indices_are_sorted", "unique_indices", "mode", "fill_value"), ...),
    "out_sharding": None, "wrap_negative_indices": True,
}  # fmt: skip
"""The options of an update, each with the one value that it may have; `...`: any."""
_MODES = {"none": "", "promise_in_bounds": "", "clip": "clip", "fill": "fill", "drop": "fill", "fill_or_drop": "fill"}
"""What becomes of positions outside of an array, by what JAX calls it."""
_REDUCED = {"multiply": "prod", "mul": "prod", "min": "amin", "max": "amax"}


class Indexed:
    """`x.at`, and with an index `x.at[index]`."""

    def __init__(self, tracer: Capturing, x: Proxy, index: Any = None, chosen: bool = False) -> None:
        self._tracer, self._x, self._index, self._chosen = tracer, x, index, chosen

    def __getitem__(self, index: Any) -> Indexed:
        return Indexed(self._tracer, self._x, index, True)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not self._chosen or name.startswith("__"):
            raise AttributeError(name)

        def update(value: Any = None, **options: Any) -> Proxy:
            mode = options.get("mode")
            mode = str(getattr(mode, "name", mode)).lower()
            other = [key for key, held in options.items() if _OPTIONS.get(key, self) not in (..., held)]
            if mode not in _MODES or other:
                raise self._tracer.error(f"x.at[...].{name} with {', '.join(options)} has no row")
            base, index, axes = self._x.read(), self._tracer.unwrap(self._index), list[int]()
            if _MODES[mode]:
                filled = self._tracer.unwrap(options.get("fill_value")) if name == "get" else 0
                base, index, axes = self._held(name, base, index, _MODES[mode], filled)
            made = self._update(name, base, index, value, options.get("unique_indices") is True)
            for axis in axes if name != "get" else ():
                made = ops.getitem(made, (*(slice(None),) * axis, slice(None, -1)))
            return Proxy(made, self._x.backend)

        return update

    def _held(self, name: str, base: Value, index: Any, mode: str, filled: Any) -> tuple[Value, Any, list[int]]:
        """An array and an index of it that lies inside: positions outside of the array are moved to its ends, or to an element behind
        them, which holds `filled` and is there along the axes that are given."""
        items, axes, at = list(index) if type(index) is tuple else [index], list[int](), 0
        taken = [item is not None and item is not ... for item in items]
        if not all(type(item) in (slice, int, type(None), type(...)) or self._are_positions(item) for item in items):
            raise self._tracer.error(f"x.at[...].{name} with a mode, of masks or of an unknown dtype, has no row")
        for place, item in enumerate(items):
            if item is ...:
                at = self._rank(base, name, len(items)) - sum(taken[place:])
            elif taken[place]:
                if type(item) is not slice:
                    items[place] = self._inside(_as_array(item), ops.size(base, at), mode)
                    axes.append(at)
                at += 1
        axes = axes if mode == "fill" else []
        for axis in axes:
            behind = ops.getitem(base, (*(slice(None),) * axis, slice(None, 1)))
            base = ops.concat((base, ops.full_like(behind, self._filling(base, filled))), axis=axis)
        return base, tuple(items), axes

    def _are_positions(self, item: Any) -> bool:
        """Whether an item of an index is whole numbers."""
        element = self._tracer.record.dtype(_as_array(item))
        return element is not None and element.kind in "iu"

    def _inside(self, positions: Value, length: Any, mode: str) -> Value:
        """Positions along an axis, those outside of it moved to its ends, or to the place behind them; negative ones count from the end."""
        positions = ops.where(ops.less(positions, 0), ops.add(positions, length), positions)
        if mode == "clip":
            return ops.clip(positions, 0, host("-", length, 1))
        outside = ops.logical_or(ops.less(positions, 0), ops.greater_equal(positions, length))
        return ops.where(outside, length, positions)

    def _filling(self, base: Value, filled: Any) -> Any:
        """What stands for what is not there: NaN, the least or the largest number of a dtype, or true."""
        if filled is not None:
            return filled
        element = self._tracer.record.dtype(base)
        if element is None:
            raise self._tracer.error("x.at[...].get(mode='fill') of an open dtype has no row", "give fill_value")
        if element.kind in "iu":
            known = np.iinfo(element.numpy)
            return known.min if element.kind == "i" else known.max
        return True if element.kind == "b" else float("nan")

    def _update(self, name: str, base: Value, index: Any, value: Any, distinct: bool) -> Any:
        new = self._tracer.unwrap(value)
        if isinstance(new, (list, tuple)):
            arrays = all(isinstance(item, Value) and item.is_tensor for item in new)
            new = ops.stack(tuple(new)) if arrays else ops.as_tensor(new)
        if name == "get":
            return ops.getitem(base, index)
        if name == "set":
            return ops.index_put(base, index, new)
        if name in ("add", "subtract"):
            return ops.index_put(base, index, new if name == "add" else ops.negative(new), True)
        if name in _COMBINED:
            items = index if type(index) is tuple else (index,)
            if not distinct and any(self._may_repeat(item, name) for item in items):
                return self._reduced(name, base, index, new)
            return ops.index_put(base, index, getattr(ops, _COMBINED[name])(ops.getitem(base, index), new))
        raise self._tracer.error(f"x.at[...].{name} has no row")

    def _may_repeat(self, item: Any, name: str) -> bool:
        """Whether an item of an index may name one position twice."""
        record = self._tracer.record
        if isinstance(item, (list, np.ndarray)):
            return _repeats(item)
        if type(item) is not Value or not item.is_tensor or record.is_boolean(item):
            return False
        held = record.contents.ask(self._tracer.facts.root(item))
        if isinstance(held, np.ndarray):
            return _repeats(held)
        if name in _REDUCED:
            return record.rank_of(item) != 0
        return (
            self._rank(item, name, int(bool(item.node.op.traits & Trait.READS_AT) and has_slice(item.node.args[1]))) > 0
        )

    def _rank(self, x: Value, name: str, assumed: int) -> int:
        """How many axes a tensor has, so many where nothing tells: a guard and the source check that."""
        known = self._tracer.record.rank_of(x)
        return ask_rank(x, f"x.at[...].{name}", assumed) if known is None else known

    def _reduced(self, name: str, base: Value, index: Any, new: Any) -> Value:
        """What `x.at[i].max(y)` gives where i may have a position twice: each of them counts."""
        if name not in _REDUCED:
            hint = "say unique_indices=True where no position is there twice"
            raise self._tracer.error(f"x.at[...].{name} of positions that may be there twice has no row", hint)
        element, given = self._tracer.record.dtype(base), self._tracer.record.dtype(_as_array(new))
        if given is None or given != element:
            new = ops.astype(_as_array(new), element or ops.dtype_of(base))
        return ops.index_combine(base, index, new, _REDUCED[name])


def _as_array(item: Any) -> Value:
    return item if isinstance(item, Value) and item.is_tensor else ops.as_tensor(item)


def _repeats(positions: Any) -> bool:
    """Whether known positions have one twice; negative ones may be any."""
    known = np.asarray(positions)
    return known.dtype.kind in "iu" and (known.size > len(np.unique(known)) or (known.size > 1 and known.min() < 0))
