"""Window functions: https://docs.pytorch.org/docs/stable/torch.html#spectral-ops."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row

from ..lifting import default_dtype, place
from .create import OWN_FLOAT

_HANN, _BLACKMAN = (0.5, 0.5), (0.42, 0.5, 0.08)


def _cosine(args: SimpleNamespace) -> str:
    given = "periodic=periodic, dtype=dtype, device=device"
    if args.weights in (_HANN, _BLACKMAN):
        return f"torch.{'hann' if args.weights == _HANN else 'blackman'}_window(length, {given})"
    return "torch.hamming_window(length, periodic, weights[0], weights[1], dtype=dtype, device=device)"


def _with(*weights: float) -> Any:
    def lift(window_length: Any, periodic: Any = True, *, dtype: Any = None, device: Any = None) -> Any:
        return ops.cosine_window(window_length, weights, periodic, dtype or default_dtype(), place(device))

    return lift


def _hamming(
    window_length: Any, periodic: Any = True, alpha: Any = 0.54, beta: Any = 0.46, *, dtype: Any = None,
    device: Any = None,
) -> Any:  # fmt: skip
    return ops.cosine_window(window_length, (alpha, beta), periodic, dtype or default_dtype(), place(device))


def _bartlett(window_length: Any, periodic: Any = True, *, dtype: Any = None, device: Any = None) -> Any:
    return ops.bartlett_window(window_length, periodic, dtype or default_dtype(), place(device))


def _kaiser(
    window_length: Any, periodic: Any = True, beta: Any = 12.0, *, dtype: Any = None, device: Any = None
) -> Any:
    return ops.kaiser_window(window_length, periodic, beta, dtype or default_dtype(), place(device))


ROWS = (
    Row(
        "cosine_window",
        _cosine,
        {
            "torch.hann_window": _with(*_HANN),
            "torch.blackman_window": _with(*_BLACKMAN),
            "torch.hamming_window": _hamming,
        },
        own=OWN_FLOAT,
    ),
    Row(
        "bartlett_window",
        "torch.bartlett_window(length, periodic=periodic, dtype=dtype, device=device)",
        {"torch.bartlett_window": _bartlett},
        own=OWN_FLOAT,
    ),
    Row(
        "kaiser_window",
        "torch.kaiser_window(length, periodic, beta, dtype=dtype, device=device)",
        {"torch.kaiser_window": _kaiser},
        own=OWN_FLOAT,
    ),
)
