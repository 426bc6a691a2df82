"""What code in C writes is what captured code writes: right on every side of a test, or refused with the object's name; and never left behind."""

import array
import bisect
import contextlib
import contextvars
import csv
import ctypes
import functools
import heapq
import io
import json
import math
import operator
import queue
import random
import struct
import traceback
import weakref
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

XS = torch.tensor([1.0, 3.0]), torch.tensor([-1.0, -3.0])


class Recent(deque):
    """A deque of its own."""


class Ordered(OrderedDict):
    """A dictionary of its own."""


class Pushing(list):
    """A list whose method calls its base's."""

    def push(self, item):
        super().append(item)


class Remembering(dict):
    """A dictionary that fills itself."""

    def __missing__(self, key):
        self[key] = 2.0
        return 2.0


class Asked:
    """A number that counts how often it is asked for."""

    def __init__(self):
        self.n = 0

    def __index__(self):
        self.n += 1
        return 1

    def __float__(self):
        self.n += 1
        return 4.0


class Slots:
    """An attribute without a dictionary."""

    __slots__ = ("v",)

    def __init__(self):
        self.v = 1.0


STATE = contextvars.ContextVar("STATE", default=1.0)

# What is there before the test, what the side of a test does to it, and what is read behind it.
RIGHT = {
    "an item of a deque": (lambda: deque([2.0]), lambda q: operator.setitem(q, 0, 3.0), lambda q: q[0]),
    "a deque in place": (lambda: deque([1.0, 2.0], 2), lambda q: operator.iadd(q, [5.0]), lambda q: q[0]),
    "a class of deques": (lambda: Recent([1.0, 2.0]), lambda q: q.rotate(1), lambda q: q[0]),
    "an unbound method": (lambda: deque([1.0, 2.0]), deque.reverse, lambda q: q[0]),
    "values of an ordered dictionary": (lambda: Ordered(a=1.0), lambda d: d.update(a=5.0), lambda d: d["a"]),
    "a counter": (lambda: Counter(a=1), lambda c: c.update("a"), lambda c: c["a"]),
    "a counter, less": (lambda: Counter(a=1), lambda c: c.subtract("a"), lambda c: c["a"] + 2),
    "a class around a dictionary": (lambda: UserDict(a=1.0), lambda d: d.update(a=2.0), lambda d: d["a"]),
    "a class around a list": (lambda: UserList([1.0]), lambda d: operator.setitem(d, 0, 2.0), lambda d: d[0]),
    "a heap": (lambda: [3.0, 4.0], lambda h: heapq.heapreplace(h, 5.0), lambda h: h[0]),
    "a slot": (Slots, lambda n: object.__setattr__(n, "v", 2.0), lambda n: n.v),
    "a special method": (lambda: [1.0], lambda d: d.__setitem__(0, 2.0), lambda d: d[0]),
    "an unbound special method": (lambda: {"a": 1.0}, lambda d: dict.__setitem__(d, "a", 2.0), lambda d: d["a"]),
    "a union": (lambda: {"a": 1.0}, lambda d: operator.ior(d, {"a": 2.0}), lambda d: d["a"]),
    "what is taken out again": (lambda: [1.0], lambda d: (d.append(2.0), d.pop()), len),
    "a number that C asks for": (Asked, lambda v: math.sqrt(v), lambda v: v.n),
    "an end of a slice": (Asked, lambda v: [1, 2, 3][v:], lambda v: v.n),
    "an index": (Asked, lambda v: (1, 2)[v], lambda v: v.n),
    "an attribute that goes": (Slots, lambda n: delattr(n, "v"), lambda n: hasattr(n, "v")),
    "an unbound append": (lambda: [1.0], lambda out: list.append(out, 2.0), len),
    "a bound method": (lambda: [1.0], lambda out: functools.partial(list.append, out)(1.0), len),
    "a method by its name": (lambda: [1.0], lambda out: operator.methodcaller("append", 1.0)(out), len),
    "a method that map calls": (lambda: [1.0], lambda out: list(map(out.append, [1.0, 2.0])), len),
    "a sorted list": (lambda: [3.0, 4.0], lambda h: bisect.insort(h, 1.0), lambda h: h[0]),
}  # fmt: skip

