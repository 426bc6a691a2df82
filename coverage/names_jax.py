"""The public names of JAX's namespaces: which of them GFX converts."""

import inspect
import types
from typing import Any

import jax
import jax.scipy.special

from gfx_ir.backend import Backend
from gfx_ir.loading import backend
from gfx_jax.refused import REFUSED

NAMESPACES = {
    "jax.numpy": jax.numpy,
    "jax.numpy.linalg": jax.numpy.linalg,
    "jax.numpy.fft": jax.numpy.fft,
    "jax.nn": jax.nn,
    "jax.scipy.special": jax.scipy.special,
    "jax.lax": jax.lax,
    "jax.random": jax.random,
}

# Names that are no functions of arrays: types and what describes them, primitives, places and printing.
_APART = (type, types.ModuleType)


def listed() -> dict[str, dict[str, bool]]:
    """By namespace: each function's name, and whether it has a row or a lift."""
    jax_rows = backend("jax")
    return {
        title: {name: covered(fn, jax_rows) for name, fn in sorted(vars(namespace).items()) if _is_function(name, fn)}
        for title, namespace in NAMESPACES.items()
    }


def covered(fn: Any, rows: Backend) -> bool:
    """Whether a call of the function is lifted, or handled as a construct (loops, jit and the like)."""
    lift = rows.functions.get(fn)
    return fn in rows.special or (lift is not None and lift.fn not in REFUSED.values())


def _is_function(name: str, fn: Any) -> bool:
    if name.startswith("_") or name.endswith("_p") or isinstance(fn, _APART) or not callable(fn):
        return False
    return inspect.getmodule(fn) is not None or hasattr(fn, "__wrapped__")
