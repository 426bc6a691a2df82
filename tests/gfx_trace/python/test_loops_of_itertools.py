"""itertools and comprehensions of several loops over rows of which the number is open; iterators see what their list becomes."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

DATA = [torch.tensor(values) for values in ([1.0, -2.5, 3.0], [0.5, 2.0], [-1.0, -2.0, -3.0, 4.0])]


def accumulated(x):
    numbers = [float(e) for e in x]
    products = itertools.accumulate(x, lambda a, b: a * b, initial=x.sum())
    return list(itertools.accumulate(numbers)), torch.stack(list(products)), max(itertools.accumulate(x.tolist()))


def put_together(x):
    numbers = x.tolist()
    return (
        list(itertools.chain([0.5], numbers, numbers)),
        [b - a for a, b in itertools.pairwise(x)],
        list(itertools.islice(x, 1, None)),
    )


def multiplied(x):
    total = x.sum()
    for i, row in itertools.product(range(2), x):
        total = total * 0.5 + row * i
    return total, [a * b for a, b in itertools.product(x, [x.max(), x.min()])]


def of_several_loops(x):
    pairs = [a * b for a in x if a > 0 for b in x if b > a]
    return (
        sum(a * b + c for a in x for b in (1, 2) for c in x),
        torch.stack([a * b for b in (1, 2) for a in x]),
        len(pairs),
    )


def of_fixed_loops(x):
    places = [(i, j) for i in range(3) for j in range(i) if (i + j) % 2]
    return [x * i + j for i, j in places], [t for held in ([x, -x], [x * 2]) for t in held if t.sum() > 0], places


def best_of_numbers(x):
    best, sums = None, []
    for v in x.tolist():
        best = v if best is None or v > best else best
        sums.append(v + best)
    return x * best, sums


def grown_behind(x):
    numbers, kept = [float(e) for e in x], [e for e in x if e > 0]
    numbered, pairs, joined = (
        enumerate(numbers),
        zip(kept, [1.0, 2.0, 3.0, 4.0, 5.0]),
        itertools.chain(numbers, numbers),
    )
    backwards, multiples = reversed(numbers), itertools.product(numbers, [2.0])
    numbers.append(7.0)
    kept.append(x[0])
    return (
        sum(i * v for i, v in numbered),
        [a * b for a, b in pairs],
        list(joined),
        list(backwards),
        [a * b for a, b in multiples],
    )


def filtered(x):
    numbers, places = x.tolist(), filter(lambda i: x[i] > 0, range(x.shape[0]))
    total, held = 0.0, filter(lambda v: v < 0, numbers)
    for v in filter(None, numbers):
        if v > 3:
            break
        total += v
    return total, list(places), max(filter(lambda v: v > 2, numbers), default=-1.0), list(held), list(held)


def while_a_test_holds(x):
    numbers = x.tolist()
    begin, rest = list(itertools.takewhile(lambda v: v < 2, numbers)), itertools.dropwhile(lambda v: v < 2, numbers)
    numbered = [i * v for i, v in enumerate(itertools.filterfalse(lambda v: v < 0, x), 1)]
    return begin, [v for v in rest if v > -3], numbered, sum(itertools.takewhile(lambda v: v != 2.0, numbers))


def asked_until_it_fails(x):
    asked = []

    def small(v):
        asked.append(v)
        return v < 2

    return list(itertools.takewhile(small, x.tolist())), asked


@pytest.mark.parametrize(
    "fn",
    [accumulated, put_together, multiplied, of_several_loops, of_fixed_loops, best_of_numbers, grown_behind, filtered]
    + [while_a_test_holds],
)
def test_as_python(fn):
    assert_as_python(fn, (), [(x,) for x in DATA])


@pytest.mark.parametrize("fn", [filtered, while_a_test_holds, asked_until_it_fails])
def test_as_python_of_a_fixed_length(fn):
    assert_as_python(fn, (DATA[0],), [(x,) for x in (DATA[0], -DATA[0], DATA[0] * 0)])


def test_items_that_a_test_decides_are_not_counted_by_another_iterator():
    def fn(x):
        total = x.sum()
        for a, b in zip(itertools.takewhile(lambda v: v > 0, x), x):
            total = total + a * b
        return total

    with pytest.raises(CaptureError, match="decides which items there are"):
        gfx.symbolic_trace(fn, DATA[0])


def taken_first(x):
    rows = [row * 2 for row in x if row > 0] + [x[0]]
    items = iter(rows)
    first = next(items)
    return first, sum(row * first for row in items), [i for i, _ in enumerate(iter(rows))]


def test_the_first_of_an_iterator_over_a_list_that_a_test_fills():
    assert_as_python(taken_first, (), [(x,) for x in DATA])


def numbered(x):
    rows = enumerate(zip(x, x * 2), start=1)
    i, (first, _) = next(rows)
    _, second = next(rows)
    return first + second[0] * second[1], sum((a * b * j for j, (a, b) in rows), x[0] * i)


def paired_with_a_list(x):
    rows = zip(x, [3.0, 4.0, 5.0])
    first, by = next(rows)
    return first * by, [row * at for row, at in rows]


@pytest.mark.parametrize("fn", [numbered, paired_with_a_list])
def test_the_first_of_what_goes_over_rows_of_open_number(fn):
    program = gfx.symbolic_trace(fn, gfx.TensorSpec((gfx.Dim("n", min=3), 2), "float32"))
    for x in (torch.arange(8.0).reshape(4, 2), torch.ones(3, 2)):
        torch.testing.assert_close(program(x), fn(x))


@pytest.mark.parametrize(
    "pairs",
    [
        lambda items: list(zip(items, items)),
        lambda items: [a + b for a, b in zip(items, map(lambda v: v * 2, items))],
        lambda items: sum(a * b for a, b in zip(map(lambda v: v * 2, items), items)),
    ],
)
@pytest.mark.parametrize("given", [iter, lambda x: (v * 2 for v in x), lambda x: iter([v for v in x if v > 0])])
def test_an_iterator_that_stands_twice_in_a_zip_is_refused(given, pairs):
    with pytest.raises(CaptureError, match="GFX cannot"):
        gfx.symbolic_trace(lambda x: pairs(given(x)), backend="torch")


@pytest.mark.parametrize("take", [list, next, sum])
def test_an_iterator_over_a_list_that_has_grown_is_refused(take):
    def fn(x):
        numbers = [float(e) for e in x]
        items = iter(numbers)
        numbers.append(7.0)
        return take(items)

    with pytest.raises(CaptureError, match="the list that it goes over has changed"):
        gfx.symbolic_trace(fn, backend="torch")


def beside_a_range(x):
    """As many trips as there are of each, where a range has more or fewer, begins elsewhere, or counts by others."""
    total = sum(a * b for a, b in zip(x, range(1, 100)))
    for i, (a, b) in enumerate(zip(x, range(1, 3)), 5):
        total = total + a * b * i
    for a, b, c in zip(range(20, 2, -3), x, x[1:]):
        total = total + (c - b) * a
    return total


def test_rows_beside_ranges_of_other_lengths():
    assert_as_python(beside_a_range, (gfx.TensorSpec((gfx.Dim("T", min=1),), "float32"),), [(x,) for x in DATA])
