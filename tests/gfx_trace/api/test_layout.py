"""The order of the axes of images in what is emitted: arguments and results keep theirs."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import ArgumentError


class Stages(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first = torch.nn.Conv2d(3, 8, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(8)
        self.second = torch.nn.Conv2d(8, 8, 3, stride=2, groups=2)
        self.head = torch.nn.Linear(8, 5)

    def forward(self, x):
        y = torch.relu(self.norm(self.first(x)))
        y = self.second(torch.nn.functional.max_pool2d(y, 2))
        return self.head(y.mean((2, 3))), y


@pytest.fixture(scope="module")
def stages():
    torch.manual_seed(0)
    return Stages().eval(), torch.randn(2, 3, 16, 16)


def test_channels_last_inside(stages):
    model, x = stages
    made = gfx.transpile(model, x, to="jax", layout="nhwc")
    for got, want in zip(made(jnp.asarray(x.numpy())), model(x), strict=True):
        np.testing.assert_allclose(got, want.detach().numpy(), atol=1e-6)
    assert "NCHW" not in made.source and made.source.count('("NHWC", "HWIO", "NHWC")') == 2
    assert made.source.count("transpose") == 2, "one where the image comes in, one where the second result goes out"
    assert made.params["first"]["weight"].shape == (3, 3, 3, 8)


def test_own_order(stages):
    model, x = stages
    assert gfx.transpile(model, x, to="jax", layout="nchw").source == gfx.transpile(model, x, to="jax").source


def test_what_it_needs(stages):
    model, x = stages
    with pytest.raises(ArgumentError, match="needs the shapes"):
        gfx.transpile(model, to="jax", layout="nhwc")
    with pytest.raises(ArgumentError, match="no layout"):
        gfx.transpile(model, x, to="jax", layout="nwhc")
