"""Element types and the four promotion rules (torch, jax, numpy, array_api).

Sources: the Python array API standard 2024.12 (type promotion), NEP 50, torch.promote_types, JAX's promotion lattice.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import ml_dtypes
import numpy as np

PROMOTIONS = ("torch", "torch_f64", "jax", "jax_x64", "numpy", "array_api")
"""Whose rules tell what dtypes operands promote to; "torch_f64": PyTorch's, where float64 is its default dtype; "jax_x64": JAX's,
where it is set to 64-bit types."""
KINDS = "biufc"
NUMBERS = {
    "b": "booleans", "u": "unsigned whole numbers", "i": "whole numbers", "f": "floating-point numbers", "c": "complex numbers",
}  # fmt: skip
"""What the kinds are called, the lowest first: what two dtypes promote to is of the higher kind."""
RANK = {"b": 0, "u": 1, "i": 1, "f": 2, "c": 3}


@dataclass(frozen=True)
class DType:
    """An element type: its name, kind (b, i, u, f, c) and width in bits."""

    name: str
    kind: str
    bits: int

    @cached_property
    def numpy(self) -> np.dtype:
        """The NumPy (or ml_dtypes) dtype of the same name."""
        return np.dtype(getattr(ml_dtypes, self.name) if self.name in _EXTENDED else self.name)

    @property
    def itemsize(self) -> int:
        """Bytes an element takes."""
        return max(1, self.bits // 8)

    @property
    def short(self) -> str:
        """`f32`, `i64`, `bool`: as the text form and the command line write it."""
        return _SHORT[self.name]

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return self.name


_EXTENDED = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
_TABLE = (
    ("bool", "b", 8, "bool"),
    ("int8", "i", 8, "i8"),
    ("int16", "i", 16, "i16"),
    ("int32", "i", 32, "i32"),
    ("int64", "i", 64, "i64"),
    ("uint8", "u", 8, "u8"),
    ("uint16", "u", 16, "u16"),
    ("uint32", "u", 32, "u32"),
    ("uint64", "u", 64, "u64"),
    ("float16", "f", 16, "f16"),
    ("bfloat16", "f", 16, "bf16"),
    ("float32", "f", 32, "f32"),
    ("float64", "f", 64, "f64"),
    ("float8_e4m3fn", "f", 8, "f8e4m3"),
    ("float8_e5m2", "f", 8, "f8e5m2"),
    ("complex64", "c", 64, "c64"),
    ("complex128", "c", 128, "c128"),
)
DTYPES: dict[str, DType] = {name: DType(name, kind, bits) for name, kind, bits, _ in _TABLE}
_SHORT = {name: short for name, _, _, short in _TABLE}
_BY_SHORT = {short: DTYPES[name] for name, _, _, short in _TABLE}

bool_ = DTYPES["bool"]
int32, int64, uint64 = DTYPES["int32"], DTYPES["int64"], DTYPES["uint64"]
float32, float64 = DTYPES["float32"], DTYPES["float64"]
complex64, complex128 = DTYPES["complex64"], DTYPES["complex128"]
_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128}
_DEFAULTS = {
    "torch": {"b": bool_, "i": int64, "f": float32, "c": complex64},
    "torch_f64": {"b": bool_, "i": int64, "f": float64, "c": complex128},
    "jax": {"b": bool_, "i": int32, "f": float32, "c": complex64},
    "jax_x64": {"b": bool_, "i": int64, "f": float64, "c": complex128},
    "numpy": {"b": bool_, "i": int64, "f": float64, "c": complex128},
    "array_api": {"b": bool_, "i": int64, "f": float64, "c": complex128},
}

_OF_NUMPY: dict[np.dtype, DType] = {found.numpy: found for found in DTYPES.values()}


def dtype(of: Any) -> DType:
    """The DType of a name (long or short), NumPy dtype, framework dtype, or Python type.

    Raises TypeError where there is none.
    """
    if isinstance(of, DType):
        return of
    if isinstance(of, np.dtype) and of in _OF_NUMPY:
        return _OF_NUMPY[of]
    if isinstance(of, type) and of in _PYTHON:
        return _PYTHON[of]
    name = of if isinstance(of, str) else str(of).removeprefix("torch.")
    if name in DTYPES:
        return DTYPES[name]
    if name in _BY_SHORT:
        return _BY_SHORT[name]
    try:
        return DTYPES[np.dtype(of).name]
    except (KeyError, TypeError):
        raise TypeError(f"{of!r} is no dtype that GFX knows; it knows {', '.join(DTYPES)}") from None


def holds(to: DType, of: DType, signs: bool = False) -> bool:
    """Whether an array of the dtype `to` can be written in place with what has the dtype `of`: one of its kind or a lower one;
    `signs`: of whole numbers those that may be negative are the higher kind."""
    order = "biufc" if not signs else "buifc"
    whole = not signs and to.kind in "iu" and of.kind in "iu"
    return whole or order.index(of.kind) <= order.index(to.kind)


def of_widths(a: DType, b: DType) -> bool:
    """Whether two dtypes are floats, or complex numbers, of two widths."""
    return a != b and a.kind == b.kind and a.kind in "fc"


def highest(kinds: Iterable[str]) -> str:
    """The kind of what dtypes of these kinds promote to."""
    return max(kinds, key=tuple(NUMBERS).index)


def numbers(kinds: str) -> str:
    """What dtypes of these kinds hold, in words: what they hold, or what not, whichever is shorter."""
    held, left = ([text for kind, text in NUMBERS.items() if (kind in kinds) is there] for there in (True, False))
    return " or ".join(held) if len(held) < 3 else "no " + " or ".join(left)


def kind_of(scalar: Any) -> str:
    """Kind of a Python scalar: b, i, f or c."""
    for kind, types in (("b", (bool, np.bool_)), ("i", (int, np.integer)), ("f", (float, np.floating))):
        if isinstance(scalar, types):
            return kind
    return "c"


def framework_of(rules: str) -> str:
    """Whose rules these are: PyTorch and JAX have them twice, with other defaults by their mode."""
    return {"torch_f64": "torch", "jax_x64": "jax"}.get(rules, rules)


def default(kind: str, rules: str) -> DType:
    """The dtype that a Python scalar of this kind takes on its own under `rules`."""
    return _DEFAULTS[rules]["i" if kind == "u" else kind]


def promote_types(a: DType, b: DType, rules: str) -> DType:
    """The dtype of an operation on strong operands of dtypes a and b. Raises TypeError where `rules` define none."""
    if a == b:
        return a
    if rules == "numpy":
        return dtype(np.promote_types(a.numpy, b.numpy))
    if _refused(a, b, rules) or _refused(b, a, rules):
        raise TypeError(f"{rules} defines no promotion of {a} with {b}")
    high, low = (a, b) if RANK[a.kind] >= RANK[b.kind] else (b, a)
    if RANK[high.kind] != RANK[low.kind]:
        if rules == "array_api" and (low.kind == "b" or high.kind not in "c" or low.kind != "f"):
            raise TypeError(f"the array API standard defines no promotion of {a} with {b}")
        if high.kind == "c" and low.kind == "f" and low.bits * 2 > high.bits:
            return complex128
        return high
    if a.kind == b.kind:
        if a.bits == b.bits:
            return float32
        return a if a.bits > b.bits else b
    return _signed_with_unsigned(a, b, rules)


def _refused(a: DType, b: DType, rules: str) -> bool:
    """Whether the framework leaves `a` without promotion beside `b`: 8-bit floats, torch's wider unsigned integers."""
    if a.kind == "f" and a.bits == 8:
        return framework_of(rules) != "jax" or b.kind in "fc"
    return framework_of(rules) == "torch" and a.kind == "u" and a.bits > 8 and b.kind != "f"


