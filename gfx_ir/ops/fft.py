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
from ._row import op
from ._shapes import as_type, axis_of, fixed, float_of, real_of, replaced, size_arg, takes_open

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


for _name, _rule, _doc in (
    ("fft", _transformed(_same), "sum over j of x[j] * exp(-2 pi i j k / n)."),
    ("ifft", _transformed(_same), "The inverse of fft, divided by n."),
    ("rfft", _transformed(_half, real_input=True), "fft of real numbers, its n // 2 + 1 first elements."),
    ("irfft", _transformed(_doubled, real_result=True), "The inverse of rfft, of n elements (None: 2 (size - 1))."),
):
    op(
        FAMILY,
        f"{_name}(x, n=None, axis=-1)",
        f"np.fft.{_name}(x, n=n, axis=axis)",
        infer=_rule,
        compute=_costs.fft,
        doc=_doc,
    )
