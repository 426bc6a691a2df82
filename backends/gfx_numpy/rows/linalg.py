"""Linear algebra: https://numpy.org/doc/stable/reference/routines.linalg.html."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row

from ._lift import as_array, ask_rank, binary, element, rank, refuse, swapped


def _strong(x: Any) -> Any:
    """An argument as np.dot takes it: a Python number is an array of float64 or int64."""
    return ops.as_tensor(x) if isinstance(x, (bool, int, float, complex)) else as_array(x)


def _dot(a: Any, b: Any, out: Any = None) -> Any:
    """np.dot: matmul where b has at most two axes, else a sum over a's last and b's last but one axis."""
    refuse("np.dot", out=out)
    a, b = _strong(a), _strong(b)
    if rank(a) == 0 or rank(b) == 0:
        return ops.multiply(a, b)
    if ask_rank(b, "np.dot", 2) <= 2:
        return ops.matmul(a, b)
    return ops.tensordot(a, b, axes=((-1,), (-2,)))


def _inner(a: Any, b: Any, /) -> Any:
    a, b = _strong(a), _strong(b)
    if rank(a) == 0 or rank(b) == 0:
        return ops.multiply(a, b)
    return ops.tensordot(a, b, axes=((-1,), (-1,)))


def _flat(x: Any) -> Any:
    x = as_array(x)
    return x if rank(x) == 1 else ops.flatten(x)


def _outer(a: Any, b: Any, out: Any = None) -> Any:
    refuse("np.outer", out=out)
    return ops.outer(_flat(a), _flat(b))


def _vecdot(x1: Any, x2: Any, /, out: Any = None, *, axis: int = -1, **options: Any) -> Any:
    refuse("np.vecdot", out=out, **options)
    return ops.vecdot(as_array(x1), as_array(x2), axis=axis)


def _einsum(
    subscripts: Any, *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: Any = "K",
    casting: Any = "safe",
) -> Any:  # fmt: skip
    refuse("np.einsum", out=out, dtype=dtype)
    if not isinstance(subscripts, str):
        refuse("np.einsum with lists of axes", subscripts=subscripts)
    return ops.einsum(subscripts, tuple(map(as_array, operands)))


def _tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    if not isinstance(axes, int):
        axes = tuple((side,) if isinstance(side, int) else tuple(side) for side in axes)
    return ops.tensordot(a, b, axes=axes)


def _trace(a: Any, offset: Any = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Any:
    refuse("np.trace", out=out)
    return ops.sum(ops.diagonal(a, offset, axis1, axis2), axis=-1, dtype=element(dtype))


def _cholesky(a: Any, /, *, upper: bool = False) -> Any:
    lower = ops.cholesky(a)
    return ops.matrix_transpose(ops.conj(lower)) if upper else lower


def _multi_dot(arrays: Any, *, out: Any = None) -> Any:
    refuse("np.linalg.multi_dot", out=out)
    found = arrays[0]
    for x in arrays[1:]:
        found = ops.matmul(found, x)
    return found


ROWS = (
    Row(
        "matmul",
        None,
        {
            "np.matmul np.linalg.matmul ndarray.__matmul__": binary(ops.matmul),
            "ndarray.__rmatmul__": swapped(ops.matmul),
            "np.dot ndarray.dot": _dot,
            "np.linalg.multi_dot": _multi_dot,
        },
    ),
    Row("outer", None, {"np.outer np.linalg.outer": _outer}),
    Row(
        "vecdot",
        None,
        {"np.vecdot np.linalg.vecdot": _vecdot, "np.vdot": lambda a, b, /: ops.vecdot(_flat(a), _flat(b))},
    ),
    Row(
        "tensordot",
        None,
        {
            "np.tensordot": _tensordot,
            "np.linalg.tensordot": lambda x1, x2, /, *, axes=2: _tensordot(x1, x2, axes),
            "np.inner": _inner,
        },
    ),
    Row("einsum", None, {"np.einsum": _einsum}),
    Row(
        "trace",
        None,
        {
            "np.trace ndarray.trace": _trace,
            "np.linalg.trace": lambda x, /, *, offset=0, dtype=None: _trace(x, offset, -2, -1, dtype),
        },
    ),
    Row(
        "matrix_norm",
        None,
        {
            "np.linalg.matrix_norm": lambda x, /, *, keepdims=False, ord="fro": ops.matrix_norm(
                x, ord=ord, keepdims=keepdims
            )
        },
    ),
    Row("solve", None, {"np.linalg.solve": lambda a, b: ops.solve(as_array(a), as_array(b))}),
    Row("inv", None, {"np.linalg.inv": lambda a: ops.inv(as_array(a))}),
    Row("det", None, {"np.linalg.det": lambda a: ops.det(as_array(a))}),
    Row("cholesky", None, {"np.linalg.cholesky": _cholesky}),
)
