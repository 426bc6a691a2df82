"""A write in place whose result has another shape than the array: refused by each way to run it, also where shapes are open."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X, ROWS, FULL = np.arange(3.0), np.arange(6.0).reshape(2, 3), np.ones(3)


def added(x, m):
    v = torch.relu(x)
    v += m
    return v


def method(x, m):
    return torch.exp(x).mul_(m)


def used_before(x, m):
    v = torch.relu(x)
    w = v * 2
    v -= w + m
    return v


def created(x, m):
    v = torch.zeros(3)
    v += m * 0.1
    return v


def carried(x, m):
    v = torch.zeros_like(x)
    for _ in range(3):
        v += m
    return v


def under_a_test(x, m):
    v = torch.relu(x)
    if v.sum() > 0:
        v *= m
    return v


def helper(v, m):
    v += m
    return v


def in_a_function(x, m):
    return helper(torch.relu(x), m)


def numpy_created(x, m):
    v = np.zeros(3)
    v += m * 0.1
    return v


def numpy_looped(x, m):
    v = np.exp(x)
    for _ in range(3):
        v *= m
    return v


TORCH = (added, method, used_before, created, carried, under_a_test, in_a_function)


def framework(name, *arrays):
    make = {"torch": torch.tensor, "jax": jax.numpy.asarray, "numpy": np.array}[name]
    return [make(x) for x in arrays]


@pytest.mark.parametrize("fn", [*TORCH, numpy_created, numpy_looped], ids=lambda fn: fn.__name__)
def test_a_result_of_more_axes_is_refused_when_the_code_runs(fn):
    own = "torch" if fn in TORCH else "numpy"
    program = gfx.symbolic_trace(fn, backend=own)
    with pytest.raises((RuntimeError, ValueError)):
        fn(*framework(own, X + 1, ROWS))
    want = np.asarray(fn(*framework(own, X, FULL)))
    for to in ("torch", "jax", "numpy"):
        for run in (program, program.to(to)):
            np.testing.assert_allclose(np.asarray(run(*framework(to, X, FULL))), want, rtol=1e-6)
            with pytest.raises((RuntimeError, ValueError, gfx.GfxError)):
                run(*framework(to, X + 1, ROWS))


def test_what_surely_fits_is_written_plainly():
    def fn(x, n: int):
        v = torch.relu(x) + n
        v += 2 * torch.exp(x)
        v *= n
        v += v.sum()
        return v.clamp_(0, 1)

    assert "broadcast_to" not in gfx.symbolic_trace(fn).source("jax")


def test_shapes_that_are_known_are_compared_at_capture():
    program = gfx.symbolic_trace(added, *framework("torch", X, FULL))
    assert "broadcast_to" not in program.source("jax")
    with pytest.raises(gfx.GfxError, match="have the shapes"):
        gfx.symbolic_trace(added, *framework("torch", X, ROWS))


def test_jax_makes_a_new_array_that_may_be_larger():
    def fn(x, m):
        v = jax.numpy.exp(x)
        v += m
        return v

    given = framework("jax", X, ROWS)
    np.testing.assert_allclose(gfx.symbolic_trace(fn)(*given), fn(*given))
