"""Value: a result that lives on a device, possibly an expression still. It is opaque: `to_plain` gives the data."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..applied import Typed
from ..array_api.arrays import UNARY
from ..dtypes import DType
from ..errors import DeviceError
from ..op import OpDef, lookup
from ..python_numbers import COMPARING_METHODS, METHODS
from ..types import LogicalTensor
from .device import Device

UNSET = object()


class Value(Typed):
    """Data of a device, or one that is computed once it is asked for: by `to_plain`, by a write, or by another device.

    Ops called with values make values: `ops.tanh(x)`, `x * 2`. What values an op takes lie on one device; `to` moves them.
    """

    __slots__ = ("builder", "_data", "pending", "__weakref__")
    __hash__ = None  # type: ignore[assignment]
    __array_priority__ = 1000.0

    def __init__(self, builder: Any, data: Any = UNSET, pending: Any = None) -> None:
        self.builder, self._data, self.pending = builder, data, pending
        self.kind = "tensor"

    # ------------------------------------------------------------------ what it is
    @property
    def device(self) -> Device:
        """Where it lives."""
        return self.builder.place  # type: ignore[no-any-return]

    @property
    def type(self) -> LogicalTensor:  # type: ignore[override]
        """Its dtype and dims; nothing is computed for it."""
        return self.builder.place.type_of(self._data) if self._data is not UNSET else self.pending.type  # type: ignore[no-any-return]

    @property
    def dtype(self) -> DType:
        """Element type."""
        found = self.type.dtype
        assert found is not None
        return found

    @property
    def shape(self) -> tuple[int, ...]:
        """Size of each axis."""
        return tuple(self.type.dims or ())  # type: ignore[arg-type]

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def ready(self) -> bool:
        """Whether it is data already."""
        return self._data is not UNSET

    @property
    def node(self) -> Any:
        """The application that gives it, while it is an expression; None once it is data."""
        return None if self.pending is None or self.ready else self.pending.application

    # ------------------------------------------------------------------ data
    def data(self) -> Any:
        """The device's own data; an expression is evaluated, shared parts of it once. Raises what it raises, with the line that
        built the value."""
        if self._data is UNSET:
            self._data = self.builder.evaluate(self.pending)
        return self._data

    def to_plain(self) -> np.ndarray:
        """The data as NumPy."""
        return self.builder.place.to_host(self.data())  # type: ignore[no-any-return]

    def to(self, device: Any) -> Value:
        """The same on another device (a Device or its name)."""
        return self.builder.moved(self, device)  # type: ignore[no-any-return]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.to_plain(), dtype=dtype, copy=copy)

    def __dlpack__(self, **options: Any) -> Any:
        return self.device.in_layout(self.data(), None).__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.data().__dlpack_device__()

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The array API standard, on values of its device."""
        return self.builder.xp

    def _number(self, kind: Callable[[Any], Any]) -> Any:
        if self.shape:
            raise TypeError(f"only a value of no axes becomes a number, not one of shape {self.shape}")
        return kind(self.to_plain()[()])

    def __bool__(self) -> bool:
        return bool(self._number(bool))

    def __int__(self) -> int:
        return int(self._number(int))

    def __float__(self) -> float:
        return float(self._number(float))

    def __complex__(self) -> complex:
        return complex(self._number(complex))

    def __index__(self) -> int:
        return int(self._number(lambda x: x.__index__()))

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a value of no axes has no length")
        return self.shape[0]

    def __getitem__(self, key: Any) -> Value:
        return self.builder.run(_GETITEM, (self, key))  # type: ignore[no-any-return]

    def __setitem__(self, key: Any, value: Any) -> None:
        """A write: the value is other data then; no other value changes."""
        made = self.builder.run(_PUT, _PUT.bind(self, key, value))
        self._data, self.pending = made.data(), None

    def __repr__(self) -> str:
        what = "data" if self.ready else f"expression of {self.node.op.name}"
        return f"<Value {self.type} on {self.device.name}: {what}>"


_GETITEM, _PUT = lookup("getitem"), lookup("index_put")


def _binary(op: OpDef, swapped: bool) -> Callable[[Value, Any], Any]:
    def method(value: Value, other: Any) -> Any:
        if not isinstance(other, (Value, bool, int, float, complex)):
            return NotImplemented
        return value.builder.run(op, op.bind(other, value) if swapped else op.bind(value, other))

    return method


def _in_place(op: OpDef) -> Callable[[Value, Any], Any]:
    def method(value: Value, other: Any) -> Any:
        made = value.builder.run(op, op.bind(value, other))
        if (made.shape, made.dtype) != (value.shape, value.dtype):
            raise DeviceError(f"{made.type} does not go into a value of {value.type}")
        value._data, value.pending = made._data, made.pending
        if made.pending is not None:
            made.pending.hand_over(value)
        return value

    return method


def _unary(op: OpDef) -> Callable[[Value], Any]:
    return lambda value: value.builder.run(op, op.bind(value))


for _short, _name in METHODS.items():
    setattr(Value, f"__{_short}__", _binary(lookup(_name), False))
    setattr(Value, f"__r{_short}__", _binary(lookup(_name), True))
    setattr(Value, f"__i{_short}__", _in_place(lookup(_name)))
for _short, _name in COMPARING_METHODS.items():
    setattr(Value, f"__{_short}__", _binary(lookup(_name), False))
for _short, _name in UNARY.items():
    setattr(Value, f"__{_short}__", _unary(lookup(_name)))
