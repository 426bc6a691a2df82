"""Containers whose items one side of a test writes while the other changes them as a whole, and loops that are left from within."""

import jax
import jax.numpy as jnp
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.trees import leaves

XS = [[1.0, 2.0, 3.0], [-1.0, -2.0, -3.0], [-1.0, 5.0, 0.0]]


def item_or_update(x):
    state = {"m": x, "n": 0, "last": [0.0, 0.0]}
    if x.sum() > 0:
        state["m"] = state["m"] * 0.9
        state["n"] += 1
        state["last"][1] = x[0]
    else:
        state.update(m=x + 1)
    return state


def item_and_update(x):
    state = {"m": x, "n": 0, "k": x}
    if x.sum() > 0:
        state["m"] = state["m"] * 0.9
        state.update(n=5)
    return state


def item_or_order(x):
    xs = [x, x + 1, x + 2]
    if x.sum() > 0:
        xs[0] = x * 5
        xs.reverse()
        xs[0] = xs[0] * 2
    elif x[1] > 0:
        xs.insert(0, xs.pop())
    else:
        xs[2] = x * 7
    xs.append(x)
    return xs


def nested(x):
    d = {"a": x, "b": x + 1}
    if x.sum() > 0:
        d["a"] = x * 3
        d.update({"b": x - 1})
        if x[0] > 0:
            d["b"] = d["b"] * 2
    else:
        if x[1] < -1:
            d.update(a=x, b=x)
        d["a"] = d["a"] + 1
    return d


def updated_by_trips(x):
    d = {"a": x, "b": x + 1}
    while x.sum() < 6:
        d.update(a=d["b"] + x)
        d["b"] = d["a"] * 0.5
        x = x + 1
    return d


def found_in_nested_loops(x):
    m = x[:, None] * x
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            if m[i, j] > 4:
                return i, j, m[i, j]
            elif m[i, j] < -4:
                return -1, j, -m[i, j]
    return 9, 9, x[0]


class Sum:
    total, count = 0.0, 0

    def __init__(self, least):
        self.least = least

    def add(self, x):
        if x in self:
            self.total = self.total + x
            self.count += 1

    def __contains__(self, x):
        return x > self.least


def class_attributes(x):
    one, other = Sum(0), Sum(2)
    for v in x:
        one.add(v)
        other.add(v * 2)
    return one.total, one.count, other.total, other.count, Sum.count


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize(
    "fn",
    [item_or_update, item_and_update, item_or_order, nested, updated_by_trips, found_in_nested_loops, class_attributes],
    ids=lambda f: f.__name__,
)
def test_same(fn, level):
    program = gfx.symbolic_trace(fn, *((torch.tensor(XS[0]),) if level else ()), backend="torch")
    compiled = jax.jit(program.module("jax").load())
    for x in XS:
        wanted = sorted(float(torch.as_tensor(v).sum()) for v in leaves(fn(torch.tensor(x))))  # jit sorts keys
        for got in (program(torch.tensor(x)), program.to("torch")(torch.tensor(x)), compiled(jnp.asarray(x))):
            found = sorted(float(v.sum() if hasattr(v, "sum") else v) for v in leaves(got))
            assert found == pytest.approx(wanted)


def a_ternary(x):
    label = "up" if x.sum() > 0 else "down"
    return {"up": x, "down": -x}[label]


def test_a_ternary_is_called_what_it_is_assigned_to():
    with pytest.raises(UnsupportedConstruct, match="'label' is a str"):
        gfx.symbolic_trace(a_ternary, torch.tensor(XS[0]))


def counts_down(n):
    s = 0
    for k, i in enumerate(range(n, 0, -1), start=2):
        s = s * 3 + k * i
    for k, i in enumerate(range(-4, n, 2)):
        s = s * 3 + k * i + 1
    return s


@pytest.mark.parametrize("level", [0, 1])
def test_what_enumerate_counts(level):
    program = gfx.symbolic_trace(counts_down, *((torch.tensor(3),) if level else ()), backend="torch")
    for n in (3, 0, -3, -9):
        for call in (program, program.to("torch")):
            assert int(call(torch.tensor(n))) == counts_down(n)
