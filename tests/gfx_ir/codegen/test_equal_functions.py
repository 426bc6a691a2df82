"""A function is written once, however often the capture found it: at several sizes, or for more and more arguments."""

import functools
import re

import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import gfx_trace as gfx


class Normalised(nn.Module):
    """The same at every width."""

    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(width))

    def forward(self, x):
        mean = x.mean(-1, keepdim=True)
        scale = torch.rsqrt(((x - mean) ** 2).mean(-1, keepdim=True) + 1e-6)
        return (x - mean) * scale * self.weight


class Widths(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(Normalised(width) for width in (4, 6, 8))
        self.down = nn.ModuleList([nn.Linear(4, 6), nn.Linear(6, 8)])

    def forward(self, x):
        x = self.down[0](self.norms[0](x))
        x = self.down[1](self.norms[1](x))
        return self.norms[2](x)


class Layer(nn.Module):
    def __init__(self, width, growth):
        super().__init__()
        self.linear = nn.Linear(width, growth)

    def forward(self, features):
        x = F.relu(self.linear(torch.cat(features, 1)))
        gate = torch.sigmoid(x)
        return x * gate + gate


class Dense(nn.Module):
    """After DenseNet (Huang et al., CVPR 2017): each layer takes what all before it gave."""

    def __init__(self, layers=4, width=5, growth=3):
        super().__init__()
        self.layers = nn.ModuleList(Layer(width + at * growth, growth) for at in range(layers))

    def forward(self, x):
        features = [x]
        for layer in self.layers:
            features.append(layer(features))
        return torch.cat(features, 1)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
@pytest.mark.parametrize("make, width, name", [(Widths, 4, "normalised"), (Dense, 5, "layer")])
def test_equal_functions_are_one(make, width, name, to):
    model, x = make().eval(), torch.randn(2, width)
    made = gfx.transpile(model, x, to=to)
    assert made.source.count(f"def {name}") == 1
    assert gfx.check(made, x).ok


def test_functions_that_differ_stay_apart():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.one, self.other = Layer(5, 3), Layer(8, 3)
            self.other.forward = lambda features: -torch.cat(features, 1)

        def forward(self, x):
            y = self.one([x])
            return self.other([x, y])

    made = gfx.transpile(Two().eval(), torch.randn(2, 5), to="jax")
    assert "relu" in made.source and "-jnp.concatenate" in made.source


def wrapped(forward):
    """As libraries deprecate arguments."""

    @functools.wraps(forward)
    def with_names(*args, **kwargs):
        kwargs.pop("old", None)
        return forward(*args, **kwargs)

    return with_names


class Gated(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.gate = nn.LayerNorm(4), nn.Linear(4, 4)

    @wrapped
    def forward(self, x):
        gate = torch.sigmoid(self.gate(x))
        return scaled(self.norm(x * gate + x), gate)


@wrapped
def scaled(x, gate):
    y = torch.tanh(x)
    return y * gate + y


class Stacked(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks, self.norm = nn.ModuleList(Gated() for _ in range(3)), nn.LayerNorm(4)

    def forward(self, x):
        places = torch.arange(x.shape[0]) + 0
        for block in self.blocks:
            x = block(x, old=None)
        return self.norm(x)[places]


def test_functions_behind_decorators_bear_their_names_and_a_library_s_body_is_written_once():
    model = Stacked()
    x = torch.randn(3, 4)
    made = gfx.transpile(model, x, to="jax")
    assert re.findall(r"^def (\w+)", made.source, re.M) == ["layer_norm", "scaled", "gated", "stacked"]
    assert "jnp.arange(3)\n" in made.source
    np.testing.assert_allclose(made(x.numpy()), model(x).detach().numpy(), rtol=1e-5, atol=1e-6)