REFUSED = {
    "a length": (lambda: deque([2.0]), lambda q: operator.delitem(q, 0), len),
    "an unbound default": (dict, lambda d: dict.setdefault(d, "a", 2.0), lambda d: d.get("a", 1.0)),
    "super": (Pushing, lambda out: out.push(2.0), len),
    "a missing key": (Remembering, lambda d: d["a"], len),
    "a default": (lambda: defaultdict(float), lambda d: d["a"], len),
    "the order of keys": (lambda: Ordered(a=1.0, b=2.0), lambda d: d.move_to_end("a"), lambda d: next(iter(d.values()))),
    "a chain of dictionaries": (lambda: ChainMap({}, {"a": 1.0}), lambda c: operator.setitem(c, "a", 2.0), lambda c: c["a"]),
    "a set": (lambda: {1, 2}, lambda s: s.difference_update({2}), len),
    "a set in place": (lambda: {1}, lambda s: operator.ior(s, {2}), len),
    "bytes": (lambda: bytearray(b"\x02"), lambda b: operator.setitem(b, 0, 3), lambda b: b[0]),
    "a slice of bytes": (lambda: bytearray(b"\x02"), lambda b: operator.setitem(b, slice(0, 1), b"a"), lambda b: b[0]),
    "a view of bytes": (lambda: bytearray(b"\x02"), lambda b: operator.setitem(memoryview(b), 0, 3), lambda b: b[0]),
    "an array of numbers": (lambda: array.array("d", [1.0]), lambda a: a.append(2.0), len),
    "a method in C that knows its class": (lambda: array.array("d", [1.0]), lambda a: a.extend((2.0,)), len),
    "a buffer that is filled": (lambda: bytearray(1), lambda b: struct.pack_into("B", b, 0, 3), lambda b: b[0]),
    "a view that is filled": (lambda: bytearray(1), lambda b: struct.pack_into("B", memoryview(b), 0, 3), lambda b: b[0]),
    "an array that lends its memory": (lambda: (a := array.array("d", [1.0]), memoryview(a))[1], lambda v: operator.setitem(v, 0, 2.0), lambda v: v[0]),
    "a buffer that a file fills": (lambda: bytearray(1), lambda b: io.BytesIO(b"z").readinto(b), lambda b: b[0]),
    "memory of C's": (ctypes.c_ubyte * 2, lambda c: struct.pack_into("B", c, 0, 3), lambda c: c[0]),
    "a text that is closed": (io.StringIO, lambda s: s.close(), lambda s: float(s.closed)),
    "a text that a function prints to": (io.StringIO, lambda s: traceback.print_stack(file=s), lambda s: len(s.getvalue())),
    "bytes of an array": (lambda: array.array("H", [1]), lambda a: a.byteswap(), lambda a: a[0]),
    "a text": (io.StringIO, lambda s: s.write("abc"), lambda s: len(s.getvalue())),
    "a place in a text": (lambda: io.StringIO("abc"), lambda s: s.read(1), lambda s: len(s.read())),
    "a file in memory": (io.BytesIO, lambda s: s.write(b"abc"), lambda s: len(s.getvalue())),
    "a function that writes a file": (io.StringIO, lambda s: json.dump([1], s), lambda s: len(s.getvalue())),
    "a writer": (lambda: csv.writer(io.StringIO()), lambda w: w.writerow([1]), lambda w: 1.0),
    "a queue": (queue.SimpleQueue, lambda q: q.put(1.0), lambda q: q.qsize()),
    "a queue in Python": (queue.Queue, lambda q: q.put(1.0), lambda q: q.qsize()),
    "random numbers": (lambda: random.Random(1), lambda r: r.random(), lambda r: r.random()),
    "a shuffled list": (lambda: [1.0, 2.0], random.shuffle, lambda xs: xs[0]),
    "a context": (lambda: STATE, lambda s: s.set(2.0), lambda s: s.get()),
}  # fmt: skip


def written(made, write, read):
    """A function that writes on one side of a test on data."""

    def function(x):
        held = made()
        if torch.sum(x) > 0:
            write(held)
        return x * read(held)

    return function


