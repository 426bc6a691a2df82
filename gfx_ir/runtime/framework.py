"""FrameworkDevice: a framework's arrays and kernels as a device, by the rows of its backend."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..applied import Applied
from ..backend import Backend
from ..errors import DeviceError, GfxError, MissingOp
from ..op import OpDef
from ..reference import ReferenceBackend
from ..rules import Typing, building
from ..strides import Extent
from ..trees import leaves, tree_map
from ..types import LogicalTensor, Opaque
from .device import Device
from .support import YES, Support, no


class FrameworkDevice(Device):
    """What all frameworks share: support and kernels follow from the rows. Subclasses say where arrays lie."""

    checked = False

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self.name = self.runtime = backend.name
        self.promotion = backend.promotion
        self._bodies: dict[OpDef, Support] = {}

    def holds(self, x: Any) -> bool:
        return self.backend.is_tensor(x)

    def draws_from(self, x: Any) -> bool:
        return self.backend.draws_from(x)

    def type_of(self, x: Any) -> LogicalTensor:
        return LogicalTensor(None if self.backend.is_key(x) else self.backend.dtype_of(x), self.backend.shape_of(x))

    def signature(self, x: Any) -> Any:
        return x.dtype, x.shape

    def to_host(self, x: Any) -> np.ndarray:
        return np.asarray(self.backend.to_host(x))

    def from_host(self, x: np.ndarray) -> Any:
        return self.backend.from_host(x)

    def write(self, buffer: Any, x: Any) -> None:
        self.backend.assign(buffer, x)

    def copied(self, x: Any) -> Any:
        made = self.allocate(self.type_of(x))
        self.write(made, x)
        return made

    def memory(self, x: Any) -> Extent | None:
        found = self.backend.layout_of(x)
        if found is None:
            return None
        return Extent(self.address(x), tuple(found.shape), tuple(found.strides), self.type_of(x).dtype.itemsize)  # type: ignore[union-attr]

    def address(self, x: Any) -> int:
        """Where the first element of data lies that can be written."""
        return int(x.__array_interface__["data"][0])

    def in_strides(self, x: Any, strides: Sequence[int]) -> Any:
        found, dims = self.backend.layout_of(x), self.backend.shape_of(x)
        if found is not None and all(a == b or size == 1 for a, b, size in zip(found.strides, strides, dims)):
            return x
        made = self.allocate(self.type_of(x).with_(strides=tuple(strides)))
        self.write(made, x)
        return made

    # ------------------------------------------------------------------ compute
    def supports(self, node: Applied) -> Support:
        """Yes where a row spells the op for these arguments, or its body's ops are supported."""
        op = node.op
        if op.control is not None:
            return self.supports_control(node)
        row = self.backend.rows.get(op.name)
        if row is not None and row.missing:
            return no(row.missing)
        template = self.backend.templates.get(op.name)
        if template is not None:
            try:
                if template.spells(node.args):
                    return YES
            except MissingOp as error:
                return no(error.what)
            except GfxError:  # the spelling hangs on what is not known yet
                return YES
        if op.body is None:
            return no(f"{self.backend.name} has no row for {op.name}")
        return self._of_body(node)

    def supports_control(self, node: Applied) -> Support:
        """Whether it takes a test, loop or effect as it is, what it holds apart."""
        foreign = "framework" in node.op.params and node.args[node.op.params.index("framework")] != self.backend.name
        return no("it is a call of another framework") if foreign else YES

    def _of_body(self, node: Applied) -> Support:
        found = self._bodies.get(node.op)
        if found is None:
            asking = _Asking(self, self.promotion)
            try:
                with building(asking):
                    node.op.body(*node.types())  # type: ignore[misc]
            except (GfxError, TypeError, ValueError):
                return YES if asking.missing is None else no(asking.missing)  # as far as types tell
            found = self._bodies[node.op] = YES if asking.missing is None else no(asking.missing)
        return found

    def prepare(self, op: OpDef, args: Sequence[Any]) -> Callable[..., Any] | None:
        template = self.backend.templates.get(op.name)
        if template is None or not template.spells(args):
            return None
        function, convert = template.function(args, self.backend.namespace), self.backend.convert
        converts = any(convert(leaf) is not leaf for leaf in leaves(tuple(args)))
        kinds = op.output_kinds(args)
        if kinds != ("tensor",):
            whole = _plain if len(kinds) == 1 else tuple  # one array may hold them as rows
            return lambda *given: whole(function(*(tree_map(convert, given) if converts else given)))
        return (lambda *given: function(*tree_map(convert, given))) if converts else function

    def eval(self, node: Applied, args: Sequence[Any], out: Sequence[Any] | None = None) -> Any:
        return self.backend.run(node.op, args)


def _plain(found: Any) -> Any:
    """Several results as a plain tuple, whatever the framework makes of them."""
    return tuple(found) if isinstance(found, (tuple, list)) else found


class _Asking(Typing):
    """Types of what a body computes; the first op in it that a device does not run is noted."""

    def __init__(self, device: FrameworkDevice, rules: str) -> None:
        super().__init__(rules)
        self.device = device
        self.missing: str | None = None

    def add(self, op: OpDef, args: tuple) -> Any:
        row = self.device.backend.rows.get(op.name)
        template = self.device.backend.templates.get(op.name)
        if self.missing is None and op.control is None and template is None and op.body is None:
            why = row.missing if row is not None and row.missing else f"{self.device.backend.name} has no row"
            self.missing = f"{op.name} in its body: {why}"
        return super().add(op, args)


class HostDevice(FrameworkDevice):
    """NumPy arrays. Those that compute otherwise than arrays do, masked ones and matrices, are refused: elsewhere a mask is lost."""

    def type_of(self, x: Any) -> LogicalTensor:
        if isinstance(x, _OTHERWISE):
            hint = "give an array: x.filled(value) of a masked one, np.asarray(x) of a matrix"
            raise DeviceError(f"devices do not compute as NumPy's {type(x).__name__} does", hint=hint)
        return super().type_of(x)

    def signature(self, x: Any) -> Any:
        return x.dtype, x.shape, type(x)

    def in_layout(self, x: Any, layout: Opaque | None) -> Any:
        if isinstance(x, _OTHERWISE):
            self.type_of(x)
        return super().in_layout(x, layout)

    def allocate(self, type_: LogicalTensor) -> Any:
        assert type_.dtype is not None and type_.dims is not None
        return empty(type_.dims, type_.strides, type_.dtype.numpy)


_OTHERWISE = (np.ma.MaskedArray, np.matrix)


class ReferenceDevice(HostDevice):
    """The default device, which is always there: NumPy arrays, and the definition of every op."""

    def __init__(self) -> None:
        super().__init__(ReferenceBackend())

    def supports(self, node: Applied) -> Support:
        op = node.op
        if op.control is not None:
            return no("it holds regions, which are cut on their own") if op.regions else YES
        return YES if self.backend.supports(op) else no("it has no definition of its own")

    def prepare(self, op: OpDef, args: Sequence[Any]) -> Callable[..., Any] | None:
        return lambda *given: _plain(self.backend.run(op, given))


def empty(dims: Sequence[Any], strides: Sequence[Any] | None, dtype: Any) -> np.ndarray:
    """Memory by strides, in elements: as much as reaches from the first to the last element."""
    if strides is None:
        return np.empty(tuple(dims), dtype)
    reach = 1 + sum(step * (size - 1) for step, size in zip(strides, dims)) if 0 not in dims else 0
    flat = np.empty(reach, dtype)
    return np.lib.stride_tricks.as_strided(flat, tuple(dims), [step * flat.itemsize for step in strides])
