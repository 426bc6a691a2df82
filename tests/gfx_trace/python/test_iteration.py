"""Iterators move on once only, and what is lazy in Python is lazy: right as plain Python has it, or refused."""

import functools
import itertools
import operator
import re
import types
from collections import deque

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from gfx_trace.values.proxy import NeedsPython

XS = torch.tensor([1.0, 3.0]), torch.tensor([-1.0, -3.0])


def agrees(function, *args):
    """The capture gives what plain Python gives, by itself and as torch source."""
    program = gfx.symbolic_trace(function, *args, backend="torch")
    for x in XS:
        for call in (program, program.to("torch")):
            torch.testing.assert_close(call(x), function(x))


def numbers():
    number = 0.0
    while number < 3.0:
        number += 1.0
        yield number


def handed_on(items):
    yield from items


class Counting:
    """An iterator of its own."""

    def __init__(self):
        self.last = 0.0

    def __iter__(self):
        return self

    def __next__(self):
        if self.last == 3.0:
            raise StopIteration
        self.last += 1.0
        return self.last


class Bag:
    """Items that count how often they were asked for."""

    def __init__(self):
        self.asked = 0

    def __iter__(self):
        self.asked += 1
        return iter([1.0, 2.0])


# What takes items of an iterator that the test did not make.
TAKING = {
    "sum": sum,
    "list": list,
    "tuple": tuple,
    "set": set,
    "dict": lambda it: dict.fromkeys(it),
    "deque": lambda it: deque(it, 0),
    "min": min,
    "sorted": sorted,
    "any": any,
    "in": lambda it: 2.0 in it,
    "join": lambda it: "".join(map(str, it)),
    "extend": lambda it: [].extend(it),
    "a slice": lambda it: operator.setitem([], slice(None), it),
    "an operator": lambda it: operator.iadd([], it),
    "a star": lambda it: max(*it),
    "a display": lambda it: [*it],
    "targets": lambda it: functools.reduce(max, it),
    "a comprehension": lambda it: [v for v in it],
    "a filter": lambda it: [v for v in it if v],
    "a generator expression": lambda it: sum(v for v in it),
    "next": next,
    "next in a generator expression": lambda it: sum(next(it) for _ in range(2)),
    "its method": lambda it: it.__next__(),
    "iter": lambda it: list(iter(it)),
    "yield from": lambda it: list(handed_on(it)),
    "map": lambda it: list(map(abs, it)),
    "filter": lambda it: list(filter(None, it)),
    "zip": lambda it: list(zip(it, (1, 2))),
    "enumerate": lambda it: list(enumerate(it)),
    "islice": lambda it: list(itertools.islice(it, 1)),
    "chain": lambda it: list(itertools.chain(it)),
    "chain of a list": lambda it: list(itertools.chain.from_iterable([it])),
    "a dictionary": lambda it: list({"it": it}.get("it")),
    "a getter": lambda it: list(operator.itemgetter(0)([it])),
    "an attribute": lambda it: list(operator.attrgetter("it")(types.SimpleNamespace(it=it))),
}  # fmt: skip


@pytest.mark.parametrize("take", TAKING.values(), ids=TAKING)
def test_an_iterator_from_outside_of_a_test_is_not_moved_on_in_it(take):
    def function(x):
        it = iter([1.0, 2.0, 3.0])
        if torch.sum(x) > 0:
            take(it)
        return x * len(list(it))

    with pytest.raises(CaptureError, match=r"use of an iterator: .* made outside of this test or loop"):
        gfx.symbolic_trace(function)

    def straight(x):
        it = iter([1.0, 2.0, 3.0])
        take(it)
        return x * len(list(it))

    agrees(straight)


ITERATORS = {
    "a generator": numbers,
    "a generator expression": lambda: (v for v in (1.0, 2.0, 3.0)),
    "map": lambda: map(abs, [1.0, 2.0, 3.0]),
    "filter": lambda: filter(None, [1.0, 2.0, 3.0]),
    "zip": lambda: zip([1.0, 2.0, 3.0], "abc"),
    "enumerate": lambda: enumerate([1.0, 2.0, 3.0]),
    "reversed": lambda: reversed([1.0, 2.0, 3.0]),
    "values": lambda: iter({1: 1.0, 2: 2.0, 3: 3.0}.values()),
    "groups": lambda: itertools.groupby([1.0, 2.0, 3.0]),
    "a tee": lambda: itertools.tee([1.0, 2.0, 3.0])[0],
    "matches": lambda: re.finditer("a", "aaa"),
    "a function": lambda: iter(iter([1.0, 2.0, 3.0, 0.0]).__next__, 0.0),
}


