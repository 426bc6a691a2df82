"""Iterators that have begun to go over a list which a test on captured data makes longer
or a dictionary: how far they go is not known."""

import itertools

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python


def backwards(p):
    return reversed(p)


def begun(p):
    q = iter(p)
    next(q)
    return q


def numbered(p):
    q = enumerate(p)
    next(q)
    return (item for _, item in q)


def zipped(p):
    q = zip(p, (1.0, 2.0, 3.0))
    next(q)
    return (item for item, _ in q)


def mapped(p):
    q = map(abs, p)
    next(q)
    return q


def expression(p):
    q = (item * 2 for item in p)
    next(q)
    return q


def generator(p):
    def items():
        for item in p:  # noqa: UP028 - the loop is what is tested
            yield item

    q = items()
    next(q)
    return q


@pytest.mark.parametrize("over", [backwards, begun, numbered, zipped, mapped, expression, generator])
def test_an_iterator_does_not_end_early_unseen(over):
    def on_data(x):
        p = [1.0, 2.0]
        q = over(p)
        if x.sum() > 0:
            p.append(3.0)
        return x * sum(q)

    def on_host(x, longer: bool):
        p = [1.0, 2.0]
        q = over(p)
        if longer:
            p.append(3.0)
        return x * sum(q)

    for fn in (on_data, on_host):
        with pytest.raises(CaptureError, match="'p', which it goes over, has changed on the way"):
            gfx.symbolic_trace(fn, backend="torch")


def in_its_loop(x):
    p = [1.0, 2.0]
    for item in p:
        x = x + item
        if item < 2 and x.sum() > 0:
            p.append(3.0)
    return x


def beside_rows(x):
    p, s = [1.0, 2.0], x.sum()
    for row, item in zip(x, p):
        s = s + row * item
        if len(p) < 3:
            p.append(3.0)
    return s


@pytest.mark.parametrize("fn", [in_its_loop, beside_rows])
def test_a_loop_does_not_end_early_unseen(fn):
    with pytest.raises(CaptureError, match="'p', which it goes over, has changed on the way"):
        gfx.symbolic_trace(fn, backend="torch")


def known_to_grow(x):
    p = [1.0, 2.0]
    for item in p:
        x = x + item
        if len(p) < 4:
            p.append(item)
    return x


def one_list_ends_first(x):
    rows = [row * 2 for row in x]
    pairs = itertools.zip_longest([1.0, 2.0, 3.0], [4.0], fillvalue=0.5)
    return torch.stack(rows).sum() * sum(a * b for a, b in pairs)


@pytest.mark.parametrize("fn", [known_to_grow, one_list_ends_first])
def test_what_is_known_is_gone_over_as_python_does(fn):
    assert_as_python(fn, (), [(torch.tensor([1.0, -2.0]),)])


def _left(made):
    def fn(x):
        taken = x * 0
        for i, (scale, step) in made([1.0, -2.0, 0.5], [0.5, 2.0, 1.0]):
            x = x * scale + step
            if x.sum() > 2:
                return x, i
            taken = taken + i
        return taken, -1

    return fn


@pytest.mark.parametrize(
    "made",
    [
        lambda a, b: enumerate(zip(a, b)),
        lambda a, b: zip(itertools.count(), zip(a, b)),
        lambda a, b: ((i, pair) for i, pair in enumerate(zip(a, b))),
        lambda a, b: itertools.islice(enumerate(zip(a, b)), 2),
        lambda a, b: map(lambda pair: (pair[0], pair[1]), enumerate(zip(a, b))),
        lambda a, b: filter(lambda pair: True, enumerate(zip(a, b))),
    ],
)
def test_data_may_leave_a_loop_over_iterators_of_iterators(made):
    assert_as_python(_left(made), (), [(torch.tensor(values),) for values in ([1.0, 2.0], [-1.0, 0.0], [-4.0, 1.0])])


def test_how_far_an_iterator_within_another_has_moved_is_not_known_either():
    def fn(x):
        pairs = zip([1.0, -2.0, 0.5], [0.5, 2.0, 1.0])
        for _, (scale, step) in enumerate(pairs):
            x = x * scale + step
            if x.sum() > 2:
                break
        return x * sum(a * b for a, b in pairs)

    with pytest.raises(CaptureError, match="decides how far it has moved on before"):
        gfx.symbolic_trace(fn, backend="torch")


def added_under_a_test(d, k, n):
    if k == n:
        d[9] = k


def added_in_any_case(d, k, n):
    d[9] = k


def written_over(d, k, n):
    if k == n:
        d[k] = 5


@pytest.mark.parametrize("change, right", [(added_under_a_test, None), (added_in_any_case, 50), (written_over, 9)])
@pytest.mark.parametrize("view", [dict.items, dict.keys, dict.values, iter])
def test_a_dictionary_that_grows_while_a_loop_goes_over_it(change, right, view):
    def fn(x, n: int):
        d = {1: 1, 2: 2, 3: 3}
        try:
            for k, _ in zip((1, 2, 3), view(d)):
                change(d, k, n)
        except RuntimeError:
            return x * 50
        return x * sum(d.values())

    if right is None:
        with pytest.raises(CaptureError, match="has the key 9"):
            gfx.symbolic_trace(fn, backend="torch")
        return
    x = torch.ones(2)
    assert torch.equal(gfx.symbolic_trace(fn, backend="torch")(x, 2), x * right)
