"""How emitted code spells what could be spelled in a slower way."""

import numpy as np
import torch

import gfx_trace as gfx


def settled(x, y):
    while not torch.equal(x, y):
        x, y = torch.floor(x / 2), x
    return x


def doubled(x, n):
    shift = 1
    while shift < n:
        x = x + torch.roll(x, int(shift))
        shift *= 2
    return x


def clipped(x, limit):
    for i in range(4):
        if x.sum() > limit:
            x = x * 0.5
        x = x + i
    return x


def test_a_test_takes_the_boolean_that_a_call_gives():
    assert "while not torch.equal(x, y):" in gfx.symbolic_trace(settled).source("torch")
    same = gfx.symbolic_trace(lambda x, y: torch.equal(x, y) & True)
    assert "torch.tensor(torch.equal(x, y))" in same.source("torch")


def test_a_carried_number_stays_a_number():
    program = gfx.symbolic_trace(doubled)
    assert "torch.roll(x, int(shift))" in program.source("torch")
    x = torch.tensor([1.0, 2.0, 3.0, 4.0])
    np.testing.assert_allclose(program(x, torch.tensor(3)), doubled(x, torch.tensor(3)))


def test_a_short_loop_that_tests_data_is_one_loop():
    program = gfx.symbolic_trace(clipped)
    for options, spelled in (({}, "lax.fori_loop(0, 4"), ({"unroll": True}, "for i in range(4):")):
        assert spelled in program.source("jax", **options)
        for start in (1.0, 20.0):
            x, limit = np.full(3, start, np.float32), np.float32(6)
            want = clipped(torch.tensor(x), torch.tensor(limit))
            np.testing.assert_allclose(program.to("jax", **options)(x, limit), want, 1e-6)