@pytest.mark.parametrize("made", ITERATORS.values(), ids=ITERATORS)
def test_every_iterator_belongs_to_the_code_that_made_it(made):
    outside = made()

    def there(x):
        it = made()
        next(it)
        return x * len(list(it))

    def under_a_test(x):
        it = made()
        if torch.sum(x) > 0:
            next(it)
        return x * len(list(it))

    def lasting(x):
        next(outside)
        return x

    agrees(there)
    for function in (under_a_test, lasting):
        with pytest.raises(CaptureError, match=r"use of an iterator: .* made outside of"):
            gfx.symbolic_trace(function)
    assert len(list(outside)) == 3


def test_generators_are_resumed_where_they_were_made():
    def echo():
        got = 1.0
        while True:
            got = yield got * 2

    for resume in (lambda g: g.send(5.0), lambda g: g.close(), lambda g: g.throw(KeyError)):

        def function(x, resume=resume):
            g = echo()
            next(g)
            if torch.sum(x) > 0:
                resume(g)
            return x

        with pytest.raises(CaptureError, match="made outside of this test or loop"):
            gfx.symbolic_trace(function)

    def straight(x):
        g = echo()
        next(g)
        return x * g.send(5.0) * g.send(7.0)

    agrees(straight)


def test_how_far_a_loop_that_data_ends_has_moved_is_not_known():
    def function(x):
        it, total = numbers(), x[0] * 0
        for v in it:
            if x[0] > v:
                break
            total = total + v
        return total + len(list(it))

    def alone(x):
        total = x[0] * 0
        for v in numbers():
            if x[1] > v:
                break
            total = total + v
        return total

    def asked(x):
        it = iter([0.0, 2.0, 3.0])
        found = 1.0 if any(v > x[1] for v in it) else 2.0
        return found + len(list(it))

    for refused in (function, asked):
        with pytest.raises(CaptureError, match="a test or loop on captured data decides how far"):
            gfx.symbolic_trace(refused)
    agrees(alone)


def test_iterators_of_the_users_own_are_entered_by_whatever_takes_items():
    def function(x):
        a, b, c = Counting(), Counting(), Bag()
        if torch.sum(x) > 0:
            for v in a:
                x = x + v
            x = x + len(set(b)) + sum(zip_of_two(Counting())) + len(deque(c))
            [].extend(c)
        return x * (1 + a.last) * (1 + b.last) * (1 + c.asked)

    def zip_of_two(it):
        return [v for v, _ in zip(itertools.islice(it, 2), (1, 2))]

    agrees(function)


def any_stops(x, seen):
    any(seen.append(v) or v > 1 for v in (1.0, 2.0, 3.0))


def all_of_map_stops(x, seen):
    all(map(lambda v: seen.append(v) or v < 1, (1.0, 2.0)))


def nothing_asks(x, seen):
    (seen.append(v) for v in (1.0, 2.0))
    map(seen.append, (1.0, 2.0))
    filter(seen.append, (1.0, 2.0))


def one_is_asked_for(x, seen):
    g = (seen.append(v) or v for v in (1.0, 2.0))
    next(g)
    next(map(seen.append, (1.0, 2.0)))


def zip_ends(x, seen):
    list(zip((1,), (seen.append(v) for v in (1.0, 2.0, 3.0))))


def in_stops(x, seen):
    2.0 in (seen.append(v) or v for v in (1.0, 2.0, 3.0))


def takewhile_stops(x, seen):
    list(itertools.takewhile(lambda v: seen.append(v) or v < 2, (1.0, 2.0, 3.0)))


def what_raises_is_not_asked_for(x, seen):
    seen.append(next(1 / v for v in (1.0, 0.0)))


def all_is_taken_once(x, seen):
    g = (v for v in (1.0, 2.0))
    seen.extend(g)
    seen.extend(g)


def a_fold_over_an_iterator_leaves_the_rest(x, seen):
    it = iter((0.0, 2.0, 3.0))
    any(v > 1 for v in it)
    seen.extend(it)


def rows_are_taken_once(x, seen):
    z = (v * 2 for v in x)
    seen.append(sum(z))
    seen.append(sum(z))


LAZY = [
    any_stops, all_of_map_stops, nothing_asks, one_is_asked_for, zip_ends, in_stops, takewhile_stops, what_raises_is_not_asked_for,
    all_is_taken_once, a_fold_over_an_iterator_leaves_the_rest, rows_are_taken_once,
]  # fmt: skip


