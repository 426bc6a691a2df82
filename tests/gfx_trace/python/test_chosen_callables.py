"""Functions and modules that a test on data, or a counter that is data, chooses: either side calls its own."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx

X = torch.tensor([[0.5, 1.0, 2.0, 3.0], [1.0, 0.25, 0.5, 2.0]])


def either(x):
    f = torch.sin if x.sum() > 0 else torch.cos
    return f(x) + f(2 * x) + sum(map(f, [x, 3 * x]))


def own(x):
    scale = 3.0
    if x.sum() > 0:
        f = lambda v: v * scale
    else:
        f = lambda v: v - scale
    return f(x)


def counted(x):
    functions, i = [torch.sin, torch.cos, torch.tanh], 0
    while x.sum() > 1 and i < 3:
        x = functions[i](x) - 0.25
        i += 1
    return x


def rebound(x):
    f = torch.sin
    for i in range(3):
        if x.sum() > i:
            f = torch.cos
        x = f(x)
    return x


class Layers(nn.Module):
    """Modules in a list, a dictionary and a list of parameters."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList([nn.Linear(4, 4) for _ in range(3)])
        self.named = nn.ModuleDict({"a": nn.Linear(4, 4), "b": nn.Linear(4, 4)})
        self.scales = nn.ParameterList([torch.randn(4) for _ in range(3)])

    def forward(self, x):
        for i in range(3):
            x = self.layers[i](x) * self.scales[i]
        return x


class Staged(Layers):
    def forward(self, x):
        i = 0
        while x.sum() < 9 and i < 3:
            x = self.layers[i](x) + 1.0
            i += 1
        return x


class Open(Layers):
    def forward(self, x, n: int):
        for i in range(n):
            x = self.layers[i](x) * self.scales[i]
        return self.layers[n](x)


class Named(Layers):
    def forward(self, x, name: str):
        return self.named[name](x) if name in self.named else x


def same(target, *rest):
    program = gfx.symbolic_trace(target, backend="torch")
    for x in (X, -X):
        want = target(x, *rest).detach().numpy()
        np.testing.assert_allclose(program(x, *rest).detach().numpy(), want, rtol=1e-5, atol=1e-6)
        transpiled = gfx.transpile(target, to="jax", backend="torch")
        given = (transpiled.params, jnp.asarray(x.numpy())) if transpiled.params else (jnp.asarray(x.numpy()),)
        static = program.module("jax").static_argnames
        found = jax.jit(transpiled.fn, static_argnames=static)(*given, *rest)
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("fn", [either, own, counted, rebound], ids=lambda fn: fn.__name__)
def test_a_function_that_data_chooses(fn):
    same(fn)


@pytest.mark.parametrize(
    ("kind", "rest"), [(Layers, ()), (Staged, ()), (Open, (2,)), (Open, (0,)), (Named, ("b",)), (Named, ("c",))]
)
def test_modules_at_a_place(kind, rest):
    same(kind().eval(), *rest)


def test_each_row_of_a_parameter_may_become_a_view():
    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.kv = nn.Parameter(torch.arange(8.0).reshape(2, 4))

        def forward(self, x):
            k, v = map(lambda t: t.expand(2, 4), self.kv)
            return x * k + v

    same(Rows())
