"""Lists, dictionaries and objects under several names, where a test or a loop puts them: one stays one, and what may be one is refused."""

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


@pytest.mark.parametrize("fn", [two_names, one_holds_it, given_twice, written_before], ids=lambda fn: fn.__name__)
def test_one_container_under_several_names_stays_one(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    for x in X:
        want = leaves_of(fn(x))
        assert leaves_of(program.to("torch")(x)) == want
        assert leaves_of(program.to("jax")(jnp.asarray(x.numpy()))) == want


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


def asked(x):
    a = b = [x]
    if x.sum() > 0:
        a = [x * 2]
    return x if a is b else -x


@pytest.mark.parametrize(
    "fn", [original, original_of_a_loop, one_or_two, item_of_another, asked], ids=lambda fn: fn.__name__
)
def test_what_may_be_one_container_is_refused(fn):
    with pytest.raises(CaptureError, match=r"others may hold it too|whether these are one object"):
        gfx.symbolic_trace(fn, backend="torch")
