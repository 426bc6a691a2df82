"""Equations as the calls that they came of: one of a public function is that call again, one of a module is a scope of the graph.

A call is made as it was where every value that leaves its equations is in its result; else its equations are.
"""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Protocol

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from gfx_ir import host
from gfx_ir.dims import is_size
from gfx_ir.errors import CaptureError
from gfx_ir.making import Called, Making

from ..recorded import Entered, Item, Public, Recording, prefix
from ..recorded.names import batched, in_front, variable
from ..recorded.rows import row_of
from . import ELEMENTS
from .batches import of_whole_arrays
from .replaying import Number, Replaying, mapped
from .shorter import SHORTER, undone, widened

_BROADCASTING = frozenset((*ELEMENTS, "broadcast_in_dim", "convert_element_type"))
"""Primitives of calls that go element by element."""


class Equations(Replaying, Protocol):
    """What makes single equations again."""

    env: dict[Any, Any]
    made_by: dict[Any, Any]

    def equation(self, eqn: Any) -> None:
        """Make one equation again."""

    def sized(self, tree: Any) -> Any:
        """Arguments with the captured sizes in the places of symbolic ones."""


class NotAlike(CaptureError):
    """A call, made again, gives another type than it gave, or takes what is not there."""


class Groups:
    """The calls of one record."""

    def __init__(self, replay: Equations, making: Making, record: Recording) -> None:
        self.replay, self.making, self.record = replay, making, record

    def play(self, equations: Sequence[Any], outvars: Iterable[Any]) -> None:
        """Make the equations of a jaxpr again."""
        users: dict[Any, set[int]] = {var: {-1} for var in outvars if not hasattr(var, "val")}
        for at, eqn in enumerate(equations):
            for var in eqn.invars:
                if not hasattr(var, "val"):
                    users.setdefault(var, set()).add(at)
        steps = [(at, eqn, self._chain(eqn)) for at, eqn in enumerate(equations)]
        self._level(steps, 0, users)

    def _chain(self, eqn: Any) -> list[Item]:
        return next((found for var in eqn.outvars if (found := self.record.chain(var))), [])

    def _level(self, steps: list[tuple], level: int, users: Mapping[Any, set[int]]) -> None:
        for item, run in itertools.groupby(steps, lambda step: step[2][level] if level < len(step[2]) else None):
            inner = list(run)
            if item is None:
                for _, eqn, _ in inner:
                    self.replay.equation(eqn)
                    self._name(eqn.outvars)
                continue
            self.making.at(item.at)
            if self._as_call(item, inner, users):
                continue
            if isinstance(item, Entered):
                with self.making.entered(self._called(item)):
                    self._level(inner, level + 1, users)
            else:
                self._level(inner, level + 1, users)

    def _name(self, variables: Iterable[Any]) -> None:
        for var in variables:
            name = self.record.names.get(var)
            if name is not None and var in self.replay.env:
                self.making.named(self.replay.env[var], name)

    # ------------------------------------------------------------------ scopes
    def _called(self, item: Entered) -> Called:
        given = [(name, self.replay.env.get(variable(x))) for name, x in item.given if isinstance(x, jax.Array)]
        key = type(item.owner) if item.kind == "module" else item.code
        kind = "module" if item.kind == "module" else "function"
        return Called(item.name, kind, self.path(item), key, given, item.code, item.globals, item.doc)

    def path(self, item: Entered) -> str:
        """The path of a module's parameters."""
        return prefix(item.arrays, self._path)

    def _path(self, leaf: Any) -> str:
        found = variable(leaf)
        return self.making.path(leaf if found is None else self.replay.env.get(found))

    # ------------------------------------------------------------------ calls
    def _as_call(self, item: Item, steps: list[tuple], users: Mapping[Any, set[int]]) -> bool:
        """Make a call as it was; False where its equations have to be made instead."""
        equations = [eqn for _, eqn, _ in steps]
        if item.result is None or not _whole(item):
            return False
        here = {at for at, _, _ in steps}
        leaving = {var for _, eqn, _ in steps for var in eqn.outvars if users.get(var, here) - here}
        given = [variable(leaf) if isinstance(leaf, jax.core.Tracer) else None for leaf in jax.tree.leaves(item.result)]
        if not leaving <= set(given):
            return False
        work = self._public(item, equations) if isinstance(item, Public) else self._layer(item)
        if work is None:
            return False
        try:
            made = self.making.attempt(lambda: self._alike(work(), given))
        except Exception:  # of whatever kind: the equations say the same
            return False
        self.replay.env.update({var: x for var, x in zip(given, made) if var in leaving})
        if len(equations) == 1:
            self.replay.made_by.update((var, equations[0]) for var in equations[0].outvars)
            if equations[0].primitive.name == "reshape":
                widened(self.replay, equations[0])
        self._name(leaving)
        return True

    def _alike(self, made: Any, given: Sequence[Any]) -> list[Any]:
        """The leaves of what a call gave. Raises NotAlike where they have other types than before, or none is known."""
        found = jax.tree.leaves(made)
        if len(found) != len(given):
            raise NotAlike("another number of results")
        for x, var in zip(found, given):
            type_ = self.making.type_of(x)
            if var is None:
                continue
            if type_ is None or type_.dtype is None or type_.dtype.name != var.aval.dtype.name:
                raise NotAlike("another dtype")
            if type_.dims is None or not _same_dims(type_.dims, self.replay.sized(tuple(var.aval.shape))):
                raise NotAlike("another shape")
        return found

    def _public(self, item: Public, equations: Sequence[Any]) -> Callable[[], Any] | None:
        args, kwargs = _given(item)
        leaves = jax.tree.leaves((args, kwargs))
        if any(map(self._is_told, leaves)) or (self._is_number(item.result) and all(map(self._is_number, leaves))):
            return None  # the equations compute it, or tell what it is
        if self._is_undone(equations) or _is_its_equation(item, equations):
            return None  # it is what was there before, or the equation is written shorter
        in_batch = any(map(batched, (*leaves, *jax.tree.leaves(item.result))))
        if in_batch:
            results = [variable(leaf) for leaf in jax.tree.leaves(item.result)]
            found = of_whole_arrays(item.function, args, kwargs, equations, results)
            if found is None:
                return None
            args, kwargs = found
        if all(eqn.primitive.name == "broadcast_in_dim" for eqn in equations):
            return None  # they say what it was before
        by_element = all(eqn.primitive.name in _BROADCASTING for eqn in equations)
        keeps = by_element and self._keeps_shape(item)
        call = lambda narrow: self.making.call(item.function, *self.replay.sized(self._read((args, kwargs), narrow)))
        single = isinstance(item.result, jax.core.Tracer) and not in_batch
        if by_element and not keeps and single and any(map(self._is_narrow, leaves)):
            return lambda: self._spread(item.result, call(True))
        return lambda: call(keeps)

    def _is_narrow(self, x: Any) -> bool:
        """Whether x was broadcast from an array."""
        found = self.replay.narrow.get(variable(x)) if isinstance(x, jax.core.Tracer) else None
        return found is not None and not isinstance(found, Number)

    def _spread(self, result: Any, narrow: Any) -> Any:
        """The result of a call that was computed before its arguments were broadcast."""
        self.replay.narrow[variable(result)] = narrow
        return self.replay.call(jnp.broadcast_to, narrow, result.shape)

    def _is_undone(self, equations: Sequence[Any]) -> bool:
        """Whether a call is a reshape that gives what others began with."""
        if len(equations) != 1 or equations[0].primitive.name not in ("reshape", "squeeze"):
            return False
        return undone(self.replay, equations[0].invars[0], tuple(equations[0].outvars[0].aval.shape)) is not None

    def _keeps_shape(self, item: Public) -> bool:
        """Whether an argument, as it is, has the shape of the result."""
        shape = getattr(item.result, "shape", None)
        leaves = [leaf for leaf in jax.tree.leaves((item.args, item.kwargs)) if isinstance(leaf, jax.core.Tracer)]
        return any(leaf.shape == shape and variable(leaf) not in self.replay.narrow for leaf in leaves)

    def _is_number(self, x: Any) -> bool:
        """Whether x is a number that is known, or what comes of some."""
        if not isinstance(x, jax.core.Tracer):
            return not isinstance(x, jax.Array)
        var = variable(x)
        return not x.shape and (var is None or var not in self.replay.env or isinstance(self.replay.env[var], Number))

    def _is_told(self, x: Any) -> bool:
        """Whether x is a truth value that is known."""
        found = self.replay.env.get(variable(x)) if isinstance(x, jax.core.Tracer) else None
        return isinstance(found, Number) and isinstance(found.value, bool)

    def _layer(self, item: Entered) -> Callable[[], Any] | None:
        row = row_of(item)
        if row is None:
            return None
        own = {keys[-1]: leaf for keys, leaf in item.arrays}
        if any(map(batched, own.values())) or not all(map(in_front, jax.tree.leaves((item.given, item.result)))):
            return None
        call = lambda fn, *args, **kwargs: self.making.call(fn, args, kwargs)
        return lambda: row(call, item.owner, self._read(own), *self._read([x for _, x in item.given if x is not None]))

    def _read(self, tree: Any, narrow: bool = False) -> Any:
        """Arguments with what stands for them now: `narrow` as they were before they were broadcast."""
        return mapped(partial(self._leaf, narrow), tree)

    def _leaf(self, narrow: bool, leaf: Any) -> Any:
        if not isinstance(leaf, jax.Array):
            return int(leaf) if isinstance(leaf, np.integer) else leaf  # what tells an axis or a size
        if not isinstance(leaf, jax.core.Tracer):
            return self.making.constant(leaf)
        var = variable(leaf)
        if var is None or var not in self.replay.env:
            raise NotAlike("an argument that no equation made")
        found = self.replay.narrowed(var) if narrow else self.replay.read(var)
        return found.value if isinstance(found, Number) else found


