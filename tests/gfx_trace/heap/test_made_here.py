"""What a side of a test makes for itself, in whatever way, it may write: nothing of it is there behind the side."""

from __future__ import annotations

import copy
import functools
import json
import operator
from collections import OrderedDict, UserList, defaultdict, deque
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.utils._pytree import tree_map

import gfx_trace as gfx

XS = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0])


@dataclass
class Logged:
    value: object
    log: list = field(default_factory=list)


def rest(x):
    _, *found = x, x, x
    return found


def counting():
    count = 0

    def counted():
        nonlocal count
        count += 1
        return count

    return counted() + counted()


LISTS = [
    lambda x: [x] * 2,
    lambda x: [x] + [x],
    lambda x: operator.add([x], [x]),
    lambda x: sum([[x], [x]], []),  # noqa: RUF017
    lambda x: functools.reduce(lambda a, b: a + [b], [x, x], []),
    lambda x: [x, x][:1],
    lambda x: [x].copy(),
    lambda x: [*(x, x)],
    lambda x: [a for a in (x, x) for b in range(2) if b],
    lambda x: list({"a": x}.values()),
    lambda x: copy.deepcopy({"a": [1.0]})["a"],
    lambda x: json.loads("[1, [2]]")[1],
    lambda x: "1 2".split(),
    lambda x: defaultdict(list)["a"],
    lambda x: {}.setdefault("a", []),
    lambda x: Logged(x).log,
    lambda x: replace(Logged(x), log=[x]).log,
    lambda x: deque([x]),
    lambda x: UserList([x]),
    lambda x: OrderedDict.fromkeys("ab", [x])["a"],
    rest,
]


@pytest.mark.parametrize("make", LISTS, ids=range(len(LISTS)))
def test_a_list_is_written_by_the_side_that_makes_it(make):
    def under_a_test(x):
        if x.sum() > 0:
            held = make(x)
            held.append(x * 2)
            x = held[-1] * len(held)
        return x

    program = gfx.symbolic_trace(under_a_test, backend="torch")
    for x in XS:
        torch.testing.assert_close(program(x), under_a_test(x))


@pytest.mark.parametrize(
    ("backend", "make"),
    [
        ("numpy", lambda x: np.split(x, 2)),
        ("torch", lambda x: tree_map(lambda leaf: leaf, [x])),
        ("jax", lambda x: jax.tree.leaves({"a": x})),
        ("jax", lambda x: jax.grad(lambda held: held[0].sum())([x])),
        ("jax", lambda x: jax.lax.while_loop(lambda held: held[0].sum() < 9, lambda held: [held[0] + 1], [x])),
    ],
)
def test_a_list_that_a_library_gives_is_written(backend, make):
    def function(x):
        held = make(x)
        held.append(x)
        return held[-1] * len(held)

    x = {"numpy": np.array, "torch": torch.tensor, "jax": jnp.array}[backend]([1.0, 2.0])
    program = gfx.symbolic_trace(function, x)
    np.testing.assert_allclose(np.asarray(program(x)), np.asarray(function(x)))


def test_other_objects_are_written_by_the_side_that_makes_them():
    def under_a_test(x):
        if x.sum() > 0:
            named, cut, given = SimpleNamespace(a=x), {1, 2} & {2, 3}, (lambda **held: held)(a=x)
            named.b = named.a + 1
            cut.add(4)
            given["c"] = named.b * len(cut)
            x = given["c"] * counting()
        return x

    program = gfx.symbolic_trace(under_a_test, backend="torch")
    for x in XS:
        torch.testing.assert_close(program(x), under_a_test(x))


def test_what_a_side_left_is_written_by_another_test_alone():
    def function(x, flag: bool, other: bool):
        if flag:
            held = [x * 2]
        if flag:
            if other:
                held.append(x)
            x = x * len(held)
        return x

    program = gfx.symbolic_trace(function, backend="torch")
    for flag, other in ((True, True), (True, False), (False, True)):
        torch.testing.assert_close(program(XS[0], flag, other), function(XS[0], flag, other))


ROWS = [
    lambda x: [v * 2 for v in x][1:],
    lambda x: list(x)[::-1],
    lambda x: x.tolist()[:2],
    lambda x: [*x][:],
    lambda x: list(range(len(x)))[::2],
    lambda x: ([0] * len(x))[1:],
    lambda x: sorted(range(len(x)), key=lambda at: float(x[at])),
    lambda x: sorted(list(x), reverse=True)[:2],
    lambda x: ([v + 1 for v in x] + [x[0]])[-2:],
]


@pytest.mark.parametrize("given", [(), (torch.tensor([3.0, 1.0, 2.0]),)], ids=["open", "given"])
@pytest.mark.parametrize("make", ROWS, ids=range(len(ROWS)))
def test_a_part_of_a_list_of_rows_is_a_list_of_its_own(make, given):
    def function(x):
        held = make(x)
        held.append(held[0])
        held[0] = held[1]
        return x * sum(map(float, held)) + len(held), x * sum(map(float, make(x)))

    program = gfx.symbolic_trace(function, *given, backend="torch")
    for x in (torch.tensor([2.0, 3.0, 1.0]), torch.tensor([-1.0, 0.5, 4.0])):
        torch.testing.assert_close(program(x), function(x))


def test_what_each_trip_makes_is_its_own():
    def function(x):
        kept = []
        for row in x:
            pair = [row] + [row * 2]
            if row > 0:
                pair.append(row * 3)
                x = x + pair[-1]
            kept.append(pair[1])
        return x.sum() + kept[-1]

    program = gfx.symbolic_trace(function, XS[0])
    for x in XS:
        torch.testing.assert_close(program(x), function(x))
