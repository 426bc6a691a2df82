"""NumPy's generators in captured code: one that is an argument draws from the program's key, one made of a seed from its own."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend, Lift
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Value
from gfx_ir.op import lookup

from ..interfaces import Capturing
from ..values.proxy import Proxy


class Draws:
    """What stands for a generator: its key, or None for the program's own."""

    __slots__ = ("key",)

    def __init__(self, key: Proxy | None = None) -> None:
        self.key = key


class BoundDraw:
    """A method of a generator, before it is called."""

    __slots__ = ("lift", "backend")

    def __init__(self, lift: Lift, backend: Backend) -> None:
        self.lift, self.backend = lift, backend


def own_key(tracer: Capturing) -> Proxy:
    """The key that all draws of the program's own come from."""
    if tracer.key is None:
        tracer.key = Proxy(tracer.outermost.add_placeholder("key", "key"), tracer.backend)
    return tracer.key


def drawing(tracer: Capturing, draws: Draws, name: str) -> BoundDraw:
    """`rng.normal`. Raises MissingOp for a distribution without a row."""
    owner = next(b for b in tracer.arrays.frameworks() if b.draws)
    lift = owner.draws.get(name)
    if lift is None:
        hint = "draw the numbers outside and pass them as an argument"
        raise MissingOp(f"GFX has no row for numpy.random.Generator.{name}", tracer.span(), hint)
    fn = functools.partial(lift.fn, functools.partial(_next, tracer, draws))
    return BoundDraw(Lift(lift.name, fn, writes=lift.writes, copies=True, silent=lift.silent), owner)


def _next(tracer: Capturing, draws: Draws) -> Value:
    """A fresh key of a generator."""
    if draws.key is None:
        return tracer.next_key()
    state, key = ops.split_key(tracer.local(draws.key.read()))
    draws.key.write(state)
    return key


def generator_of_seed(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """np.random.default_rng(seed): equal seeds give equal numbers. Without a seed its numbers come from the outside."""
    seed = args[0] if args else kwargs.get("seed")
    if isinstance(seed, Draws):
        return seed
    if seed is None:
        raise tracer.objects.outside_generator("numpy.random.default_rng without a seed")
    return Draws(Proxy(ops.make_key(tracer.unwrap(seed)), tracer.backend))


def key_from(owner: Backend, rng: np.random.Generator) -> Any:
    """The generator itself where the framework takes it, else a key that its next number decides."""
    if owner.draws:
        return rng
    return owner.run(lookup("make_key"), (int(rng.integers(2**63)),))
