"""Functions with a derivative of their own: a jaxpr holds the call, and JAX, asked to derive that, shows the author's rule."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Literal, jaxpr_as_fun

from gfx_ir.errors import GfxError, MissingOp
from gfx_ir.naming import identifier

from .replaying import Replaying

# Functions of JAX with a derivative of their own, by the name that a jaxpr knows them by.
_OWN: dict[str, Callable[..., Any]] = {
    "relu": jax.nn.relu,
    "relu6": jax.nn.relu6,
    "log1mexp": jax.nn.log1mexp,
    "logaddexp": jnp.logaddexp,
    "logaddexp2": jnp.logaddexp2,
    "logit": jax.scipy.special.logit,
    "xlogy": jax.scipy.special.xlogy,
    "xlog1py": jax.scipy.special.xlog1py,
    "_i0": jnp.i0,
    "_det": jnp.linalg.det,
    **dict.fromkeys(("_slogdet_lu", "_slogdet_qr", "_slogdet_small"), jnp.linalg.slogdet),
    "zeta": jax.scipy.special.zeta,
    "expi": jax.scipy.special.expi,
    "sici": jax.scipy.special.sici,
    "poch": jax.scipy.special.poch,
    "fresnel": jax.scipy.special.fresnel,
    "_dawsn": jax.scipy.special.dawsn,
    "_owens_t_impl": jax.scipy.special.owens_t,
    "hyp1f1": jax.scipy.special.hyp1f1,
    "hyp2f1": jax.scipy.special.hyp2f1,
}
_PACKAGES = ("/jax/_src/", "/jax/experimental/")
"""Where JAX's own functions are."""


def own_derivative(replay: Replaying, eqn: Any) -> list[Any]:
    """A function with a derivative of its own: one of JAX's by its name; any other with its rule. Within that rule it is its code."""
    held = eqn.params["call_jaxpr"]
    place = held.jaxpr.debug_info.func_src_info
    name, _, file = place.partition(" at ")
    of_jax = any(package in file.replace("\\", "/") for package in _PACKAGES)
    if of_jax and name in _OWN:
        found = replay.call(_OWN[name], *map(replay.value, eqn.invars))
        return list(found) if isinstance(found, (tuple, list)) else [found]
    if place in replay.deriving:
        return replay.inside(held.jaxpr, held.consts, eqn.invars, eqn.outvars)
    given = list(dict.fromkeys(var for var in eqn.invars if not isinstance(var, Literal)))
    told = held.jaxpr.debug_info._replace(arg_names=None, result_paths=None)
    alone = jaxpr_as_fun(ClosedJaxpr(Jaxpr((), given, eqn.outvars, [eqn], debug_info=told), ()))
    types, named = [var.aval for var in given], identifier(name.rpartition(".")[2])
    try:
        if eqn.primitive.name == "custom_vjp_call":
            made = _reverse(replay, alone, types, _closed_over(alone, types), named)
        else:
            made = _forward(replay, alone, types, named)
    except jax.errors.UnexpectedTracerError as error:
        raise MissingOp(
            f"GFX cannot capture {name!r} through its jaxpr: it has a derivative of its own, which uses arrays from outside of it",
            hint="give them to it as arguments",
        ) from error
    except GfxError:
        raise
    except Exception as error:  # of a class that JAX does not show
        raise MissingOp(
            f"GFX cannot capture {name!r} through its jaxpr: it has a derivative of its own, which JAX does not give: {error}",
            hint="call it outside of jax.vmap, or write it without a derivative of its own",
        ) from error
    replay.deriving.append(place)
    try:
        return list(replay.call(made, *map(replay.value, given)))
    finally:
        replay.deriving.pop()


def _function(replay: Replaying, closed: Any, name: str) -> Callable[..., tuple]:
    def function(*args: Any) -> tuple:
        return tuple(replay.run(closed, args))

    function.__name__ = name
    return function


