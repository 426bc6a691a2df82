"""The truth of what is no number: lists that a test on data lengthens, objects that say it themselves, which of two tensors it is."""

import operator

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


class Sized:
    """An object that is true where its size is not 0."""

    def __init__(self, size):
        self.size = size

    def __bool__(self):
        return self.size != 0


def lengthened(x):
    found = []
    if x.sum() > 0:
        found.append(1)
    return found


def chosen(x):
    return x * 2 if x.sum() > 0 else x


def may_be_none(x):
    return x * 2 if x.sum() > 0 else None


ASKED = [
    lambda x: bool(lengthened(x)),
    lambda x: not bool(lengthened(x)[:1]),
    lambda x: bool(lengthened(x)) + 1,
    lambda x: operator.truth(lengthened(x)),
    lambda x: lengthened(x) or [5],
    lambda x: lengthened(x) and [6],
    lambda x: lengthened(x).__len__(),
    lambda x: all([lengthened(x), 1]),
    lambda x: any(v for v in (0, lengthened(x))),
    lambda x: 7 if x[0] > 0 and (Sized(x.shape[0] - 2) or x[1] > 3) else 8,
    lambda x: 7 if Sized(x.shape[0] - 2) and 3 else 8,
    lambda x: chosen(x) is not x,
    lambda x: not chosen(x) is not x,
    lambda x: may_be_none(x) is not None,
    lambda x: operator.not_(may_be_none(x) is None),
    lambda x: callable(x),
]


@pytest.mark.parametrize("asked", ASKED)
def test_it_is_pythons_own_answer(asked):
    program = gfx.symbolic_trace(asked, backend="torch")
    to_jax = program.to("jax")
    for x in ([1.0, 2.0], [-1.0, 0.5], [3.0, 4.0, -1.0]):
        want = asked(torch.tensor(x))
        for found in (program(torch.tensor(x)), program.to("torch")(torch.tensor(x))):
            assert type(found) is type(want) and repr(found) == repr(want)
        assert [float(v) for v in jax.tree.leaves(to_jax(np.float32(x)))] == [float(v) for v in jax.tree.leaves(want)]


@pytest.mark.parametrize("asked", [lambda x: lengthened(x) or x, lambda x: (Sized(x.shape[0] - 2) or 3) == 3])
def test_an_object_or_something_else_is_no_value(asked):
    with pytest.raises(UnsupportedConstruct, match="on one way, and something else on the other"):
        gfx.symbolic_trace(asked, backend="torch")


class CountsItems:
    def __init__(self):
        self.asked = 0

    def __len__(self):
        self.asked += 1
        return self.asked - 1


class Answering(CountsItems):
    def __bool__(self):
        self.asked += 1
        return self.asked > 2


@pytest.mark.parametrize("made", [CountsItems, Answering])
def test_the_truth_of_an_object_is_asked_where_python_asks_it(made):
    def fn(x, n: int):
        s, t, u = made(), made(), made()
        if (n > 1 and s) or not (s and n):
            x = x + 1
        y = bool(t) if n > 1 else x
        while u and n > 5:
            break
        return x, s.asked, t.asked, u.asked, y, [1 for _ in range(2) if n != 2 if u], u.asked

    program = gfx.symbolic_trace(fn, backend="torch")
    for n in (0, 1, 2, 3):
        assert repr(program(torch.ones(2), n)) == repr(fn(torch.ones(2), n))
