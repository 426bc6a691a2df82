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
from gfx_ir.op import lookup

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
_TOLD = jax.make_jaxpr(lambda: ())().jaxpr.debug_info
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
    return _ruled(replay, eqn, place, lambda: replay.inside(held.jaxpr, held.consts, eqn.invars, eqn.outvars))


def ruled_primitive(replay: Replaying, eqn: Any, inside: Callable[[], list[Any]]) -> list[Any]:
    """What a primitive gives that has a rule for derivatives, with that rule; what its code gives where that is made. What its rule
    computes with it, beside tangents, has no derivative: JAX would ask the rule again."""
    place = eqn.primitive.name
    if place not in replay.deriving:
        return _ruled(replay, eqn, place, inside)
    return inside() if replay.deriving[-1] == place else _ruled(replay, eqn, place, inside, again=True)


def _ruled(replay: Replaying, eqn: Any, place: str, inside: Callable[[], list[Any]], again: bool = False) -> list[Any]:
    """What an equation gives that has a rule for derivatives; whole numbers, which have none, are those of `inside`, its code."""
    moved = [var for var in eqn.outvars if _derived(var.aval)] if any(_derived(var.aval) for var in eqn.invars) else []
    whole = moved if len(moved) == len(eqn.outvars) else inside()
    if not moved:
        return whole
    found = iter(_derivable(replay, eqn, place, moved, again))
    return [next(found) if _derived(var.aval) else x for var, x in zip(eqn.outvars, whole)]


def _derivable(replay: Replaying, eqn: Any, place: str, results: Sequence[Any], again: bool) -> list[Any]:
    """These results of an equation, with its rule for derivatives, which refuses them where it is asked `again`."""
    name = place.partition(" at ")[0]
    given = list(dict.fromkeys(var for var in eqn.invars if not isinstance(var, Literal)))
    named = identifier(name.rpartition(".")[2])
    told = _TOLD._replace(func_src_info=place)
    alone = jaxpr_as_fun(ClosedJaxpr(Jaxpr((), given, results, [eqn], debug_info=told), ()))
    types = [var.aval for var in given]
    try:
        free = _derived_by(alone, types)
        rule = _RULES.get(eqn.primitive.name, _once) if any(free) and not again else _refusing
        made = rule(replay, alone, types, free, named)
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


