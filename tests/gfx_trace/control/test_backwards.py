"""Loops that count backwards are loops, as those that count on."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx


def sampled(x, betas):
    for t in reversed(range(betas.shape[0])):
        x = x * betas[t] + t
    return x


def left(x, betas):
    for t in reversed(range(5)):
        if t == 1:
            break
        x = x * betas[t] - t
    else:
        x = x * 100
    return x


def taken_by_hand(x, betas):
    steps = reversed(range(5))
    x = x * next(steps)
    for t in steps:
        x = x - betas[t]
    return x + len(list(steps))


def by_its_own(x, betas):
    reversed = lambda steps: [2, 4]
    for t in reversed(range(5)):
        x = x * betas[t]
    return x


@pytest.mark.parametrize("given", ["typed", "open"])
@pytest.mark.parametrize("fn", [sampled, left, taken_by_hand, by_its_own])
def test_loops_backwards_give_what_they_give(fn, given):
    x, betas = torch.randn(3), torch.linspace(0.1, 0.9, 5)
    program = gfx.symbolic_trace(fn, *((x, betas) if given == "typed" else ()), backend="torch")
    for found in (program(x, betas), program.to("torch")(x, betas), program.to("jax")(x.numpy(), betas.numpy())):
        np.testing.assert_allclose(np.asarray(found), fn(x, betas), rtol=1e-5)


def test_a_loop_backwards_is_one():
    source = gfx.symbolic_trace(sampled, torch.randn(3), torch.ones(1000)).source("torch")
    assert "for t in range(999, -1, -1):" in source and source.count("\n") < 12
