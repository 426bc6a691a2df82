"""Linear algebra."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import bool_
from gfx_ir.lifting.products import einsum
from gfx_ir.ops._einsum import multiplies_alone

from .. import one_dtype
from ..lifting import ask_rank, cast_back, known_size, names, of_ranks, one, refuse, swapped
from ..lifts.decompositions import adjoint
from ..lifts.systems import solve
from ._spell import dtype_of, rank_of


def _matmul(input: Any, other: Any) -> Any:
    return ops.matmul(input, other)


def _product(args: SimpleNamespace) -> str:
    """torch multiplies matrices of one dtype alone, and none of booleans."""
    a, b = (dtype_of(x) for x in (args.x1, args.x2))
    if a is b is bool_:
        return "(x1.int() @ x2.int()).bool()"
    if a is None or b is None or a == b:
        return "x1 @ x2"
    both = torch.promote_types(getattr(torch, a.name), getattr(torch, b.name))
    left = "x1" if both is getattr(torch, a.name) else f"x1.to({both})"
    return f"{left} @ {'x2' if both is getattr(torch, b.name) else f'x2.to({both})'}"


def _solve(args: SimpleNamespace) -> str:
    """torch takes a matrix for a stack of vectors where it has the sizes of the others but for their last axis."""
    systems, given = rank_of(args.x1), rank_of(args.x2)
    if given == 1 or systems == 2 or (systems is not None and given is not None and given != systems - 1):
        return "torch.linalg.solve(x1, x2)"
    matrix = "x2[None]" if systems is not None and given is not None else "x2[None] if 1 < x2.ndim < x1.ndim else x2"
    return f"torch.linalg.solve(x1, {matrix})"


def _trace(args: SimpleNamespace) -> str:
    return "torch.trace(x)" if rank_of(args.x) == 2 else "torch.diagonal(x, dim1=-2, dim2=-1).sum(-1)"


def _cross(args: SimpleNamespace) -> str:
    """torch takes tensors of one rank."""
    ranks = rank_of(args.x1), rank_of(args.x2)
    alike = "x1, x2" if None in ranks or ranks[0] == ranks[1] else "*torch.broadcast_tensors(x1, x2)"
    return f"torch.linalg.cross({alike}, dim=axis)"


def _vecdot_spelling(args: SimpleNamespace) -> str:
    """torch takes floats alone."""
    a, b = (dtype_of(x) for x in (args.x1, args.x2))
    if a is not None and a == b and a.kind in "iu":
        return f"(x1 * x2).sum({args.axis}, dtype=torch.{a.name})"
    return "torch.linalg.vecdot(x1, x2, dim=axis)"


def _tensordot_spelling(args: SimpleNamespace) -> str:
    """torch.tensordot takes an axis of size 1 for each element of the other's, which torch.inner refuses."""
    return "torch.inner(x1, x2)" if args.axes == ((-1,), (-1,)) else "torch.tensordot(x1, x2, dims=axes)"


def _einsum(equation: Any, *operands: Any) -> Any:
    if not isinstance(equation, str):
        refuse("torch.einsum in its form of tensors and sublists has no counterpart", "write the equation as a string")
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    equation = _spelled_out(equation, operands)
    if not multiplies_alone(equation):
        one_dtype.check("torch.einsum", operands)
    return einsum(equation, tuple(operands))


def _spelled_out(equation: str, operands: Any) -> str:
    """The equation with letters for an ellipsis that is summed over, which only torch takes as such."""
    terms, arrow, result = equation.replace(" ", "").partition("->")
    if not arrow or "..." in result or "..." not in terms:
        return equation
    free = [letter for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in equation]
    parts = []
    for term, x in zip(terms.split(","), operands):
        if "..." in term:
            count = ask_rank(x, len(term) - 2, "torch.einsum that sums over '...'") - (len(term) - 3)
            term = term.replace("...", "".join(free[:count][::-1]))
        parts.append(term)
    return f"{','.join(parts)}->{result}"