@pytest.mark.parametrize("made, write, read", RIGHT.values(), ids=RIGHT)
def test_what_is_written_on_one_side_is_there_on_that_side(made, write, read):
    function = written(made, write, read)
    program = gfx.symbolic_trace(function)
    for x in XS:
        for call in (program, program.to("torch")):
            assert call(x).tolist() == function(x).tolist()
    for x in XS:
        assert program.to("jax")(x.numpy()).tolist() == function(x).tolist()


@pytest.mark.parametrize("made, write, read", REFUSED.values(), ids=REFUSED)
def test_what_no_graph_can_hold_is_refused(made, write, read):
    with pytest.raises(CaptureError, match=r"GFX cannot convert this (write|append|use|draw)\b.*test_effects.py:"):
        gfx.symbolic_trace(written(made, write, read))


def test_a_dictionary_that_a_trip_makes_is_its_own():
    def function(x):
        for row in x.expand(2, 2):
            groups = defaultdict(list)
            groups[0].append(row)
            x = x + groups[0][0]
        return x

    program = gfx.symbolic_trace(function, XS[0])
    assert program(XS[1]).tolist() == function(XS[1]).tolist()


def test_equal_writes_on_both_sides_stay():
    def function(x):
        queue, seen, text = deque([1.0]), {1}, bytearray(b"a")
        if torch.sum(x) > 0:
            queue[0], text[0] = 4.0, 5
            seen.add(5)
        else:
            text[0] = 5
            queue[0] = 4.0
            seen.add(5)
        return x * queue[0] * len(seen) * text[0]

    program = gfx.symbolic_trace(function)
    for x in XS:
        assert program(x).tolist() == function(x).tolist()


# What lives outside of the function, and what a call does to it.
LASTING = {
    "a heap": ([3.0], lambda h: heapq.heappush(h, 1.0)),
    "a counter": (Counter(a=1), lambda c: c.update("b")),
    "a class around a dictionary": (UserDict(a=1.0), lambda d: operator.setitem(d, "b", 2.0)),
    "a chain of dictionaries": (ChainMap({"a": 1.0}), lambda d: operator.setitem(d, "b", 2.0)),
    "an array": (array.array("d", [1.0]), lambda a: a.append(1.0)),
    "bytes": (bytearray(b"a"), lambda b: operator.setitem(b, 0, 5)),
    "a view of bytes": (memoryview(bytearray(b"a")), lambda b: operator.setitem(b, 0, 5)),
    "a file in memory": (io.BytesIO(), lambda s: s.write(b"a")),
    "a text that a function writes": (io.StringIO(), lambda s: json.dump([1], s)),
    "a text that a writer writes": (csv.writer(io.StringIO()), lambda w: w.writerow([1])),
    "an order": (OrderedDict(a=1, b=2), lambda d: d.move_to_end("a")),
    "a set in a list": ([{1}], lambda s: s[0].add(len(s) + 5)),
    "an unbound append": ([], lambda s: list.append(s, 1.0)),
    "a method by its name": ([], lambda s: operator.methodcaller("append", 1.0)(s)),
    "a deque": (deque([1.0]), lambda q: operator.iadd(q, [1.0])),
}  # fmt: skip


@pytest.mark.parametrize("held, write", LASTING.values(), ids=LASTING)
def test_what_outlives_the_call_is_refused_and_left_as_it_was(held, write):
    def text():
        inner = getattr(held, "getvalue", getattr(held, "tobytes", None))
        return repr(inner()) if inner else repr(held)

    def function(x):
        write(held)
        return x * 2

    before = text()
    with pytest.raises(CaptureError, match=r"GFX cannot convert this write: .*test_effects.py:"):
        gfx.symbolic_trace(function)
    assert text() == before


def test_a_default_that_only_the_first_call_makes_is_made_by_the_programs():
    held = defaultdict(list)
    program = gfx.symbolic_trace(lambda x: x * (2 + len(held["a"])))
    assert held == {}
    assert program(XS[0]).tolist() == (XS[0] * 2).tolist() and held == {"a": []}


