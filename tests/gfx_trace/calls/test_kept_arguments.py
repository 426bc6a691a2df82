"""Functions that stay functions: what a call hands over and gets back is what an expansion of it would be."""

from dataclasses import dataclass, field

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from captured import equal

XS = torch.tensor([0.5, -1.0, 2.0]), torch.tensor([-3.0, 1.0, -2.0])


@dataclass
class State:
    a: object
    b: object
    log: list = field(default_factory=list)


# ---------------------------------------------------------------- containers
def grow(state):
    state.log.append(state.a)
    return state


def records_that_grow(x):
    s = State(x, x + 1)
    grow(s)
    t, u = grow(s), State(x * 2, x)
    grow(u)
    return t.log[0] + t.log[1] * 10 + len(s.log) + u.log[0] * 100


def first(items):
    return items[0] * 2


def items_that_change(x):
    items = [x, x + 1]
    a = first(items)
    items[0] = x * 5
    b = first(items)
    return a + b * 10 + first([x * 3]) * 100


def same(items):
    return items


def lists_that_stay_themselves(x):
    items = [x]
    more = same(items)
    more.append(x + 1)
    again = same(more)
    again[0] = x * 7
    return items[0] + items[1] * 10 + float(more is items) + float(again is items) * 2


def made_twice(x):
    def both(x):
        y = x * 2
        return [y, y, {"k": y}]

    a, b = both(x), both(x + 1)
    a[0] += 1
    return a[1] + a[2]["k"] * 10 + b[0] * 100


# ---------------------------------------------------------------- what is written
def add_to(x, y):
    x += y
    return x


def one_is_the_other(x):
    x = x * 1
    a, b = add_to(x, x[:]), add_to(x, x + 1)
    c = add_to(b, b)
    return x + a * 10 + b * 100 + c * 1000


def views_are_written(x):
    x = x * 1
    add_to(x[:2], x[1:] * 2)
    add_to(x[1:], x[:2] * 3)
    return x


def taken_from_outside_as_well(x):
    k = x * 1

    def g(y):
        y += k
        return y * k

    a, b, c = g(x * 1), g(x + 1), g(k)
    return a + b * 10 + c * 100 + k * 1000


def outside_is_written(x):
    k = x * 1

    def g(y):
        nonlocal k
        k += y
        return k * 2

    return g(x) + g(x) * 10 + k * 100


def views_are_given(x):
    def ends(x):
        return x[:2], x[1:]

    x = x * 1
    (a, b), (c, d) = ends(x), ends(x * 2)
    x += 1
    return torch.cat([a + b, c - d])


def swapped(x):
    swap = lambda a, b: (b, a)
    x, y = x * 1, x + 1
    a, b = swap(x, y)
    c, d = swap(a, b)
    c += 1
    return x + y * 10 + a * 100 + d * 1000


# ---------------------------------------------------------------- functions
def within(x):
    def outer(y):
        def inner(z):
            return z * y

        return inner(y) + inner(y + 1)

    return outer(x) + outer(x * 2) * 10


def twice(f, x):
    return f(x) + f(x * 2)


def of_variables(x):
    k = x + 1
    return twice(lambda v: v * k, x) + twice(lambda v: v + k, x) * 10 + twice(lambda v: v * k, x + 1) * 100


def of_a_loop(x):
    n = 0
    while x.sum() < 20 and n < 5:
        w = x.abs() + 1

        def g(v, w=w):
            return v * w

        x = g(x.abs()) + g(w)
        n += 1
    return x


# ---------------------------------------------------------------- numbers
def sizes(x):
    half = lambda n: n // 2
    part = lambda x, n: x[:n]
    n = x.shape[0]
    return part(x, half(n + 1)).sum() + part(x * 2, half(n)).sum() * 10 + part(x, half(n + 1)).sum() * 100


def more_arguments(x):
    def f(x, *args, scale=2.0, **more):
        return x * scale + len(args) + sum(more.values())

    return f(x) + f(x, 1) * 10 + f(x, 1, scale=3.0) * 100 + f(x, a=x, b=1) * 1000 + f(x, a=x * 2, b=1)


def kinds_of_numbers(x):
    def f(x, n):
        return x * n

    n = x.sum().item()
    return f(x, n) + f(x, 2) * 10 + f(x, True) * 100 + f(x, 1.5) * 1000


CASES = [
    records_that_grow, items_that_change, lists_that_stay_themselves, made_twice, one_is_the_other, views_are_written,
    taken_from_outside_as_well, outside_is_written, views_are_given, swapped, within, of_variables, of_a_loop, sizes,
    more_arguments, kinds_of_numbers,
]  # fmt: skip


@pytest.mark.parametrize("given", [(XS[0],), ()], ids=["typed", "open"])
@pytest.mark.parametrize("case", CASES)
def test_a_call_gives_what_the_author_wrote(case, given):
    program = gfx.symbolic_trace(case, *[x.clone() for x in given], backend="torch")
    emitted = program.to("torch")
    for x in XS:
        for call in (program, emitted):
            equal([np.asarray(call(x.clone()))], [np.asarray(case(x.clone()))], 1e-4)


def test_records_are_handed_on_by_their_fields():
    def predict(state, f):
        """The state one step on."""
        return State(f @ state.a, f @ state.b @ f.T)

    def kalman(f, steps: int = 3):
        state = State(torch.ones(2), torch.eye(2))
        for _ in range(steps):
            state = predict(state, f)
        return predict(state, f).a

    source = gfx.symbolic_trace(kalman, torch.eye(2)).source("torch")
    assert "def predict(state_a, state_b, f):" in source and "The state one step on." in source


def test_what_a_function_does_to_the_world_its_call_does(capsys):
    def log(x):
        print("at", x.sum())

    def checked(x):
        if x.sum() > 100:
            raise ValueError("too large")
        return x * 2

    def f(x):
        log(x)
        y = checked(x) + checked(x + 1)
        checked(y)
        log(y)
        return y

    program = gfx.symbolic_trace(f, XS[0])
    assert set(program.functions) == {"log", "checked"}
    emitted = program.to("torch")
    emitted(XS[0])
    assert capsys.readouterr().out.count("at") == 2
    with pytest.raises(ValueError, match="too large"):
        emitted(XS[0] + 20)


def test_random_numbers_are_drawn_one_after_the_other():
    def noisy(x):
        return x + torch.rand(3)

    def f(x):
        return torch.stack([noisy(x), noisy(x), noisy(x)])

    program = gfx.symbolic_trace(f, XS[0])
    got = program.to("torch")(XS[0], generator=torch.Generator().manual_seed(3)) - XS[0]
    torch.testing.assert_close(got, torch.rand(3, 3, generator=torch.Generator().manual_seed(3)))
    assert list(program.functions) == ["noisy"]