def _tensordot(a: Any, b: Any, dims: Any = 2) -> Any:
    """Sums over pairs of axes; one of size 1 counts for each element of the other."""
    axes = tuple(map(tuple, dims)) if isinstance(dims, (list, tuple)) else dims
    if isinstance(axes, int):
        pairs = [(at - axes, at) for at in range(axes)]
    else:
        pairs = list(zip(*axes))
    for first, second in pairs:
        sizes = known_size(a, first), known_size(b, second)
        if None not in sizes and sizes[0] != sizes[1] and 1 in sizes:
            a = a if sizes[0] == 1 else ops.sum(a, axis=first, keepdims=True)
            b = b if sizes[1] == 1 else ops.sum(b, axis=second, keepdims=True)
    return ops.tensordot(a, b, axes=axes)


def _matrix_norm(A: Any, ord: Any = "fro", dim: Any = (-2, -1), keepdim: Any = False, *, dtype: Any = None) -> Any:
    return ops.matrix_norm(A if dtype is None else ops.astype(A, dtype), ord=ord, keepdims=keepdim, axis=tuple(dim))


def _cholesky(A: Any, *, upper: Any = False) -> Any:
    """With `upper`, the upper triangle is read, too."""
    return adjoint(ops.cholesky(adjoint(A))) if upper else ops.cholesky(A)


def _old_cholesky(input: Any, upper: Any = False) -> Any:
    return _cholesky(input, upper=upper)


def _trace_lift(input: Any) -> Any:
    return ops.trace(input)


def _linear(input: Any, weight: Any, bias: Any = None) -> Any:
    return ops.linear(input, weight, bias)


def _vecdot(x: Any, y: Any, *, dim: Any = -1) -> Any:
    return ops.vecdot(x, y, axis=dim)


_PRODUCTS = {
    "torch.matmul torch.linalg.matmul Tensor.matmul Tensor.__matmul__": _matmul,
    "Tensor.__rmatmul__": swapped(ops.matmul),
    "Tensor.__imatmul__": lambda input, other: cast_back(ops.matmul(input, other), input),
    names("mm"): of_ranks("mm", lambda input, mat2: ops.matmul(input, mat2), 2, 2),
    names("bmm"): of_ranks("bmm", lambda input, mat2: ops.matmul(input, mat2), 3, 3),
    names("mv"): of_ranks("mv", lambda input, vec: ops.matmul(input, vec), 2, 1),
    names("dot"): of_ranks("dot", lambda input, tensor: ops.matmul(input, tensor), 1, 1),
}

ROWS = (
    Row("matmul", _product, _PRODUCTS, spare=True, alike=("x1", "x2")),
    Row("linear", "F.linear(x, weight, bias=bias)", {"F.linear": _linear}, spare=True, alike=("x", "weight", "bias")),
    Row(
        "outer",
        "torch.outer(x1, x2)",
        {names("outer", "ger"): of_ranks("outer", lambda input, vec2: ops.outer(input, vec2), 1, 1)},
    ),
    Row("vecdot", _vecdot_spelling, {"torch.linalg.vecdot": _vecdot}, alike=("x1", "x2")),
    Row("cross", _cross, alike=("x1", "x2")),
    Row("tensordot", _tensordot_spelling, {"torch.tensordot": _tensordot}, alike=("x1", "x2")),
    Row("einsum", "torch.einsum(equation, *operands)", {"torch.einsum": _einsum}, alike=("operands",)),
    Row("einsum_view", "torch.einsum(equation, x)"),
    Row("trace", _trace, {names("trace"): of_ranks("trace", _trace_lift, 2)}),
    Row(
        "matrix_norm",
        "torch.linalg.matrix_norm(x, ord=ord, dim=axis, keepdim=keepdims)",
        {"torch.linalg.matrix_norm": _matrix_norm},
    ),
    Row("solve", _solve, {"torch.linalg.solve": solve}, alike=("x1", "x2")),
    Row(
        "inv",
        "torch.linalg.inv(x)",
        {"torch.linalg.inv": lambda A: ops.inv(A), "torch.inverse Tensor.inverse": one(ops.inv)},
    ),
    Row("det", "torch.linalg.det(x)", {"torch.linalg.det": lambda A: ops.det(A), names("det"): one(ops.det)}),
    Row(
        "cholesky",
        lambda a: f"torch.linalg.cholesky({'(x + x.mH) / 2' if a.symmetrized else 'x'})",
        {"torch.linalg.cholesky": _cholesky, names("cholesky"): _old_cholesky},
    ),
)
