"""What is lazy in Python makes each item at its turn: what a loop changes between is seen, and what nobody takes has no effect."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

XS = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, 0.5]), torch.tensor([2.0, -7.0, 1.0])


def of_generator(x):
    k, total = 1.0, x[0] * 0
    for item in (v * k for v in x):
        total, k = total + item, k + 1
    return total


def of_map(x):
    k, total = [x[0]], x[0] * 0
    for item in map(lambda v: v * k[0], x):
        total, k[0] = total + item, k[0] + item
    return total


def of_numbered(x):
    k, total = 1.0, x[0] * 0
    for i, item in enumerate(k * v for v in x):
        total, k = total + item * i, k + 1
    return total


def of_pairs(x):
    k, total = 1.0, x[0] * 0
    for v, item in zip(x, (k * v for v in reversed(x))):
        total, k = total + item * v, k + 1
    return total


def in_turn(x):
    k = [1.0]

    def grown(v):
        k[0] = k[0] * 2
        return v * k[0]

    return torch.stack([item * k[0] for item in map(grown, x)])


def counting(taken):
    def of(x):
        n = [0]

        def asked(v):
            n[0] += 1
            return v > 0

        return x * taken(asked, x) + n[0] * 10

    return of


STOPS = (
    counting(lambda asked, x: any(asked(v) for v in x)),
    counting(lambda asked, x: all(map(asked, x))),
    counting(lambda asked, x: all(asked(v) for v in x)),
    counting(lambda asked, x: max(x, key=lambda v: asked(v) * v)),
)


@pytest.mark.parametrize("fn", (of_generator, of_map, of_numbered, of_pairs, in_turn, *STOPS))
@pytest.mark.parametrize("typed", (False, True))
def test_items_are_made_at_their_turn(fn, typed):
    assert_as_python(fn, XS[:1] if typed else (), [(x,) for x in XS])


def beside_code(x):
    log, total = [], x[0] * 0

    def numbers():
        for i in itertools.count():
            log.append(i)
            yield i * len(log)

    for v, n in zip(x, numbers()):
        total = total + v * n
        log.append(0)
    return total * len(log)


def beside_a_cycle(x):
    total = x[0] * 0
    for v, n in zip(x, itertools.cycle([1.0, 10.0])):
        total = total + v * n
    return total


@pytest.mark.parametrize("fn", (beside_code, beside_a_cycle))
def test_code_beside_rows_runs_as_often_as_there_are_rows(fn):
    """Of open rows it cannot: it was run to its end before the loop, and for ever where it has none."""
    assert_as_python(fn, XS[:1], [(x,) for x in XS])
    with pytest.raises(CaptureError, match="length"):
        gfx.symbolic_trace(fn, backend="torch")


@pytest.mark.parametrize("left", (lambda it: next(it, 9.0), lambda it: len(list(it))))
def test_what_a_zip_leaves_hangs_on_how_many_rows_there_are(left):
    def fn(x):
        it, total = iter([1.0, 2.0, 3.0, 4.0, 5.0]), x[0] * 0
        for v, n in zip(x, it):
            total = total + v * n
        return total + left(it)

    with pytest.raises(CaptureError, match="iterator"):
        gfx.symbolic_trace(fn, backend="torch")
