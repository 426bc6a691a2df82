"""Linear algebra: https://docs.jax.dev/en/latest/jax.numpy.html#module-jax.numpy.linalg."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import int32, promote_types
from gfx_ir.lifting.products import Products, adjoint
from gfx_ir.lifting.reductions import Reductions
from gfx_ir.ops import _seen

from ..mode import rules
from ._lift import JNP, ask_rank, element, halves, kind_of, precise, refuse, swapped

_PRODUCTS = Products(JNP)
_SAME = JNP.table(_PRODUCTS.table())
_LETTERS = "abcdefghijklmnopqrstuvwxyz"


def _matmul(
    a: Any, b: Any, *, precision: Any = None, preferred_element_type: Any = None, out_sharding: Any = None
) -> Any:
    precise("jnp.matmul", precision)
    refuse("jnp.matmul", preferred_element_type=preferred_element_type, out_sharding=out_sharding)
    return ops.matmul(a, b)


def _lax_dot(lhs: Any, rhs: Any, precision: Any = None, preferred_element_type: Any = None, **options: Any) -> Any:
    """lax.dot: of the last axis of lhs and the one before the last of rhs, without a batch."""
    numbers = options.pop("dimension_numbers", None)
    if numbers is None:
        numbers = (((ask_rank(lhs, "lax.dot") - 1,), (0,)), ((), ()))
    return _dot_general(lhs, rhs, numbers, precision, preferred_element_type, **options)


def _dot_general(
    lhs: Any, rhs: Any, dimension_numbers: Any, precision: Any = None, preferred_element_type: Any = None, *,
    out_sharding: Any = None,
) -> Any:  # fmt: skip
    """lax.dot_general: batch axes first, then what is left of lhs, then of rhs."""
    precise("lax.dot_general", precision)
    refuse("lax.dot_general", out_sharding=out_sharding)
    (left_sum, right_sum), batch = dimension_numbers
    left, right = ask_rank(lhs, "lax.dot_general"), ask_rank(rhs, "lax.dot_general")
    dtype = element(preferred_element_type) or _wider(lhs, rhs)
    if dtype is not None:
        lhs, rhs = (x if _seen.dtype(x) == dtype else ops.astype(x, dtype) for x in (lhs, rhs))
    if kind_of(lhs) == "b":  # truth values: whether any pair holds
        lhs, rhs = ops.astype(lhs, int32), ops.astype(rhs, int32)
        return ops.not_equal(_dot_general(lhs, rhs, dimension_numbers), 0)
    if _of_matrices(left, right, dimension_numbers):
        lhs = ops.matrix_transpose(lhs) if left_sum[0] != left - 1 else lhs
        return ops.matmul(lhs, ops.matrix_transpose(rhs) if right_sum[0] > max(right - 2, 0) else rhs)
    if not any((left_sum, *batch)) and left == right == 1:
        return ops.outer(lhs, rhs)
    return ops.einsum(product(left, right, dimension_numbers), (lhs, rhs))


def _of_matrices(left: int, right: int, dimension_numbers: Any) -> bool:
    """Whether it is the product of two matrices, of as many pairs as there are in front of both, or of vectors with one matrix."""
    (left_sum, _), (left_batch, right_batch) = dimension_numbers
    if (
        len(left_sum) != 1
        or tuple(left_batch) != tuple(range(len(left_batch)))
        or tuple(right_batch) != tuple(left_batch)
    ):
        return False
    if len(left_batch):
        return left == right == len(left_batch) + 2
    return max(left, right) <= 2 or (right == 2 and left_sum[0] == left - 1)


def _ragged_dot(
    lhs: Any,
    rhs: Any,
    group_sizes: Any,
    precision: Any = None,
    preferred_element_type: Any = None,
    group_offset: Any = None,
) -> Any:
    precise("lax.ragged_dot", precision)
    refuse("lax.ragged_dot", group_offset=group_offset)
    dtype = element(preferred_element_type)
    if dtype is not None:
        lhs, rhs = ops.astype(lhs, dtype), ops.astype(rhs, dtype)
    return ops.grouped_matmul(lhs, rhs, group_sizes)


def _wider(lhs: Any, rhs: Any) -> Any:
    """The dtype that two arrays have together, where they differ."""
    both = _seen.dtype(lhs), _seen.dtype(rhs)
    return None if None in both or both[0] == both[1] else promote_types(*both, rules())  # type: ignore[arg-type]


def product(left_rank: int, right_rank: int, dimension_numbers: Any) -> str:
    """lax.dot_general as an equation of einsum."""
    (left_sum, right_sum), (left_batch, right_batch) = dimension_numbers
    letters = iter(_LETTERS)
    left = [next(letters) for _ in range(left_rank)]
    right = [next(letters) for _ in range(right_rank)]
    for i, j in (*zip(left_sum, right_sum), *zip(left_batch, right_batch)):
        right[j] = left[i]
    out = [left[i] for i in left_batch]
    out += [name for i, name in enumerate(left) if i not in (*left_sum, *left_batch)]
    out += [name for j, name in enumerate(right) if j not in (*right_sum, *right_batch)]
    return f"{''.join(left)},{''.join(right)}->{''.join(out)}"


def _cholesky(a: Any, *, upper: bool = False, symmetrize_input: bool = True) -> Any:
    lower = ops.cholesky(a, symmetrized=symmetrize_input)
    return adjoint(lower) if upper else lower


def _linear_spelling(args: SimpleNamespace) -> str:
    return "x @ weight.T" if args.bias is None else "x @ weight.T + bias"


ROWS = (
    Row(
        "matmul",
        "x1 @ x2",
        _SAME["matmul"]
        | {
            "jnp.matmul jnp.linalg.matmul Array.__matmul__": _matmul,
            "Array.__rmatmul__": swapped(ops.matmul),
            "lax.dot": _lax_dot,
            "lax.batch_matmul": lambda lhs, rhs, precision=None: _matmul(lhs, rhs, precision=precision),
        },
    ),
    Row("linear", _linear_spelling),
    Row("outer", "jnp.outer(x1, x2)", _SAME["outer"]),
    Row("vecdot", "jnp.vecdot(x1, x2, axis=axis)", _SAME["vecdot"]),
    Row("cross", "jnp.linalg.cross(x1, x2, axis=axis)", _SAME["cross"]),
    Row("tensordot", "jnp.tensordot(x1, x2, axes=axes)", _SAME["tensordot"]),
    Row(
        "einsum",
        "jnp.einsum(equation, *operands)",
        _SAME["einsum"] | {"lax.dot_general": _dot_general},
    ),
    Row("grouped_matmul", "jax.lax.ragged_dot(x, weight, lengths)", {"lax.ragged_dot": _ragged_dot}),
    Row("einsum_view", "jnp.einsum(equation, x)"),
    Row("trace", "jnp.linalg.trace(x)", _SAME["trace"]),
    Row(
        "matrix_norm",
        lambda a: halves(a.x, "jnp.linalg.norm(x, ord, axis=axis, keepdims=keepdims)"),
        JNP.table(Reductions(JNP).table())["matrix_norm"],
        keep=("axis",),
    ),
    Row("solve", "jnp.linalg.solve(x1, x2)", _SAME["solve"]),
    Row("inv", "jnp.linalg.inv(x)", _SAME["inv"]),
    Row("det", "jnp.linalg.det(x)", _SAME["det"]),
    Row(
        "cholesky",
        lambda a: f"jnp.linalg.cholesky({'x' if a.symmetrized else 'hermitian(x)'})",
        {"jnp.linalg.cholesky": _cholesky},
    ),
)
