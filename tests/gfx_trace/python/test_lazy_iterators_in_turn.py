"""Iterators over iterators: what a loop, reduce or a comprehension changes between two items is seen by what makes the next one."""

import functools
import itertools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

XS = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-1.0, -2.0, 0.5, 4.0]), torch.tensor([2.0, -7.0, 1.0])


def looped(lazy):
    """A loop over lazy(x, now), whose trips change what now() gives."""

    def of(x):
        k, total = 1.0, x[0] * 0
        for item in lazy(x, lambda: k):
            total, k = total + item, k + 1
        return total * k

    return of


def nested(x):
    k, total = 1.0, x[0] * 0
    scaled = (v * k for v in x)
    for item in (v + k for v in scaled):
        total, k = total + item, k + 1
    return total


def later(x):
    k, total = 1.0, x[0] * 0
    totals = itertools.accumulate(x, lambda a, b: a + k * b)
    k = 7.0
    for item in totals:
        total = total + item
    return total


def left_early(x):
    k, total = 1.0, x[0] * 0
    for item in itertools.chain(map(lambda v: v * k, x), map(lambda v: v - k, x)):
        if total > 4:
            break
        total, k = total + item, k + 1
    return total


def changed_by(taken):
    """What is made of x * k[0] by taken(grown, items), where grown(v) changes k[0]."""

    def of(x):
        k = [1.0]

        def grown(v):
            k[0] = k[0] + 1
            return v * k[0]

        return taken(grown, (v * k[0] for v in x)) + k[0]

    return of


def of_a_local_function(x):
    k, total = 1.0, x[0] * 0

    def grown(v):
        nonlocal k
        k += 1
        return v * k

    for item in (grown(v) for v in x):
        total, k = total + item, k * 2
    return total + k


LOOPS = (
    looped(lambda x, now: itertools.accumulate(x, lambda a, b: a + b * now())),
    looped(lambda x, now: itertools.accumulate(x, lambda a, b: a + b * now(), initial=0.5)),
    looped(lambda x, now: itertools.accumulate(map(lambda v: v * now(), x))),
    looped(lambda x, now: itertools.chain((v * now() for v in x), (v - now() for v in x))),
    looped(lambda x, now: itertools.islice(map(lambda v: v * now(), x), 2)),
    looped(lambda x, now: itertools.islice((v * now() for v in x), 1, None, 2)),
    looped(lambda x, now: (a * b for a, b in itertools.pairwise(v * now() for v in x))),
    looped(lambda x, now: (a * b for a, b in zip(x, itertools.accumulate(x, lambda p, q: p * now() + q)))),
    looped(lambda x, now: (i * b for i, b in enumerate(itertools.accumulate(v * now() for v in x)))),
    nested,
    later,
    left_early,
    of_a_local_function,
)
TAKEN = (
    changed_by(lambda grown, items: functools.reduce(lambda a, b: a + grown(b), items, 0.0)),
    changed_by(lambda grown, items: sum(grown(v) for v in items)),
    changed_by(lambda grown, items: sum([grown(v) for v in items])),
    changed_by(lambda grown, items: sum([grown(v) + w for v in items for w in (1.0, 2.0)])),
    changed_by(lambda grown, items: sum([grown(v) for v in items if v > 0])),
)


@pytest.mark.parametrize("fn", (*LOOPS, *TAKEN))
@pytest.mark.parametrize("typed", (False, True))
def test_items_are_made_at_their_turn(fn, typed):
    assert_as_python(fn, XS[:1] if typed else (), [(x,) for x in XS if not typed or len(x) == 3])


def asked_ahead(decided):
    """A test that goes over items which count how many of them are made."""

    def of(x):
        count = [0]

        def asked(v):
            count[0] += 1
            return v > 0

        return x.sum() * decided(asked, x) + count[0]

    return of


@pytest.mark.parametrize("decided", (
    lambda asked, x: any(a for a, _ in zip(map(asked, x), x)),
    lambda asked, x: any(map(lambda v: v, map(asked, x))),
    lambda asked, x: any(v for v in map(asked, x) if v),
    lambda asked, x: all(itertools.chain(map(asked, x), [x.sum() > 0])),
))  # fmt: skip
@pytest.mark.parametrize("given", ((), XS[:1]))
def test_what_writes_is_not_made_behind_the_item_that_decides(decided, given):
    with pytest.raises(CaptureError, match="data decides how far"):
        gfx.symbolic_trace(asked_ahead(decided), *given, backend="torch")


@pytest.mark.parametrize("decided", (
    lambda x: any(itertools.chain(map(lambda v: v > 1, x), [x.sum() > 3])),
    lambda x: all(a > b for a, b in zip(map(lambda v: v * 2, x), x)),
))  # fmt: skip
@pytest.mark.parametrize("given", ((), XS[:1]))
def test_what_writes_nothing_may_be_made_ahead(decided, given):
    assert_as_python(lambda x: x * decided(x), given, [(x,) for x in XS if not given or len(x) == 3])


def a_cell_that_begins_with_none(x):
    before, total = [None], x[0] * 0
    for v in x:
        if before[0] is not None:
            total = total + v * before[0]
        before[0] = v
    return total


def test_the_first_trip_settles_what_a_slot_holds():
    assert_as_python(a_cell_that_begins_with_none, (), [(x,) for x in XS])


LISTS = (
    lambda x: list(x) + list(x),
    lambda x: [*x, *x],
    lambda x: list(reversed(list(x))),
    lambda x: list(itertools.chain(x, x)),
)


def extended(x):
    outs = list(x)
    outs += list(x)
    return outs


def turned(x):
    outs = list(x)
    outs.reverse()
    return outs


@pytest.mark.parametrize("made", (*LISTS, extended, turned))
def test_items_of_a_list_stay_views(made):
    """A write to the tensor whose rows they are is seen in them, or refused."""

    def fn(x):
        x = x.clone()
        outs = made(x)
        x[-1] = x[-1] + 1
        return sum(outs)

    assert_as_python(fn, XS[:1], [(XS[0],), (XS[2],)])
    try:
        program = gfx.symbolic_trace(fn, backend="torch")
    except CaptureError:
        return
    torch.testing.assert_close(program(XS[1]), fn(XS[1]))
