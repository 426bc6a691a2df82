"""Types of operands, and rules of dtypes: functions (operand types, promotion rules) -> (dtype or None, weak)."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import dtypes
from .dims import same_dims
from .dtypes import DType, framework_of
from .errors import ShapeError
from .host import Dim, Expr
from .rules import OPEN
from .types import LogicalTensor

_OF_BOOLEANS = {"numpy": dtypes.DTYPES["int8"], "jax": dtypes.int32}
"""What arithmetic makes of arrays of booleans."""
DtypeRule = Callable[[Sequence[LogicalTensor], str], tuple[DType | None, bool]]


def as_type(x: Any, rules: str) -> LogicalTensor:
    """The type of an operand: a tensor's own, a weak 0-d one for a Python scalar or host value."""
    if isinstance(x, LogicalTensor):
        return x
    if isinstance(x, (np.ndarray, np.generic)):
        return LogicalTensor(dtypes.dtype(x.dtype), tuple(x.shape))
    if isinstance(x, (Dim, Expr)):
        return LogicalTensor(dtypes.default("i", rules), (), weak=True)
    if isinstance(x, (bool, int, float, complex)):
        return LogicalTensor(dtypes.default(dtypes.kind_of(x), rules), (), weak=True)
    if x is None or x is OPEN:
        return LogicalTensor(None, (), weak=True)
    if isinstance(x, (list, tuple)):
        return sequence_type(x, rules)
    raise ShapeError(f"{x!r} is no tensor and no number")


def sequence_type(data: Any, rules: str) -> LogicalTensor:
    """The type of nested sequences of numbers made an array. Raises ShapeError where they are ragged."""
    if not isinstance(data, (list, tuple)):
        return as_type(data, rules)
    if not data:
        return LogicalTensor(dtypes.default("f", rules), (0,))
    inner = [sequence_type(item, rules) for item in data]
    if len({len(t.dims or ()) for t in inner}) > 1:
        raise ShapeError("nested sequences of unequal depth make no tensor")
    dims = inner[0].dims
    for other in inner[1:]:
        dims = same_dims(dims, other.dims, "nested sequences of unequal length make no tensor")
    dtype, _ = promote(inner, rules)
    return LogicalTensor(dtype, None if dims is None else (len(inner), *dims))


