"""What `functools.cache` and its like remember: a function runs once for a key, and gives the same object again."""

import functools

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

XS = torch.tensor([1.0, 3.0, -1.0]), torch.tensor([-1.0, -3.0, 0.5])
KEPT: list = []


def runs_once_for_a_key(x: torch.Tensor):
    p: list = []
    q = functools.cache(lambda e: p.append(e) or e * 2)
    q(1.0), q(1.0), q(2.0)
    return x * len(p) + q(1.0)


def a_loop_asks_for_what_is_known(x: torch.Tensor):
    p = [0.0]

    @functools.cache
    def q(k):
        p.append(k)
        return k + 1.0

    q(1)
    for row in x:
        x = x + row * q(1)
    return x * len(p)


def one_object(x: torch.Tensor):
    q = functools.cache(lambda e: x * e)
    a, b = q(2.0), q(2.0)
    a += 1
    return a, b


def one_list(x: torch.Tensor):
    q = functools.cache(lambda e: [e])
    q(1).append(5.0)
    return x * len(q(1))


def the_oldest_is_forgotten(x: torch.Tensor):
    p: list = []
    q = functools.lru_cache(maxsize=2)(lambda e: p.append(e))
    q(1), q(2), q(1), q(3), q(1), q(2)
    return x * len(p)


def cleared(x: torch.Tensor):
    p: list = []
    q = functools.cache(lambda e: p.append(e))
    q(1), q.cache_clear(), q(1)
    return x * len(p)


def keys_as_python_has_them(x: torch.Tensor):
    p: list = []
    q = functools.cache(lambda k: p.append(k))
    q(1), q(k=1), q(1.0), q(True), q(x), q(x), q(x * 2)
    return x * len(p)


def an_error_is_not_remembered(x: torch.Tensor):
    p: list = []

    @functools.cache
    def q(k):
        p.append(k)
        if len(p) < 2:
            raise ValueError
        return 1.0

    for _ in range(3):
        try:
            q(1)
        except ValueError:
            p.append(0)
    return x * len(p)


def numbers_of_data(x: torch.Tensor):
    q = functools.cache(lambda k: x * k)
    return q(int(x[1])) + q(3)


@functools.cache
def table(n):
    return torch.arange(3.0) * n


def of_the_module(x: torch.Tensor):
    y = functools.partial(lambda e: table(e), 1)() if x.sum() > 0 else table(2)
    return y + table(1) * x


@functools.lru_cache(8)
def plan(name, sizes):
    steps = []
    for size in sizes:
        steps.append(size * 2)
    return name, steps


@pytest.mark.parametrize("shape", [("B", 3), (2, 3)])
def test_a_key_of_open_sizes_in_a_tuple(shape):
    def f(x: torch.Tensor):
        first, again = plan("a", (x.shape[0], x.shape[1])), plan("a", (x.shape[0], x.shape[1]))
        other = plan("b", (x.shape[0], (x.shape[1] - 1, 3))[:1])
        return x * sum(first[1]) + len(again[1]) + (first[1] is again[1]) + sum(other[1])

    program = gfx.symbolic_trace(f, gfx.TensorSpec(shape))
    for x in (torch.ones(2, 3), torch.ones(4, 3))[: 1 + (shape[0] == "B")]:
        assert program(x).equal(f(x))


nameless = functools.lru_cache(8)(functools.partial(lambda by, x: [x * by], 2))


def test_what_is_remembered_needs_no_name():
    program = gfx.symbolic_trace(lambda x: x * nameless(3)[0] + (nameless(3) is nameless(3)), torch.ones(2))
    assert program(torch.ones(2)).tolist() == [7.0, 7.0]


class Recipe:
    def __init__(self, steps, sizes):
        self.steps, self.sizes = steps, sizes


@functools.lru_cache(8)
def recipe(n):
    steps, sizes = [], {}
    for i in range(n):
        steps.append((i, [i]))
        sizes[i] = i + 1.0
    made = Recipe(steps, sizes)
    made.steps[0][1].append(Recipe([n], {}))
    return made


def an_object_filled_where_it_is_made(x: torch.Tensor):
    for row in x:
        if row > 1:
            x = x + recipe(3).sizes[1]
    return x * len(recipe(3).steps) + len(recipe(4).steps[0][1])


