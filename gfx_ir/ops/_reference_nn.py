"""Helper functions that NumPy spellings of nn, linalg, random and fft name."""

from __future__ import annotations

from typing import Any

NN: dict[str, Any] = {}
