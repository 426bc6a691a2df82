"""Transfer: how data goes from one device to another: within one runtime without the host, else by DLPack or by way of the host."""

from __future__ import annotations

from typing import Any

from ..errors import DeviceError
from .device import Device


def moved(x: Any, source: Device, target: Device) -> Any:
    """Data of one device on another. An opaque layout is left by its own device first.

    1. On the same device nothing is done. 2. Devices of one runtime hand it over themselves, which waits for nothing else. 3. Where
    both lie in the host's memory and take DLPack, it is shared, not copied: values are never written once they are made. 4. Else
    by `to_host` and `from_host`.
    """
    if source is target:
        return x
    if source.runtime and source.runtime == target.runtime:
        return target.adopt(x, source)
    x = source.in_layout(x, None)
    if source.kind == target.kind == "cpu" and hasattr(x, "__dlpack__"):
        try:
            return target.share(x)
        except (
            BufferError,
            TypeError,
            ValueError,
            RuntimeError,
            DeviceError,
        ):  # of a dtype or strides that DLPack lacks there
            pass
    source.synchronize()
    return target.from_host(source.to_host(x))


def holder(x: Any, devices: Any) -> Device | None:
    """The device, of these, that holds data; None: it is no data of theirs."""
    return next((device for device in devices if device.holds(x)), None)
