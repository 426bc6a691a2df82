"""Products, norms, systems of equations.

Names and semantics: https://data-apis.org/array-api/latest/API_specification/linear_algebra_functions.html and its
extension linalg. Matrices are the last two axes, stacks of them what stands before.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import host
from ..dtypes import framework_of
from ..errors import ShapeError, misfit
from ..host import DimLike
from ..op import Contraction, Point, Trait
from ..types import LogicalTensor
from . import _costs, _seen, _views
from ._body import element_of, narrow
from ._einsum import contracted, einsum_dims, sums_alone
from ._row import in_numpy, keeping, op, summed
from ._shapes import (
    Dims,
    as_type,
    axes_of,
    axis_of,
    better,
    broadcast,
    dims_text,
    dividing,
    fixed,
    free,
    promote,
    real_of,
    reduced,
    stays_weak,
    sum_dtype,
    total,
)

FAMILY = "linalg"


def _pair(args: SimpleNamespace, rules: str) -> tuple[Dims, Dims, LogicalTensor]:
    """Dims of both operands and the type of their products."""
    x1, x2 = as_type(args.x1, rules), as_type(args.x2, rules)
    dtype, weak = promote((x1, x2), rules)
    return x1.dims, x2.dims, LogicalTensor(dtype, weak=stays_weak(weak, rules))


def _contract(a: DimLike | None, b: DimLike | None, shapes: tuple[Dims, Dims]) -> DimLike | None:
    if host.same(a, b) is False:
        raise misfit(f"{dims_text(shapes)} do not multiply: {a} against {b}")
    return better(a, b)


# ---------------------------------------------------------------- products
def matmul_dims(a: Dims, b: Dims) -> Dims:
    """The shape of a @ b. Raises ShapeError where they do not fit."""
    if a is None or b is None:
        return None
    if not a or not b:
        raise ShapeError("a matrix product takes tensors of at least one axis")
    _contract(a[-1], b[-2] if len(b) > 1 else b[0], (a, b))
    stack = broadcast(a[:-2], b[:-2], what="stacks of matrices")
    return None if stack is None else (*stack, *a[-2:-1], *(b[-1:] if len(b) > 1 else ()))


def _matmul_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b, made = _pair(args, rules)
    return made.with_(dims=matmul_dims(a, b))


_matmul_type.traits = Trait.FLOATS  # type: ignore[attr-defined]


def _outer_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b, made = _pair(args, rules)
    for dims in (a, b):
        if dims is not None and len(dims) != 1:
            raise ShapeError(f"outer takes vectors, not {dims_text((dims,))}")
    return made.with_(dims=(None if a is None else a[0], None if b is None else b[0]))


def _vecdot_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b, made = _pair(args, rules)
    if a is None or b is None or not fixed(args.axis):
        return made
    first, second = axis_of(args.axis, len(a)), axis_of(args.axis, len(b))
    _contract(a[first], b[second], (a, b))
    rest = broadcast(a[:first] + a[first + 1 :], b[:second] + b[second + 1 :])
    return made.with_(dims=rest)


def _tensordot_axes(axes: Any, a: tuple, b: tuple) -> tuple[tuple[int, ...], tuple[int, ...]]:
    if isinstance(axes, int):
        if axes > min(len(a), len(b)):
            raise ShapeError(f"{axes} axes are more than {dims_text((a, b))} have")
        return tuple(range(len(a) - axes, len(a))), tuple(range(axes))
    first, second = axes_of(axes[0], len(a)), axes_of(axes[1], len(b))
    if len(first) != len(second):
        raise ShapeError(f"tensordot sums over as many axes of one as of the other, not {axes}")
    return first, second


def _tensordot_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b, made = _pair(args, rules)
    if a is None or b is None or not fixed(args.axes):
        return made
    first, second = _tensordot_axes(args.axes, a, b)
    for i, j in zip(first, second):
        _contract(a[i], b[j], (a, b))
    kept = [d for i, d in enumerate(a) if i not in first] + [d for j, d in enumerate(b) if j not in second]
    return made.with_(dims=tuple(kept))


def _tensordot_cost(args: SimpleNamespace, types: tuple) -> Any:
    a = args.x1.dims if isinstance(args.x1, LogicalTensor) else None
    if a is None or not fixed(args.axes):
        return None
    summed = a[len(a) - args.axes :] if isinstance(args.axes, int) else [a[i] for i in axes_of(args.axes[0], len(a))]
    return _costs.times(2, types[0].size(), total(summed))


def _cross_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    a, b, made = _pair(args, rules)
    for dims in (a, b):
        if dims is not None and fixed(args.axis) and host.same(dims[axis_of(args.axis, len(dims))], 3) is False:
            raise ShapeError(f"a cross product takes vectors of 3 elements, not {dims_text((dims,))}")
    return made.with_(dims=broadcast(a, b))


def _einsum_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    operands = [as_type(a, rules) for a in args.operands]
    dtype, weak = promote(operands, rules)
    if framework_of(rules) == "torch" and sums_alone(args.equation):
        dtype = sum_dtype(dtype, rules)
    return LogicalTensor(dtype, einsum_dims(args.equation, [t.dims for t in operands]), weak=stays_weak(weak, rules))


def _einsum(args: SimpleNamespace) -> str:
    """np.einsum takes no elements of an extension."""
    found = {_seen.extended(x) for x in args.operands}
    if len(found) != 1 or None in found:
        return "np.einsum(equation, *operands)"
    wide = "*[x.astype(np.float32) for x in operands]"
    return f"np.einsum(equation, {wide}).astype(ml_dtypes.{found.pop()})"


def _einsum_cost(args: SimpleNamespace, types: tuple) -> Any:
    shapes = [a.dims if isinstance(a, LogicalTensor) else () for a in args.operands]
    return _costs.times(max(len(shapes), 1), contracted(args.equation, shapes))


def _einsum_view(args: SimpleNamespace) -> str:
    wide, extended = _seen.extended(args.x), "x.astype(np.float32)"
    return f"np.einsum(equation, {extended}).astype(ml_dtypes.{wide})" if wide else "np.einsum(equation, x)"


def _einsum_view_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    return LogicalTensor(x.dtype, einsum_dims(args.equation, [x.dims]))


_PAIR = ("x1", "x2")
for _signature, _spelling, _rule, _cost, _sums, _traits in (
    (
        "matmul(x1, x2)",
        keeping("x1 @ x2", "x1", "x2", numbers=False),
        _matmul_type,
        _costs.matmul,
        Contraction(_PAIR, channels=-1),
        Trait.ROW_BY_ROW,
    ),
    ("outer(x1, x2)", "np.outer(x1, x2)", _outer_type, None, None, Trait.FIRST_ROWS),
    (
        "vecdot(x1, x2, axis=-1)",
        keeping("np.vecdot(x1, x2, axis=axis)", "x1", "x2", numbers=False),
        _vecdot_type,
        _costs.vecdot,
        Contraction(_PAIR),
        Trait.NONE,
    ),
    ("cross(x1, x2, axis=-1)", "np.linalg.cross(x1, x2, axis=axis)", _cross_type, None, None, Trait.NONE),
):
    op(FAMILY, _signature, _spelling, infer=_rule, compute=_cost, contraction=_sums, traits=_traits)
op(
    FAMILY,
    "einsum(equation, operands)",
    _einsum,
    infer=_einsum_type,
    compute=_einsum_cost,
    contraction=Contraction(("operands",)),
    shares=True,
)
op(
    FAMILY,
    "einsum_view(x, equation)",
    _einsum_view,
    infer=_einsum_view_type,
    put=_views.put_einsum,
    point=Point.NUMBER,
    compute=free,
    memory=free,
    doc="einsum of one tensor that sums over nothing: its axes in another order, and diagonals of it, which share its memory.",
)
op(
    FAMILY,
    "tensordot(x1, x2, axes=2)",
    "np.tensordot(x1, x2, axes=axes)",
    infer=_tensordot_type,
    compute=_tensordot_cost,
    contraction=Contraction(_PAIR),
    point=Point.EITHER,
)


# ---------------------------------------------------------------- matrices
def matrices(x: LogicalTensor, square: bool = False) -> Dims:
    """The dims of a stack of matrices. Raises ShapeError where x is none."""
    dims = x.dims
    if dims is None:
        return None
    if len(dims) < 2:
        raise ShapeError(f"this takes matrices, not {dims_text((dims,))}")
    if square and host.same(dims[-1], dims[-2]) is False:
        raise ShapeError(f"this takes square matrices, not {dims_text((dims,))}")
    return dims


def _trace_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    dims = matrices(x)
    return LogicalTensor(sum_dtype(x.dtype, rules), None if dims is None else dims[:-2])


def _norm(args: SimpleNamespace) -> str:
    """Of narrow floats in float32, in which no square is infinite."""
    if narrow(args.x):
        wide = "np.linalg.norm(x.astype(np.float32), ord, axis, keepdims=keepdims)"
        return f"{wide}.astype({in_numpy(element_of(args.x))})"
    return "np.linalg.norm(x, ord, axis, keepdims=keepdims)"


def _norm_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x = as_type(args.x, rules)
    dims = matrices(x)
    return LogicalTensor(real_of(dividing((x,), rules)[0]), reduced(dims, args.axis, args.keepdims))


def _square_type(stack_only: bool) -> Any:
    def infer(args: SimpleNamespace, rules: str) -> LogicalTensor:
        x = as_type(args.x, rules)
        dims = matrices(x, square=True)
        return LogicalTensor(dividing((x,), rules)[0], dims[:-2] if dims is not None and stack_only else dims)

    return infer


def _solve_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x1, x2 = as_type(args.x1, rules), as_type(args.x2, rules)
    a, b, dtype = matrices(x1, square=True), x2.dims, dividing((x1, x2), rules)[0]
    if a is None or b is None:
        return LogicalTensor(dtype)
    if not b:
        raise ShapeError("the right side of a system is a vector or a matrix")
    size = _contract(a[-1], b[-2] if len(b) > 1 else b[0], (a, b))
    if len(b) == 1:
        return LogicalTensor(dtype, (*a[:-2], size))
    stack = broadcast(a[:-2], b[:-2], what="stacks of matrices")
    return LogicalTensor(dtype, None if stack is None else (*stack, size, b[-1]))


op(FAMILY, "trace(x)", summed("np.linalg.trace(x)"), infer=_trace_type)
op(
    FAMILY,
    'matrix_norm(x, ord="fro", keepdims=False, axis=(-2, -1))',
    _norm,
    infer=_norm_type,
    compute=_costs.input_elements,
    traits=Trait.NOT_NEGATIVE,
)
op(FAMILY, "solve(x1, x2)", "np.linalg.solve(x1, x2)", infer=_solve_type, compute=_costs.solve, traits=Trait.CHECKS)
op(
    FAMILY,
    "inv(x)",
    "np.linalg.inv(x)",
    infer=_square_type(False),
    compute=_costs.power(3, 1, 2),
    traits=Trait.CHECKS,
)
op(FAMILY, "det(x)", "np.linalg.det(x)", infer=_square_type(True), compute=_costs.power(3, 3, 2))
op(
    FAMILY,
    "cholesky(x, symmetrized=False)",
    lambda a: f"np.linalg.cholesky({'(x + x.mT.conj()) / 2' if a.symmetrized else 'x'})",
    infer=_square_type(False),
    compute=_costs.power(3, 3),
    traits=Trait.CHECKS,
    doc="The lower factor of Hermitian matrices, of which the lower triangle is read; `symmetrized`: of the mean of x and "
    "what it is transposed and conjugated.",
)