@pytest.mark.parametrize("step", LAZY, ids=lambda f: f.__name__)
def test_what_is_lazy_is_only_made_when_it_is_asked_for(step):
    def function(x):
        seen = []
        step(x, seen)
        return x * len(seen) + (sum(seen) if seen else 0)

    agrees(function, XS[0])


LATE = {
    "an item": lambda xs, k: (v * 2 for v in xs),
    "a free variable": lambda xs, k: (v * k[0] for v in (1.0, 2.0)),
    "a filter": lambda xs, k: (v for v in (1.0, 9.0, 20.0) if v > k[0]),
    "an inner loop": lambda xs, k: (v * w for v in (1.0, 2.0) for w in k),
    "map": lambda xs, k: map(abs, xs),
    "map of a function": lambda xs, k: map(lambda v: v * k[0], xs),
    "filter of a list": lambda xs, k: filter(None, [k[0], 0.0]),
    "zip": lambda xs, k: (v * w for v, w in zip(xs, xs)),
    "enumerate": lambda xs, k: (v * w for v, w in enumerate(xs)),
    "reversed": lambda xs, k: reversed(k),
    "iter": lambda xs, k: iter(xs),
    "chain": lambda xs, k: itertools.chain(xs, k),
    "values": lambda xs, k: (v for v in {0: k}.values() for v in v),
}


@pytest.mark.parametrize("made", LATE.values(), ids=LATE)
def test_what_is_lazy_sees_what_is_written_before_it_is_asked(made):
    def function(x):
        xs, k = [1.0, 2.0], [1.0]
        g = made(xs, k)
        xs.append(3.0)
        k[0] = 10.0
        return x * sum(g)

    def rows(x):
        k = [1.0]
        g = made(x, k)
        k[0] = 10.0
        return sum(g) + x[0]

    agrees(function)
    agrees(rows, XS[0])


def test_they_are_true_whatever_they_yield():
    def function(x):
        for g in ((v for v in ()), map(abs, ()), filter(None, ()), zip(()), iter(())):
            x = x + 1 if g else x
        return x

    agrees(function)


def first_and_second(t):
    rows = iter(t)
    a = next(rows)
    return a * next(rows)


def first_and_others(t):
    rows = iter(t)
    total = next(rows)
    for row in rows:
        total = total - row
    return total


def others_as_a_list(t):
    rows = iter(t)
    next(rows)
    left = list(rows)
    return len(left), left[0], len(list(rows))


def summed(t):
    rows = iter(t)
    return next(rows) * 2 + sum(rows)


def written_between(t):
    t = t.clone()
    rows = iter(t)
    a = next(rows)
    t[1] = 7
    return a + next(rows)


def of_two_iterators(t):
    rows = iter(t.unbind(1))
    return next(rows) - next(iter(rows))


@pytest.mark.parametrize(
    "fn", [first_and_second, first_and_others, others_as_a_list, summed, written_between, of_two_iterators]
)
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_the_rows_of_a_tensor_of_open_length_are_taken_one_by_one(fn, to):
    emitted = gfx.symbolic_trace(fn, backend="torch").to(to)
    for x in (torch.arange(6.0).reshape(3, 2), torch.arange(4.0).reshape(2, 2) - 3):
        found, want = emitted(x if to == "torch" else jnp.asarray(x.numpy())), fn(x)
        assert type(found) is tuple if type(want) is tuple else True
        for a, b in zip(found, want) if type(want) is tuple else [(found, want)]:
            np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_a_row_that_is_not_there_raises(to):
    emitted = gfx.symbolic_trace(first_and_second, backend="torch").to(to)
    with pytest.raises(StopIteration):
        emitted(torch.ones(1, 2) if to == "torch" else jnp.ones((1, 2)))


def left_by_break(t):
    doubled, total = map(lambda v: v * 2, t), 0
    for v in doubled:
        total = total + v
        if v > 3:
            break
    return total + sum(doubled)


def left_by_any(t):
    doubled = map(lambda v: v * 2, t)
    any(v > 3 for v in doubled)
    return sum(doubled)


def left_at_once(t):
    doubled, total = (v * 2 for v in t), 0
    for v in doubled:
        total = total + v
        break
    return total - sum(doubled)


@pytest.mark.parametrize("fn", [left_by_break, left_by_any, left_at_once])
@pytest.mark.parametrize("given", [(), (torch.arange(5.0),)])
def test_what_a_loop_left_in_an_iterator_is_not_known(fn, given):
    with pytest.raises(NeedsPython, match="decides how far it has moved"):
        gfx.symbolic_trace(fn, *given, backend="torch")