class Names:
    """As modules of Flax reserve the names of those in them."""

    def __init__(self):
        self.taken = defaultdict(set)

    def reserve(self, name):
        if self.taken.get(name):
            raise ValueError(name)
        self.taken[name].add("params")


class Reserving:
    def __init__(self, names):
        names.reserve("layer")

    def __call__(self, x):
        return x * 2


def test_the_default_of_a_key_is_taken_back_with_the_function_that_asked_for_it():
    run = lambda names, x: Reserving(names)(x)

    def reserved(x):
        names = Names()
        return run(names, x) + len(object.__getattribute__(names, "taken"))

    np.testing.assert_array_equal(gfx.symbolic_trace(reserved)(XS[0]), reserved(XS[0]))


class Unhashable:
    scale = 2

    def __hash__(self):
        raise TypeError("no one asks for it")


def test_what_a_weak_reference_gives_is_not_asked_for_its_hash():
    held = Unhashable()
    reference = weakref.ref(held)
    np.testing.assert_array_equal(gfx.symbolic_trace(lambda x: x * reference().scale)(XS[0]), XS[0] * 2)


@pytest.mark.parametrize("made", [lambda: io.StringIO("ab\n", newline="\r\n"), lambda: io.BytesIO(b"ab")])
def test_a_closed_file_is_a_state_of_its_own(made):
    held = made()
    held.seek(1)

    def closed(x):
        with made() as own:
            y = x * len(own.read())
        return y * own.closed

    program = gfx.symbolic_trace(closed)
    assert program(XS[0]).tolist() == closed(XS[0]).tolist()
    state = held.__getstate__()
    with pytest.raises(CaptureError, match="outlive the call"):
        gfx.symbolic_trace(lambda x: x * (held.close() is None))
    assert held.__getstate__()[:-1] == state[:-1]


def test_what_a_method_of_a_local_class_writes_does_not_outlive_the_call():
    def function(x):
        log = []

        class Scale:
            def of(self, n):
                log.append(n)
                return n

        return x * Scale().of(2.0) * len(log)

    assert gfx.symbolic_trace(function)(XS[0]).tolist() == function(XS[0]).tolist()


@pytest.mark.parametrize(
    "draw", [np.random.RandomState(0).normal, random.Random(0).random, lambda: random.choice((1, 2))]
)
def test_numbers_of_a_generator_outside_are_not_drawn_at_capture(draw):
    with pytest.raises(CaptureError, match="lives outside of the graph"):
        gfx.symbolic_trace(lambda x: x * draw(), XS[0])


def test_what_is_printed_into_a_stream_of_the_codes_own_is_refused():
    def function(x):
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            print("ab")
        return x * len(text.getvalue())

    with pytest.raises(CaptureError, match="another stream in the place"):
        gfx.symbolic_trace(function)


def test_what_is_as_it_was_does_not_outlive_the_call():
    held = [1.0]

    def function(x):
        held.append(2.0)
        return x * held.pop()

    assert gfx.symbolic_trace(function)(XS[0]).tolist() == [2.0, 6.0]


LENT = ([],)


def lent_by_a_side(x):
    if x.sum() > 0:
        LENT[0].append(1.0)
        y = LENT
    else:
        y = ([2.0],)
    return x * y[0][0]


def lent_in_a_loop(x):
    y = LENT
    for _ in x:
        LENT[0].append(1.0)
        y = LENT
    return x * len(y[0])


@pytest.mark.parametrize("f", [lent_by_a_side, lent_in_a_loop])
def test_a_list_of_another_that_a_tuple_holds_is_not_a_sides_own(f):
    with pytest.raises(CaptureError, match=r"append to|outlive|differs in structure"):
        gfx.symbolic_trace(f, XS[0])
    assert not LENT[0]


def made(x):
    rows = []
    rows.append(x)
    return rows


@pytest.mark.parametrize("x", XS)
def test_a_list_that_a_side_made_and_gives_is_its_own(x):
    program = gfx.symbolic_trace(lambda x: (made(x) if x.sum() > 0 else made(x * 2))[0], x)
    assert program(x).equal(x if x.sum() > 0 else x * 2)
