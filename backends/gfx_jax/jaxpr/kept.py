"""Primitives of GFX's own: functions of functions that stay one equation, which holds a jaxpr, and are JAX's own equations elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, Primitive
from jax.interpreters import ad, mlir


class Apart:
    """What a function gives, taken apart: its arrays, and the whole with others in their places."""

    def __init__(self, tree: Any) -> None:
        self._leaves, self._structure = jax.tree.flatten(tree)

    def arrays(self) -> list[Any]:
        """The arrays, in order."""
        return [leaf for leaf in self._leaves if _is_array(leaf)]

    def rebuilt(self, new: Sequence[Any], fixed: Callable[[Any], Any] = lambda leaf: leaf) -> Any:
        """The whole with these in the places of the arrays, and what `fixed` makes of the other leaves."""
        found = iter(new)
        leaves = [next(found) if _is_array(leaf) else fixed(leaf) for leaf in self._leaves]
        return jax.tree.unflatten(self._structure, leaves)


def _is_array(x: Any) -> bool:
    return isinstance(x, (jax.Array, np.ndarray, np.generic))


def without_consts(closed: Any) -> ClosedJaxpr:
    """A jaxpr that takes as first arguments what it held."""
    inner = closed.jaxpr
    told = inner.debug_info._replace(arg_names=None)
    given = [*inner.constvars, *inner.invars]
    return ClosedJaxpr(Jaxpr((), given, inner.outvars, inner.eqns, inner.effects, debug_info=told), ())


def by_equations(primitive: Primitive, equations: Callable[..., list[Any]]) -> None:
    """Let a primitive of several results be run, compiled and derived as `equations` of its arguments, by JAX's own operations."""

    def with_tangents(primals: Sequence[Any], tangents: Sequence[Any], **params: Any) -> Any:
        moved = [type(tangent) is not ad.Zero for tangent in tangents]

        def of(*some: Any) -> list[Any]:
            given = iter(some)
            return equations(*(next(given) if moves else x for x, moves in zip(primals, moved)), **params)

        some = [x for x, moves in zip(primals, moved) if moves]
        return jax.jvp(of, some, [tangent for tangent, moves in zip(tangents, moved) if moves])

    primitive.multiple_results = True
    primitive.def_impl(equations)
    ad.primitive_jvps[primitive] = with_tangents
    mlir.register_lowering(primitive, mlir.lower_fun(equations, multiple_results=True))
