"""Lists, dictionaries and objects under several names, where a test or a loop puts them: a write is seen by each, or refused."""

from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = [torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0])]


@dataclass
class Pair:
    first: object
    second: object


def two_names(x):
    if x.sum() > 0:
        a = [x * 1, x]
        b = a
    else:
        a = [x * 2, x]
        b = a
    a[0] = x * 5
    return b[0], x if a is b else -x


def one_holds_it(x):
    if x.sum() > 0:
        a = [x * 1]
        b = {"k": a, "l": [a]}
    else:
        a = [x * 2]
        b = {"k": a, "l": [a]}
    a.append(x * 5)
    return b["k"][-1] + b["l"][0][1]


def given_twice(x):
    def pair():
        if x.sum() > 0:
            a = Pair(x, x * 2)
            return a, a
        a = Pair(x * 3, x)
        return a, a

    a, b = pair()
    a.first = x * 7
    return b.first, b.second


def written_before(x):
    a = [x * 2]
    if x.sum() > 0:
        a[0] = x
        b = a
    else:
        b = a
        a[0] = x + 1
    b[0] = b[0] * 5
    return a


def leaves_of(tree):
    if isinstance(tree, (tuple, list)):
        return [leaf for item in tree for leaf in leaves_of(item)]
    return [np.asarray(tree).tolist()]


def original(x):
    a = c = [x, x]
    if x.sum() > 0:
        a = [x * 2, x]
    c[0] = x * 5
    return a


def original_of_a_loop(x):
    a = c = [x, x]
    while x.sum() > 0:
        a, x = [x, a[0]], x - 1
    c[0] = x * 5
    return a


def one_or_two(x):
    if x.sum() > 0:
        a = b = [x * 1]
    else:
        a, b = [x * 2], [x * 3]
    a[0] = x * 5
    return b


def item_of_another(x):
    held = {"a": [x * 7], "b": [x]}
    if x.sum() > 0:
        held["a"] = held["b"]
    held["b"][0] = x * 2
    return held["a"]


def original_is_written(x):
    a = c = [x, x]
    if x.sum() > 0:
        a = [x * 2, x]
    a[0] = x * 5
    return c


def chosen(x):
    a, b = [x, x * 2], [x * 3, x * 4]
    c = a if x.sum() > 0 else b
    c[0] = x * 5
    a[1] = c[0] + 1
    b[1] = c[1] * 2
    return a, b, c


def chosen_within(x):
    a, b = [x, x * 2], [x * 3, x * 4]
    c = b
    if x.sum() > 0:
        c = a if x[0] > 1 else [x * 6, x]
        c[0] = c[0] + 1
    c[1] = x * 5
    a[0] = c[1] + a[0]
    return a, b, c


def left_by_trips(x):
    a, b = [x[0]], [x[1]]
    for row in x:
        a = b = [a[0] + row]
    b[0] = x[0] * 5
    return a


SAME = [two_names, one_holds_it, given_twice, written_before]
TESTED = [
    original,
    original_of_a_loop,
    original_is_written,
    one_or_two,
    item_of_another,
    chosen,
    chosen_within,
    left_by_trips,
]


@pytest.mark.parametrize("fn", [*SAME, *TESTED], ids=lambda fn: fn.__name__)
def test_a_write_is_seen_by_every_name_of_a_container(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for x in X:
        want = leaves_of(fn(x))
        assert leaves_of(program.to("torch")(x)) == want
        assert leaves_of(program.to("jax")(jnp.asarray(x.numpy()))) == want


def written_beside(x):
    a = c = [x, x]
    while x.sum() > 0:
        c[0] = x * 2
        a, x = [a[1], a[0]], x - 1
    return a


def written_before_it_is_left(x):
    a, c, r = [x], [x], x
    while x.sum() > 0:
        c[0] = x * 2
        r = r + a[0]
        a, x = c, x - 1
    return r


def asked(x):
    a = b = [x]
    if x.sum() > 0:
        a = [x * 2]
    return x if a is b else -x


@pytest.mark.parametrize(
    "fn, why",
    [
        (written_beside, "the list that 'a' was before it"),
        (written_before_it_is_left, "'a', which it carries"),
        (asked, "one object"),
    ],
)
def test_what_may_be_one_container_is_refused(fn, why):
    with pytest.raises(CaptureError, match=why):
        gfx.symbolic_trace(fn, backend="torch")