def _forward(replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], name: str) -> Any:
    """The function with its rule for tangents."""
    closed = jax.make_jaxpr(alone)(*types)
    if not all(map(_derived, closed.out_avals)):
        raise MissingOp(f"GFX cannot capture {name!r} through its jaxpr: the derivative of its own gives whole numbers")

    def derive(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        moved = iter(tangents)
        return jax.jvp(alone, primals, [next(moved) if _derived(x) else _still(x) for x in primals])

    rule = jax.make_jaxpr(derive)(types, [type_ for type_ in types if _derived(type_)])

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        moved = [tangent for tangent, type_ in zip(tangents, types) if _derived(type_)]
        found = replay.run(rule, [*primals, *moved])
        return tuple(found[: len(found) // 2]), tuple(found[len(found) // 2 :])

    made = jax.custom_jvp(_function(replay, closed, name))
    made.defjvp(jvp)
    return made


def _reverse(
    replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], fixed: Sequence[bool], name: str
) -> Any:
    """The function with its rule for gradients, which are of none of the arrays that are `fixed`: those that it closes over."""
    structure: Any = None
    moved_types = [type_ for type_, fix in zip(types, fixed) if not fix]

    def forward(*args: Any) -> tuple:
        nonlocal structure

        def of(*moved: Any) -> Any:
            given = iter(moved)
            return alone(*(x if fix else next(given) for x, fix in zip(args, fixed)))

        found, pull = jax.vjp(of, *(x for x, fix in zip(args, fixed) if not fix))
        kept, structure = jax.tree.flatten(pull)
        return found, kept

    def backward(kept: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
        given = iter(grads)
        whole = [next(given) if _derived(type_) else _still(type_) for type_ in results]
        found = jax.tree.unflatten(structure, kept)(whole)
        return [grad for grad, type_ in zip(found, moved_types) if _derived(type_)]

    closed, step = jax.make_jaxpr(alone)(*types), jax.make_jaxpr(forward)(*types)
    results, kept = closed.out_avals, step.out_avals[len(closed.out_avals) :]
    rule = jax.make_jaxpr(backward)(kept, [type_ for type_ in results if _derived(type_)])

    def fwd(*args: Any) -> tuple:
        found = replay.run(step, args)
        return tuple(found[: len(results)]), tuple(found[len(results) :])

    def bwd(residuals: Sequence[Any], grads: Sequence[Any]) -> tuple:
        moved = [grad for grad, type_ in zip(grads, results) if _derived(type_)]
        found = iter(replay.run(rule, [*residuals, *moved]))
        return tuple(next(found) if _derived(type_) and not fix else None for type_, fix in zip(types, fixed))

    made = jax.custom_vjp(_function(replay, closed, name))
    made.defvjp(fwd, bwd)
    return made


def _closed_over(alone: Callable[..., Any], types: Sequence[Any]) -> list[bool]:
    """For each argument whether JAX refuses to derive the function by it, as by arrays that the function closes over: they are
    arguments of its call, and of a batch of it."""
    try:
        jax.eval_shape(lambda *args: jax.vjp(alone, *args)[0], *types)
    except jax.errors.UnexpectedTracerError:
        raise
    except Exception:  # of a class that JAX does not show
        found = [not _derives(alone, types, at) for at in range(len(types))]
        if all(found):
            raise
        return found
    return [False] * len(types)


def _derives(alone: Callable[..., Any], types: Sequence[Any], at: int) -> bool:
    def by_one(*args: Any) -> Any:
        return jax.vjp(lambda x: alone(*args[:at], x, *args[at + 1 :]), args[at])[0]

    try:
        jax.eval_shape(by_one, *types)
    except Exception:  # of a class that JAX does not show
        return False
    return True


def _derived(x: Any) -> bool:
    """Whether there are derivatives of an array: it is of no whole numbers."""
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def _still(x: Any) -> Any:
    """What stands for the tangent of an array that has none."""
    return np.zeros(x.shape, jax.dtypes.float0)
