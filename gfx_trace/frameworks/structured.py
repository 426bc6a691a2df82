"""Loops that are written as calls (`lax.while_loop`, `fori_loop`, `scan`): run as the Python loops that they stand for."""

from __future__ import annotations

from types import FunctionType
from typing import Any

import numpy as np

from gfx_ir import ops, trees
from gfx_ir.backend import Backend
from gfx_ir.dtypes import int64
from gfx_ir.python_numbers import CLASSES, KINDS
from gfx_ir.several_keys import Keys

from ..interfaces import Capturing
from ..python.open_iterables import Combined, OpenRange
from ..python.rows import append_item
from ..values.access import Access
from ..values.proxy import HostProxy, Proxy, is_open, weak_kind
from .pytrees import Carried, Rebuild, flatten


class _State:
    """The carried value of a loop, as a loop's variables."""

    def __init__(self, tracer: Capturing, backend: Backend, value: Any) -> None:
        self.tracer, self.backend, self.carried = tracer, backend, Carried(tracer, backend)
        self.most = int(np.iinfo(backend.held_as(int64).numpy).max)
        self.held = self.carried.down(truths_as_arrays(tracer, backend, value))

    @property
    def value(self) -> Any:
        """The value, as the loop's functions take and give it."""
        return self.carried.up(self.held)

    @value.setter
    def value(self, value: Any) -> None:
        self.held = self.carried.down(value)
        if any(type(leaf) is int and not ~self.most <= leaf <= self.most for leaf in trees.leaves(self.held)):
            raise self.tracer.error(
                "GFX cannot convert this loop: a whole number that it carries leaves the width of an array's, which would wrap",
                "begin with an array of the dtype that is meant, as jnp.uint32(1)",
            )

    @property
    def left(self) -> Any:
        """The value behind the loop, in containers of its own."""
        found, rebuild = flatten(self.backend, self.value)
        return rebuild(found)

    def get(self) -> tuple:
        """Its value, as the only variable."""
        return (self.held,)

    def set(self, values: tuple) -> None:
        """Set it."""
        (self.held,) = values

    def access(self, body: Any, at: int = 0) -> Access:
        """To it, by a name: that of the body's argument `at`; one that no variable has where the body takes it apart, by names of its own."""
        names = body.__code__.co_varnames[: body.__code__.co_argcount] if isinstance(body, FunctionType) else ()
        whole = at < len(names) and names[at] != "_" and not isinstance(self.held, (tuple, list, dict))
        return Access(self.get, self.set, (names[at] if whole else "loop state",), even=True)


def while_loop(tracer: Capturing, backend: Backend, test: Any, body: Any, init: Any) -> Any:
    """while test(state): state = body(state)."""
    state = _State(tracer, backend, init)

    def trip() -> None:
        state.value = tracer.calls.call(body, (state.value,), {})

    tracer.loops.while_(lambda: tracer.calls.call(test, (state.value,), {}), trip, state.access(body), None)
    return state.left


def fori_loop(tracer: Capturing, backend: Backend, lower: Any, upper: Any, body: Any, init: Any) -> Any:
    """for i in range(lower, upper): state = body(i, state)."""
    state = _State(tracer, backend, init)

    def trip(i: Any) -> None:
        state.value = tracer.calls.call(body, (i, state.value), {})

    bounds = OpenRange(lower, upper, 1) if is_open(lower) or is_open(upper) else range(int(lower), int(upper))
    tracer.loops.for_(bounds, trip, state.access(body, 1), None, "i")
    return state.left


