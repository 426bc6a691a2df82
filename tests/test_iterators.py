"""Python's iterators and containers in code that a loop or a test on tensor data runs again, or not: nothing moves on once only."""

import bisect
import heapq
import operator
from collections import Counter, OrderedDict, deque
from itertools import count

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


def next_of_a_list(x):
    numbers = iter([1.0, 2.0, 3.0])
    return weighed(x, lambda: next(numbers))


def next_of_a_counter(x):
    numbers = count(1)
    return weighed(x, lambda: next(numbers))


def next_of_a_generator(x):
    def numbers():
        k = 0
        while True:
            k += 1
            yield k

    made = numbers()
    return weighed(x, lambda: next(made))


def a_loop_takes_its_items(x):
    numbers = iter([1.0, 2.0, 3.0, 4.0])

    def step():
        for number in numbers:
            return number
        return 0.0

    return weighed(x, step)


def a_deque(x):
    queue = deque()

    def step():
        queue.append(1)
        return len(queue)

    return weighed(x, step)


def a_heap(x):
    heap = []

    def step():
        heapq.heappush(heap, -len(heap))
        return heap[0]

    return weighed(x, step)


def a_sorted_list(x):
    items = [2]

    def step():
        bisect.insort(items, 1)
        return items[1]

    return weighed(x, step)


def an_item_by_operator(x):
    items = [1.0]

    def step():
        operator.setitem(items, 0, items[0] * 2)
        return items[0]

    return weighed(x, step)


def a_counter(x):
    counts = Counter()

    def step():
        counts.update(a=1)
        return counts["a"]

    return weighed(x, step)


class Stack(list):
    """A list of its own."""


def a_class_of_lists(x):
    items = Stack()

    def step():
        items.append(1)
        return len(items)

    return weighed(x, step)


ONCE = [next_of_a_list, next_of_a_counter, next_of_a_generator, a_loop_takes_its_items, a_deque, a_heap, a_sorted_list,
        an_item_by_operator, a_counter, a_class_of_lists]  # fmt: skip


@pytest.mark.parametrize("function", ONCE)
def test_python_runs_a_loop_that_moves_them_on(function):
    """Where the trips are fixed; else it is refused."""
    with pytest.raises(CaptureError, match=r"iterator that was made outside|the loop (changes|appends|writes|reads)"):
        gfx.symbolic_trace(function, backend="torch")
    program = gfx.symbolic_trace(function, X)
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

    with pytest.raises(CaptureError, match="iterator that was made outside of this test or loop"):
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
