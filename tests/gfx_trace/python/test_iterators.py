"""Python's iterators and containers in code that a loop or a test on tensor data runs again, or not: nothing moves on once only."""

import bisect
import heapq
import operator
from collections import Counter, OrderedDict, deque
from itertools import count

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X, OTHER = torch.tensor([1.5, 2.0, 0.5]), torch.tensor([-1.0, 2.0, -3.0])


def weighed(x, step):
    total = x[0] * 0
    for v in x:
        total = total + v * step()
    return total


def numbers():
    k = 0
    while True:
        k += 1
        yield k


def first_of(items):
    for number in items:
        return number
    return 0.0


def append(items):
    items.append(1)
    return len(items)


def push(heap):
    heapq.heappush(heap, -len(heap))
    return heap[0]


def insert(items):
    bisect.insort(items, 1)
    return items[1]


def count_one(counts):
    counts.update(a=1)
    return counts["a"]


class Stack(list):
    """A list of its own."""


# What moves on, as it is before the loop, and what a trip does with it.
ONCE = {
    "next of a list": (lambda: iter([1.0, 2.0, 3.0]), next),
    "next of a counter": (lambda: count(1), next),
    "next of a generator": (numbers, next),
    "a loop takes its items": (lambda: iter([1.0, 2.0, 3.0, 4.0]), first_of),
    "a deque": (deque, append),
    "a heap": (list, push),
    "a sorted list": (lambda: [2], insert),
    "a counter": (Counter, count_one),
    "a class of lists": (Stack, append),
}


@pytest.mark.parametrize("made, step", ONCE.values(), ids=ONCE)
def test_python_runs_a_loop_that_moves_them_on(made, step):
    """Where the trips are fixed; else it is refused."""

    def function(x):
        moving = made()
        return weighed(x, lambda: step(moving))

    with pytest.raises(
        CaptureError,
        match=r"GFX cannot convert this (use of an iterator|loop): .*(iterator that was made outside|the loop (changes|appends|writes|reads))|a list in this way",
    ):
        gfx.symbolic_trace(function, backend="torch")
    program = gfx.symbolic_trace(function, X)
    for x in (X, OTHER):
        assert program(x) == function(x)


def test_an_item_set_by_operator_is_carried():
    def function(x):
        held = [1.0]

        def double():
            operator.setitem(held, 0, held[0] * 2)
            return held[0]

        return weighed(x, double)

    program = gfx.symbolic_trace(function, backend="torch")
    for x in (X, OTHER):
        assert program(x) == function(x)


def test_an_iterator_of_the_trip_itself():
    def fresh(x):
        total = x[0] * 0
        for v in x:
            made = iter([3.0, 4.0])
            next(made)
            total = total + v * next(made) + next(k for k in [1.0, 2.0] if k > 1)
        return total

    program = gfx.symbolic_trace(fresh, backend="torch")
    for x in (X, OTHER):
        assert program(x) == fresh(x)


def test_an_iterator_of_the_users_own_is_entered():
    class Numbers:
        def __init__(self):
            self.last = 0

        def __next__(self):
            self.last += 1
            return self.last

    def function(x):
        numbers = Numbers()
        return weighed(x, lambda: next(numbers))

    program = gfx.symbolic_trace(function, backend="torch")
    assert "for" in str(program.graph)
    for x in (X, OTHER):
        assert program(x) == function(x)


def test_a_test_on_data_takes_no_item():
    def function(x):
        numbers = iter([1.0, 2.0, 3.0])
        if x.sum() > 0:
            next(numbers)
        return x * next(numbers)

    with pytest.raises(
        CaptureError, match=r"GFX cannot convert this use of an iterator.* made outside of this test or loop"
    ):
        gfx.symbolic_trace(function, X)


def test_containers_of_python_in_straight_code():
    def function(x):
        queue = deque(x[:2], maxlen=2)
        queue.append(x[2])
        queue.rotate(1)
        order = OrderedDict(a=1.0, b=2.0)
        order.move_to_end("a")
        return torch.stack(list(queue)) * next(iter(order.values()))

    assert gfx.symbolic_trace(function, X)(OTHER).tolist() == function(OTHER).tolist()


def test_what_a_generator_yields_is_unpacked():
    def function(x):
        (a, b), c = ((v * 2 for v in (x, x + 1)), x)
        d, e, f = (v * 3 for v in x)
        (g, *h), *rest, (i, _) = [(a, b), d, e, (f, c)]
        return a + b * c + d - e * f + g * len(rest) + rest[-1] - i * len(h)

    for args in ((), (X,)):
        assert gfx.symbolic_trace(function, *args, backend="torch")(OTHER).tolist() == function(OTHER).tolist()


def test_an_inner_loop_over_a_list_makes_its_iterator_anew():
    def function(x, n):
        held = [x, x * 2]
        for _ in range(n):
            for i, item in enumerate(held):
                held[i] = item + i
            for item, k in zip(held, (1, 2)):
                x = x + item * k
            for item in reversed(held):
                x = x - item
        return x, held

    program = gfx.symbolic_trace(function, X, torch.tensor(2))
    for n in (0, 1, 3):
        for call in (program, program.to("torch")):
            torch.testing.assert_close(call(X, torch.tensor(n)), function(X, n))


def stopped_within(x):
    rest = reversed([])
    return x, list(map(lambda e: next(rest), (2,))), list(filter(lambda e: next(rest), (2,)))


def squeezed(x: np.ndarray):
    s = np.squeeze(x[:1])
    for _ in x:
        s *= 2
    return x


def test_what_stops_within_a_map_ends_it():
    assert gfx.symbolic_trace(stopped_within, torch.ones(2))(torch.ones(2))[1:] == ([], [])


def test_a_view_of_an_array_is_written_though_it_has_no_axes():
    x = np.array([1.0, 2.0, 3.0])
    assert np.array_equal(gfx.symbolic_trace(squeezed, x)(x.copy()), squeezed(x.copy()))
