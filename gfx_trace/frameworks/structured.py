"""Loops that are written as calls (`lax.while_loop`, `fori_loop`, `scan`): run as the Python loops that they stand for."""

from __future__ import annotations

from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np

from gfx_ir import ops, trees
from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType, holds, int64
from gfx_ir.infer.abstract import never_meet
from gfx_ir.ops._seen import type_of
from gfx_ir.python_numbers import CLASSES, KINDS
from gfx_ir.several_keys import Keys

from ..interfaces import Capturing
from ..python.attempts import attempt
from ..python.open_iterables import Combined, OpenRange
from ..python.rows import append_item
from ..values.access import Access
from ..values.joined_types import number_type
from ..values.proxy import HostProxy, Proxy, is_open, weak_kind
from .pytrees import Carried, Rebuild, flatten

_ONE_TYPE = "give both the same dtype, shape and structure, as the framework asks: cast one of them"


class _Wider(Exception):
    """Numbers that a loop begins with, by their places, are of a higher kind behind a trip. Never leaves the capture of that loop."""

    def __init__(self, leaves: dict[int, DType]) -> None:
        self.leaves = leaves


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
        before, self.held = self.held, self.carried.down(value)
        self._stays(before)
        if any(type(leaf) is int and not ~self.most <= leaf <= self.most for leaf in trees.leaves(self.held)):
            raise self.tracer.error(
                "GFX cannot convert this loop: a whole number that it carries leaves the width of an array's, which would wrap",
                "begin with an array of the dtype that is meant, as jnp.uint32(1)",
            )

    def _stays(self, before: Any) -> None:
        """Hold what a trip leaves against what it begins with: arrays of one dtype and shape, or numbers, which widen. Raises
        UnsupportedConstruct where they are known to be others."""
        found, wider = others(self.tracer, self.backend, before, self.held), dict[int, DType]()
        for at, what, a, b in found:
            number = what == "dtype" and a.weak and a.dtype.kind != "b" and holds(b.dtype, a.dtype)
            if number and a.dtype.kind != b.dtype.kind:
                wider[at] = b.dtype
            elif not number and not wider:
                refuse_others(self.tracer, "loop", "what it carries changes its", what, a, b)
        if wider:
            raise _Wider(wider)

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


def others(tracer: Capturing, backend: Backend, first: Any, second: Any) -> list[tuple[int, str, Any, Any]]:
    """Where two trees are known to be no two values of one structure and type: the leaf, as the framework counts, what is another, and both."""
    if (a := trees.tree_map(lambda _: "", first)) != (b := trees.tree_map(lambda _: "", second)):
        return [(0, "structure", a, b)]
    found = []
    for at, pair in enumerate(zip(flatten(backend, first)[0], flatten(backend, second)[0])):
        held = [tracer.unwrap(leaf) for leaf in pair]
        a, b = (number_type(x, tracer.promotion) or type_of(x) for x in held)
        if a.dims is not None and b.dims is not None and never_meet(a.dims, b.dims):
            found.append((at, "shape", a, b))
        elif a.dtype and b.dtype and a.dtype != b.dtype:
            found.append((at, "dtype", a, b))
    return found


def refuse_others(tracer: Capturing, noun: str, why: str, what: str, *two: Any) -> None:
    """Refuse two values of other types where a function of functions takes such of one alone."""
    a, b = (x.dims if what == "shape" else x.dtype if what == "dtype" else x for x in two)
    raise tracer.error(f"GFX cannot convert this {noun}: {why} {what} from {a} to {b}", _ONE_TYPE)


def choice(
    tracer: Capturing, backend: Backend, test: Any, then: Callable[[], Any], otherwise: Callable[[], Any]
) -> Any:
    """What one of two functions gives, which may be a tree of the framework's."""
    result, sides = Carried(tracer, backend), list[Any]()

    def side(make: Callable[[], Any]) -> Any:
        sides.append(result.down(make()))
        return sides[-1]

    found = result.up(tracer.truths.ifexp(test, lambda: side(then), lambda: side(otherwise)))
    for _, what, a, b in others(tracer, backend, sides[0], sides[-1]):
        refuse_others(
            tracer, "choice", "from one of its functions to the other, what they give changes its", what, a, b
        )
    return found


def _from(tracer: Capturing, backend: Backend, init: Any, loop: Callable[[_State], Any]) -> Any:
    """What a loop gives that begins with `init`, of which numbers are of the kind from the beginning that trips make of them."""
    site = tracer.site
    try:
        return attempt(tracer, lambda mark: loop(_State(tracer, backend, init)))
    except _Wider as wider:
        tracer.site, kinds = site, wider.leaves
    found, rebuild = flatten(backend, init)
    return _from(tracer, backend, rebuild([_cast(tracer, x, kinds.get(at)) for at, x in enumerate(found)]), loop)


def _cast(tracer: Capturing, x: Any, dtype: DType | None) -> Any:
    """What a loop begins with as what has this dtype; None: as it is."""
    if dtype is None:
        return x
    if isinstance(x, (int, float)):
        return complex(x) if dtype.kind == "c" else float(x)
    return tracer.wrap(ops.astype(ops.as_tensor(tracer.unwrap(x)), dtype), tracer.backend)


def while_loop(tracer: Capturing, backend: Backend, test: Any, body: Any, init: Any) -> Any:
    """while test(state): state = body(state)."""

    def loop(state: _State) -> Any:
        def trip() -> None:
            state.value = tracer.calls.call(body, (state.value,), {})

        tracer.loops.while_(lambda: tracer.calls.call(test, (state.value,), {}), trip, state.access(body), None)
        return state.left

    return _from(tracer, backend, init, loop)


def fori_loop(tracer: Capturing, backend: Backend, lower: Any, upper: Any, body: Any, init: Any) -> Any:
    """for i in range(lower, upper): state = body(i, state)."""
    bounds = OpenRange(lower, upper, 1) if is_open(lower) or is_open(upper) else range(int(lower), int(upper))

    def loop(state: _State) -> Any:
        def trip(i: Any) -> None:
            state.value = tracer.calls.call(body, (i, state.value), {})

        tracer.loops.for_(bounds, trip, state.access(body, 1), None, "i")
        return state.left

    return _from(tracer, backend, init, loop)


def scan(tracer: Capturing, backend: Backend, body: Any, init: Any, xs: Any, length: Any) -> Any:
    """for x in xs: state, y = body(state, x); the ys stacked."""
    found, rebuild = flatten(backend, xs)
    leaves = list(map(tracer.arrays.in_graph, found))
    if any(type(leaf) is Keys and leaf.folds is None for leaf in leaves):
        return _trips(tracer, backend, body, init, [rebuild(items) for items in zip(*leaves)])
    return _from(tracer, backend, init, lambda state: _scan(state, body, leaves, rebuild, length))


def _scan(state: _State, body: Any, leaves: list[Any], rebuild: Rebuild, length: Any) -> Any:
    tracer, backend = state.tracer, state.backend
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
