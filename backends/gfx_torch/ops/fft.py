"""Discrete Fourier transforms: https://docs.pytorch.org/docs/stable/fft.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import dtype_of, host
from gfx_ir.errors import ShapeError
from gfx_ir.op import lookup
from gfx_ir.ops.fft import spelled

from ..lifting import default_dtype, known_rank, known_size, names, plain, refuse
from .create import OWN_FLOAT


def _sized(x: Any, n: Any, dim: Any) -> Any:
    """torch's -1 is the size as it is."""
    return ops.size(x, dim) if type(n) is int and n == -1 else n


def _row(name: str) -> Row:
    op = lookup(name)

    def fn(input: Any, n: Any = None, dim: Any = -1, norm: Any = None) -> Any:
        return op(input, n=_sized(input, n, dim), axis=dim, norm=norm or "backward")

    return Row(name, f"torch.fft.{name}(x, n=n, dim=axis, norm=norm)", {f"torch.fft.{name}": fn})


def _places(input: Any, s: Any, dim: Any) -> tuple[Any, Any]:
    """Sizes and axes, of which torch takes the last where only the sizes are given."""
    if isinstance(dim, (list, tuple)):
        dim = tuple(dim)
    elif dim is not None:
        dim = (dim,)
    if s is None:
        return None, dim
    s = tuple(s) if isinstance(s, (list, tuple)) else (s,)
    dim = tuple(range(-len(s), 0)) if dim is None else dim
    return tuple(_sized(input, n, at) for n, at in zip(s, dim)), dim


def _several(name: str) -> Row:
    op, short = lookup(name), f"{name[:-1]}2"

    def fn(input: Any, s: Any = None, dim: Any = None, norm: Any = None) -> Any:
        s, dim = _places(input, s, dim)
        if dim is not None and known_rank(input) == 2 and sorted(d % 2 for d in dim) == [0, 1] and dim[-1] % 2:
            dim = (-2, -1)
        return op(input, s=s, axes=dim, norm=norm or "backward")

    def two(input: Any, s: Any = None, dim: Any = (-2, -1), norm: Any = None) -> Any:
        return fn(input, s, dim, norm)

    lifts = {f"torch.fft.{name}": fn, f"torch.fft.{short}": two}
    return Row(name, lambda args: f"torch.fft.{spelled(name, args, 'dim')}", lifts)


def _shift(name: str) -> Row:
    op = lookup(name)

    def fn(input: Any, dim: Any = None) -> Any:
        return op(input, axes=tuple(dim) if isinstance(dim, (list, tuple)) else dim)

    return Row(name, f"torch.fft.{name}(x, dim=axes)", {f"torch.fft.{name}": fn})


def _frequencies(name: str) -> Row:
    op = lookup(name)

    def fn(n: Any, d: Any = 1.0, *, dtype: Any = None) -> Any:
        return op(n, d, dtype=dtype or default_dtype())

    return Row(name, f"torch.fft.{name}(n, d, dtype=dtype)", {f"torch.fft.{name}": fn}, own=OWN_FLOAT)


def _complex(x: Any, window: Any) -> bool:
    """Whether a signal or its window is complex. Raises ShapeError where the capture does not know the signal's dtype."""
    found = [dtype_of(v) for v in (x, window) if v is not None]
    if found[0] is None:
        raise ShapeError(
            "torch.stft without onesided= needs the dtype of its argument",
            hint="give the argument's dtype, gfx.TensorSpec(shape, dtype), or onesided=True",
        )
    return any(kind is not None and kind.kind == "c" for kind in found)


def _stft(
    input: Any, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True,
    pad_mode: Any = "reflect", normalized: Any = False, onesided: Any = None, return_complex: Any = None,
    align_to_window: Any = None,
) -> Any:  # fmt: skip
    plain("torch.stft", align_to_window=align_to_window)
    hop_length = host("//", n_fft, 4) if hop_length is None else hop_length
    onesided = not _complex(input, window) if onesided is None else onesided
    win_length = None if type(win_length) is int and win_length == n_fft else win_length
    out = ops.stft(input, n_fft, hop_length, win_length, window, center, pad_mode, normalized, onesided)
    whole = _complex(input, window) if return_complex is None else return_complex
    return out if whole else ops.stack((ops.real(out), ops.imag(out)), axis=-1)


def _istft(
    input: Any, n_fft: Any, hop_length: Any = None, win_length: Any = None, window: Any = None, center: Any = True,
    normalized: Any = False, onesided: Any = None, length: Any = None, return_complex: Any = False,
) -> Any:  # fmt: skip
    hop_length = host("//", n_fft, 4) if hop_length is None else hop_length
    if onesided is None:
        rows = known_size(input, -2)
        if rows is None:
            refuse("torch.istft without onesided= needs the shape of its argument", "give onesided=True")
        onesided = rows != n_fft
    win_length = None if type(win_length) is int and win_length == n_fft else win_length
    return ops.istft(
        input, n_fft, hop_length, win_length, window, center, normalized, onesided, length, bool(return_complex)
    )


_STFT = (
    "torch.stft(x, n_fft, hop_length, win_length=win_length, window=window, center=center, pad_mode=pad_mode,"
    " normalized=normalized, onesided=onesided, return_complex=True)"
)
_ISTFT = (
    "torch.istft(x, n_fft, hop_length, win_length=win_length, window=window, center=center, normalized=normalized,"
    " onesided=onesided, length=length, return_complex=complex_result)"
)
ROWS = (
    *map(_row, ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")),
    *map(_several, ("fftn", "ifftn", "rfftn", "irfftn", "hfftn", "ihfftn")),
    *map(_shift, ("fftshift", "ifftshift")),
    Row("stft", _STFT, {names("stft"): _stft}, keep=("onesided",)),
    Row("istft", _ISTFT, {names("istft"): _istft}, keep=("onesided",)),
    *map(_frequencies, ("fftfreq", "rfftfreq")),
)
