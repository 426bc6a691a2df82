"""Sizes that tests and loops change: unknown ones behind where Python runs them, or where they may meet; else refused."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.arange(6.0)


def grows(x, n: int):
    for _ in range(n):
        x = torch.cat([x, x[-1:] * 2])
    return x.sum() / x.shape[0]


def shrinks(x):
    while x.shape[0] > 2:
        x = x[1:] + x[:-1]
    return x


def chosen(x):
    while x.shape[0] > 2:
        x = x[x > x.mean()]
    return x


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize(("fn", "args"), [(grows, (3,)), (grows, (0,)), (shrinks, ()), (chosen, ())])
def test_loops_that_python_runs_may_change_sizes(fn, args, dynamic):
    program = gfx.symbolic_trace(fn, X, *[gfx.Open for _ in args], dynamic=dynamic)
    want = fn(X, *args)
    torch.testing.assert_close(program(X, *args), want)
    torch.testing.assert_close(program.to("torch")(X, *args), want)
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(X.numpy()), *args), want, rtol=1e-6)


def step(P, F):
    if P.sum() > 0:
        P = F @ P @ F.T
    for _ in range(3):
        P = F @ P @ F.T
    return P


def test_sizes_that_may_be_equal_meet():
    """F is 2 x 2, so that P is, though its own sizes are open."""
    eye = torch.eye(2) * 1.5
    program = gfx.symbolic_trace(step, P=gfx.TensorSpec(("n", "m")), F=eye)
    want = step(eye, eye)
    torch.testing.assert_close(program.to("torch")(eye, eye), want)
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(eye.numpy()), jnp.asarray(eye.numpy())), want)


@pytest.mark.parametrize("dynamic", [False, True])
def test_sizes_that_differ_for_sure_are_refused_where_data_decides(dynamic):
    def doubles(x):
        while x.sum() < 100:
            x = torch.cat([x, x])
        return x

    with pytest.raises(UnsupportedConstruct, match=r"'x' changes its shape from \((6|x_0),\) to \((12|2\*x_0),\)"):
        gfx.symbolic_trace(doubles, X, dynamic=dynamic)
