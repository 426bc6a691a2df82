"""What NumPy spellings may use beside NumPy itself: `np`, `special` (SciPy, imported at first use) and helper functions."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np


class _Lazy:
    """A module that is imported when one of its names is asked for."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(self._name), name)


NAMESPACE: dict[str, Any] = {"np": np, "special": _Lazy("scipy.special")}
