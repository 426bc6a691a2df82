"""Short algorithms as people write them: one capture, with and without arguments, gives what Python gives in each framework."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.trees import leaves

pytestmark = pytest.mark.usefixtures("wide")
XS = [[1.0, -2.0, 3.0], [-1.0, -2.0, -3.0], [0.0, 5.0, 0.0]]


def reads_what_the_test_assigns(x):
    total, i = 0.0, 0
    while i < x.shape[0] and (v := x[i]) > -2.5:
        total = total + (v if 0 < v < 2.5 else -v)
        i += 1
    return total, i


def reads_what_a_traced_test_assigns(x):
    t, n = x.sum(), 0
    while t > 0 and (v := x.max() - n) > 0:
        n = n + 1
        t = t - v * 0.5
    return t, n


def reads_it_behind_an_if(x):
    if x[1] > 0 and (v := x[0]) > -0.5:
        return v * 2
    return x[2]


def reads_it_behind_neither(x):
    if not (x[1] <= 0 or (v := x[2]) <= -0.5):
        y = v * 2
    else:
        y = x[1]
    return y


def matches_a_shape(x):
    match (x.ndim, x.shape):
        case (1, (n,)) if n == 3:
            return x * n
        case (2, _):
            return x.sum(0)
        case _:
            return x


def leaves_in_two_ways(x):
    n = 0
    while True:
        x = x * 0.5 + 1
        n += 1
        if (x - 2).max() < 0.1:
            break
        if n > 20:
            return x * 0, n
    return x, n


def fills_a_grid(x):
    grid = [[0.0, 0.0], [0.0, 0.0]]
    for i in range(2):
        for j in range(2):
            grid[i][j] = x[i] * x[j] if x[i] > 0 else x[j]
    return grid


def eliminates(x):
    a = torch.stack([x + 4, x * 2 + 1, x**2 + 1])
    for k in range(3):
        for i in range(k + 1, 3):
            a[i] -= a[i, k] / a[k, k] * a[k]
    return a


def returns_from_a_try(x):
    try:
        if x.sum() > 1.5:
            return x * 2
        y = x + 1
    except ValueError:
        y = x
    else:
        y = y * 3
    finally:
        x = x - 1
    return y + x


CASES = [
    returns_from_a_try,
    reads_what_the_test_assigns,
    reads_what_a_traced_test_assigns,
    reads_it_behind_an_if,
    reads_it_behind_neither,
    matches_a_shape,
    leaves_in_two_ways,
    fills_a_grid,
    eliminates,
]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_results_are_pythons(fn, level):
    program = gfx.symbolic_trace(fn, *([torch.tensor(XS[0])] if level else []), backend="torch")
    written, compiled = program.module("torch").load(), jax.jit(program.module("jax").load())
    for x in XS:
        want = list(leaves(fn(torch.tensor(x))))
        for got in (program(torch.tensor(x)), written(torch.tensor(x)), compiled(jnp.asarray(x, jnp.float32))):
            for a, b in zip(want, leaves(got), strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5, atol=1e-6)


def counts_by_name(x):
    counts = {"pos": 0, "neg": 0}
    for v in x:
        counts["pos" if v > 0 else "neg"] += 1
    return counts


def assigns_from_a_comprehension(x):
    n = 0

    def tick(v):
        nonlocal n
        if v > 0:
            n += 1
        return v * n

    return sum(tick(v) for v in x if v != 3), sum([tick(v) for v in x]), n


def test_what_no_graph_can_hold_is_refused():
    with pytest.raises(UnsupportedConstruct, match="is a str"):
        gfx.symbolic_trace(counts_by_name, torch.tensor(XS[0]))


# ---------------------------------------------------------------------- folds
def sums_what_is_positive(x):
    return sum(v * 2 for v in x if v > 0), sum((v for v in (x[0], x[1]) if v > 1 and v < 4), 10.0)


def asks_some(x):
    return any(v > 2 for v in x if v != 3), all(v > -2 for v in x if v < 0), sum(1 for i, v in enumerate(x) if v > i)


def sums_triangles(x):
    total = 0.0
    for i in range(x.shape[0]):
        total = total + sum(x[k] * i for k in range(i))
    return total


def breaks_out_of_two(x):
    found = -1
    for i in range(3):
        for j in range(i + 1, 3):
            if x[i] + x[j] < -2:
                found = i * 10 + j
                break
        else:
            continue
        break
    return found


def raises_behind_an_answer(x):
    def positive(v):
        if v < -2:
            raise ValueError("too low")
        return v > 0

    return any(positive(v) for v in x if v != 0)


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize(
    "fn",
    [sums_what_is_positive, asks_some, sums_triangles, breaks_out_of_two, assigns_from_a_comprehension],
    ids=lambda f: f.__name__,
)
def test_folds(fn, level):
    test_results_are_pythons(fn, level)


def test_a_fold_ends_where_python_ends():
    program = gfx.symbolic_trace(raises_behind_an_answer, torch.tensor(XS[0]))
    assert bool(program(torch.tensor([1.0, -3.0, 0.0])))
    with pytest.raises(ValueError, match="too low"):
        program(torch.tensor([-3.0, 1.0, 0.0]))


def stacks_numbers(x):
    def body(c, v):
        c = jax.lax.cond(v > 0, lambda c: c + v, lambda c: c * 0.5, c)
        return c, c

    return jax.lax.scan(body, 0.0, x)


def test_numbers_are_stacked_as_arrays():
    program = gfx.symbolic_trace(stacks_numbers, jnp.asarray(XS[1]))
    for x in XS:
        for a, b in zip(
            stacks_numbers(jnp.asarray(x)), program.to("torch")(torch.tensor(np.asarray(jnp.asarray(x)))), strict=True
        ):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)