def scan(tracer: Capturing, backend: Backend, body: Any, init: Any, xs: Any, length: Any) -> Any:
    """for x in xs: state, y = body(state, x); the ys stacked."""
    state, (found, rebuild) = _State(tracer, backend, init), flatten(backend, xs)
    leaves = list(map(tracer.arrays.in_graph, found))
    if any(type(leaf) is Keys and leaf.folds is None for leaf in leaves):
        return _trips(tracer, backend, body, init, [rebuild(items) for items in zip(*leaves)])
    outs: list[list[Any]] = tracer.journal.made.note([])
    made: Rebuild | None = None

    def trip(item: Any) -> None:
        nonlocal made
        taken = item if len(leaves) > 1 else (item,) if leaves else ()
        x = rebuild([_row(tracer, leaf, own) for leaf, own in zip(leaves, taken)])
        state.value, y = tracer.calls.call(body, (state.value, x), {})
        ys, made = flatten(backend, y)
        while len(outs) < len(ys):
            outs.append(tracer.journal.made.note([], outs))
        for out, value in zip(outs, ys):
            append_item(tracer, out, as_array(tracer, value))

    if leaves:
        beside = any(type(leaf) is not Keys for leaf in leaves)
        over = [_places(leaf, beside) if type(leaf) is Keys else leaf for leaf in leaves]
        rows = over[0] if len(over) == 1 else Combined("zip", tuple(over))
    else:
        rows = _counted(length)
    tracer.loops.for_(rows, trip, state.access(body), None, "x")
    rows_left = map(tracer.objects.stacked, outs)  # of one shape, as JAX asks: a list of open length is their stack
    stacks = [x if type(x) is Proxy else tracer.wrap(ops.stack(tracer.unwrap(x)), backend) for x in rows_left]
    return state.left, made(stacks) if made is not None else None


def _counted(length: Any) -> Any:
    return OpenRange(0, length, 1) if is_open(length) else range(length)


def _places(keys: Keys, beside: bool) -> Any:
    """The places that keys are made of, as what a loop goes over; `beside` arrays a count of them does."""
    assert keys.folds is not None
    return _counted(keys.folds.count) if beside and keys.folds.count is not None else keys.folds.places


def _row(tracer: Capturing, leaf: Any, own: Any) -> Any:
    """What a trip takes of something that a loop goes over: of keys the one that is made of its place."""
    folds = leaf.folds if type(leaf) is Keys else None
    return own if folds is None else folds.at(lambda f, *args: tracer.calls.call(f, args, {}), own)


def _trips(tracer: Capturing, backend: Backend, body: Any, state: Any, items: list[Any]) -> Any:
    """The same, trip by trip: keys of random numbers are no rows of a tensor."""
    outs: list[list[Any]] = []
    rebuild: Rebuild | None = None
    for item in items:
        state, y = tracer.calls.call(body, (state, item), {})
        found, rebuild = flatten(backend, y)
        outs.append([tracer.unwrap(as_array(tracer, leaf)) for leaf in found])
    stacked = [tracer.wrap(ops.stack(leaf), tracer.backend) for leaf in zip(*outs)]
    return state, None if rebuild is None else rebuild(stacked)


def truths_as_arrays(tracer: Capturing, backend: Backend, tree: Any) -> Any:
    """The tree that functions are handed as arrays, of which operators make other things than of Python's truths: ~True is -2."""
    found, rebuild = flatten(backend, tree)
    if bool not in map(type, found):
        return tree
    return rebuild([as_array(tracer, leaf) if type(leaf) is bool else leaf for leaf in found])


def array_attribute(tracer: Capturing, x: Any, name: str) -> Any:
    """x.name of a number of Python's, for which such a function has given an array; NotImplemented where arrays have none of that name."""
    backend, kind = tracer.objects.makes_arrays, weak_kind(x)
    if backend is None or not hasattr(backend.array_class(), name):
        return NotImplemented
    if name == "dtype" and kind in CLASSES:
        element = backend.as_dtype(CLASSES[kind])
        return NotImplemented if element is None else backend.native_dtype(element)
    return tracer.views.tensor_attribute(as_array(tracer, x), name)


def as_array(tracer: Capturing, value: Any) -> Any:
    """What is an array for JAX also where a number stands for it here: what a loop begins with, or a constant."""
    number = type(value).__name__ in KINDS or (type(value) is HostProxy and value.kind in KINDS)
    number = number or (type(value) is Proxy and tracer.record.may_be_python(value, value.read()))
    return tracer.wrap(ops.as_tensor(tracer.unwrap(value)), tracer.backend) if number else value
