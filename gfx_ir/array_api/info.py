"""What `__array_namespace_info__` tells of a backend."""

from __future__ import annotations

from typing import Any

from ..dtypes import DTYPES, DType
from . import kinds
from .native import Native


class Info:
    """Capabilities, devices and dtypes of a namespace.

    Source: https://data-apis.org/array-api/2024.12/API_specification/inspection.html
    """

    def __init__(self, xp: Native) -> None:
        self._xp = xp

    def capabilities(self) -> dict[str, Any]:
        """What not every library can do: all of it is done eagerly here."""
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        """Where arrays are made."""
        return self._xp.zeros(0).device

    def devices(self) -> list[Any]:
        """The devices that the namespace knows of."""
        return [self.default_device()]

    def default_dtypes(self, *, device: Any = None) -> dict[str, DType]:
        """The dtypes of what is made without one."""
        kinds_ = {"real floating": "f", "complex floating": "c", "integral": "i", "indexing": "i"}
        return {name: self._xp.default(kind) for name, kind in kinds_.items()}

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, DType]:
        """The dtypes that there are, of a kind or of several."""
        known = {name: DTYPES[name] for name in self._xp.names}
        return {name: dtype for name, dtype in known.items() if kind is None or kinds.is_kind(dtype, kind)}
