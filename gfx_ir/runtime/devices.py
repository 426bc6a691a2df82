"""Devices by name: those of installed backends, those of other packages, and the reference, which is always there."""

from __future__ import annotations

import functools
from importlib import metadata
from typing import Any

from ..errors import BackendError, DeviceError
from ..loading import available, backend, loaded
from .device import Device
from .framework import ReferenceDevice

GROUP = "gfx.devices"
REFERENCE = "reference"


@functools.cache
def device(name: str) -> Device:
    """The device of that name: "reference", "numpy", "torch", "torch:cuda:0", "jax:1", or one that another package brings.

    Raises DeviceError where there is none, BackendError where its framework is not installed.
    """
    if name == REFERENCE:
        return ReferenceDevice()
    first, _, rest = name.partition(":")
    brought = [point for point in metadata.entry_points(group=GROUP) if point.name == first]
    if brought:
        made: Any = brought[0].load()
        return made(rest) if rest else made()
    if first not in available():
        raise DeviceError(f"there is no device {name!r}", hint=f"there are: {', '.join(devices())}")
    return backend(first).device(rest)


def of_handle(owner: str, handle: Any) -> Device:
    """The device of a backend that its framework knows by this object."""
    return device(backend(owner).device(handle).name)


def devices() -> list[str]:
    """Names of the devices that are installed, one for each framework, loaded or not."""
    others = {point.name for point in metadata.entry_points(group=GROUP)}
    return [REFERENCE, *sorted({*available(), *others})]


def usable() -> list[Device]:
    """Those whose frameworks can be loaded."""
    found = []
    for name in devices():
        try:
            found.append(device(name))
        except BackendError:
            continue
    return found


def usable_now() -> list[Device]:
    """The devices of the frameworks that are loaded already, the first of each."""
    found = []
    for owner in loaded():
        try:
            found.append(device(owner.name))
        except (BackendError, DeviceError):  # a backend that only writes source
            continue
    return found
