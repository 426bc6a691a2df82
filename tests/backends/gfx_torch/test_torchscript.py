"""Modules of TorchScript, scripted, traced or loaded, are captured as the Python that they were made of."""

import io

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn
from torch.nn import functional as F

import gfx_trace as gfx
from captured import equal
from gfx_ir.errors import GuardError, UnsupportedConstruct

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::torch.jit.TracerWarning")
X, IMAGES = torch.linspace(-2, 2, 12).reshape(3, 4), torch.linspace(-1, 1, 96).reshape(1, 3, 4, 8)


def doubled(x: torch.Tensor, times: int):
    for at in range(times):
        x = x * 2 if at % 2 == 0 else x + 1
    return x


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear, self.scale = nn.LayerNorm(4), nn.Linear(4, 4), 0.5

    def scaled(self, x):
        return torch.tanh(x) * self.scale

    def forward(self, x, mask: torch.Tensor | None = None):
        """A test on data, one on an argument, a list that a loop fills, a write to a view."""
        x = self.norm(F.relu(self.linear(x)))
        if mask is not None:
            x = x * mask.unsqueeze(-1)
        if bool(x[0].max() > 1):
            x = self.scaled(x)
        rows = [doubled(row, 3) for row in x.unbind(0)]
        x = torch.stack(rows)
        x[:, 1] = 1.0
        n = x.shape[1] // 2
        return x[:, :n], torch.cat([x, x], dim=-1).sum(0)


class Layers(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.blocks[1].linear.weight = self.blocks[0].linear.weight

    def forward(self, x: torch.Tensor):
        y, total = self.blocks[0](x)
        z, more = self.blocks[1](torch.cat([y, y], dim=1), total[:3])
        return z, total + more


class Convolutions(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv2d(3, 4, 3, 2, 1), nn.BatchNorm2d(4), nn.GELU(), nn.MaxPool2d(2), nn.ConvTranspose2d(4, 4, 2, 2)
        )
        self.lstm, self.attention = nn.LSTM(4, 4, batch_first=True), nn.MultiheadAttention(4, 2, batch_first=True)

    def forward(self, x):
        x = self.layers(x)
        batch, channels, height, width = x.shape
        x = x.flatten(2).transpose(1, 2).reshape(batch, height * width, channels) / channels**0.5
        x, _ = self.attention(x, x, x, need_weights=False)
        x, _ = self.lstm(x)
        x[:, ::2] += torch.arange(width, dtype=x.dtype)[:1]
        return x.prod(1, False), torch.where(x > 0, x, x.cumsum(1)), x.argmax(1, keepdim=True)


def loaded(module):
    file = io.BytesIO()
    torch.jit.save(module, file)
    file.seek(0)
    return torch.jit.load(file)


def checked(module, *given, **options):
    """What transpiling gives of a module of TorchScript, in both directions, is what it gives itself."""
    want = module(*(x.clone() for x in given))
    found = gfx.transpile(module, *given, to="jax", **options)
    equal(found(*(jnp.asarray(x.numpy()) for x in given)), [x.detach() for x in want], 1e-5)
    equal(
        [x.detach() for x in gfx.transpile(module, *given, to="torch", **options)(*given)],
        [x.detach() for x in want],
        1e-5,
    )
    return found


@pytest.mark.parametrize("kind", ["script", "load"])
def test_a_scripted_module(kind):
    torch.manual_seed(0)
    module = torch.jit.script(Layers())
    found = checked(loaded(module) if kind == "load" else module, X)
    assert [len(block["linear"]) for block in found.params["blocks"]] == [2, 1]  # a tied weight stays one
    assert "def block(params, x" in found.source and "for at in range(3)" in found.source
    grads = jax.grad(lambda params: sum(x.sum() for x in found.fn(params, jnp.asarray(X.numpy()))))(found.params)
    module.zero_grad()
    sum(x.sum() for x in module(X)).backward()
    np.testing.assert_allclose(grads["blocks"][0]["linear"]["weight"], module.blocks[0].linear.weight.grad, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"dynamic": True}], ids=["fixed", "dynamic"])
def test_a_traced_module(options):
    torch.manual_seed(0)
    traced = torch.jit.trace(Convolutions().eval(), IMAGES, check_trace=False)
    checked(loaded(traced), IMAGES, **options)


def test_a_traced_part_of_a_module_is_one_module():
    class Around(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = torch.jit.trace(nn.Linear(4, 4), X)

        def forward(self, x):
            return self.part(self.part(x)), x

    found = checked(Around(), X)
    assert set(found.params) == {"part"}


def shifted(x: torch.Tensor):
    return doubled(x, 2) + 1


class First(nn.Module):
    def forward(self, x):
        return shifted(x), x


class Second(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.dropout = First(), nn.Dropout(0.5)

    def forward(self, x):
        y, _ = self.first(x)
        return shifted(self.dropout(y)), x


def test_a_function_of_two_classes():
    checked(torch.jit.script(Second().eval()), X)


def test_the_mode_is_that_of_the_compiled_module():
    module = torch.jit.script(Second().eval())
    program = gfx.symbolic_trace(module, X)
    program(X)
    module.train()
    with pytest.raises(GuardError, match="captured in evaluation mode, and now it is in training mode"):
        program(X)


class Pair:
    def __init__(self, first: torch.Tensor):
        self.first = first


class Paired(nn.Module):
    def forward(self, x):
        return Pair(x).first


def test_an_object_of_torchscript_is_refused():
    with pytest.raises(UnsupportedConstruct, match="of TorchScript, which has no form in Python"):
        gfx.symbolic_trace(torch.jit.script(Paired()), X)
