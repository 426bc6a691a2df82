"""An argument and an array of the model may have one name: each is written where it is."""

import jax.numpy as jnp
import pytest
import torch
from torch import nn

import gfx_trace as gfx


class Holding(nn.Module):
    """Its buffer x and attribute y are called like its arguments; last is None before the first call."""

    def __init__(self):
        super().__init__()
        self.register_buffer("x", torch.zeros(3))
        self.y, self.last, self.n = torch.zeros(3), None, torch.zeros(3)

    def forward(self, x, y, n: int, last=None):
        self.x += x
        self.y = self.y + y
        self.n = self.n + n
        self.last = self.x * 2
        x.mul_(3)
        return self.x * self.n, y


def called(model, arrays=torch.tensor):
    """What some calls give, and leave of their arguments."""
    found = []
    for k in (1.0, 2.0):
        x, y = arrays([k, 2.0, 3.0]), arrays([4.0, k, 6.0])
        found.append((*model(x, y, 2), x, y))
    return found


@pytest.mark.parametrize(
    "made",
    [
        gfx.symbolic_trace,
        lambda model: gfx.transpile(model, to="torch").module(),
        lambda model: gfx.transpile(model, to="torch"),
    ],
)
def test_an_argument_and_a_buffer_of_one_name_are_each_written(made):
    model = Holding()
    torch.testing.assert_close(called(made(Holding())), called(model))


def test_the_state_tells_them_apart():
    made = gfx.transpile(Holding(), to="jax")
    x, y = jnp.ones(3), jnp.full(3, 2.0)
    _, state = made.fn(made.params, x, y, 2)
    assert {path: array.tolist() for path, array in state.items()} == {
        "x": [1.0] * 3, "y": [2.0] * 3, "n": [2.0] * 3, "last_1": [2.0] * 3, "argument x": [3.0] * 3,
    }  # fmt: skip
    assert gfx.check(gfx.transpile(Holding(), to="jax"), torch.ones(3), torch.ones(3), 2).ok


def test_they_are_apart_in_a_saved_program(tmp_path):
    gfx.symbolic_trace(Holding()).save(tmp_path / "held.json")
    torch.testing.assert_close(called(gfx.load(tmp_path / "held.json")), called(Holding()))
