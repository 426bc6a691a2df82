"""Discrete Fourier transforms.

Names and semantics: https://data-apis.org/array-api/latest/extensions/fourier_transform_functions.html
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import dtypes, host
from ..dtypes import DType
from ..errors import ShapeError
from ..host import DimLike
from ..rules import OPEN
from ..types import LogicalTensor
from . import _costs
from ._catalogue import ops
from ._row import composite, op
from ._shapes import (
    as_type,
    axes_of,
    axis_of,
    broadcasting,
    fixed,
    float_of,
    free,
    real_of,
    replaced,
    same,
    size_arg,
    takes_open,
)

FAMILY = "fft"
Size = DimLike | None


def _complex(dtype: DType | None, rules: str) -> DType | None:
    """The complex dtype whose parts have the precision of `dtype`."""
    dtype = float_of(dtype, rules)
    if dtype is None or dtype.kind == "c":
        return dtype
    return dtypes.complex128 if dtype.bits == 64 else dtypes.complex64


def _element(x: LogicalTensor, rules: str, real_result: bool) -> DType | None:
    dtype = x.dtype
    if rules == "numpy" and dtype is not None and dtype.kind not in "fc":
        dtype = dtypes.float64  # NumPy's transforms take whole numbers as float64
    dtype = _complex(dtype, rules)
    return real_of(dtype) if real_result else dtype


def _transformed(change: Any, real_result: bool = False, real_input: bool = False) -> Any:
    """Infer rule: the size of the axis is `change(size, n)`."""

    @takes_open
    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        if real_input and x.dtype is not None and x.dtype.kind == "c":
            raise ShapeError("rfft takes real numbers", hint="use fft")
        dtype = _element(x, rules, real_result)
        if x.dims is None or not fixed(args.axis):
            return LogicalTensor(dtype, None if x.dims is None else (None,) * len(x.dims))
        here = x.dims[axis_of(args.axis, len(x.dims))]
        length = None if args.n is OPEN else here if args.n is None else size_arg(args.n)
        return LogicalTensor(dtype, replaced(x.dims, args.axis, change(here, length, args.n is None)))

    return infer


def _same(here: Size, length: Size, whole: bool) -> Size:
    return length


def _half(here: Size, length: Size, whole: bool) -> Size:
    return None if length is None else host.add(host.floordiv(length, 2), 1)


def _doubled(here: Size, length: Size, whole: bool) -> Size:
    if not whole:
        return length
    return None if here is None else host.mul(2, host.sub(here, 1))


HALF_OF_REAL, REAL_OF_HALF = _transformed(_half, real_input=True), _transformed(_doubled, real_result=True)
for _name, _rule, _doc in (
    ("fft", _transformed(_same), "sum over j of x[j] * exp(-2 pi i j k / n)."),
    ("ifft", _transformed(_same), "The inverse of fft, divided by n."),
    ("rfft", HALF_OF_REAL, "fft of real numbers, its n // 2 + 1 first elements."),
    ("irfft", REAL_OF_HALF, "The inverse of rfft, of n elements (None: 2 (size - 1))."),
    ("hfft", REAL_OF_HALF, "fft of a signal of which the first half is given, the rest its mirrored conjugate."),
    ("ihfft", HALF_OF_REAL, "The inverse of hfft, the first half of it."),
):
    op(
        FAMILY,
        f'{_name}(x, n=None, axis=-1, norm="backward")',
        f"np.fft.{_name}(x, n=n, axis=axis, norm=norm)",
        infer=_rule,
        compute=_costs.fft,
        doc=_doc,
    )


# ---------------------------------------------------------------- along several axes
def _places(args: SimpleNamespace, dims: Any) -> tuple[int, ...]:
    """The axes gone over, counted from the front."""
    if args.axes is not None:
        return axes_of(args.axes, len(dims))
    count = len(dims) if args.s is None else len(args.s)
    return tuple(range(len(dims) - count, len(dims)))


def _transformed_n(change: Any, real_result: bool = False, real_input: bool = False) -> Any:
    """Infer rule: the size of the last of the axes is `change(size, n)`, that of the others what `s` says."""

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        if real_input and x.dtype is not None and x.dtype.kind == "c":
            raise ShapeError("rfftn takes real numbers", hint="use fftn")
        dtype = _element(x, rules, real_result)
        if x.dims is None:
            return LogicalTensor(dtype)
        places = _places(args, x.dims)
        dims = list(x.dims)
        lengths = [dims[at] for at in places] if args.s is None else [size_arg(size) for size in args.s]
        for at, length in zip(places, lengths):
            dims[at] = length
        if places:
            last = places[-1]
            dims[last] = change(x.dims[last], lengths[-1], args.s is None)
        return LogicalTensor(dtype, tuple(dims))

    return infer


def _spelling(name: str) -> Any:
    """Two last axes have a name of their own."""

    def spelling(args: SimpleNamespace) -> str:
        return f"np.fft.{spelled(name, args)}"

    return spelling


def spelled(name: str, args: SimpleNamespace, axes: str = "axes") -> str:
    """`fft2(x, s=s, norm=norm)` over the last two axes, `fftn(x, s=s, axes=axes, norm=norm)` over others."""
    if args.axes == (-2, -1):
        return f"{name[:-1]}2(x, s=s, norm=norm)"
    return f"{name}(x, s=s, {axes}=axes, norm=norm)"


def _cost_n(args: SimpleNamespace, types: tuple) -> Any:
    size = _costs.count(types[-1])
    return _costs.times(5, size, max(size - 1, 0).bit_length()) if isinstance(size, int) else None


for _name, _rule, _doc in (
    ("fftn", _transformed_n(_same), "fft along several axes in turn."),
    ("ifftn", _transformed_n(_same), "The inverse of fftn."),
    ("rfftn", _transformed_n(_half, real_input=True), "fftn of real numbers, half of it along the last axis."),
    ("irfftn", _transformed_n(_doubled, real_result=True), "The inverse of rfftn."),
):
    op(
        FAMILY,
        f'{_name}(x, s=None, axes=None, norm="backward")',
        _spelling(_name),
        infer=_rule,
        compute=_cost_n,
        doc=f"{_doc} `axes`: None is all, or as many of the last as `s` has sizes.",
    )


@composite(FAMILY)
def hfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """hfft along the last of the axes, fft along the others before."""
    return ops.irfftn(ops.conj(x), s=s, axes=axes, norm=REVERSED[norm])


@composite(FAMILY)
def ihfftn(x: Any, s: Any = None, axes: Any = None, norm: str = "backward") -> Any:
    """The inverse of hfftn."""
    return ops.conj(ops.rfftn(x, s=s, axes=axes, norm=REVERSED[norm]))


REVERSED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}
for _name, _doc in (("fftshift", "The zero frequency moved to the middle."), ("ifftshift", "fftshift undone.")):
    op(
        FAMILY,
        f"{_name}(x, axes=None)",
        f"np.fft.{_name}(x, axes=axes)",
        infer=broadcasting(same, ("x",)),
        compute=free,
        doc=_doc,
    )


def _frequencies(name: str) -> Any:
    """NumPy's take no dtype."""

    def spelling(args: SimpleNamespace) -> str:
        own = args.dtype is None or args.dtype == dtypes.float64
        return f"np.fft.{name}(n, d)" if own else f"np.fft.{name}(n, d).astype(dtype)"

    return spelling


def _frequencies_type(change: Any) -> Any:
    @takes_open
    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        dtype = dtypes.default("f", rules) if args.dtype is None else args.dtype
        return LogicalTensor(dtype if isinstance(dtype, DType) else None, (change(None, size_arg(args.n), False),))

    return infer


for _name, _rule, _doc in (
    ("fftfreq", _frequencies_type(_same), "Frequencies of fft of n samples d apart, the negative ones last."),
    ("rfftfreq", _frequencies_type(_half), "Frequencies of rfft of n samples d apart."),
):
    op(FAMILY, f"{_name}(n, d=1.0, dtype=None)", _frequencies(_name), infer=_rule, doc=_doc)
