"""CompiledPartition: a partition for concrete shapes on one engine, as it is executed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..runtime.call import Call
from ..runtime.device import Executable
from ..runtime.engine import Engine
from ..runtime.stream import Pending, Stream
from ..runtime.tensor import Tensor
from ..runtime.transfer import moved
from ..types import LogicalTensor, Opaque
from .buffers import apart, own_buffers, same_type, written
from .parameters import Parameters


class CompiledPartition:
    """`inputs` and `outputs` are LogicalTensors with all sizes (those that hang on data apart) and strides.

    `ops`: what it computes, as text; `in_place`: pairs of ids of inputs and outputs that share memory; `handle`: what the device
    made, in its own form; `how`: what that is.
    """

    def __init__(
        self, name: str, ops: tuple[str, ...], inputs: Sequence[LogicalTensor], outputs: Sequence[LogicalTensor], code: Executable,
        engine: Engine, parameters: Parameters, peak: Callable[[], int | None],
    ) -> None:  # fmt: skip
        self.name, self.ops, self.inputs, self.outputs = name, ops, tuple(inputs), tuple(outputs)
        self.code, self.engine, self._parameters, self._peak = code, engine, parameters, peak
        self._known = {tensor.id: tensor for tensor in (*self.inputs, *self.outputs)}
        self._shaped = any(tensor.layout != "any" for tensor in self.outputs)

    @property
    def params(self) -> Mapping[str, Any]:
        """Data of its parameters by path, on its device."""
        return self._parameters.now()

    @property
    def handle(self) -> Any:
        """The device's own form."""
        return self.code.handle

    @property
    def how(self) -> str:
        """What was made of it: "PyTorch source", "jax.jit", "node by node"."""
        return self.code.how

    @functools.cached_property
    def peak(self) -> int | None:
        """The most bytes that it holds at once, beside what it takes; None where that hangs on data."""
        return self._peak()

    @property
    def in_place(self) -> list[tuple[int | None, int | None]]:
        """(id of an input, id of an output) that share memory."""
        return [(self.inputs[a].id, self.outputs[b].id) for a, b in self.code.in_place]

    def query_logical_tensor(self, id: int) -> LogicalTensor:
        """An input or output by its id, with its sizes and strides. Raises ArgumentError where it has none of that id."""
        found = self._known.get(id)
        if found is None:
            raise ArgumentError(
                f"{self.name!r} takes and gives no tensor {id}", hint=f"it has {', '.join(map(str, self._known))}"
            )
        return found

    # ------------------------------------------------------------------ execution
    def execute(
        self, stream: Stream | None, inputs: Sequence[Tensor], outputs: list[Tensor], call: Call | None = None
    ) -> Pending | None:
        """Run it: tensors are matched by id, in any order. An output that brings a buffer is written there; else it gets what the
        device allocates. With a stream it is queued there, and a future of the outputs is given; the list is filled when that is done.
        """
        if stream is None:
            self._execute(inputs, outputs)
            return None
        return stream.submit(lambda call: self._execute(inputs, outputs), call)

    def _execute(self, inputs: Sequence[Tensor], outputs: list[Tensor]) -> list[Tensor]:
        given = _by_id(inputs, self.inputs, self.name, "takes")
        wanted = _by_id(outputs, self.outputs, self.name, "gives")
        device = self.engine.device
        args = [self._here(tensor, want) for tensor, want in zip(given, self.inputs)]
        params = self.params
        if all(tensor.buffer is None for tensor in wanted):
            found = self.code.run(args, params, None)
        else:
            places = written(wanted, self.outputs, device)
            found = self.code.run(args, params, own_buffers(wanted, places, (*args, *params.values()), device))
            found = apart(found, wanted, places, device)
        for tensor, want, x in zip(wanted, self.outputs, found):
            self._fill(tensor, want, x)
        return outputs

    def __call__(self, *args: Any) -> Sequence[Any]:
        """The results, in the order of `outputs`, for data of this device in the order of `inputs`."""
        found = self.code.run(args, self.params, None)
        return found if not self._shaped else [self._laid_out(x, want) for x, want in zip(found, self.outputs)]

    def _here(self, tensor: Tensor, want: LogicalTensor) -> Any:
        device = self.engine.device
        if tensor.buffer is None:
            raise ArgumentError(f"input {tensor.id} of {self.name!r} brings no data")
        if tensor.device is None and not device.holds(tensor.buffer) and not hasattr(tensor.buffer, "shape"):
            return tensor.buffer  # a host value
        source = tensor.device or device
        x = moved(tensor.buffer, source, device) if source is not device else tensor.buffer
        if not device.holds(x):
            raise ArgumentError(f"input {tensor.id} of {self.name!r} is no data of {device.name}: {type(x).__name__}",
                                hint="say where it lies: Tensor(logical, buffer, device)")  # fmt: skip
        x = device.in_layout(x, want.layout if isinstance(want.layout, Opaque) else None)
        self._check(x, want)
        return x

    def _check(self, x: Any, want: LogicalTensor) -> None:
        found = self.engine.device.type_of(x)
        if (found.dtype, found.dims) != (want.dtype, want.dims):
            hint = "compile the partition for these shapes; a cache keeps what was compiled"
            raise ShapeError(f"tensor {want.id} of {self.name!r} was compiled as {want}, and is {found}", hint=hint)

    def _laid_out(self, x: Any, want: LogicalTensor) -> Any:
        device = self.engine.device
        if isinstance(want.layout, Opaque):
            return device.in_layout(x, want.layout)
        if want.layout != "strided":
            return x
        x = device.in_layout(x, None)
        return x if want.strides is None else device.in_strides(x, want.strides)  # type: ignore[arg-type]

    def _fill(self, tensor: Tensor, want: LogicalTensor, x: Any) -> None:
        device = self.engine.device
        if not device.holds(x):
            tensor.buffer, tensor.logical = x, want
            return
        self._check(x, want if want.known else device.type_of(x))
        if tensor.buffer is None:
            tensor.buffer, tensor.device = self._laid_out(x, want), device
        elif tensor.buffer is not x:
            target = tensor.device or device
            same_type(target.type_of(tensor.buffer), device.type_of(x), want)
            target.write(tensor.buffer, moved(x, device, target))
        known = want if want.known else device.type_of(x).with_(id=want.id)
        home = tensor.device or device
        place = home.memory(tensor.buffer) if want.layout == "strided" else None
        known = known if place is None else known.with_(strides=place.strides)
        tensor.logical = known if want.layout != "any" else known.with_(layout=home.layout_of(tensor.buffer))

    def __repr__(self) -> str:
        return f"<CompiledPartition {self.name} on {self.engine.device.name}: {', '.join(self.ops)}; {self.how}>"


def _by_id(given: Sequence[Tensor], wanted: Sequence[LogicalTensor], name: str, verb: str) -> list[Tensor]:
    found = {tensor.id: tensor for tensor in given}
    missing = [str(want.id) for want in wanted if want.id not in found]
    if missing or len(found) != len(wanted) or len(given) != len(found):
        ids = ", ".join(str(want.id) for want in wanted)
        raise ArgumentError(
            f"{name!r} {verb} the tensors {ids}, each once, and not {', '.join(str(t.id) for t in given)}"
        )
    return [found[want.id] for want in wanted]
