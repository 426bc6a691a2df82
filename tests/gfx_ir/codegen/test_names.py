"""Names: one is taken again only where what had it is dead, however deep the tests stand in which it changed hands; the user's stay."""

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


def named_as_capture_names_its_own(x):
    value_1 = x
    while value_1.sum() < 10:
        value_1 = value_1 * 2 + 1
        if value_1[0] > 7:
            break
    stopped_2 = value_1 + 1
    if x[0] > 0:
        kept_1 = x * 3
    else:
        kept_1 = stopped_2
    return kept_1 * value_1


@pytest.mark.parametrize("target", ("torch", "jax"))
def test_a_variable_of_the_user_keeps_its_name_and_no_other_has_one(target):
    program = gfx.symbolic_trace(named_as_capture_names_its_own, backend="torch")
    written = program.source(target)
    assert all(f"{name} = " in written for name in ("value_1", "stopped_2", "kept_1"))
    assert "stopped_1" not in str(program.entry)
