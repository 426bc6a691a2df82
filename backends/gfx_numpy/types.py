"""NumPy's arrays and dtypes, and the backend that is made of the rows."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType
from gfx_ir.dtypes import dtype as dtype_named
from gfx_ir.errors import BackendError
from gfx_ir.lifting import axis_patterns
from gfx_ir.lifting.words import as_dtype
from gfx_ir.memory import Layout, within
from gfx_ir.op import REGISTRY
from gfx_ir.printed import printed_helpers
from gfx_ir.row import Lift

from . import alarms, holding, layouts, lifts, taken
from .device import NumpyDevice
from .ops import ARRAYS, COPIES, MAY_COPY, ROWS, SHARES, WRITES, generator

# What capture itself answers, by the name that it knows it by.
_SPECIAL = {"issubdtype": "issubdtype", "shape": "shape"}
_CLASSES = (np.ndarray, np.float64, np.int64)


class NumpyBackend(Backend):
    """NumPy: functions of mutable arrays, slices of which share memory."""

    name = "numpy"
    packages = ("numpy", "ml_dtypes")
    views = True
    numbers = True
    warns = True
    read_only = frozenset(("diagonal",))
    promotion = "numpy"
    tensor_types = (np.ndarray, np.generic)
    public = holding.PUBLIC
    asks_layout = layouts.ASKS
    fills = ((1, 2),)
    raises: Mapping[str, tuple[type[Exception], ...]] = {
        "shape": (ValueError,),
        "axis": (np.exceptions.AxisError,),
        "position": (IndexError,),
        "element": (ValueError, np.linalg.LinAlgError),
        "one": (ValueError, TypeError),
    }

    def __init__(self) -> None:
        roots = {"np": np, "random": random}
        super().__init__(ROWS, {"np": np, **axis_patterns.NAMES}, roots)
        for names, fn in lifts.LIFTS.items():
            for name in names.split():
                self.add_lift(name, fn, roots)
        for names, fn in (WRITES | lifts.WRITES).items():
            for name in names.split():
                self.add_lift(name, fn, roots, writes=True, silent=not name.startswith("ndarray.__i"))
        for names, copies in ((COPIES, True), (MAY_COPY, "maybe")):
            for name in names.split():
                self._lift_named(name).copies = copies
        for name in ARRAYS.split():
            self._lift_named(name).array = True
        for name, told in SHARES.items():
            self._lift_named(name).copies = told
        for target, lift in self.functions.items():
            lift.fn = taken.refusing(lift.fn, lift.name, target)
        for table, writes in ((generator.DRAWS, False), (generator.SHUFFLES, True)):
            for name, fn in table.items():
                self.draws[name] = Lift(f"np.random.Generator.{name}", fn, writes=writes, silent=writes)
        self.special[np.random.default_rng] = "default_rng"
        for name, meaning in _SPECIAL.items():
            self.special[getattr(np, name)] = meaning
        for setter in alarms.SETTERS:
            self.special[setter] = "setting"
        for op in REGISTRY.values():
            self.namespace.update(op.namespace)
            if op.eval is not None and op.name not in self.templates:
                self.templates[op.name] = op.eval
        self.printed = printed_helpers(self.namespace, self.templates)

    def _lift_named(self, name: str) -> Any:
        root, _, rest = name.partition(".")
        return self.methods[rest] if root == "ndarray" else self.functions[getattr(np, rest)]

    # ------------------------------------------------------------------ tensors
    def member(self, name: str) -> Any:
        """What arrays, or NumPy's own numbers, have by a name."""
        return next((found for kind in _CLASSES if (found := getattr(kind, name, None)) is not None), None)

    def draws_from(self, x: Any) -> bool:
        """A generator of NumPy's."""
        return isinstance(x, np.random.Generator)

    def is_tensor(self, x: Any) -> bool:
        """Whether x is an array, or a scalar of NumPy's, of a dtype that GFX knows."""
        return isinstance(x, self.tensor_types) and self.as_dtype(x.dtype) is not None

    def dtype_of(self, x: Any) -> DType:
        """Element type of an array, or of a dtype object. Raises BackendError for texts, objects and the like."""
        found = self.as_dtype(getattr(x, "dtype", x))
        if found is None:
            raise BackendError(f"GFX has no dtype for a NumPy array of {getattr(x, 'dtype', x)}")
        return found

    def as_dtype(self, x: Any) -> DType | None:
        """The DType of `np.float32`, `np.dtype("float32")`, "float32" or a Python type; None where it is no dtype."""
        return as_dtype(x, dtype_named)

    def native_dtype(self, dtype: DType) -> Any:
        """The np.dtype of the same name."""
        return dtype.numpy

    def layout_of(self, x: Any) -> Layout | None:
        """Its strides, counted in elements; None where these do not divide them."""
        steps = [divmod(step, x.dtype.itemsize) for step in x.strides]
        return None if any(rest for _, rest in steps) else Layout(x.shape, tuple(step for step, _ in steps))

    def memory(self, x: Any) -> int:
        """That of what it is a view of."""
        while getattr(x, "base", None) is not None:
            x = x.base
        return id(x)

    def copied(self, x: Any) -> np.ndarray:
        """A copy; of a number an array."""
        return np.array(x)

    def within(self, part: Any, whole: Any, held: Any) -> np.ndarray | None:
        """A view; numbers are none."""
        if part is whole:
            return held
        arrays = all(isinstance(x, np.ndarray) for x in (part, whole, held))
        if not arrays or part.dtype != held.dtype or not np.may_share_memory(part, whole):
            return None
        start, rest = divmod(part.__array_interface__["data"][0] - whole.__array_interface__["data"][0], part.itemsize)
        own = self.layout_of(part) if rest == 0 else None
        own = None if own is None else replace(own, offset=start)
        place = within(own, self.layout_of(whole), self.layout_of(held))
        if place is None:
            return None
        steps = tuple(step * held.itemsize for step in place[1])
        return np.lib.stride_tricks.as_strided(held[tuple(slice(at, at + 1) for at in place[0])], part.shape, steps)

    def device(self, which: Any = "") -> NumpyDevice:
        """The host."""
        return NumpyDevice(self, which)

    def to_host(self, x: Any) -> np.ndarray:
        """The array itself."""
        return np.asarray(x)

    def from_host(self, x: Any) -> np.ndarray:
        """The array itself."""
        return np.asarray(x)

    def assign(self, x: np.ndarray, value: Any) -> None:
        """Write `value` into the array x."""
        x[...] = value

    def holds(self, fn: Any) -> bool:
        """Whether it neither writes arrays nor reads or writes files."""
        return holding.holds(fn)

    def alarm(self) -> str:
        """Its own settings, and those of Python's warnings."""
        return alarms.alarm()

    def settings(self) -> AbstractContextManager[None]:
        """Both may be changed inside."""
        return alarms.settings()

    def probe(self, call: Callable[[Any], Any], types: Any, data: int) -> Any:
        """What `call` gives for that number: NumPy has no arrays without data."""
        return holding.probe(call, types, data)
