"""Dispatch: eager evaluation on a device. Input shapes, output shapes, then its own implementation, the op's body, or the reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..backend import Backend
from ..dtypes import DTYPES, DType, dtype
from ..errors import DeviceError, GfxError
from ..keys import constant_key, tree_key
from ..op import OpDef, Trait
from ..reference import ReferenceBackend
from ..rules import building
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .application import Application, Operand
from .device import Device

_PLANS = 4096
_REFERENCE = ReferenceBackend()
_PLAIN = frozenset((int, bool, str, type(None), DType, type(...)))
Run = Callable[..., Any]


class Dispatch(Backend):
    """A device as what runs ops: each by the device where it supports that, else by the op's body, else by the reference.

    `on_fault`: "raise", or "fallback" to let the reference do what the device fails at. What an op becomes is found once for
    each signature (op, dtypes and shapes, constants) and kept. `faults` counts what failed and was done by the reference.
    """

    def __init__(self, device: Device, on_fault: str = "raise") -> None:
        super().__init__((), {}, {})
        if on_fault not in ("raise", "fallback"):
            raise DeviceError(f"on_fault is 'raise' or 'fallback', not {on_fault!r}")
        self.place, self.on_fault = device, on_fault
        self.name, self.promotion = device.name, device.promotion
        self.faults = 0
        self._plans: dict[tuple, Run] = {}
        self.arrays: set[type] = set()

    # ------------------------------------------------------------------ data
    def is_tensor(self, x: Any) -> bool:
        if type(x) in self.arrays:
            return True
        found = self.place.holds(x)
        if found:
            self.arrays.add(type(x))
        return found

    def dtype_of(self, x: Any) -> DType:
        found = self.place.type_of(x).dtype
        assert found is not None
        return found

    def as_dtype(self, x: Any) -> DType | None:
        return x if type(x) is DType else None

    def shape_of(self, x: Any) -> tuple[int, ...]:
        return tuple(self.place.type_of(x).dims or ())  # type: ignore[arg-type]

    def type_of(self, x: Any) -> LogicalTensor:
        return self.place.type_of(x)

    def to_host(self, x: Any) -> Any:
        return self.place.to_host(x)

    def from_host(self, x: Any) -> Any:
        return self.place.from_host(x)

    def native_dtype(self, dtype: DType) -> Any:
        return dtype

    def supports(self, op: OpDef) -> bool:
        return _REFERENCE.supports(op)

    # ------------------------------------------------------------------ run
    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        """What the op gives. Raises what the device raises, or MissingOp for an op that only an interpreter runs."""
        try:
            key = self._signature(op, args)
            plan = self._plans.get(key)
        except TypeError:  # an argument that has no key
            return self._plan(op, tuple(args))(*args)
        if plan is None:
            plan = self._plan(op, tuple(args))
            if len(self._plans) >= _PLANS:
                self._plans.clear()
            self._plans[key] = plan
        return plan(*args)

    def _signature(self, op: OpDef, args: Sequence[Any]) -> tuple:
        arrays, sign, parts = self.arrays, self.place.signature, [op]
        for x in args:
            kind = type(x)
            if kind in arrays:
                parts.append(sign(x))
            elif kind in _PLAIN:
                parts.append((kind, x))  # type: ignore[arg-type]
            else:
                parts.append(tree_key(x, self._leaf))  # type: ignore[arg-type]
        return tuple(parts)

    def _leaf(self, x: Any) -> Any:
        return (type(x), self.place.type_of(x)) if self.is_tensor(x) else constant_key(x)

    def _plan(self, op: OpDef, args: tuple) -> Run:
        application = Application(op, tree_map(self._operand, args))
        answer = self.place.supports(application).at(application)
        if not answer.answer:
            return self._body(op) if op.body is not None else self._fallback(application)
        made = self._simple(application) if self.place.simple else self.place.prepare(op, args)
        own = made if made is not None else lambda *given: self.place.eval(application, given)
        own = self._checked(own, application) if self.place.checked else own
        return own if self.on_fault == "raise" else self._guarded(own, application)

    def _operand(self, x: Any) -> Any:
        if not self.is_tensor(x):
            return x
        return Operand(self.place.type_of(x))

    def _checked(self, own: Run, application: Application) -> Run:
        """The results held against the types that are inferred for them. Raises DeviceError where they have others."""
        try:
            types = application.result_types(self.promotion)
        except GfxError:
            return own

        def run(*args: Any) -> Any:
            found = own(*args)
            for x, type_ in zip((found,) if len(types) == 1 else found, types):
                if isinstance(type_, LogicalTensor) and not self._is(x, type_):
                    got = self.place.type_of(x) if self.is_tensor(x) else type(x).__name__
                    raise DeviceError(f"{self.name} gave {got} for {application.op.name}, which gives {type_}")
            return found

        return run

    def _is(self, x: Any, type_: LogicalTensor) -> bool:
        if not self.is_tensor(x):
            return False
        found = self.place.type_of(x)
        given, wanted = found.dims or (), type_.dims
        dims = wanted is None or (len(given) == len(wanted) and all(a is None or a == b for a, b in zip(wanted, given)))
        return dims and (type_.dtype is None or type_.weak or found.dtype == type_.dtype)

    def _body(self, op: OpDef) -> Run:
        """Its body's ops, each dispatched."""

        def run(*args: Any) -> Any:
            with building(self):
                return op.body(*args)  # type: ignore[misc]

        return run

    # ------------------------------------------------------------------ the reference
    def _fallback(self, application: Application) -> Run:
        """The reference: data by way of the host, results in the dtypes that the device's own rules give them."""
        op = application.op
        try:
            wanted = [
                t.dtype if isinstance(t, LogicalTensor) else None for t in application.result_types(self.promotion)
            ]
        except GfxError:
            wanted = []
        kinds = op.output_kinds(application.args)

        def run(*args: Any) -> Any:
            host = tree_map(lambda x: self.place.to_host(x) if self.is_tensor(x) else x, args)
            found = _REFERENCE.run(op, host)
            if len(kinds) == 1 and kinds[0] == "tensor":
                return self._back(found, wanted[0] if len(wanted) == 1 else None)
            if isinstance(found, (tuple, list)) and len(found) == len(kinds):
                dtypes = wanted if len(wanted) == len(kinds) else [None] * len(kinds)
                return tuple([self._back(x, d) if k == "tensor" else x for x, k, d in zip(found, kinds, dtypes)])
            return found

        return run

    def _back(self, x: Any, wanted: DType | None) -> Any:
        if isinstance(x, (tuple, list)):
            return type(x)([self._back(part, wanted) for part in x])
        if not isinstance(x, (np.ndarray, np.generic)):
            return x
        x = np.asarray(x)
        narrower = wanted is not None and x.dtype != wanted.numpy and x.dtype.name in DTYPES
        return self.place.from_host(x.astype(wanted.numpy) if narrower and wanted is not None else x)

    def _guarded(self, own: Run, application: Application) -> Run:
        instead: list[Run] = []

        def run(*args: Any) -> Any:
            try:
                return own(*args)
            except Exception as error:  # whatever a device raises as it fails
                if not self.place.may_fail(error):
                    raise
                self.faults += 1
                if not instead:
                    instead.append(self._fallback(application))
                return instead[0](*args)

        return run

    # ------------------------------------------------------------------ simple kernels
    def _simple(self, application: Application) -> Run:
        """A kernel on operands of one shape that writes into memory which is allocated for it.

        Input shapes: operands that broadcast are made of one shape, numbers arrays. Output shapes: what results is inferred, and
        allocated. What the kernel leaves there has to be that."""
        op, device = application.op, self.place
        types = application.result_types(self.promotion)
        if not all(isinstance(type_, LogicalTensor) and type_.known for type_ in types):
            return lambda *args: device.eval(application, args)
        shape = types[0].dims if op.traits & Trait.ELEMENTWISE else None
        element = self._common(application) if shape is not None else None

        def operand(x: Any) -> Any:
            held = self.is_tensor(x)
            if shape is None or (held and device.type_of(x).dims == shape):
                return x
            if not held and type(x) not in (bool, int, float, complex):
                return x
            host = device.to_host(x) if held else np.asarray(x, None if element is None else element.numpy)
            return device.from_host(np.ascontiguousarray(np.broadcast_to(host, shape)))

        def run(*args: Any) -> Any:
            out = [device.allocate(type_) for type_ in types]
            device.eval(application, [operand(x) for x in args], out)
            return out[0] if len(out) == 1 else tuple(out)

        return run

    def _common(self, application: Application) -> DType | None:
        found = [leaf.type.dtype for leaf in leaves(application.args) if isinstance(leaf, Operand)]
        return dtype(found[0]) if found else None