def _forward(
    replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], free: Sequence[bool], name: str
) -> Any:
    """The function with its rule for tangents, which are of the `free` arrays."""
    closed = jax.make_jaxpr(alone)(*types)

    def derive(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        def of(*moved: Any) -> Any:
            given = iter(moved)
            return alone(*(next(given) if moves else x for x, moves in zip(primals, free)))

        return jax.jvp(of, [x for x, moves in zip(primals, free) if moves], tangents)

    rule = jax.make_jaxpr(derive)(types, [type_ for type_, moves in zip(types, free) if moves])

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        moved = [tangent for tangent, moves in zip(tangents, free) if moves]
        found = replay.run(rule, [*primals, *moved])
        return tuple(found[: len(found) // 2]), tuple(found[len(found) // 2 :])

    made = jax.custom_jvp(_function(replay, closed, name))
    made.defjvp(jvp)
    return made


def _once(replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], free: Sequence[bool], name: str) -> Any:
    """As `_reverse`, of a primitive: what its rule computes with it has no derivative, which JAX would ask the rule for again."""

    def run(closed: Any, args: Sequence[Any]) -> list[Any]:
        replay.deriving.append("")  # so that it is met again
        try:
            return replay.run(closed, args)
        finally:
            replay.deriving.pop()

    return _reverse(replay, alone, types, free, name, run)


def _refusing(
    replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], _free: Sequence[bool], name: str
) -> Any:
    """A function that JAX refuses to derive: so does its rule, when it is asked; where JAX derives it and drops that, it gives NaN."""
    closed = jax.make_jaxpr(alone)(*types)

    def jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple:
        replay.call(lookup("check"), False, f"JAX does not derive {name}", "RuntimeError")
        found = tuple(replay.run(closed, primals))
        return found, tuple(replay.call(jnp.full_like, x, float("nan")) for x in found)

    made = jax.custom_jvp(_function(replay, closed, name))
    made.defjvp(jvp)
    return made


def _reverse(
    replay: Replaying, alone: Callable[..., Any], types: Sequence[Any], free: Sequence[bool], name: str,
    run: Callable[[Any, Sequence[Any]], list[Any]] | None = None,
) -> Any:  # fmt: skip
    """The function with its rule for gradients, which are of the `free` arrays; `run` makes what the rule computes."""
    structure: Any = None
    run = run or replay.run

    def forward(*args: Any) -> tuple:
        nonlocal structure

        def of(*moved: Any) -> Any:
            given = iter(moved)
            return alone(*(next(given) if moves else x for x, moves in zip(args, free)))

        found, pull = jax.vjp(of, *(x for x, moves in zip(args, free) if moves))
        kept, structure = jax.tree.flatten(pull)
        return found, kept

    def backward(kept: Sequence[Any], grads: Sequence[Any]) -> list[Any]:
        given = iter(grads)
        whole = [next(given) if _derived(type_) else _still(type_) for type_ in results]
        return list(jax.tree.unflatten(structure, kept)(whole))

    closed, step = jax.make_jaxpr(alone)(*types), jax.make_jaxpr(forward)(*types)
    results, kept = closed.out_avals, step.out_avals[len(closed.out_avals) :]
    rule = jax.make_jaxpr(backward)(kept, [type_ for type_ in results if _derived(type_)])

    def fwd(*args: Any) -> tuple:
        found = run(step, args)
        return tuple(found[: len(results)]), tuple(found[len(results) :])

    def bwd(residuals: Sequence[Any], grads: Sequence[Any]) -> tuple:
        moved = [grad for grad, type_ in zip(grads, results) if _derived(type_)]
        found = iter(run(rule, [*residuals, *moved]))
        return tuple(next(found) if moves else _refused(replay, type_) for moves, type_ in zip(free, types))

    made = jax.custom_vjp(_function(replay, closed, name))
    made.defvjp(fwd, bwd)
    return made


def _derived_by(alone: Callable[..., Any], types: Sequence[Any]) -> list[bool]:
    """For each argument whether JAX derives the function by it: not by whole numbers, nor by what a rule refuses, as arrays that the
    function closes over, which are arguments of its call and of a batch of it."""
    real = list(map(_derived, types))
    if _derives(alone, types, real):
        return real
    one_by_one = [[at == other for other in range(len(types))] for at in range(len(types))]
    return [real[at] and _derives(alone, types, by) for at, by in enumerate(one_by_one)]


def _derives(alone: Callable[..., Any], types: Sequence[Any], by: Sequence[bool]) -> bool:
    """Whether JAX derives the function by these arguments at once."""

    def pulled(*args: Any) -> Any:
        def of(*moved: Any) -> Any:
            given = iter(moved)
            return alone(*(next(given) if moves else x for x, moves in zip(args, by)))

        found, pull = jax.vjp(of, *(x for x, moves in zip(args, by) if moves))
        return pull([jnp.zeros_like(x) for x in found])

    try:
        jax.eval_shape(pulled, *types)
    except jax.errors.UnexpectedTracerError:
        raise
    except Exception:  # of a class that JAX does not show
        return False
    return True


def _refused(replay: Replaying, type_: Any) -> Any:
    """The gradient of an argument by which JAX does not derive: none of a whole number, else NaN."""
    return replay.call(jnp.full, type_.shape, float("nan"), type_.dtype) if _derived(type_) else None


_RULES = {"custom_vjp_call": _reverse, "custom_jvp_call": _forward}


def _derived(x: Any) -> bool:
    """Whether there are derivatives of an array: it is of no whole numbers."""
    return bool(jnp.issubdtype(x.dtype, jnp.inexact))


def _still(x: Any) -> Any:
    """What stands for the tangent of an array that has none."""
    return np.zeros(x.shape, jax.dtypes.float0)
