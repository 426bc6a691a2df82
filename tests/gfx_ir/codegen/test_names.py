"""Names: one is taken again only where what had it is dead, however deep the tests stand in which it changed hands."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx


def passes_on_behind_one(x):
    r = x.mean()
    o = [x[2]]
    if x[0] > 0.5:
        if x[1] > 0:
            o[0] = 0.5
    else:
        x = x * min(max(r, 1), 1)
    return x, o


def passes_on_behind_two(x):
    r = x.mean()
    o = [x[2]]
    if x[0] > 0.5:
        if x[1] > 0:
            pass
        elif x[0] > 1:
            x = x + 1
        else:
            o[0] = 0.5
    else:
        x = x * min(max(r, 1), 1)
    return x, o


def passes_on_behind_three(x):
    r = x.mean()
    o = [x[2]]
    if x[0] > 0.5:
        if x[1] < 0:
            if x[0] > 1:
                x = x + 1
            elif x[2] > 0:
                o[0] = x[1] * 2
                o[0] = o[0] + 1
            else:
                o[0] = 0.5
    elif x[1] > 0:
        x = x * min(max(r, 1), 1)
    else:
        x = x - min(max(x.sum(), 1), 1)
    return x, o


@pytest.mark.parametrize("target", ("torch", "jax"))
@pytest.mark.parametrize("f", (passes_on_behind_one, passes_on_behind_two, passes_on_behind_three))
def test_a_name_that_changed_hands_in_an_inner_test(f, target):
    there = gfx.symbolic_trace(f, torch.ones(3)).to(target)
    for x in np.float32([[0.4, -1, 0.2], [0.4, 1, 0.2], [0.7, -1, 0.2], [0.7, -1, -0.2], [0.7, 1, 0.2], [2, -1, 0.2]]):
        (want, (last,)), given = f(torch.tensor(x)), torch.tensor(x) if target == "torch" else x
        got, (found,) = there(given)
        np.testing.assert_allclose(np.asarray(got), want.numpy(), rtol=1e-6)
        np.testing.assert_allclose(float(found), float(last), rtol=1e-6)
