"""jax.grad and jax.value_and_grad as one equation that holds the function; JAX's own are its equations, forwards and backwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend.core import Primitive, jaxpr_as_fun
from jax.interpreters import batching

from gfx_ir.probing import stated_name

from ..recorded.names import calling, gradient_of, plainly_traced
from .kept import Apart, by_equations, without_consts
from .replaying import Replaying

_OWN: Callable[..., Any] = jax.vjp.__wrapped__  # type: ignore[attr-defined]
NEEDS_VALUES = (jax.errors.ConcretizationTypeError, jax.errors.TracerArrayConversionError)
_GRADIENT = Primitive("value_and_grad")


def kept_gradients() -> AbstractContextManager[None]:
    """While jax.value_and_grad, and with it jax.grad, writes one equation; in a batch, and where the function acts on the world, its own."""

    def vjp(fun: Any, *primals: Any, has_aux: bool = False, **options: Any) -> Any:
        function, (leaves, tree) = gradient_of(), jax.tree.flatten(primals)
        if function is None or options or not all(map(plainly_traced, leaves)):
            return _OWN(fun, *primals, has_aux=has_aux, **options)
        given = _Given(fun, tree, has_aux)
        arrays = [jnp.asarray(x) for x in leaves]
        try:
            closed = jax.make_jaxpr(given.arrays)(*map(_struct, arrays))
        except NEEDS_VALUES:  # of what JAX, which derives along with the values, has
            return _OWN(fun, *primals, has_aux=has_aux)
        if closed.effects or given.count != 1:
            return _OWN(fun, *primals, has_aux=has_aux)
        params = {
            "jaxpr": without_consts(closed),
            "held": len(closed.consts),
            "name": stated_name(function, "function"),
        }
        found = _GRADIENT.bind(*closed.consts, *arrays, **params)
        gradients = jax.tree.unflatten(tree, found[: len(arrays)])
        main, aux = given.pair.rebuilt(found[len(arrays) :])
        return (main, lambda weight: gradients, aux) if has_aux else (main, lambda weight: gradients)

    return calling(jax.vjp, vjp)


class _Given:
    """What a function gives of these leaves of its arguments: a pair of what is derived and what stands beside it."""

    def __init__(self, fun: Callable[..., Any], tree: Any, has_aux: bool) -> None:
        self.fun, self.tree, self.has_aux = fun, tree, has_aux
        self.pair = Apart(())
        self.count = 0  # of what is derived

    def arrays(self, *own: Any) -> list[Any]:
        """The arrays of it."""
        result = self.fun(*jax.tree.unflatten(self.tree, own))
        main, aux = result if self.has_aux else (result, None)
        self.count, self.pair = len(jax.tree.leaves(main)), Apart((main, aux))
        return self.pair.arrays()


def _struct(x: Any) -> jax.ShapeDtypeStruct:
    return jax.ShapeDtypeStruct(x.shape, x.dtype, weak_type=x.weak_type)


def _parts(args: Sequence[Any], held: int) -> tuple[list[Any], list[Any]]:
    return list(args[:held]), list(args[held:])


def _equations(*args: Any, jaxpr: Any, held: int, name: str) -> list[Any]:
    """The gradients and results by JAX's own operations."""
    fixed, own = _parts(args, held)

    def function(*own: Any) -> tuple[Any, list[Any]]:
        first, *others = jaxpr_as_fun(jaxpr)(*fixed, *own)
        return first, others

    first, pull, others = _OWN(function, *own, has_aux=True)
    return [*pull(jnp.ones_like(first)), first, *others]


def _avals(*args: Any, jaxpr: Any, held: int, name: str) -> list[Any]:
    return [*args[held:], *jaxpr.out_avals]


def _in_batch(args: Sequence[Any], dims: Sequence[Any], **params: Any) -> tuple[list[Any], list[int]]:
    made = jax.vmap(lambda *own: _equations(*own, **params), in_axes=tuple(dims))(*args)
    return made, [0] * len(made)


by_equations(_GRADIENT, _equations)
_GRADIENT.def_abstract_eval(_avals)
batching.primitive_batchers[_GRADIENT] = _in_batch


def value_and_grad(replay: Replaying, eqn: Any) -> list[Any]:
    """The equation as a call; where that cannot be, as of a function with a derivative of its own, by JAX's own equations."""
    params = eqn.params
    fixed, own = _parts(list(map(replay.value, eqn.invars)), params["held"])

    def function(*own: Any) -> tuple[Any, tuple]:
        first, *others = replay.run(params["jaxpr"], [*fixed, *own])
        return first, tuple(others)

    function.__name__ = params["name"]
    made = jax.value_and_grad(function, tuple(range(len(own))), has_aux=True)
    try:
        (first, others), found = replay.attempt(lambda: replay.call(made, *own))
    except Exception:  # of whatever kind: JAX cannot trace what is made again here
        closed = jax.make_jaxpr(partial(_equations, **params))(*(var.aval for var in eqn.invars))
        return replay.inside(closed.jaxpr, closed.consts, eqn.invars, eqn.outvars)
    return [*found, first, *others]
