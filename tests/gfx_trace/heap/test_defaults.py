"""Defaults that a defaultdict makes in functions, tests and loops: they are made once, and what is written to them there stays there."""

import collections

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

defaultdict = collections.defaultdict


class Tally:
    def __init__(self):
        self.total, self.seen = 0.0, []


def appended(x, n: int):
    made = defaultdict(list)
    list(map(lambda e: made["a"].append(e), (1.0, 2.0)))
    return x * sum(map(len, made.values()))


def in_a_function(x, n: int):
    made = defaultdict(list)

    def put(e):
        made["a"].append(e)
        return e * len(made["a"])

    return put(x) + put(x) + x * len(made["a"])


def in_two_levels(x, n: int):
    made = defaultdict(lambda: defaultdict(lambda: [0.5]))

    def put(e):
        made["a"]["b"][0] += e
        made["a"]["b"].append(e)

    put(1.0)
    put(2.0)
    return x * made["a"]["b"][0] * len(made["a"]["b"])


def under_a_test(x, n: int):
    made = defaultdict(list)
    if n > 1:
        made["a"].append(1.0)
    return x * len(made["a"])


def in_a_loop(x, n: int):
    made = defaultdict(list)
    for i in range(n):
        if i % 2:
            made["odd"].append(1.0)
        else:
            made["even"].append(1.0)
    return x * (len(made["odd"]) + 10 * len(made["even"]))


def written_in_a_loop(x, n: int):
    made = defaultdict(lambda: [0.0, [1.0]])
    for _ in range(n):
        made["a"][0] += 1.0
    if n > 2:
        made["a"][1].append(4.0)
    return x * (made["a"][0] + sum(made["a"][1]))


def objects(x, n: int):
    made = defaultdict(Tally)
    for _ in range(n):
        made["a"].total += 2.0
    if n > 1:
        made["a"].seen.append(1.0)
    return x * (made["a"].total + len(made["a"].seen))


def under_a_test_on_data(x, n: int):
    made = defaultdict(lambda: {"count": 0.0})
    if x.sum() > 0:
        made["a"]["count"] += 1.0
    return x * made["a"]["count"]


def one_for_all(x, n: int):
    shared = [0.0]
    made = defaultdict(lambda: shared)
    if n > 1:
        made["a"][0] = 3.0
    return x * (shared[0] + made["b"][0])


CASES = [
    appended, in_a_function, in_two_levels, under_a_test, in_a_loop, written_in_a_loop, objects, under_a_test_on_data, one_for_all,
]  # fmt: skip


@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_a_default_is_made_once_and_written_where_the_code_writes_it(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    run = program.to("jax")
    for x in (1.5, -1.5):
        for n in range(4):
            want = float(fn(torch.tensor(x), n))
            assert float(program(torch.tensor(x), n)) == want
            assert float(np.asarray(run(jnp.float32(x), n))) == want
