"""Emitted PyTorch writes `x[i] = v` where nobody can tell, and copies where somebody can."""

import ast

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.codegen.wrap import wrap
from gfx_ir.trees import leaves

XS = [[1.0, -2.0, 3.0, 0.5], [-1.0, -6.0, 2.0, 4.0], [0.0, 0.0, 0.0, 0.0], [2.0, 1.0, 0.0, -3.0]]


# ---------------------------------------------------------------------- written
def rows(x):
    a = torch.zeros_like(x)
    for i, v in enumerate(x):
        if v > 0:
            continue
        if v < -5:
            break
        a[i] = v
    return a


def history(x):
    a, seen = torch.zeros_like(x), []
    for i in range(x.shape[0]):
        a[i] = x[i] * 2
        seen.append(a.clone())
    return torch.stack(seen), a


def turns(x):
    a, b = torch.zeros_like(x), torch.ones_like(x)
    for i in range(x.shape[0]):
        a[i] = b.sum()
        a, b = b, a
    return a, b


def recurrence(x):
    a = x.clone()
    for i in range(1, x.shape[0]):
        a[i] = a[i - 1] * 0.5 + a[i]
    return a


def exchanges(x):
    a, i = x.clone(), 0
    while i < 2:
        t = a[i]
        a[i] = a[i + 1]
        a[i + 1] = t.clone()
        i += 1
    return a


def parts(x):
    a = torch.zeros(2, 3)
    a[0] = x[:3]
    a[:, 1] = a[:, 0]
    a[1, 2] = a[0].sum()
    a[1, :2] += 2
    return a.sum(0), a


def reads_a_view_before(x):
    a = x.clone()
    first = a[0]
    more = first + 1
    a[0] = 9.0
    return a, more


def counts(x):
    c = np.zeros(3, dtype=int)
    for v in x:
        c[int(v > 0)] += 1
    return c


def running(x):
    out, acc = np.empty_like(x), 0.0
    for i in range(len(x)):
        acc = acc * 0.9 + x[i]
        out[i] = acc
    return out


def an_expression_read_before(x):
    a = x * 2
    y = a[1] * 3
    z = y - 1
    a[1] = 0.0
    return a, z + y


# ---------------------------------------------------------------------- copied
def the_other_side_keeps_it(x):
    a = x.clone()
    if x.sum() > 0:
        a[0] = 5.0
        b = a * 2
    else:
        b = a
        a = a + 1
        a[1] = 7.0
    return a, b


def two_names(x):
    a = x.clone()
    b = a
    if x.sum() > 0:
        b = a.clone()
        b[0] = 1.0
    return a, b


def a_view_sees_it(x):
    a = x.clone()
    v = a[1:]
    v[0] = 8.0
    a[0] = v.sum()
    return a, v


def the_callers(x):
    x[0] = 3.0
    y = x + 1
    x[1:] = y[1:]
    return y


WRITTEN = [rows, history, turns, recurrence, exchanges, parts, counts, running, an_expression_read_before]
COPIED = [the_other_side_keeps_it, two_names, a_view_sees_it, the_callers]


def captured(fn, level):
    """The program, and its arguments' maker."""
    numpy = "np" in fn.__code__.co_names

    def make(x):
        return np.array(x, dtype=np.float32) if numpy else torch.tensor(x)

    return gfx.symbolic_trace(fn, *([make(XS[0])] if level else []), backend="numpy" if numpy else "torch"), make


def body(program):
    return program.source("torch").split(f"def {program.entry.name}")[1]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", [*WRITTEN, reads_a_view_before, *COPIED], ids=lambda f: f.__name__)
def test_written_or_copied_the_results_are_equal(fn, level):
    program, make = captured(fn, level)
    written = program.module("torch").load()
    for x in XS:
        mine = make(x)
        want, got = fn(mine), written(torch.tensor(x))
        if program.writes:
            want = (want, {"x": mine})
        for a, b in zip(leaves(want), leaves(got), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


@pytest.mark.parametrize("fn", WRITTEN, ids=lambda f: f.__name__)
def test_what_is_its_own_is_written(fn):
    text = body(captured(fn, 1)[0])
    assert "index_put" not in text and ("] = " in text or "] += " in text)


@pytest.mark.parametrize("fn", COPIED, ids=lambda f: f.__name__)
def test_what_others_hold_is_copied(fn):
    assert "index_put" in body(captured(fn, 1)[0])


def test_an_argument_is_never_written():
    x = torch.tensor(XS[0])
    captured(the_callers, 1)[0].module("torch").load()(x)
    assert x.tolist() == XS[0]


def scaled(x):
    a = np.zeros_like(x)
    a[0] = x[0]
    for i in range(1, 4):
        a[i] = a[i - 1] * x[i]
    return a


def test_what_a_gradient_needs_is_copied_where_its_author_had_no_gradients():
    x = torch.tensor(XS[0], requires_grad=True)
    written = captured(scaled, 1)[0].module("torch").load()
    (got,) = torch.autograd.grad(written(x).sum(), [x])
    (want,) = torch.autograd.grad(torch.cumprod(x, 0).sum(), [x])
    torch.testing.assert_close(got, want)


@pytest.mark.parametrize("target", ["w[0] ", "w[0] +", "w[f(i), x == 1] ", "a, w[f(i)] ", "total -"])
def test_long_writes_over_several_lines_mean_the_same(target):
    text = f"{target}= {' + '.join(f'torch.sum(x[{i}] * 0.5)' for i in range(9))}"
    lines = wrap("", text)
    assert max(map(len, lines)) <= 120
    assert ast.dump(ast.parse("\n".join(lines))) == ast.dump(ast.parse(text))


def picks(x):
    mask = x > 0
    chosen = jnp.where(mask, x, 0)
    return chosen.sum() + mask.at[0].set(False).sum()


def scales(x):
    count = jnp.astype(x > 0, int)
    scaled = x * count
    return scaled.sum() + count.at[0].set(5).sum()


def spreads(x):
    value = x[:2] * 1
    added = jnp.zeros(4).at[jnp.array([0, 0])].add(value)
    return added.sum() + value.at[0].set(0).sum()


@pytest.mark.parametrize("fn", [picks, scales, spreads], ids=lambda f: f.__name__)
def test_what_backward_keeps_is_copied(fn):
    x = [1.0, -2.0, 3.0, 0.5]
    mine = torch.tensor(x, requires_grad=True)
    gfx.transpile(fn, to="torch")(mine).backward()
    np.testing.assert_allclose(mine.grad, jax.grad(fn)(jnp.array(x)))