def promote(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype that the promotion rules give. Raises ShapeError where they define none."""
    strong = [t for t in operands if not t.weak]
    if not operands or None in [t.dtype for t in strong]:
        return None, False
    if None in [t.dtype for t in operands]:
        # An unknown host number is at most a float.
        known = promote(strong, rules)[0] if strong else None
        return (known if known is not None and known.kind in "fc" else None), not strong
    if framework_of(rules) == "torch" and len({t.dtype for t in strong}) > 1:
        return _promote_torch(operands), False
    try:
        return dtypes.result_type([(t.dtype, t.weak) for t in operands], rules)  # type: ignore[misc]
    except TypeError as error:
        raise ShapeError(str(error)) from None


def mixes_kinds(rules: str) -> bool:
    """Whether the promotion rules define what tensors of several kinds promote to."""
    return rules != "array_api"


def _promote_torch(operands: Sequence[LogicalTensor]) -> DType | None:
    """PyTorch lets a 0-d tensor beside others decide only the kind; both readings of an unknown rank must agree."""
    readings = [(t.rank == 0,) if t.rank is not None else (True, False) for t in operands]
    found = set()
    try:
        for zero in itertools.product(*readings):
            found.add(dtypes.result_type_torch([(t.dtype, z, t.weak) for t, z in zip(operands, zero)]))  # type: ignore[misc]
    except TypeError as error:
        raise ShapeError(str(error)) from None
    return found.pop() if len(found) == 1 else None


def same(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype of the first operand."""
    return operands[0].dtype, operands[0].weak


def boolean(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """bool."""
    return dtypes.bool_, False


def floating(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, a floating one made of it where it is none."""
    dtype, weak = promote(operands, rules)
    return float_of(dtype, rules), weak


def float_of(dtype: DType | None, rules: str) -> DType | None:
    """The floating dtype that an integer or bool becomes where a function needs one; others as they are."""
    if dtype is None or dtype.kind in "fc":
        return dtype
    if rules == "jax_x64":  # where whole numbers may have as many bits as floats
        return dtypes.float64 if dtype.bits == 64 else dtypes.float32
    if rules == "numpy":  # NumPy takes the smallest float that holds the integer
        return dtypes.DTYPES[f"float{min(64, 2 * dtype.bits) if dtype.kind != 'b' else 16}"]
    return dtypes.default("f", rules)


def dividing(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, the default float where it is none (NumPy has it so for divisions and means)."""
    dtype, weak = promote(operands, rules)
    whole = dtype is not None and dtype.kind not in "fc"
    return (dtypes.float64 if whole and rules == "numpy" else float_of(dtype, rules)), weak


def real_of(dtype: DType | None) -> DType | None:
    """The dtype of a complex number's parts; others as they are."""
    if dtype is None or dtype.kind != "c":
        return dtype
    return dtypes.DTYPES[f"float{dtype.bits // 2}"]


def defaulting(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, a floating one where it is none: JAX's default one, whatever holds the whole numbers."""
    dtype, weak = promote(operands, rules)
    whole = dtype is not None and dtype.kind not in "fc"
    return (dtypes.default("f", rules) if whole and framework_of(rules) == "jax" else float_of(dtype, rules)), weak


def phase(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype of an angle: that of the parts of complex numbers, a floating one of others; NumPy counts booleans as whole numbers."""
    dtype, weak = defaulting(operands, rules)
    of_booleans = rules == "numpy" and operands[0].dtype is dtypes.bool_
    return (dtypes.float64 if of_booleans else real_of(dtype)), weak


def real(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, real where it is complex."""
    dtype, weak = promote(operands, rules)
    return real_of(dtype), weak


def numeric(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype of numbers; booleans become integers of a width on which the frameworks do not agree: NumPy's is the least."""
    dtype, weak = promote(operands, rules)
    whole = None if weak else _OF_BOOLEANS.get(framework_of(rules))
    return (whole if dtype is dtypes.bool_ else dtype), weak


def raising(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype of a power; JAX makes no weak array of a number to the power of whole numbers, and whole numbers of 32 bits
    of booleans."""
    dtype, weak = numeric(operands, rules)
    base, exponent = operands
    if framework_of(rules) != "jax":
        return dtype, weak
    number = exponent.weak and exponent.dims == () and dtype is not None and dtype.kind == "i"
    if number and base.dtype is dtypes.bool_ and not base.weak:
        return dtypes.int32, False
    return dtype, weak and (exponent.weak or not base.weak)


def rounding(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype of the operand; rounding leaves integers as they are. Raises ShapeError for complex numbers."""
    dtype, weak = promote(operands, rules)
    if dtype is not None and dtype.kind == "c":
        raise ShapeError(f"this takes real numbers, not {dtype}")
    return dtype, weak


def integral(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype. Raises ShapeError where it is neither integer nor bool."""
    dtype, weak = promote(operands, rules)
    if dtype is not None and dtype.kind in "fc":
        raise ShapeError(f"this takes integers or booleans, not {dtype}")
    return dtype, weak


def shifting(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype of whole numbers, which booleans become. Raises ShapeError for others."""
    integral(operands, rules)
    return numeric(operands, rules)


def subtracting(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype; none where PyTorch is asked to subtract booleans, which it refuses. Raises ShapeError for booleans
    alone: no framework subtracts these."""
    dtype, weak = promote(operands, rules)
    _refuse_booleans(dtype, weak)
    refused = framework_of(rules) == "torch" and any(
        operand.dtype is dtypes.bool_ and not operand.weak for operand in operands
    )
    return (None if refused else dtype), weak


def negating(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype of the operand. Raises ShapeError for booleans: no framework negates these."""
    dtype, weak = promote(operands, rules)
    _refuse_booleans(dtype, weak)
    return dtype, weak


def _refuse_booleans(dtype: DType | None, weak: bool) -> None:
    if dtype is dtypes.bool_ and not weak:
        raise ShapeError("no framework takes booleans here", hint="cast them first, or take logical_not or logical_xor")


def operator(rule: DtypeRule) -> DtypeRule:
    """The rule of a Python operator, which on Python scalars alone gives a Python scalar under any rules."""

    def marked(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
        return rule(operands, rules)

    marked.operator = rule  # type: ignore[attr-defined]
    return marked


@operator
def comparing(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """bool; of Python's numbers alone Python's own. JAX's arrays are weak without being numbers, and their truth is an array."""
    return dtypes.bool_, framework_of(rules) != "jax" and all(operand.weak for operand in operands)


def stays_weak(weak: bool, rules: str) -> bool:
    """Whether a function of weak operands alone gives a weak result: only JAX has weak arrays."""
    return weak and framework_of(rules) == "jax"


def index_dtype(rules: str) -> DType:
    """The dtype of positions."""
    return dtypes.int32 if rules == "jax" else dtypes.int64


def sum_dtype(dtype: DType | None, rules: str) -> DType | None:
    """The dtype that sums and products accumulate to."""
    if dtype is None or dtype.kind in "fc":
        return dtype
    if dtype.kind == "b":
        return dtypes.default("i", rules)
    if framework_of(rules) == "jax":
        return dtypes.DTYPES[
            f"{'int' if dtype.kind == 'i' else 'uint'}{max(dtypes.default('i', rules).bits, dtype.bits)}"
        ]
    if framework_of(rules) == "torch" or dtype.kind == "i":
        return dtypes.int64
    return dtypes.DTYPES["uint64"]


def running_dtype(dtype: DType | None, rules: str) -> DType | None:
    """The dtype that running sums and products accumulate to: JAX keeps narrow integers there."""
    return (
        dtype if framework_of(rules) == "jax" and dtype is not None and dtype.kind != "b" else sum_dtype(dtype, rules)
    )
