"""Rules of shapes and dtypes that the families share.

Shapes: NumPy's broadcasting, over dims that may be numbers, size expressions or unknown (None); `dims=None` is an
unknown rank. Two sizes that can neither be shown equal nor different are taken as equal (a guard holds that later).
Dtypes: a rule is a function (operand types, promotion rules) -> (dtype or None, weak).
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from .. import dtypes, host
from ..dtypes import DType
from ..errors import ShapeError
from ..host import Dim, DimLike, Expr
from ..rules import OPEN
from ..types import LogicalTensor

Dims = tuple[DimLike | None, ...] | None
DtypeRule = Callable[[Sequence[LogicalTensor], str], tuple[DType | None, bool]]


# ---------------------------------------------------------------- operands
def is_size(x: Any) -> bool:
    """Whether x is a known or symbolic integer."""
    return isinstance(x, (int, np.integer, Dim, Expr)) and not isinstance(x, bool)


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


# ---------------------------------------------------------------- dtypes
def promote(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The dtype that the promotion rules give. Raises ShapeError where they define none."""
    strong = [t for t in operands if not t.weak]
    if any(t.dtype is None for t in strong) or not operands:
        return None, False
    if any(t.dtype is None for t in operands):
        # An unknown host number is at most a float.
        known = promote(strong, rules)[0] if strong else None
        return (known if known is not None and known.kind in "fc" else None), not strong
    if rules == "torch" and len({t.dtype for t in strong}) > 1:
        return _promote_torch(operands), False
    try:
        return dtypes.result_type([(t.dtype, t.weak) for t in operands], rules)
    except TypeError as error:
        raise ShapeError(str(error)) from None


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
    if rules == "numpy":  # NumPy takes the smallest float that holds the integer
        return dtypes.DTYPES[f"float{min(64, 2 * dtype.bits) if dtype.kind != 'b' else 16}"]
    return dtypes.default("f", rules)


