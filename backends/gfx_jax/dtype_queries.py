"""What JAX says of types: which dtype operands make together, of what kind one is, and whether a value is a scalar."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES, DType
from gfx_ir.dtypes import result_type as promoted
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Value
from gfx_ir.ops import _seen
from gfx_ir.python_numbers import is_number, kind_of

from .mode import rules

_PYTHON = {"bool": "bool", "int": "int64", "float": "float64", "complex": "complex128"}
_HINT = "give the capture example arguments or gfx.TensorSpec(shape, dtype)"


def _of_mode(name: str) -> DType:
    """A dtype, or what JAX's mode makes of it."""
    return DTYPES[jax.dtypes.canonicalize_dtype(name).name]


def _operand(x: Any, call: str) -> tuple[DType, bool]:
    """(dtype, whether it counts by its kind alone) of an array, a number or a dtype. Raises UnsupportedConstruct where it is not known."""
    if isinstance(x, DType):
        return x, False
    kind = kind_of(x) if is_number(x) else x.kind if isinstance(x, Value) else ""
    if kind in _PYTHON:
        return _of_mode(_PYTHON[kind]), True
    found = _seen.type_of(x)
    if found.dtype is None:
        raise UnsupportedConstruct(f"GFX cannot answer {call}: the dtype of an argument is not known", hint=_HINT)
    return found.dtype, found.weak


def _result_type(*args: Any, return_weak_type_flag: bool = False) -> Any:
    (first, *rest) = args
    if (
        not (rest or return_weak_type_flag)
        and isinstance(first, Value)
        and first.is_tensor
        and _seen.dtype(first) is None
    ):
        return ops.dtype_of(first)
    dtype, weak = promoted([_operand(x, "jnp.result_type") for x in args], rules())
    return (_of_mode(dtype.name), weak) if return_weak_type_flag else _of_mode(dtype.name)


def _is_weak(x: Any) -> bool:
    """Whether the dtype of an array counts by its kind alone, as that of a number does. Raises UnsupportedConstruct for truths, which have
    no other kind above them that tells."""
    dtype, weak = _operand(x, "weak_type")
    if dtype.kind == "b":
        raise UnsupportedConstruct("GFX cannot answer weak_type of an array of truths", hint="leave the question out")
    return weak


def _is_complex(x: Any) -> bool:
    return _operand(x, "jnp.iscomplexobj or isrealobj")[0].kind == "c"


def _is_scalar(x: Any) -> bool:
    """Whether a value is a number, or an array without axes."""
    if not isinstance(x, Value) or not x.is_tensor:
        return np.isscalar(x) or isinstance(x, Value)
    rank = _seen.rank(x)
    if rank is None:
        raise UnsupportedConstruct("GFX cannot answer jnp.isscalar: the rank of its argument is not known", hint=_HINT)
    return rank == 0


def _canonical(dtype: Any, *rest: Any, **named: Any) -> Any:
    """An open dtype is that of an array, and so one that JAX has."""
    return dtype if isinstance(dtype, Value) else _of_mode(dtype.name)


def _promote(a: Any, b: Any) -> DType:
    if isinstance(a, Value) or isinstance(b, Value):
        raise UnsupportedConstruct("GFX cannot answer jnp.promote_types of open dtypes", hint=_HINT)
    return promoted([(x, False) for x in (a, b)], rules())[0]


QUERIES: dict[str, Callable[..., Any]] = {
    "Array.weak_type@": _is_weak,
    "jnp.result_type jax.dtypes.result_type": _result_type,
    "jnp.iscomplexobj": _is_complex,
    "jnp.isrealobj": lambda x: not _is_complex(x),
    "jnp.isscalar": _is_scalar,
    "jax.dtypes.canonicalize_dtype": _canonical,
    "jnp.promote_types": _promote,
}
