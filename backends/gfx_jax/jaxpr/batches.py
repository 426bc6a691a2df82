"""Calls under jax.vmap: a call for each item of a batch is one of whole arrays where that writes the same equations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import Literal

from ..recorded.names import variable


def of_whole_arrays(
    function: Callable[..., Any], args: tuple, kwargs: dict[str, Any], equations: Sequence[Any], results: Sequence[Any]
) -> tuple[tuple, dict[str, Any]] | None:
    """The arguments of the call on whole arrays that writes these equations, and gives these variables; axes count from the end.
    None where it writes others."""
    args, kwargs = _from_the_end(function, args, kwargs)
    leaves, structure = jax.tree.flatten((args, kwargs))
    at = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.core.Tracer)]
    given = [variable(leaves[i]) for i in at]
    if None in given:
        return None

    def call(*arrays: Any) -> Any:
        whole = dict(zip(at, arrays))
        args, kwargs = jax.tree.unflatten(structure, [whole.get(i, leaf) for i, leaf in enumerate(leaves)])
        return jax.tree.leaves(function(*args, **kwargs))

    types = [jax.ShapeDtypeStruct(v.aval.shape, v.aval.dtype, weak_type=v.aval.weak_type) for v in given]
    try:
        closed = jax.make_jaxpr(call)(*types)
    except Exception:  # of whatever kind: the function does not take whole arrays
        return None
    same = _Same(zip(closed.jaxpr.invars, given))
    alike = not closed.consts and same.equations(live(closed.jaxpr.eqns, closed.jaxpr.outvars), equations)
    return (args, kwargs) if alike and same.operands(closed.jaxpr.outvars, results) else None


def _from_the_end(function: Callable[..., Any], args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The same arguments, an axis of the first array counted from the end; no axis is all that an item has."""
    try:
        signature = inspect.signature(function)
        bound = signature.bind(*args, **kwargs)
    except (TypeError, ValueError):
        return args, kwargs
    axis = bound.arguments.get("axis", getattr(signature.parameters.get("axis"), "default", 0))
    arrays = (leaf for leaf in jax.tree.leaves(bound.arguments) if isinstance(leaf, jax.core.Tracer))
    rank = next((array.ndim for array in arrays), 0)
    if "axis" not in signature.parameters or not rank:
        return args, kwargs
    if axis is None:
        bound.arguments["axis"] = -1 if rank == 1 else tuple(range(-rank, 0))
    elif isinstance(axis, (int, tuple)):
        counted = [i - rank if i >= 0 else i for i in (axis if isinstance(axis, tuple) else (axis,))]
        bound.arguments["axis"] = tuple(counted) if isinstance(axis, tuple) else counted[0]
    return bound.args, bound.kwargs


def live(equations: Sequence[Any], outvars: Sequence[Any]) -> list[Any]:
    """The equations that something reads, or that do more than compute."""
    needed = {var for var in outvars if not isinstance(var, Literal)}
    kept = []
    for eqn in reversed(equations):
        if eqn.effects or any(var in needed for var in eqn.outvars):
            kept.append(eqn)
            needed.update(var for var in eqn.invars if not isinstance(var, Literal))
    return kept[::-1]


class _Same:
    """Whether equations compute what others do. What their variables are there grows by what they define; a broadcast of a
    broadcast is one."""

    def __init__(self, variables: Iterable[tuple[Any, Any]]) -> None:
        self.others = dict(variables)
        self.spread: dict[Any, tuple[Any, tuple[int, ...]]] = {}  # what a variable is broadcast from, and to which axes

    def equations(self, equations: Sequence[Any], others: Sequence[Any]) -> bool:
        """Whether these compute the same."""
        mine, theirs = self._unspread(equations), self._unspread(others)
        return len(mine) == len(theirs) and all(map(self._equation, mine, theirs))

    def operands(self, mine: Sequence[Any], theirs: Sequence[Any]) -> bool:
        """Whether these variables and numbers are the same."""
        return len(mine) == len(theirs) and all(map(self._operand, mine, theirs))

    def _unspread(self, equations: Sequence[Any]) -> list[Any]:
        """Equations without the broadcasts among them."""
        kept = []
        for eqn in equations:
            if eqn.primitive.name != "broadcast_in_dim" or len(eqn.invars) != 1:
                kept.append(eqn)
                continue
            axes = tuple(map(int, eqn.params["broadcast_dimensions"]))
            root, own = self._root(eqn.invars[0])
            self.spread[eqn.outvars[0]] = root, axes if own is None else tuple(axes[axis] for axis in own)
        return kept

    def _root(self, var: Any) -> tuple[Any, tuple[int, ...] | None]:
        return (var, None) if isinstance(var, Literal) else self.spread.get(var, (var, None))

    def _equation(self, eqn: Any, other: Any) -> bool:
        if eqn.primitive is not other.primitive or not self.operands(eqn.invars, other.invars):
            return False
        self.others.update(zip(eqn.outvars, other.outvars))
        return self._params(eqn.params, other.params)

    def _operand(self, var: Any, other: Any) -> bool:
        (a, axes), (b, others) = self._root(var), self._root(other)
        if (var.aval.shape, var.aval.dtype, axes) != (other.aval.shape, other.aval.dtype, others):
            return False
        if isinstance(a, Literal):
            return isinstance(b, Literal) and np.array_equal(a.val, b.val, equal_nan=True)  # type: ignore[attr-defined]
        return not isinstance(b, Literal) and self.others.get(a) is b

    def _params(self, params: Any, others: Any) -> bool:
        """Whether parameters are the same; the rules of derivatives, which are functions, go with the rest."""
        if isinstance(params, dict):
            return params.keys() == others.keys() and all(self._params(params[name], others[name]) for name in params)
        if isinstance(params, (tuple, list)):
            return len(params) == len(others) and all(map(self._params, params, others))
        if hasattr(params, "eqns"):
            a, b = getattr(params, "jaxpr", params), getattr(others, "jaxpr", others)
            if len(a.invars) != len(b.invars) or a.constvars or b.constvars:
                return False
            self.others.update(zip(a.invars, b.invars))
            return self.equations(live(a.eqns, a.outvars), live(b.eqns, b.outvars)) and self.operands(
                a.outvars, b.outvars
            )
        return callable(params) or bool(np.all(params == others))