def dividing(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, the default float where it is none (NumPy has it so for divisions and means)."""
    dtype, weak = promote(operands, rules)
    return (dtype if dtype is None or dtype.kind in "fc" else dtypes.default("f", rules)), weak


def real_of(dtype: DType | None) -> DType | None:
    """The dtype of a complex number's parts; others as they are."""
    if dtype is None or dtype.kind != "c":
        return dtype
    return dtypes.DTYPES[f"float{dtype.bits // 2}"]


def real(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype, real where it is complex."""
    dtype, weak = promote(operands, rules)
    return real_of(dtype), weak


def real_floating(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """`floating`, real where it is complex."""
    dtype, weak = floating(operands, rules)
    return real_of(dtype), weak


def numeric(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
    """The promoted dtype of numbers; booleans become integers of a width on which the frameworks do not agree."""
    dtype, weak = promote(operands, rules)
    return (None if dtype is dtypes.bool_ else dtype), weak


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


def operator(rule: DtypeRule) -> DtypeRule:
    """The rule of a Python operator, which on Python scalars alone gives a Python scalar under any rules."""

    def marked(operands: Sequence[LogicalTensor], rules: str) -> tuple[DType | None, bool]:
        return rule(operands, rules)

    marked.operator = True  # type: ignore[attr-defined]
    return marked


def stays_weak(weak: bool, rules: str) -> bool:
    """Whether a function of weak operands alone gives a weak result: only JAX has weak arrays."""
    return weak and rules == "jax"


def index_dtype(rules: str) -> DType:
    """The dtype of positions."""
    return dtypes.int32 if rules == "jax" else dtypes.int64


def sum_dtype(dtype: DType | None, rules: str) -> DType | None:
    """The dtype that sums and products accumulate to."""
    if dtype is None or dtype.kind in "fc":
        return dtype
    if dtype.kind == "b":
        return dtypes.default("i", rules)
    if rules == "jax":
        return dtypes.DTYPES[f"{'int' if dtype.kind == 'i' else 'uint'}{max(32, dtype.bits)}"]
    if rules == "torch" or dtype.kind == "i":
        return dtypes.int64
    return dtypes.DTYPES["uint64"]


def running_dtype(dtype: DType | None, rules: str) -> DType | None:
    """The dtype that running sums and products accumulate to: JAX keeps narrow integers there."""
    return dtype if rules == "jax" and dtype is not None and dtype.kind != "b" else sum_dtype(dtype, rules)


# ---------------------------------------------------------------- dims
def broadcast(*shapes: Dims, what: str = "shapes") -> Dims:
    """The shape that these broadcast to. Raises ShapeError where they do not fit."""
    if not shapes:
        return ()
    if any(shape is None for shape in shapes):
        return None
    rank = max(len(shape) for shape in shapes if shape is not None)
    out: list[DimLike | None] = []
    for at in range(-rank, 0):
        column = [shape[at] for shape in shapes if shape is not None and len(shape) >= -at]
        size = column[0]
        for other in column[1:]:
            size = _broadcast_size(size, other, shapes, what)
        out.append(size)
    return tuple(out)


def _broadcast_size(a: DimLike | None, b: DimLike | None, shapes: Sequence[Dims], what: str) -> DimLike | None:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if a is None or b is None:
        known = a if b is None else b
        return known if isinstance(known, int) else None
    if isinstance(a, int) != isinstance(b, int):
        fixed, open_ = (a, b) if isinstance(a, int) else (b, a)
        if host.same(a, b) is False and not may_be(open_, 1):
            raise ShapeError(f"{what} {dims_text(shapes)} do not broadcast: {a} against {b}")
        return fixed
    if host.same(a, b) is False:
        raise ShapeError(f"{what} {dims_text(shapes)} do not broadcast: {a} against {b}")
    return a


def may_be(size: DimLike | None, value: int) -> bool:
    """Whether a size can take this value."""
    return size is None or host.same(size, value) is not False


def dims_text(shapes: Iterable[Dims]) -> str:
    """Shapes as an error shows them."""
    return " and ".join("(...)" if s is None else str(LogicalTensor(dims=s))[1:] for s in shapes)


def same_dims(a: Dims, b: Dims, what: str) -> Dims:
    """Two shapes that must be equal, the better known of each size. Raises ShapeError(what) where they differ."""
    if a is None or b is None:
        return b if a is None else a
    if len(a) != len(b) or any(host.same(x, y) is False for x, y in zip(a, b)):
        raise ShapeError(f"{what}: {dims_text((a, b))}")
    return tuple(better(x, y) for x, y in zip(a, b))


def better(a: DimLike | None, b: DimLike | None) -> DimLike | None:
    """Of two equal sizes, the better known one."""
    return b if a is None or (isinstance(b, int) and not isinstance(a, int)) else a


def axis_of(axis: Any, rank: int) -> int:
    """The axis counted from 0. Raises ShapeError outside of the rank."""
    if not -rank <= axis < rank:
        raise ShapeError(f"axis {axis} is out of range for {rank} axes")
    return int(axis) % rank


def axes_of(axis: Any, rank: int) -> tuple[int, ...]:
    """Axes counted from 0 (None: all of them). Raises ShapeError outside of the rank or where one comes twice."""
    if axis is None:
        return tuple(range(rank))
    axes = tuple(axis_of(a, rank) for a in (axis if isinstance(axis, (tuple, list)) else (axis,)))
    if len(set(axes)) != len(axes):
        raise ShapeError(f"an axis stands twice in {axis}")
    return axes


def fixed(*values: Any) -> bool:
    """Whether axes and the like are plain integers (or None, or sequences of such): else nothing follows from them."""
    for value in values:
        if isinstance(value, (tuple, list)):
            if not fixed(*value):
                return False
        elif value is not None and not isinstance(value, (int, np.integer)):
            return False
    return True


def reduced(dims: Dims, axis: Any, keepdims: Any) -> Dims:
    """The shape that remains of a reduction over `axis`."""
    if axis is None and not keepdims:
        return ()
    if dims is None or not fixed(axis, keepdims):
        return None
    axes = axes_of(axis, len(dims))
    if keepdims:
        return tuple(1 if at in axes else d for at, d in enumerate(dims))
    return tuple(d for at, d in enumerate(dims) if at not in axes)


def shape_arg(shape: Any) -> Dims:
    """A shape argument as dims: an int stands for one axis; what is not known is None."""
    if shape is None or shape is OPEN or isinstance(shape, LogicalTensor):
        return None
    if is_size(shape):
        return (int(shape) if isinstance(shape, np.integer) else shape,)
    return tuple(size_arg(d) for d in shape)


def size_arg(size: Any) -> DimLike | None:
    """An argument that is a size, None where it is not known."""
    if isinstance(size, np.integer):
        return int(size)
    return size if is_size(size) else None


def total(dims: Iterable[DimLike | None]) -> DimLike | None:
    """Number of elements, None where a size is unknown."""
    product: DimLike = 1
    for d in dims:
        if d is None:
            return None
        product = host.mul(product, d)
    return product


def plus(a: DimLike | None, b: DimLike | None) -> DimLike | None:
    """a + b, None where one is unknown."""
    return None if a is None or b is None else host.add(a, b)


def replaced(dims: Dims, axis: Any, size: DimLike | None) -> Dims:
    """The shape with one size changed."""
    if dims is None:
        return None
    if not fixed(axis):
        return (None,) * len(dims)
    at = axis_of(axis, len(dims))
    return (*dims[:at], size, *dims[at + 1 :])


# ---------------------------------------------------------------- rules for OpDef
def elementwise(rule: DtypeRule, tensors: Sequence[str] = ()) -> Callable[[SimpleNamespace, str], LogicalTensor]:
    """An infer rule: all tensor arguments (`tensors`; all arguments where not told) broadcast, the dtype by `rule`."""

    keeps = hasattr(rule, "operator")

    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        values = [getattr(args, name) for name in tensors] if tensors else list(vars(args).values())
        operands = [as_type(v, rules) for v in values]
        dtype, weak = rule(operands, rules)
        weak = weak if keeps else stays_weak(weak, rules)
        return LogicalTensor(dtype, broadcast(*(t.dims for t in operands)), weak=weak)

    return takes_open(infer)


def takes_open(infer: Callable[..., Any]) -> Callable[..., Any]:
    """Mark a rule that knows what to do with `rules.OPEN` among its arguments; others are not asked then."""
    infer.takes_open = True  # type: ignore[attr-defined]
    return infer


def input_size(args: SimpleNamespace, types: tuple) -> DimLike | None:
    """Cost rule of reductions: one operation for each element of x."""
    return args.x.size() if isinstance(args.x, LogicalTensor) else 1


def free(args: SimpleNamespace, types: tuple) -> int:
    """Cost rule of views and queries."""
    return 0
