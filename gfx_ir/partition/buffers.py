"""Buffers of the caller: checked before anything is written, and kept apart from what is read."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from ..errors import ArgumentError, ShapeError
from ..runtime.device import Device
from ..runtime.tensor import Tensor
from ..strides import Extent, overlap, share
from ..types import LogicalTensor


def written(wanted: Sequence[Tensor], outputs: Sequence[LogicalTensor], device: Device) -> list[Extent | None]:
    """Where the buffers lie. Raises ArgumentError for one that is no data of its device, or shares memory with itself or another
    one, ShapeError for one of another type than its output."""
    found: list[Extent | None] = []
    for tensor, want in zip(wanted, outputs):
        home, buffer = tensor.device or device, tensor.buffer
        if buffer is not None and not home.holds(buffer):
            raise ArgumentError(f"the buffer of output {want.id} is no data of {home.name}", hint="say where it lies")
        if buffer is not None and want.known:
            same_type(home.type_of(buffer), want, want)
        place = home.memory(buffer) if buffer is not None else None
        if place is not None and overlap(place.dims, place.strides):
            raise ArgumentError(
                f"elements of the buffer of output {want.id} share memory", hint="bring memory of its own"
            )
        found.append(place)
    for (first, a), (second, b) in combinations(zip(outputs, found), 2):
        if share(a, b):
            what = f"the buffers of outputs {first.id} and {second.id} share memory"
            raise ArgumentError(what, hint="bring memory of its own for each")
    return found


def own_buffers(
    wanted: Sequence[Tensor], places: Sequence[Extent | None], read: Sequence[Any], device: Device
) -> list[Any] | None:
    """The buffers that the device may write as it computes: those that nothing it reads lies in."""
    taken = [device.memory(x) for x in read if device.holds(x)]
    found = [
        tensor.buffer
        if tensor.buffer is not None and device.holds(tensor.buffer) and not any(share(place, x) for x in taken)
        else None
        for tensor, place in zip(wanted, places)
    ]
    return found if any(x is not None for x in found) else None


def apart(found: Sequence[Any], wanted: Sequence[Tensor], places: Sequence[Extent | None], device: Device) -> list[Any]:
    """The results, with a copy of each that lies in a buffer which is not its own: that is written next, or the caller's."""

    def mixed(x: Any, tensor: Tensor) -> bool:
        if not device.holds(x) or x is tensor.buffer:
            return False
        place = device.memory(x)
        return any(share(place, other) for other in places)

    return [device.copied(x) if mixed(x, tensor) else x for x, tensor in zip(found, wanted)]


def same_type(buffer: LogicalTensor, found: LogicalTensor, want: LogicalTensor) -> None:
    """Raise ShapeError where a buffer is of another type than its result."""
    if (buffer.dtype, buffer.dims) != (found.dtype, found.dims):
        raise ShapeError(
            f"the buffer of output {want.id} is {buffer}, and the result {found}",
            hint="bring one of that type, or none",
        )
