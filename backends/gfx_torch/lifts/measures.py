"""Norms, distances and slopes."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.statistics import slopes
from gfx_ir.ops.statistics import areas

from ..lifting import INT64, ask_rank, axes, fixed_int, floating, kernels, known_rank, known_size, names, plain, refuse

Extrema = namedtuple("Extrema", ("min", "max"))


def aminmax(input: Any, *, dim: Any = None, keepdim: Any = False) -> Any:
    """The least and the largest."""
    return Extrema(ops.min(input, axis=dim, keepdims=keepdim), ops.max(input, axis=dim, keepdims=keepdim))


def order(p: Any) -> Any:
    """The order of a norm as ops take it: a whole number is an int."""
    if p is None or p == "fro":
        return 2
    return int(p) if isinstance(p, float) and p.is_integer() else p


def norm(input: Any, p: Any = "fro", dim: Any = None, keepdim: Any = False, out: Any = None, dtype: Any = None) -> Any:
    """torch.norm: of all elements or of vectors along dims, whatever their number."""
    plain("torch.norm", out=out)
    x = input if dtype is None else ops.astype(input, dtype)
    if p == "nuc":
        return ops.matrix_norm(x, ord="nuc", keepdims=keepdim, axis=tuple(dim) if dim is not None else (-2, -1))
    return ops.vector_norm(x, axis=axes(dim), keepdims=keepdim, ord=order(p))


def vector_norm(x: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """torch.linalg.vector_norm."""
    x = floating(x) if dtype is None else ops.astype(x, dtype)
    return ops.vector_norm(x, axis=axes(dim), keepdims=keepdim, ord=order(ord))


def linalg_norm(A: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None) -> Any:
    """torch.linalg.norm: of vectors along one dim, of matrices along two; without dims of all by the rank."""
    x = floating(A) if dtype is None else ops.astype(A, dtype)
    dim = tuple(dim) if isinstance(dim, (tuple, list)) else dim
    if ord is None or isinstance(dim, int) or (dim is not None and len(dim) == 1):
        return ops.vector_norm(x, axis=axes(dim), keepdims=keepdim, ord=order(ord))
    if dim is not None:
        return ops.matrix_norm(x, ord=ord, keepdims=keepdim, axis=dim)
    rank = known_rank(x)
    if rank is None:
        refuse(
            "torch.linalg.norm of an order without dims means a vector or a matrix by its rank, which is unknown",
            "give dim=, or the argument's shape: gfx.TensorSpec(shape, dtype)",
        )
    if rank == 2:
        return ops.matrix_norm(x, ord=ord, keepdims=keepdim)
    return ops.vector_norm(x, keepdims=keepdim, ord=order(ord))


def norm_except_dim(v: Any, pow: Any = 2, dim: Any = 0) -> Any:
    """torch.norm_except_dim: over all axes but one, which stay with one element each; of all elements for dim=-1."""
    if dim == -1:
        return ops.vector_norm(v, ord=order(pow))
    rank = known_rank(v)
    if rank is None:
        refuse(
            "torch.norm_except_dim goes over all axes but one, and the rank is unknown",
            "give the argument's shape: gfx.TensorSpec(shape, dtype)",
        )
    others = tuple(axis for axis in range(rank) if axis != dim % rank)
    return ops.vector_norm(v, axis=others, keepdims=True, ord=order(pow))


def weight_norm(v: Any, g: Any, dim: Any = 0) -> Any:
    """What torch.nn.utils.weight_norm and parametrizations.weight_norm make a weight of: https://arxiv.org/abs/1602.07868."""
    return ops.multiply(v, ops.divide(g, norm_except_dim(v, 2, dim)))


def dist(input: Any, other: Any, p: Any = 2) -> Any:
    """The norm of the difference."""
    return ops.vector_norm(ops.subtract(input, other), ord=order(p))


def pdist(input: Any, p: Any = 2.0) -> Any:
    """Distances of all pairs of rows, the first before the second."""
    count = fixed_int(known_size(input, 0), "the number of rows that torch.pdist takes")
    pairs = [(i, j) for i in range(count) for j in range(i + 1, count)]
    first, second = (ops.constant(tuple(pair[at] for pair in pairs), INT64) for at in (0, 1))
    off = ops.subtract(ops.take(input, first, axis=0), ops.take(input, second, axis=0))
    return ops.vector_norm(off, axis=-1, ord=order(p))


def renorm(input: Any, p: Any, dim: int, maxnorm: Any) -> Any:
    """Each slice along `dim` whose norm exceeds maxnorm made that long."""
    rank = ask_rank(input, 2, "torch.renorm")
    others = tuple(at for at in range(rank) if at != dim % rank)
    size = ops.vector_norm(input, axis=others, keepdims=True, ord=order(p))
    longer = ops.greater(size, maxnorm)
    scale = ops.where(longer, ops.divide(maxnorm, ops.add(ops.where(longer, size, 1.0), 1e-7)), 1.0)
    return ops.multiply(input, scale)


def cumulative_trapezoid(y: Any, x: Any = None, *, dx: Any = 1, dim: Any = -1) -> Any:
    """The running integral by trapezoids."""
    return ops.cumulative_sum(areas(y, x, dx, dim), axis=dim)


def gradient(input: Any, *, spacing: Any = 1, dim: Any = None, edge_order: Any = 1) -> Any:
    """torch.gradient: slopes along each dim; spacing is a distance, or positions, for all dims or each."""
    if dim is None:
        dims = tuple(range(ask_rank(input, 1, "torch.gradient")))
    else:
        dims = (dim,) if isinstance(dim, int) else tuple(dim)
    spacing = 1 if spacing is None else spacing
    steps = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    return tuple(slopes(input, step, at, edge_order) for at, step in zip(dims, steps))


LIFTS = {
    names("aminmax"): aminmax,
    names("norm"): norm,
    "torch.linalg.norm": linalg_norm,
    names("dist"): dist,
    "torch.pdist F.pdist": pdist,
    names("renorm"): renorm,
    "torch.norm_except_dim": norm_except_dim,
    kernels("_weight_norm"): weight_norm,
    "torch.cumulative_trapezoid": cumulative_trapezoid,
    "torch.gradient": gradient,
}
