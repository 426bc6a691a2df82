"""Modules of PyTorch that captured code makes: their settings are part of the graph, and random weights are refused."""

import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.linspace(-1, 2, 6).reshape(2, 3)


class Scaled(nn.Module):
    def __init__(self, scale):
        super().__init__()
        self.scale = scale

    def forward(self, x):
        return torch.relu(x) * self.scale


class Keeping(nn.Module):
    def __init__(self):
        super().__init__()
        self.last = None

    def forward(self, x):
        self.last = Scaled(2.0)
        return self.last(x)


OUTSIDE = Scaled(5.0)


def in_a_row(x):
    for made in [Scaled(1.0), nn.GELU(), Scaled(x.sum())]:
        x = made(x)
    return x


def written(x):
    made = Scaled(2.0)
    made.scale = 3.0
    return made(x) + Keeping()(x)


def outside(x):
    OUTSIDE.scale = 6.0
    return OUTSIDE(x)


@pytest.mark.parametrize("function", [in_a_row, written, outside])
def test_what_captured_code_makes_is_used_as_in_the_original(function):
    program = gfx.symbolic_trace(function, X)
    for x in (X, X * 2 - 1):
        torch.testing.assert_close(program(x), function(x))


@pytest.mark.parametrize(
    ("function", "why"),
    [(lambda x: nn.Linear(3, 3)(x), "draws random numbers"), (Keeping(), "outlives the call")],
    ids=["random", "kept"],
)
def test_what_each_call_makes_anew_is_refused(function, why):
    with pytest.raises(UnsupportedConstruct, match=why):
        gfx.symbolic_trace(function, X)


def test_what_a_compiler_is_told_of_a_tensor_computes_nothing():
    def marked(x):
        torch._dynamo.mark_static_address(x)
        torch._dynamo.maybe_mark_dynamic(x, 0)
        return x + 1

    torch.testing.assert_close(gfx.symbolic_trace(marked, X)(X), X + 1)
