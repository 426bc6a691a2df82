"""Linear algebra: https://docs.jax.dev/en/latest/jax.numpy.html#module-jax.numpy.linalg."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row

from ._lift import ask_rank, element, expect, rank, refuse

_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _matmul(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None, out_sharding: Any = None
) -> Any:
    refuse("jnp.matmul", precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding)
    return ops.matmul(a, b)


def _dot(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None, out_sharding: Any = None) -> Any:
    """jnp.dot: matmul where b has at most two axes, else a sum over a's last and b's last but one axis."""
    refuse("jnp.dot", precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding)
    if rank(a) == 0 or rank(b) == 0:
        return ops.multiply(a, b)
    if ask_rank(b, "jnp.dot", 2) <= 2:
        return ops.matmul(a, b)
    return ops.tensordot(a, b, axes=((-1,), (-2,)))


def _lax_dot(lhs: Any, rhs: Any, **options: Any) -> Any:
    refuse("lax.dot", **options)
    return ops.matmul(lhs, rhs)


def _dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None, preferred_element_type: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """lax.dot_general as einsum: batch axes first, then what is left of lhs, then of rhs."""
    refuse(
        "lax.dot_general", precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding
    )
    (left_sum, right_sum), (left_batch, right_batch) = dimension_numbers
    letters = iter(_LETTERS)
    left = [next(letters) for _ in range(ask_rank(lhs, "lax.dot_general"))]
    right = [next(letters) for _ in range(ask_rank(rhs, "lax.dot_general"))]
    for i, j in (*zip(left_sum, right_sum), *zip(left_batch, right_batch)):
        right[j] = left[i]
    out = [left[i] for i in left_batch]
    out += [name for i, name in enumerate(left) if i not in (*left_sum, *left_batch)]
    out += [name for j, name in enumerate(right) if j not in (*right_sum, *right_batch)]
    return ops.einsum(f"{''.join(left)},{''.join(right)}->{''.join(out)}", (lhs, rhs))


def _einsum(
    subscripts: Any, /, *operands: Any, out: Any = None, optimize: Any = "auto", precision: Any = None,
    preferred_element_type: Any = None, out_sharding: Any = None,
) -> Any:  # fmt: skip
    refuse("jnp.einsum", out=out, precision=precision, out_sharding=out_sharding)
    refuse("jnp.einsum", preferred_element_type=preferred_element_type)
    if not isinstance(subscripts, str):
        refuse("jnp.einsum with lists of axes", subscripts=subscripts)
    return ops.einsum(subscripts, tuple(operands))


def _inner(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    refuse("jnp.inner", precision=precision, preferred_element_type=preferred_element_type)
    if rank(a) == 0 or rank(b) == 0:
        return ops.multiply(a, b)
    return ops.tensordot(a, b, axes=((-1,), (-1,)))


def _outer(a: Any, b: Any, out: Any = None) -> Any:
    refuse("jnp.outer", out=out)
    flat = [x if rank(x) == 1 else ops.flatten(x) for x in (a, b)]
    return ops.outer(*flat)


def _vdot(a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None) -> Any:
    refuse("jnp.vdot", precision=precision, preferred_element_type=preferred_element_type)
    return ops.vecdot(*(x if rank(x) == 1 else ops.flatten(x) for x in (a, b)))


def _vecdot(x1: Any, x2: Any, /, *, axis: int = -1, precision: Any = None, preferred_element_type: Any = None) -> Any:
    refuse("jnp.vecdot", precision=precision, preferred_element_type=preferred_element_type)
    return ops.vecdot(x1, x2, axis=axis)


def _tensordot(
    a: Any, b: Any, axes: Any = 2, *, precision: Any = None, preferred_element_type: Any = None,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    refuse(
        "jnp.tensordot", precision=precision, preferred_element_type=preferred_element_type, out_sharding=out_sharding
    )
    return ops.tensordot(a, b, axes=axes if isinstance(axes, int) else _axes_pair(axes))


def _axes_pair(axes: Any) -> tuple:
    return tuple((side,) if isinstance(side, int) else tuple(side) for side in axes)


def _trace(a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    refuse("jnp.trace", out=out)
    return ops.sum(ops.diagonal(a, offset, axis1, axis2), axis=-1, dtype=element(dtype))


def _linalg_trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Any:
    return ops.sum(ops.diagonal(x, offset, -2, -1), axis=-1, dtype=element(dtype))


def _cholesky(a: Any, *, upper: bool = False, symmetrize_input: bool = True) -> Any:
    lower = ops.cholesky(a)
    return ops.matrix_transpose(ops.conj(lower)) if upper else lower


def _kron(a: Any, b: Any) -> Any:
    expect("jnp.kron", "ndim", (ask_rank(a, "jnp.kron"), ask_rank(b, "jnp.kron")), (2, 2))
    product = ops.einsum("ij,kl->ikjl", (a, b))
    return ops.flatten(ops.flatten(product, 2, 3), 0, 1)


def _multi_dot(arrays: Any, *, precision: Any = None) -> Any:
    refuse("jnp.linalg.multi_dot", precision=precision)
    out = arrays[0]
    for x in arrays[1:]:
        out = ops.matmul(out, x)
    return out


def _linear_spelling(args: SimpleNamespace) -> str:
    return "x @ weight.T" if args.bias is None else "x @ weight.T + bias"


ROWS = (
    Row(
        "matmul",
        "x1 @ x2",
        {
            "jnp.matmul jnp.linalg.matmul Array.__matmul__": _matmul,
            "Array.__rmatmul__": lambda x, other: ops.matmul(other, x),
            "jnp.dot Array.dot": _dot,
            "lax.dot": _lax_dot,
            "lax.batch_matmul": lambda lhs, rhs, precision=None: _matmul(lhs, rhs, precision=precision),
            "jnp.linalg.multi_dot": _multi_dot,
        },
    ),
    Row("linear", _linear_spelling),
    Row("outer", "jnp.outer(x1, x2)", {"jnp.outer jnp.linalg.outer": _outer}),
    Row("vecdot", "jnp.vecdot(x1, x2, axis=axis)", {"jnp.vecdot jnp.linalg.vecdot": _vecdot, "jnp.vdot": _vdot}),
    Row(
        "tensordot",
        "jnp.tensordot(x1, x2, axes=axes)",
        {"jnp.tensordot jnp.linalg.tensordot": _tensordot, "jnp.inner": _inner},
    ),
    Row(
        "einsum",
        "jnp.einsum(equation, *operands)",
        {"jnp.einsum": _einsum, "lax.dot_general": _dot_general, "jnp.kron": _kron},
    ),
    Row("trace", "jnp.linalg.trace(x)", {"jnp.trace Array.trace": _trace, "jnp.linalg.trace": _linalg_trace}),
    Row(
        "matrix_norm",
        "jnp.linalg.norm(x, ord, axis=axis, keepdims=keepdims)",
        {
            "jnp.linalg.matrix_norm": lambda x, /, *, keepdims=False, ord="fro": ops.matrix_norm(
                x, ord=ord, keepdims=keepdims
            )
        },
        keep=("axis",),
    ),
    Row("solve", "jnp.linalg.solve(x1, x2)", {"jnp.linalg.solve": lambda a, b: ops.solve(a, b)}),
    Row("inv", "jnp.linalg.inv(x)", {"jnp.linalg.inv": lambda a: ops.inv(a)}),
    Row("det", "jnp.linalg.det(x)", {"jnp.linalg.det": lambda a: ops.det(a)}),
    Row("cholesky", "jnp.linalg.cholesky(x)", {"jnp.linalg.cholesky": _cholesky}),
)
