"""Products of matrices that are several ops."""

from __future__ import annotations

from functools import reduce
from typing import Any

from gfx_ir import ops
from gfx_ir.build import host, told_dims
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import ShapeError
from gfx_ir.lifting.ranks import alike, most, of_one_size

from ..lifting import ask_rank, kind, known_rank, names, of_ranks, plain, refuse, sequence


def _times(factor: Any, x: Any) -> Any:
    if isinstance(factor, bool):
        return x if factor else ops.zeros_like(x)
    return x if type(factor) in (int, float) and factor == 1 else ops.multiply(factor, x)


def _plus(input: Any, product: Any, beta: Any, alpha: Any) -> Any:
    if kind(input) in ("i", "u") and kind(product) in ("i", "u"):  # torch counts with whole numbers throughout
        beta, alpha = (int(factor) if isinstance(factor, float) else factor for factor in (beta, alpha))
    if kind(input) == kind(product) == "b":
        beta, alpha = bool(beta), bool(alpha)
    if type(beta) in (int, float) and beta == 0:
        return _times(alpha, product)
    return ops.add(_times(beta, input), _times(alpha, product))


def addmm(input: Any, mat1: Any, mat2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat1 @ mat2)."""
    return _plus(input, ops.matmul(mat1, mat2), beta, alpha)


def baddbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """addmm of a batch."""
    return _plus(input, ops.matmul(batch1, batch2), beta, alpha)


def addbmm(input: Any, batch1: Any, batch2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """addmm with the sum over a batch."""
    return _plus(input, ops.sum(ops.matmul(batch1, batch2), axis=0), beta, alpha)


def addmv(input: Any, mat: Any, vec: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * (mat @ vec)."""
    return _plus(input, ops.matmul(mat, vec), beta, alpha)


def addr(input: Any, vec1: Any, vec2: Any, *, beta: Any = 1, alpha: Any = 1) -> Any:
    """beta * input + alpha * outer(vec1, vec2)."""
    return _plus(input, ops.outer(vec1, vec2), beta, alpha)


def chain(tensors: Any) -> Any:
    """torch.linalg.multi_dot."""
    tensors = sequence(tensors, "linalg.multi_dot")
    for x in tensors:
        rank = ask_rank(x, 2, "torch.linalg.multi_dot")
        if rank != 2 and (rank != 1 or (x is not tensors[0] and x is not tensors[-1])):
            raise ShapeError(
                f"torch.linalg.multi_dot takes matrices, and a vector at either end, and one has {rank} axes"
            )
    return reduce(ops.matmul, tensors)


def chain_matmul(*matrices: Any) -> Any:
    """torch.chain_matmul."""
    for x in matrices:
        if (rank := ask_rank(x, 2, "torch.chain_matmul")) != 2:
            raise ShapeError(f"torch.chain_matmul takes matrices, and one has {rank} axes")
    return reduce(ops.matmul, matrices)


def inner(input: Any, other: Any) -> Any:
    """Sum of products over the last axes; with a number each element times it."""
    if known_rank(input) == 0 or known_rank(other) == 0:
        return ops.multiply(input, other)
    return ops.tensordot(input, other, axes=((-1,), (-1,)))


def vdot(input: Any, other: Any) -> Any:
    """Dot product, the first one conjugated."""
    return ops.matmul(ops.conj(input), other)


def bilinear(input1: Any, input2: Any, weight: Any, bias: Any = None) -> Any:
    """F.bilinear: x1 W_k x2 for each output k."""
    out = ops.einsum("...i,kij,...j->...k", (input1, weight, input2))
    return out if bias is None else ops.add(out, bias)


def cdist(x1: Any, x2: Any, p: Any = 2.0, compute_mode: Any = None) -> Any:
    """Distances of all pairs of rows."""
    of_one_size("torch.cdist", x1, -1, x2, -1)
    return ops.cdist(x1, x2, int(p) if isinstance(p, float) and p.is_integer() else p)


def cross(input: Any, other: Any, dim: Any = None) -> Any:
    """The cross product along an axis of size 3."""
    if dim is None:
        ask_rank(input, 1, "torch.cross without dim")
        dims = told_dims(input)
        if dims is None or not all(type(size) is int for size in dims[: dims.index(3) if 3 in dims else None]):
            refuse("torch.cross without dim takes the first axis of 3 elements, which is not known", "give dim=")
        dim = dims.index(3)
    return ops.cross(input, other, axis=dim)


def linalg_cross(input: Any, other: Any, *, dim: Any = -1) -> Any:
    """torch.linalg.cross."""
    return cross(input, other, dim)


def grouped_mm(mat_a: Any, mat_b: Any, *, offs: Any = None, bias: Any = None, out_dtype: Any = None) -> Any:
    """Each row times the matrix of its group, of which `offs` tells where each ends; rows behind the last, of which PyTorch
    promises nothing, are taken for its own."""
    plain("F.grouped_mm", bias=bias is not None, out_dtype=out_dtype is not None)
    ranks = ask_rank(mat_a, 2, "F.grouped_mm"), ask_rank(mat_b, 3, "F.grouped_mm")
    if offs is None and ranks == (3, 3):
        return ops.matmul(mat_a, mat_b)
    if offs is None or ranks != (2, 3):
        refuse(f"F.grouped_mm of tensors of {ranks[0]} and {ranks[1]} axes", "multiply the groups in a loop")
    group = ops.searchsorted(offs, ops.arange(ops.size(mat_a, 0), dtype=DTYPES["int32"]), side="right")
    group = ops.minimum(group, host("-", ops.size(mat_b, 0), 1))
    return ops.squeeze(ops.matmul(ops.expand_dims(mat_a, 1), ops.take(mat_b, group, axis=0)), axis=1)


LIFTS = {
    "F.grouped_mm": grouped_mm,
    names("addmm"): most("torch.addmm", of_ranks("addmm", addmm, None, 2, 2), 2),
    names("baddbmm"): most("torch.baddbmm", of_ranks("baddbmm", baddbmm, None, 3, 3), 3),
    names("addbmm"): most("torch.addbmm", of_ranks("addbmm", addbmm, None, 3, 3), 2),
    names("addmv"): most("torch.addmv", of_ranks("addmv", addmv, None, 2, 1), 1),
    names("addr"): most("torch.addr", of_ranks("addr", addr, None, 1, 1), 2),
    "torch.linalg.multi_dot": chain,
    "torch.chain_matmul": chain_matmul,
    names("inner"): inner,
    names("vdot"): of_ranks("vdot", vdot, 1, 1),
    "F.bilinear": alike("torch.bilinear", of_ranks("bilinear", bilinear, None, None, 3, 1), 0, 1),
    names("cross"): alike("torch.cross", cross, 0, 1),
    "torch.linalg.cross": alike("torch.linalg.cross", linalg_cross, 0, 1),
}
