"""Modules of PyTorch that captured code makes: their settings are part of the graph, and random weights are refused."""

import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, UnsupportedConstruct

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


class Makes(type(nn.Module)):
    """Makes its objects itself, as libraries do that choose their class."""

    def __call__(cls, *args):
        made = cls.__new__(cls, *args)
        made.__init__(*args)
        return made


class Held(nn.Module):
    def __init__(self, held):
        super().__init__()
        self.register_parameter("bias", None)
        if isinstance(held, nn.Parameter):
            self.register_parameter("held", held)
        else:
            self.register_buffer("held", held)

    def forward(self, x):
        return x * self.held if self.bias is None else x


class Chosen(Held, metaclass=Makes):
    def __new__(cls, *args):
        return super().__new__(cls)


class Holds(nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.kind, self.weight = kind, nn.Parameter(torch.tensor([2.0, 3.0, 4.0]))

    def forward(self, x):
        part = self.weight[:2] if len(x) > 3 else self.weight * 1
        return self.kind(self.weight)(x).sum() + self.kind(part)(x[:, : len(part)]).sum()


@pytest.mark.parametrize("kind", [Held, Chosen])
@pytest.mark.parametrize("dynamic", [False, True])
def test_modules_that_are_made_register_tensors(kind, dynamic):
    model = Holds(kind)
    program = gfx.symbolic_trace(model, torch.ones(2, 3), dynamic=dynamic)
    for x in (torch.rand(2, 3), *([torch.rand(4, 3)] if dynamic else [])):
        torch.testing.assert_close(program.to("torch")(x), model(x))


class Either(nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(3))

    def forward(self, x):
        held = self.weight if len(x) > 3 else x[0]
        return x * 2 if isinstance(held, nn.Parameter) else x


def test_whether_one_of_two_is_a_parameter_is_refused_where_one_is():
    with pytest.raises(CaptureError, match="whether this is a Parameter"):
        gfx.symbolic_trace(Either(), gfx.TensorSpec(("n", 3), "float32"))
