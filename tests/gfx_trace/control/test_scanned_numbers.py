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
