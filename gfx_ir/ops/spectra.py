"""Short-time Fourier transforms, as patterns over other ops.

Names and semantics: https://docs.pytorch.org/docs/stable/generated/torch.stft.html and torch.istft.html
"""

from __future__ import annotations

from typing import Any

from ..build import host, rank_of
from ._body import element_of, named
from ._catalogue import ops
from ._row import composite

FAMILY = "fft"
PADDINGS = {"reflect": "reflect", "constant": "constant", "replicate": "edge", "circular": "wrap"}


def _window(x: Any, window: Any, n_fft: Any, win_length: Any) -> Any:
    """The window with zeros around it up to n_fft; None where it is all ones."""
    if win_length is None or (type(win_length) is type(n_fft) is int and win_length == n_fft):
        return window
    if window is None:
        window = ops.ones((win_length,), dtype=_real(x))
    left = host("//", host("-", n_fft, win_length), 2)
    right = host("-", host("-", n_fft, win_length), left)
    return ops.pad(window, ((left, right),))


def _real(x: Any) -> Any:
    return element_of(ops.real(x)) or ops.dtype_of(ops.real(x))


def _positions(count: Any, hop_length: Any, n_fft: Any) -> Any:
    """Where the samples of each frame are: (frames, n_fft)."""
    starts = ops.multiply(ops.arange(count), hop_length)
    return named("positions", ops.add(ops.expand_dims(starts, 1), ops.arange(n_fft)))


@composite(FAMILY)
def stft(
    x: Any, n_fft: Any, hop_length: Any, win_length: Any = None, window: Any = None, center: bool = True,
    pad_mode: str = "reflect", normalized: bool = False, onesided: bool = True,
) -> Any:  # fmt: skip
    """Transforms of the frames of x (..., samples), windowed: (..., frequencies, frames)."""
    if center:
        half = host("//", n_fft, 2)
        x = ops.pad(x, ((half, half),), mode=PADDINGS[pad_mode])
    count = host("+", host("//", host("-", ops.size(x, -1), n_fft), hop_length), 1)
    frames = named("frames", ops.getitem(x, (..., _positions(count, hop_length, n_fft))))
    window = _window(x, window, n_fft, win_length)
    if window is not None:
        frames = ops.multiply(frames, window)
    transform = ops.rfft if onesided else ops.fft
    return ops.matrix_transpose(transform(frames, norm="ortho" if normalized else "backward"))


@composite(FAMILY)
def istft(
    x: Any, n_fft: Any, hop_length: Any, win_length: Any = None, window: Any = None, center: bool = True,
    normalized: bool = False, onesided: bool = True, length: Any = None, complex_result: bool = False,
) -> Any:  # fmt: skip
    """The signal (..., samples) of the frames whose transforms x (..., frequencies, frames) holds: the inverse of stft."""
    spectra, norm = ops.matrix_transpose(x), "ortho" if normalized else "backward"
    if complex_result:
        frames = ops.ifft(spectra, norm=norm)
    else:
        half = spectra if onesided else ops.getitem(spectra, (..., slice(None, host("+", host("//", n_fft, 2), 1))))
        frames = ops.irfft(half, n=n_fft, norm=norm)
    window = _window(x, window, n_fft, win_length)
    if window is None:
        window = ops.ones((n_fft,), dtype=_real(x))
    frames = named("frames", ops.multiply(frames, window))
    count = ops.size(x, -1)
    total = host("+", n_fft, host("*", hop_length, host("-", count, 1)))
    positions = _positions(count, hop_length, n_fft)
    lead = (ops.size(x, 0),) if rank_of(x, "istft") == 3 else ()
    parts = ops.moveaxis(frames, (-2, -1), (0, 1)) if lead else frames
    empty = ops.zeros((total, *lead), dtype=element_of(parts) or ops.dtype_of(parts))
    signal = ops.index_put(empty, positions, parts, True)
    signal = named("signal", ops.moveaxis(signal, 0, -1) if lead else signal)
    weight = ops.broadcast_to(ops.square(window), (count, n_fft))
    none = ops.zeros((total,), dtype=element_of(window) or ops.dtype_of(window))
    weight = named("weight", ops.index_put(none, positions, weight, True))
    start = host("//", n_fft, 2) if center else 0
    stop = host("+", start, length) if length is not None else host("-", total, start) if center else total
    kept = (..., slice(start, stop))  # before they are divided: what is cut off may hold 0 / 0, which has no derivative
    signal = ops.divide(ops.getitem(signal, kept), ops.getitem(weight, kept))
    if length is None:
        return signal
    missing = host("max", host("-", stop, total), 0)
    return signal if type(missing) is int and missing == 0 else ops.pad(signal, ((0, missing),))