def _is_its_equation(item: Public, equations: Sequence[Any]) -> bool:
    """Whether a call of jax.lax is one equation, of which is known how it is written shorter."""
    name = equations[0].primitive.name
    return len(equations) == 1 and name in SHORTER and item.function is getattr(lax, name, None)


def _whole(item: Item) -> bool:
    """Whether JAX takes apart what a call was given and gave: a library may forbid it for objects that are used up."""
    given = (item.args, item.kwargs) if isinstance(item, Public) else item.given
    try:
        jax.tree.leaves((item.result, given))
    except Exception:  # of whatever kind: it is the library's
        return False
    return True


def _same_dims(found: Sequence[Any], wanted: Sequence[Any]) -> bool:
    """Whether sizes are known, and none is another than wanted. A wanted one may be what the capture computes, which is not asked."""
    return len(found) == len(wanted) and all(
        is_size(a) and not (is_size(b) and host.same(a, b) is False) for a, b in zip(found, wanted)
    )


def _given(item: Public) -> tuple[tuple, dict[str, Any]]:
    """The arguments of a call, those left out that are at their defaults."""
    try:
        signature = inspect.signature(item.function)
        bound = signature.bind(*item.args, **item.kwargs)
    except (TypeError, ValueError):
        return item.args, item.kwargs
    args, kwargs, named = list[Any](), dict[str, Any](), False
    for name, parameter in signature.parameters.items():
        value = bound.arguments.get(name, parameter.default)
        if parameter.kind is parameter.VAR_POSITIONAL:
            args += bound.arguments.get(name, ())
        elif parameter.kind is parameter.VAR_KEYWORD:
            kwargs.update(bound.arguments.get(name, {}))
        elif value is parameter.default or (type(value) in (bool, int, str) and value == parameter.default):
            named = named or parameter.kind is parameter.POSITIONAL_OR_KEYWORD
        elif named or parameter.kind is parameter.KEYWORD_ONLY:
            kwargs[name] = value
        else:
            args.append(value)
    return tuple(args), kwargs
