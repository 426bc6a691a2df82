"""lax.scan stacks arrays: also where what it carries begins with a number of Python's, or a trip gives one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = jnp.array([1.5, -0.5, 2.0])


def sums_before(x):
    return jax.lax.scan(lambda total, row: (total + row, total), 0.0, x)


def counts_before(x):
    return jax.lax.scan(lambda count, row: (count + 1, count), 0, x)[1]


def row_before(x):
    return jax.lax.scan(lambda last, row: (row, (last, row - last)), 0.0, x)


def two_before(x):
    return jax.lax.scan(lambda pair, row: ((pair[1], pair[0] + row), pair), (0.0, 1.0), x)[1]


def constant(x):
    return jax.lax.scan(lambda total, row: (total + row, 1.0), 0.0, x)


def without_rows(x):
    return jax.lax.scan(lambda total, _: (total * 2, total), 1.0, None, length=3)[1] + x


def seen_before(x):
    return jax.lax.scan(lambda seen, row: (seen | (row > 0), seen), False, x)[1]


CASES = [sums_before, counts_before, row_before, two_before, constant, without_rows, seen_before]


@pytest.mark.parametrize("given", [(), (gfx.TensorSpec(("N",), "float32"),), (X,)], ids=["open", "dim", "typed"])
@pytest.mark.parametrize("f", CASES, ids=lambda f: f.__name__)
def test_what_is_stacked_is_an_array(f, given):
    want = jax.tree.leaves(f(X))
    program = gfx.symbolic_trace(f, *given, backend="jax")
    for call, x in ((program, X), (jax.jit(program.to("jax")), X), (program.to("torch"), torch.tensor(np.asarray(X)))):
        for a, b in zip(jax.tree.leaves(call(x)), want, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


def sums_in_the_dtype_of_the_carry(x):
    return jax.lax.fori_loop(0, 3, lambda i, c: c + i.astype(c.dtype), x)


def counter_of_an_array(x):
    def body(carry, row):
        total, count = carry
        return (total + row, count + jnp.ones(count.shape, count.dtype)), count.astype(jnp.float32)

    return jax.lax.scan(body, (0.0, 0), x)


def counter_behind_the_loop(x):
    n = jax.lax.while_loop(lambda n: n < x.shape[0], lambda n: n + 1, 0)
    return n.astype(jnp.float32) * 2, n.dtype == jnp.int32, n.ndim


def operand_of_a_test(x):
    return jax.lax.cond(x.sum() > 0, lambda n: n.astype(jnp.float32), lambda n: 0.0 * n, 3)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
@pytest.mark.parametrize(
    "fn", [sums_in_the_dtype_of_the_carry, counter_of_an_array, counter_behind_the_loop, operand_of_a_test]
)
def test_what_jax_makes_an_array_is_asked_as_one(fn, given, to):
    """JAX's loops and tests hand arrays on, also where a number of Python's stands for one."""
    result = gfx.transpile(fn, *given, backend="jax", to=to)
    array = {"torch": torch.from_numpy, "jax": jnp.asarray, "numpy": np.asarray}[to]
    for got, wanted in zip(jax.tree.leaves(result(array(np.array(X)))), jax.tree.leaves(fn(X))):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


def of_two(x, best):
    """Rows that JAX runs itself, each with a loop that Python runs, which begins with a number of the row before."""
    s, o = x.sum(), [2, 1.0]
    for _ in x:
        for _ in range(3):
            s = best(o[0], 1)
            o = [0.5, 1]
    return s


def of_a_test(x):
    s, o = x.sum(), [2, 1.0]
    for _ in x:
        for _ in range(3):
            s = 4.0 if o[0] > 1 else 3.0
            o = [0.5 if s > 3 else 7.5, 1]
    return s


def of_a_number_in_a_test(x, k: int):
    s, o = x.sum(), [3.0]
    for _ in x:
        for at in range(k):
            p = o[0] if k > 1 else 1.0
            s = max(p, at) * 2.0
            o = [0.5 * at]
    return s


def of_a_truth(x):
    s, o = x.sum(), [2, 1.0]
    for _ in x:
        for _ in range(3):
            s = 1.0 if o[0] and not o[0] > 5 else -1.0
            o = [min(o[0], 1) - 1, o[1]]
    return s


NUMBERS = [
    lambda x: of_two(x, max),
    lambda x: of_two(x, min),
    of_a_test,
    lambda x: of_a_number_in_a_test(x, 2),
    of_a_truth,
]


@pytest.mark.parametrize("f", NUMBERS, ids=["max", "min", "test", "number in a test", "truth"])
@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
def test_a_number_that_a_loop_of_pythons_begins_with(f, given):
    program = gfx.symbolic_trace(f, *given, backend="jax")
    for call, x in ((program, X), (jax.jit(program.to("jax")), X), (program.to("torch"), torch.tensor(np.asarray(X)))):
        np.testing.assert_allclose(np.asarray(call(x)), np.asarray(f(X)), rtol=1e-6)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.lax.scan(lambda total, row: (total + row, total), 0, x),
        lambda x: jax.lax.scan(lambda last, row: (row, last), 0, x),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, two: (two[1], two[0]), (0, 1.5)),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, n: n + 1.5, jnp.asarray(0)),
        lambda x: jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] + x.sum()), (0, 0))[1],
        lambda x: jax.lax.while_loop(lambda n: n < x[1], lambda n: n + 0.5, 0),
    ],
    ids=["total", "last", "pair", "array", "while", "no trip"],
)
def test_a_number_that_trips_widen_is_wide_before_them(f, to):
    result = gfx.transpile(f, X, to=to)
    array = {"torch": torch.from_numpy, "jax": jnp.asarray, "numpy": np.asarray}[to]
    for got, wanted in zip(jax.tree.leaves(result(array(np.array(X)))), jax.tree.leaves(f(X))):
        assert np.asarray(got).dtype.kind == "f"
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c + x, 0),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c[None], x),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, c: (c[0],), (0, x)),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, c: c > 0, x),
        lambda x: jax.lax.fori_loop(0, 3, lambda i, c: i, 0.5),
        lambda x: jax.lax.while_loop(lambda c: c[0] < 3, lambda c: (c[0] + 1, c[1] * 0.5), (0, x.astype(int))),
        lambda x: jax.lax.scan(lambda c, row: (row, c), jnp.zeros(1), x),
        lambda x: jax.lax.cond(x[0] > 0, lambda: 1, lambda: 1.5),
        lambda x: jax.lax.switch(x[0].astype(int), [lambda: 1, lambda: 1.5, lambda: 2]),
        lambda x: jax.lax.cond(x[0] > 0, lambda: x.astype(int) * 0.5, lambda: x.astype(int)),
    ],
)
def test_what_changes_its_type_is_refused_as_jax_refuses_it(f):
    with pytest.raises(TypeError):
        f(X)
    with pytest.raises(gfx.GfxError, match=r"changes its (dtype|shape|structure)"):
        gfx.symbolic_trace(f, X)
