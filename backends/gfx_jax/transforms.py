"""Functions of functions whose results come in through JAX's own tracer: gradients, batches, products with Jacobians."""

from __future__ import annotations

import inspect
from types import FunctionType
from typing import Any

import jax

CURRIED = (
    "jax.grad jax.value_and_grad jax.jacfwd jax.jacrev jax.jacobian jax.hessian jax.vmap jax.numpy.vectorize "
    "jax.custom_gradient"
)
"""They make functions of functions: what they make is called later."""
DIRECT = (
    "jax.jvp jax.vjp jax.linearize jax.linear_transpose jax.lax.map jax.lax.custom_root "
    "jax.lax.custom_linear_solve jax.lax.reduce jax.numpy.apply_along_axis jax.numpy.apply_over_axes jax.numpy.piecewise "
    "jax.experimental.ode.odeint"
)
"""They call the functions that they are given at once."""

TREES = (
    "jax.tree.broadcast jax.tree.flatten jax.tree.flatten_with_path jax.tree.leaves jax.tree.leaves_with_path jax.tree.map "
    "jax.tree.map_with_path jax.tree.reduce jax.tree.reduce_associative jax.tree.structure jax.tree.transpose "
    "jax.tree.unflatten jax.tree_util.all_leaves jax.tree_util.keystr jax.tree_util.tree_broadcast "
    "jax.tree_util.tree_flatten jax.tree_util.tree_flatten_with_path jax.tree_util.tree_leaves "
    "jax.tree_util.tree_leaves_with_path jax.tree_util.tree_map jax.tree_util.tree_map_with_path "
    "jax.tree_util.tree_reduce jax.tree_util.tree_reduce_associative jax.tree_util.tree_structure "
    "jax.tree_util.tree_transpose jax.tree_util.tree_unflatten jax.tree_util.treedef_is_leaf jax.tree_util.treedef_tuple "
    "jax.tree_util.treedef_children"
)
"""They take trees apart and put them together, and compute nothing with the leaves."""

_MAKERS = frozenset(path.rpartition(".")[2] for path in CURRIED.split()) - {"jacobian", "hessian"}
OWN_RULE = (jax.custom_jvp, jax.custom_vjp)


def transformed(fn: Any) -> bool:
    """Whether one of these made fn, or it is a product with a Jacobian."""
    if isinstance(fn, FunctionType):
        return _made_by(fn)[0] in _MAKERS
    return callable(fn) and _holds_arrays(fn)


_AS_TORCH_HAS_IT = {"fun": "func", "f": "func", "in_axes": "in_dims", "out_axes": "out_dims"} | {
    name: name for name in ("argnums", "has_aux", "primals", "tangents", "xs")
}
"""What JAX's functions of functions are given, as torch.func calls that."""
_WITHOUT = {"holomorphic": False, "allow_int": False, "axis_size": None, "spmd_axis_name": None, "sum_match": False}
"""What torch.func's are not given, with the values that say so."""
_CURRIED = ("grad", "value_and_grad", "vmap", "jacfwd", "jacrev")
_DIRECT: dict[Any, str] = {jax.jvp: "jvp", jax.vjp: "vjp", jax.linearize: "linearize", jax.lax.map: "map"}


def transformation(fn: Any, args: tuple, kwargs: dict) -> tuple[str, dict[str, Any], bool] | None:
    """Which of these made fn, or is fn: its name, its arguments as torch.func calls them, and whether it calls at once."""
    direct = _DIRECT.get(fn) if isinstance(fn, FunctionType) else None
    if direct is not None:
        bound = inspect.signature(fn).bind(*args, **kwargs)
        bound.apply_defaults()
        maker, held = direct, bound.arguments
    else:
        maker, held = _made_by(fn)
        if maker == "grad":
            held = _made_by(held.get("value_and_grad_f"))[1]
        if maker not in _CURRIED or "fun" not in held:
            return None
    if any(held.get(name, default) != default for name, default in _WITHOUT.items()):
        return None
    options = {
        _AS_TORCH_HAS_IT[name]: tuple(x) if type(x) is list else x
        for name, x in held.items()
        if name in _AS_TORCH_HAS_IT
    }
    return maker, options, direct is not None


def _made_by(fn: Any) -> tuple[str, dict[str, Any]]:
    """The maker of a function of JAX, within what filters tracebacks, and what it was given; "" where nothing tells."""
    while isinstance(fn, FunctionType) and fn.__globals__.get("__name__", "").startswith("jax."):
        maker, inner, _ = getattr(fn.__code__, "co_qualname", "").partition(".<locals>")
        held = {name: cell.cell_contents for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or ())}
        if maker != "api_boundary":
            return (maker if inner else ""), held
        fn = held.get("fun")
    return "", {}


def _nothing(x: Any) -> Any:
    return x


_NAMED = jax.named_call(_nothing).__code__
_BOUNDARY = jax.checkpoint(_nothing).__code__
_CHECKPOINT = next(cell.cell_contents.__code__ for cell in jax.checkpoint(_nothing).__closure__ or ())


def transparent(fn: FunctionType) -> bool:
    """Whether fn is a wrapper of JAX's that computes what the author's function in it does: jax.named_call, jax.named_scope and
    jax.checkpoint made it, or what filters tracebacks."""
    inner = getattr(fn, "__wrapped__", None)
    if not callable(inner) or (getattr(inner, "__module__", None) or "").partition(".")[0] == "jax":
        return False
    held = [cell.cell_contents for cell in fn.__closure__ or ()]
    boundary = fn.__code__ is _BOUNDARY
    return fn.__code__ is _NAMED or (
        boundary and any(f is inner or getattr(f, "__code__", None) is _CHECKPOINT for f in held)
    )


def _holds_arrays(fn: Any) -> bool:
    """Whether fn is one of JAX's own functions with arrays bound to it, as jax.vjp and jax.linearize return."""
    if isinstance(fn, jax.tree_util.Partial):
        return type(fn.func).__module__.startswith("jax.")
    return type(fn).__name__ == "VJP" and type(fn).__module__.startswith("jax.")
