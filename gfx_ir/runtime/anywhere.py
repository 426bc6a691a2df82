"""Data of several devices, for what no partition takes: an op runs where its first array lies."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from ..backend import Backend
from ..dtypes import DType
from ..errors import DeviceError
from ..op import OpDef
from ..trees import leaves, tree_map
from .device import Device
from .dispatch import Dispatch
from .transfer import holder, moved


class Anywhere(Backend):
    """Data of several devices: an op runs where its first array lies, the others come there. Random numbers are drawn by whose key
    or generator is given, without one by `own`, the framework that the program was written for."""

    def __init__(self, devices: Sequence[Device], own: str, on_fault: str = "raise") -> None:
        super().__init__((), {}, {})
        self.own = own
        self.devices, self.promotion = list(devices), devices[0].promotion
        self.dispatch = {one: Dispatch(one, on_fault) for one in self.devices}

    def is_tensor(self, x: Any) -> bool:
        return holder(x, self.devices) is not None

    def _of(self, x: Any) -> Dispatch:
        found = holder(x, self.devices)
        if found is None:
            raise DeviceError(f"no device of the plan holds this {type(x).__name__}")
        return self.dispatch[found]

    def shape_of(self, x: Any) -> tuple[int, ...]:
        return self._of(x).shape_of(x)

    def dtype_of(self, x: Any) -> DType:
        return self._of(x).dtype_of(x)

    def to_host(self, x: Any) -> Any:
        return self._of(x).to_host(x)

    def from_host(self, x: Any) -> Any:
        return self.devices[0].from_host(x)

    def native_dtype(self, dtype: DType) -> Any:
        return dtype

    def asks_for_data(self, error: Exception) -> bool:
        return False

    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        if op.draws:
            first = self._drawing(op.named(args))
        else:
            held = (holder(leaf, self.devices) for leaf in leaves(tuple(args)))
            first = next((found for found in held if found is not None), self.devices[0])
        return self.dispatch[first].run(op, tree_map(lambda leaf: self._to(leaf, first), tuple(args)))

    def _drawing(self, args: SimpleNamespace) -> Device:
        """The device that draws random numbers from the key among these arguments."""
        key = getattr(args, "key", None)
        for one in self.devices:
            if one.name.partition(":")[0] == self.own if key is None else one.draws_from(key):
                return one
        source = "nothing" if key is None else f"this {type(key).__module__}.{type(key).__name__}"
        hint = "give a torch.Generator, a key of jax.random, or a generator of NumPy's, and import its framework"
        raise DeviceError(f"no device draws random numbers from {source}", hint=hint)

    def _to(self, x: Any, target: Device) -> Any:
        source = holder(x, self.devices)
        return x if source is None or source is target else moved(x, source, target)
