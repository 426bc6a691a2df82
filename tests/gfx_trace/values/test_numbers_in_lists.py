"""Lists of arrays and of Python's numbers: what a number has beside the arrays is as JAX has it, in every target, also where no dtype is told."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def literal(x):
    return jnp.stack([0.1, x[0], 2])


def chosen(x, first: bool):
    return jnp.stack([0.1 if first else x[1], x[0]])


def rows(x, kept: bool):
    return jnp.stack([e if kept else 0.3 for e in x])


def some_rows(x):
    return jnp.stack([e if i % 2 else 0.3 for i, e in enumerate(x)])


def filled(x):
    out = []
    for i, e in enumerate(x):
        if i > 1:
            e = 0.3
        out.append(e)
    return jnp.stack(out) * 2


def in_a_list(x):
    out = [x[0]]
    for i in range(len(x)):
        out.append(x[i] if i < 1 else 0.3)
    return jnp.stack(out)


CASES = [
    (literal, ()), (chosen, (True,)), (chosen, (False,)), (rows, (True,)), (rows, (False,)), (some_rows, ()), (filled, ()), (in_a_list, ()),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "float64"])
@pytest.mark.parametrize("wide", [False, True], ids=["32 bits", "64 bits"])
@pytest.mark.parametrize("f, more", CASES, ids=[f"{f.__name__}{more}" for f, more in CASES])
def test_numbers_beside_arrays(f, more, wide, dtype):
    if dtype == "float64" and not wide:
        pytest.skip("JAX has none")
    with jax.enable_x64(wide):
        x = np.array([1, 2, 3], dtype)
        program, want = gfx.symbolic_trace(f, backend="jax"), f(jnp.asarray(x), *more)
        got = [program(jnp.asarray(x), *more), program.to("torch")(torch.tensor(x), *more)]
        if wide or dtype != "int32":  # NumPy makes doubles of whole numbers of 32 bits beside floats of 32 bits
            got.append(program.to("numpy")(x, *more))
        for found in map(np.asarray, got):
            assert found.dtype == want.dtype
            np.testing.assert_array_equal(found, np.asarray(want))
