"""A jaxpr read as calls of public functions of JAX: each equation becomes the call that a user would write."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Literal

from gfx_ir.errors import MissingOp
from gfx_ir.making import Making
from gfx_ir.several_keys import Keys

from ..recorded import Recording
from . import CALLS, ELEMENTS, NUMBERED, REFUSED
from .batches import live
from .draws import DRAWS, arranged
from .groups import Groups
from .inner import INNER, as_implemented
from .parameters import Parameters
from .replaying import Number, mapped
from .shorter import SHORTER
from .symbolic import VALUES, Way, is_open, sized, told_by


class Replay:
    """Makes the calls of a jaxpr again; where `record` tells of calls of public functions that it came of, these."""

    def __init__(self, making: Making, record: Recording) -> None:
        self.making, self.constant, self.attempt = making, making.constant, making.attempt
        self._groups = Groups(self, making, record)
        self.env: dict[Any, Any] = {}
        self.made_by: dict[Any, Any] = {}  # the equation that a variable comes from
        self.sizes: dict[str, Any] = {}  # what the names of symbolic sizes stand for
        self._way: Way = {**VALUES, "max": partial(self.call, max), "min": partial(self.call, min)}
        self.narrow: dict[Any, Any] = {}  # what a variable was broadcast from, in a shape that broadcasts to its own
        self.deriving: list[str] = []  # the functions whose own derivatives are made

    def call(self, fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a public function of JAX."""
        return self.making.call(fn, *self.sized((args, kwargs)))

    def run(self, closed: Any, args: Sequence[Any]) -> list[Any]:
        """The results of a closed jaxpr."""
        for var, value in zip(closed.jaxpr.invars, args):
            for axis, dim in enumerate(var.aval.shape):
                told = told_by(dim) if is_open(dim) else None
                if told is not None and told[0] not in self.sizes:
                    whole = value.folds.places if isinstance(value, Keys) and value.folds is not None else value
                    self.sizes[told[0]] = told[1](whole.shape[axis])
        return self.body(closed.jaxpr, closed.consts, args)

    def body(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any]) -> list[Any]:
        """The results of a jaxpr with these constants; what nothing reads is left out."""
        self._play(jaxpr, consts, args, {})
        return [self.value(var) for var in jaxpr.outvars]

    def inside(self, jaxpr: Any, consts: Sequence[Any], invars: Sequence[Any], outvars: Sequence[Any]) -> list[Any]:
        """The results of a jaxpr that an equation of these variables calls: numbers are numbers in it, and behind it."""
        narrow = {own: self.narrow[var] for own, var in zip(jaxpr.invars, invars) if _in(self.narrow, var)}
        self._play(jaxpr, consts, [self.read(var) for var in invars], narrow)
        self.narrow.update((var, self.narrow[own]) for own, var in zip(jaxpr.outvars, outvars) if _in(self.narrow, own))
        return [self.read(var) for var in jaxpr.outvars]

    def _play(self, jaxpr: Any, consts: Sequence[Any], args: Sequence[Any], narrow: dict[Any, Any]) -> None:
        """Make the equations again; JAX calls one jaxpr several times, and what a call before knew of its variables is no more true."""
        equations = live(jaxpr.eqns, jaxpr.outvars)
        for var in (*jaxpr.constvars, *jaxpr.invars, *(var for eqn in equations for var in eqn.outvars)):
            self.narrow.pop(var, None)
        self.narrow.update(narrow)
        read = {id(var) for eqn in equations for var in eqn.invars} | set(map(id, jaxpr.outvars))
        self.env.update((var, self.constant(x)) for var, x in zip(jaxpr.constvars, consts) if id(var) in read)
        self.env.update(zip(jaxpr.invars, args))
        self._groups.play(equations, jaxpr.outvars)

    def equation(self, eqn: Any) -> None:
        """Make one equation again."""
        for var in eqn.outvars:
            self.made_by[var] = eqn
        out = self._equation(eqn)
        for var, value in zip(eqn.outvars, out if eqn.primitive.multiple_results else (out,)):
            self.env[var] = value

    def read(self, var: Any) -> Any:
        """What a variable stands for: a Number where it is one."""
        if not isinstance(var, Literal):
            return self.env[var]
        aval: Any = var.aval
        if aval.dtype == jax.dtypes.float0:  # the gradient of whole numbers, which holds nothing
            return np.zeros(aval.shape, aval.dtype)
        data = np.asarray(var.val, aval.dtype)
        return Number.of(data) if data.ndim == 0 else self.constant(jnp.asarray(data))

    def narrowed(self, var: Any) -> Any:
        """What a variable was broadcast from, else what it stands for."""
        return self.read(var) if isinstance(var, Literal) else self.narrow.get(var, self.env[var])

    def value(self, var: Any) -> Any:
        """What a variable stands for, as an array."""
        found = self.read(var)
        return self.constant(found.array()) if isinstance(found, Number) else found

    def number(self, var: Any) -> Number | None:
        """The number that a variable stands for; None where it is an array."""
        found = self.read(var)
        return found if isinstance(found, Number) else None

    def origin(self, var: Any, *names: str) -> Any:
        """The equation that made a variable, where it is one of these primitives; else None."""
        eqn = None if isinstance(var, Literal) else self.made_by.get(var)
        return eqn if eqn is not None and eqn.primitive.name in names else None

    # ------------------------------------------------------------------ equations
    def _equation(self, eqn: Any) -> Any:
        name = eqn.primitive.name
        if name in DRAWS and (found := DRAWS[name](self, eqn)) is not None:
            return found
        if name not in INNER and any(type(self.env.get(var)) is Keys for var in eqn.invars if type(var) is not Literal):
            return arranged(self, eqn)
        if name in SHORTER and (found := SHORTER[name](self, eqn)) is not None:
            return found
        if name in ELEMENTS:
            numbers = [self.read(var) for var in eqn.invars]
            if all(isinstance(number, Number) for number in numbers):
                return Number.of(eqn.primitive.bind(*(number.array() for number in numbers), **eqn.params))
            return self._by_element(eqn, ELEMENTS[name])
        if name in INNER:
            return INNER[name](self, eqn)
        if name in CALLS:
            given = {**self.sized(_plain(eqn.params)), "operand": eqn.invars[0].aval if eqn.invars else None}
            read = self._number if name in NUMBERED else self.value
            return self._replayed(CALLS[name], eqn, given, map(read, eqn.invars))
        found = as_implemented(self, eqn) if name not in REFUSED else None
        if found is not None:
            return found if eqn.primitive.multiple_results else found[0]
        raise MissingOp(
            f"GFX has no row for JAX's primitive {name!r}, which the function comes to",
            hint=REFUSED.get(name, "compute it outside of the function that JAX transforms"),
        )

    def _replayed(self, rule: Any, eqn: Any, params: dict, args: Any) -> Any:
        """An equation as the calls that its rule makes."""
        given = Parameters(params)
        made = rule(self.call, given, *args)
        given.settle(eqn.primitive.name)
        return made

    def sized(self, tree: Any) -> Any:
        """Arguments with the captured sizes in the places of symbolic ones."""
        return mapped(lambda leaf: sized(leaf, self.sizes, self._way) if self.sizes and is_open(leaf) else leaf, tree)

    def _number(self, var: Any) -> Any:
        """An argument: a number as such."""
        found = self.read(var)
        return found.value if isinstance(found, Number) else found

    def _by_element(self, eqn: Any, rule: Any) -> Any:
        """A function element by element, of numbers as such and of what was broadcast as it was before. Where no argument
        tells the shape, its result is broadcast instead."""
        (out,) = eqn.outvars
        shape = out.aval.shape
        telling = [self._whole(var, shape) for var in eqn.invars]
        narrow = [not isinstance(self.narrowed(var), Number) for var in eqn.invars]
        later = not any(telling) and any(narrow) and any(_in(self.narrow, var) for var in eqn.invars)
        if later:
            telling = narrow
        read = self.narrowed if later else self.value
        kept = {var.aval.dtype for var, tells in zip(eqn.invars, telling) if tells}
        args = [
            read(var) if tells else self._narrowed(var) if var.aval.dtype in kept else self.value(var)
            for var, tells in zip(eqn.invars, telling)
        ]
        made = self._replayed(rule, eqn, self.sized(_plain(eqn.params)), args)
        if not later:
            return made
        self.narrow[out] = made
        return self.call(jnp.broadcast_to, made, shape)

    def _whole(self, var: Any, shape: tuple) -> bool:
        """Whether a variable tells shape and dtype of the result."""
        if var.aval.shape != shape or isinstance(var, Literal) or var in self.narrow:
            return False
        return not isinstance(self.env[var], Number)

    def _narrowed(self, var: Any) -> Any:
        found = self.narrowed(var)
        return found.value if isinstance(found, Number) else found


def _in(known: dict[Any, Any], var: Any) -> bool:
    return not isinstance(var, Literal) and var in known


def _plain(params: Any) -> Any:
    """Parameters of a primitive with Python's own numbers in the place of NumPy's."""
    return mapped(lambda leaf: leaf.item() if isinstance(leaf, np.generic) else leaf, params)
