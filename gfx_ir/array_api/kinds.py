"""Dtypes as the standard speaks of them: kinds, promotion, limits."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Sequence
from typing import Any

import ml_dtypes

from .. import dtypes
from ..dtypes import DTYPES, DType

NAMES = (
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128",
)  # fmt: skip
KINDS = {
    "bool": "b", "signed integer": "i", "unsigned integer": "u", "integral": "iu", "real floating": "f",
    "complex floating": "c", "numeric": "iufc",
}  # fmt: skip
_ORDER = "biufc"

FInfo = namedtuple("FInfo", ("bits", "eps", "max", "min", "smallest_normal", "dtype"))
IInfo = namedtuple("IInfo", ("bits", "max", "min", "dtype"))


def promoted(known: Sequence[DType], numbers: Sequence[Any]) -> DType:
    """The dtype of an operation on arrays of dtypes `known` and Python numbers.

    Raises TypeError where the standard defines none.
    Source: https://data-apis.org/array-api/2024.12/API_specification/type_promotion.html
    """
    if not known:
        raise TypeError("one of the arguments must be an array")
    out = known[0]
    for other in known[1:]:
        out = dtypes.promote_types(out, other, "array_api")
    for number in numbers:
        kind = dtypes.kind_of(number)
        if kind == "c" and out.kind == "f":
            out = DTYPES["complex64" if out.bits == 32 else "complex128"]
        elif not _takes(out.kind, kind):
            raise TypeError(f"the array API standard defines no promotion of {out} with {number!r}")
    return out


def _takes(array: str, number: str) -> bool:
    """Whether a number of this kind may stand beside an array of that kind."""
    return number == "b" if array == "b" else number != "b" and _ORDER.index(number) <= max(2, _ORDER.index(array))


def is_kind(dtype: DType, kind: Any) -> bool:
    """Whether a dtype is, or is of the kind of, what is given: a dtype, the name of a kind, or several of these."""
    if isinstance(kind, tuple):
        return any(is_kind(dtype, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"{kind!r} is no kind of dtypes; the kinds are {', '.join(KINDS)}")
        return dtype.kind in KINDS[kind]
    return dtype == kind


def casts(source: DType, target: DType) -> bool:
    """Whether the standard's promotion of both is the target."""
    try:
        return dtypes.promote_types(source, target, "array_api") == target
    except TypeError:
        return False


def finfo(dtype: DType) -> FInfo:
    """Limits of a float; of a complex number's parts."""
    if dtype.kind not in "fc":
        raise TypeError(f"finfo takes floating dtypes, not {dtype}")
    part = DTYPES[f"float{dtype.bits // 2}"] if dtype.kind == "c" else dtype
    known = ml_dtypes.finfo(part.numpy)
    limits = (float(limit) for limit in (known.eps, known.max, known.min, known.smallest_normal))
    return FInfo(part.bits, *limits, part)  # type: ignore[call-arg]  # as many as there are fields


def iinfo(dtype: DType) -> IInfo:
    """Limits of an integer."""
    if dtype.kind not in "iu":
        raise TypeError(f"iinfo takes integer dtypes, not {dtype}")
    known = ml_dtypes.iinfo(dtype.numpy)
    return IInfo(dtype.bits, int(known.max), int(known.min), dtype)
