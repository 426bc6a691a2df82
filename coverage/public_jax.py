"""The public functions that bind JAX's primitives: what users write where JAX's test inputs say `primitive.bind(...)`."""

import types
from collections.abc import Callable
from typing import Any

import jax
from jax import lax

# What primitives are called in jax.lax where it is not by their own name.
_NAMES = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor", "not": "bitwise_not", "add_any": "add"}


def _device_put(x: Any, **params: Any) -> Any:
    return [jax.device_put(x)]


def _approx_top_k(operand: Any, k: int, is_max_k: bool, recall_target: float, **params: Any) -> Any:
    if is_max_k:
        return lax.approx_max_k(operand, k, recall_target=recall_target)
    return lax.approx_min_k(operand, k, recall_target=recall_target)


_CALLS: dict[str, Callable[..., Any]] = {
    "argmax": lambda x, axes, index_dtype: lax.argmax(x, axes[0], index_dtype),
    "argmin": lambda x, axes, index_dtype: lax.argmin(x, axes[0], index_dtype),
    "approx_top_k": _approx_top_k,
    "bitcast_convert_type": lambda x, new_dtype: lax.bitcast_convert_type(x, new_dtype),
    "broadcast_in_dim": lambda x, shape, broadcast_dimensions, sharding: lax.broadcast_in_dim(
        x, shape, broadcast_dimensions
    ),
    "cholesky": lambda x: lax.linalg.cholesky(x, symmetrize_input=False),
    "concatenate": lambda *args, dimension: lax.concatenate(args, dimension),
    "conj": lambda x, **params: lax.conj(x),
    "convert_element_type": lambda x, new_dtype, weak_type, sharding: lax.convert_element_type(x, new_dtype),
    "device_put": _device_put,
    "fft": lambda x, fft_type, fft_lengths: lax.fft(x, fft_type, fft_lengths),
    "iota": lambda dtype, shape, dimension, sharding: lax.broadcasted_iota(dtype, shape, dimension),
    "reduce_and": lambda x, axes: lax.reduce_and(x, axes),
    "reduce_max": lambda x, axes: lax.reduce_max(x, axes),
    "reduce_min": lambda x, axes: lax.reduce_min(x, axes),
    "reduce_or": lambda x, axes: lax.reduce_or(x, axes),
    "reduce_prod": lambda x, axes: lax.reduce_prod(x, axes),
    "reduce_sum": lambda x, axes, **params: lax.reduce_sum(x, axes),
    "sort": lambda *args, dimension, is_stable, num_keys: lax.sort(
        args, dimension=dimension, is_stable=is_stable, num_keys=num_keys
    ),
    "svd": lambda x, full_matrices, compute_uv, subset_by_index: lax.linalg.svd(
        x, full_matrices=full_matrices, compute_uv=compute_uv, subset_by_index=subset_by_index
    ),
    "transpose": lambda x, permutation: lax.transpose(x, permutation),
    "triangular_solve": lax.linalg.triangular_solve,
}


class Public:
    """In place of a primitive: `bind` is the public function. A primitive that no public function binds stays as it is."""

    def __init__(self, bind: Callable[..., Any]) -> None:
        self.bind = bind


class Names:
    """In place of a module: its names, with Public for primitives."""

    def __init__(self, module: types.ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        return public(getattr(self._module, name))


def public(value: Any) -> Any:
    """What a user writes instead of a primitive, of its bind, or of a module that holds primitives; other values as they are."""
    if isinstance(value, types.MethodType) and value.__name__ == "bind":
        found = public(value.__self__)
        return found.bind if isinstance(found, Public) else value
    if isinstance(value, types.ModuleType) and any(name.endswith("_p") for name in vars(value)):
        return Names(value)
    if type(value).__name__ != "Primitive":
        return value
    call = _CALLS.get(value.name) or _elementwise(getattr(lax, _NAMES.get(value.name, value.name), None))
    return Public(call) if call is not None else value


def _elementwise(fn: Callable[..., Any] | None) -> Callable[..., Any] | None:
    """A function of arrays alone: the parameters of its primitive (accuracy and the like) have their defaults."""
    return None if fn is None else lambda *args, **params: fn(*args)
