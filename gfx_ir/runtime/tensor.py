"""Tensor: a LogicalTensor with the memory that holds its elements, or a device's own handle of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..types import LogicalTensor, Opaque
from .device import Device


class Tensor:
    """What compiled partitions read and write. A plain one has strides; an opaque one is read through its device alone.

    `buffer` is data of `device`, or for a host value that value; None: who writes it puts there what it allocates.
    """

    __slots__ = ("logical", "buffer", "device")

    def __init__(self, logical: LogicalTensor, buffer: Any = None, device: Device | None = None) -> None:
        self.logical, self.buffer, self.device = logical, buffer, device

    @property
    def id(self) -> int | None:
        """The id of the value that it is."""
        return self.logical.id

    @property
    def opaque(self) -> bool:
        """Whether its layout is its device's own."""
        return isinstance(self.logical.layout, Opaque)

    def plain(self) -> Tensor:
        """The same with strides: its device brings it into a plain layout."""
        if not self.opaque or self.device is None:
            return self
        return Tensor(self.logical.with_(layout="strided"), self.device.in_layout(self.buffer, None), self.device)

    def to_plain(self) -> Any:
        """The data as NumPy; a host value as it is."""
        found = self.plain()
        return found.buffer if found.device is None else found.device.to_host(found.buffer)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.to_plain(), dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        where = self.device.name if self.device is not None else "host"
        return f"<Tensor {self.id}: {self.logical}, {self.logical.layout}, {where}>"