@pytest.mark.parametrize(
    "f",
    [
        runs_once_for_a_key, a_loop_asks_for_what_is_known, one_object, one_list, the_oldest_is_forgotten, cleared,
        keys_as_python_has_them, an_error_is_not_remembered, numbers_of_data, of_the_module,
        an_object_filled_where_it_is_made,
    ],
)  # fmt: skip
def test_remembered(f):
    program = gfx.symbolic_trace(f)
    for x in XS:
        want = f(x.clone())
        for got in (program(x.clone()), program.to("torch")(x.clone()), program.to("jax")(jnp.asarray(x.numpy()))):
            for a, b in zip(want, got):
                np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)


def data_decides_whether(x: torch.Tensor):
    p: list = []
    q = functools.cache(lambda e: p.append(e))
    if x.sum() > 0:
        q(1)
    return x * len(p)


def data_decides_which(x: torch.Tensor):
    p: list = []
    q = functools.cache(lambda e: p.append(e))
    q(1), q(int(x[0]))
    return x * len(p)


def one_object_or_two(x: torch.Tensor):
    q = functools.cache(lambda e: x * e)
    a, b = q(int(x[1])), q(3)
    a += 1
    return b


def one_list_or_two(x: torch.Tensor):
    q = functools.cache(lambda e: [e])
    a, b = q(int(x[1])), q(3)
    a.append(1.0)
    return x * len(b)


@functools.cache
def keeps(n):
    KEPT.append(n)
    return n * 2.0


def other_calls_may_have_run_it(x: torch.Tensor):
    return x * keeps(1)


HELD = ([0.0],)


@functools.cache
def lends(n):
    HELD[0].append(n)
    return HELD


def of_an_outer_list_in_a_tuple(x: torch.Tensor):
    return x * len(lends(1)[0])


@functools.cache
def made_once(n):
    return [n, torch.ones(3) * n]


def a_list_that_the_next_call_finds(x: torch.Tensor):
    kept = made_once(1)
    if x.sum() > 0:
        kept[0] = 5.0
    return x * kept[0]


def a_tensor_that_the_next_call_finds(x: torch.Tensor):
    part = made_once(1)[1][1:]
    part += 1
    return x * made_once(1)[1]


@functools.cache
def noise():
    return torch.randn(3)


def drawn_once_in_a_process(x: torch.Tensor):
    return x * noise()


def how_often(x: torch.Tensor):
    q = functools.cache(lambda e: e)
    q(1), q(1)
    return x * q.cache_info().hits


@pytest.mark.parametrize(
    "f, why",
    [
        (data_decides_whether, "which remembers its results: it writes"),
        (data_decides_which, "which remembers its results: it writes"),
        (one_object_or_two, "two calls of a function that remembers its results may give one object"),
        (one_list_or_two, "others may hold it too"),
        (other_calls_may_have_run_it, "'keeps', which remembers its results: it writes"),
        (of_an_outer_list_in_a_tuple, "'lends', which remembers its results: it writes"),
        (a_list_that_the_next_call_finds, "others may hold it too"),
        (a_tensor_that_the_next_call_finds, "a function remembers this tensor"),
        (drawn_once_in_a_process, "draws random numbers"),
        (how_often, "cache_info: GFX does not know how often it was called"),
    ],
)
def test_refused(f, why):
    with pytest.raises(CaptureError, match=why):
        gfx.symbolic_trace(f)


SETTINGS = {"scale": 2.0}


@functools.lru_cache
def scaled(a, by=1, *, shift=0):
    return SETTINGS["scale"] * a * by + shift


@functools.cache
def read_once():
    return SETTINGS["scale"]


@functools.cache
def read_again():
    return SETTINGS["scale"]


def test_what_calls_before_the_capture_were_answered_is_what_it_finds(monkeypatch):
    def f(x):
        return x * scaled(1) + scaled(1, 2) + scaled(1, shift=3) + scaled(by=2, a=1) + scaled(1.5) + read_once()

    def with_others(x):
        return x * scaled(1) + scaled(9) + scaled(1)

    def cleared(x):
        read_again.cache_clear()
        return x * read_again()

    x = torch.ones(2)
    want = f(x)
    read_again()
    monkeypatch.setitem(SETTINGS, "scale", 5.0)
    assert f(x).equal(want)
    assert gfx.symbolic_trace(f, x)(x).equal(want)
    assert gfx.symbolic_trace(lambda x: x * scaled(4), x)(x).equal(x * 20)
    assert gfx.symbolic_trace(with_others, x)(x).equal(with_others(x))
    assert gfx.symbolic_trace(cleared, x)(x).equal(x * 5)
