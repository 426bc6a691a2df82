"""Arrays that a loop writes in place and returns from its middle: what is returned is the array itself, whoever writes it later."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.trees import leaves

pytestmark = pytest.mark.usefixtures("wide")

INPUTS = [np.array(x) for x in ([1.0, 2.0], [0.0, 0.0], [-5.0, 3.0], [4.0, -1.0])]


def relaxes(b):
    x = np.zeros(2)
    for k in range(5):
        old = x.copy()
        x[0] = b[0] + 0.5 * x[1]
        if np.abs(x - old).sum() < 0.1:
            return x, k + 1
        x[1] += b[1]
    x[1] = 7
    return x, 5


def is_written_behind_the_return(b):
    x = np.zeros(2)
    try:
        for _ in range(5):
            x[0] += b[0]
            if x[0] > 3:
                return x
            x[1] += b[1]
    finally:
        x[1] = 9
    return x


def returns_from_two_loops(b):
    x = np.zeros(2)
    for i in range(3):
        for _ in range(4):
            x[0] += b[0]
            if x[0] > 3:
                return x, i
            if x[0] < -9:
                break
            x[1] += b[1]
        else:
            x[1] = x[1] * 2
            if x[1] > 20:
                return x[::-1], 5
    return x, 9


def returns_it_to_its_caller(b):
    x = np.zeros(2)

    def find(limit):
        i = 0
        while i < 3:
            x[0] += b[0]
            if x[0] > limit:
                return x
            x[1] += 1
            i += 1
        return x

    y = find(1)
    y[0] = 7
    return y, x, find(20) + 1


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize(
    "fn", [relaxes, is_written_behind_the_return, returns_from_two_loops, returns_it_to_its_caller]
)
def test_the_array_itself_is_returned(fn, typed):
    program = gfx.symbolic_trace(fn, *(INPUTS[:1] if typed else []), backend="numpy")
    compiled, other = jax.jit(program.to("jax")), program.to("torch")
    for x in INPUTS:
        for found in (program(x.copy()), compiled(jnp.asarray(x)), other(torch.tensor(x))):
            for want, got in zip(leaves(fn(x.copy())), leaves(found), strict=True):
                np.testing.assert_allclose(want, np.asarray(got), 1e-9)


def names_a_winner(board):
    for line in board:
        if line.sum() > 2:
            return line[0], "won"
    return board[0, 0], "open"


def returns_its_path(steps):
    at, path = 0, [0]
    for k, step in enumerate(steps):
        at += int(step)
        path.append(at)
        if at > 2:
            return k, path
    return -1, path


@pytest.mark.parametrize("fn", [names_a_winner, returns_its_path])
def test_what_is_returned_within_a_loop_is_called_so(fn):
    with pytest.raises(GfxError, match="what is returned"):
        gfx.symbolic_trace(fn, backend="torch")