def _signed_with_unsigned(a: DType, b: DType, rules: str) -> DType:
    signed, unsigned = (a, b) if a.kind == "i" else (b, a)
    if signed.bits > unsigned.bits:
        return signed
    if unsigned.bits < 64:
        # JAX without its 64-bit mode, as its other defaults here.
        return DTYPES[f"int{min(unsigned.bits * 2, 32 if rules == 'jax' else 64)}"]
    if framework_of(rules) == "jax":
        return float64
    raise TypeError(f"{rules} defines no promotion of {a} with {b}")


def result_type(operands: list[tuple[DType, bool]], rules: str) -> tuple[DType, bool]:
    """The (dtype, weak) of an operation on operands given as (dtype, weak).

    A weak operand (a Python scalar, or what follows from Python scalars alone) only counts by its kind, as the array
    API standard, NEP 50, torch and JAX all have it. What JAX makes a float by a weak one alone is weak, too. For torch's rule
    of 0-d tensors see `result_type_torch`.
    """
    strong = [d for d, weak in operands if not weak]
    if not strong:
        top = max((d for d, _ in operands), key=lambda d: RANK[d.kind])
        return top, True
    out = strong[0]
    for other in strong[1:]:
        out = promote_types(out, other, rules)
    made = False
    for weak in (d for d, weak in operands if weak):
        if RANK[weak.kind] > RANK[out.kind]:
            if weak.kind == "c" and out.kind == "f" and not made:
                out = _complex_of(out, rules)
            else:
                out, made = default(weak.kind, rules), framework_of(rules) == "jax"
    return out, made


def result_type_torch(operands: list[tuple[DType, bool, bool]]) -> DType:
    """The dtype that torch.result_type gives for operands given as (dtype, 0-d, Python scalar).

    Tensors with dims decide; 0-d tensors beside them count only where they are of a higher kind, Python scalars last.
    """
    groups: list[list[DType]] = [[], [], []]
    for d, zero, scalar in operands:
        groups[2 if scalar else 1 if zero else 0].append(d)
    out: DType | None = None
    for group in groups:
        if not group:
            continue
        low = group[0]
        for other in group[1:]:
            low = promote_types(low, other, "torch")
        out = low if out is None else _combine(out, low)
    assert out is not None
    return out


def _combine(high: DType, low: DType) -> DType:
    if RANK[low.kind] <= RANK[high.kind]:
        return high
    if high.kind == "f":
        return _complex_of(high, "torch")
    return promote_types(high, low, "torch")


def _complex_of(real: DType, rules: str) -> DType:
    """The complex dtype that a float becomes beside a complex scalar."""
    if framework_of(rules) == "torch" and real.name == "float16":
        raise TypeError("float16 beside a complex number gives torch.complex32, which GFX does not know")
    return complex128 if real.bits == 64 else complex64


def number_of(data: np.ndarray | np.generic) -> Any:
    """The Python number that a 0-d array holds: one of float32 in the fewest digits that tell it apart, unless these name a number
    that is larger than all of float32, which PyTorch does not take for one."""
    shortest = float(str(np.float32(data))) if data.dtype == np.float32 else data.item()
    return data.item() if abs(shortest) > abs(data.item()) >= np.finfo(np.float32).max else shortest
