"""Code without source text: entered where it only computes, and refused where it does what only rewritten code can record."""

import math
import random

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError

COMPUTES = [
    "f = lambda x: x * 2 + 1",
    "def f(x, k=2):\n    y = torch.relu(x)\n    return torch.tanh(y).sum(0) + x.shape[0] * k, y.to(torch.float64)",
    "def f(x):\n    for v in range(3):\n        x = x + v * math.pi\n    return x[1:], {'a': -x}",
    "def f(x):\n    y = x.clone()\n    y.add_(1)\n    return y",
    "def f(x, k=(1, None)):\n    y = torch.sin(x)\n    if y is not None and k[1] is None:\n        y = y + k[0]\n    return y",
]
DOES_MORE = {
    "def f(x):\n    x += 1\n    return x": "it writes in place",
    "def f(x):\n    y = {}\n    y['a'] = x\n    return y": "it writes to an object",
    "def f(x):\n    global total\n    total = x\n    return x": r"it writes \(total\)",
    "def f(x):\n    return x * weight": "it uses 'weight'",
    "def f(x):\n    return helper(x)": "it uses 'helper'",
    "def f(x):\n    print(x)\n    return x": "it uses 'print'",
    "def f(x):\n    return x * 2 if isinstance(x, torch.Tensor) else x": "it uses 'isinstance'",
    "def f(x):\n    return x + random.random()": "it uses 'random'",
    "def f(x):\n    return x + np.random.rand()": "it uses 'random'",
    "def f(x):\n    return x + torch.randn(3)": "it draws random numbers",
    "def f(x):\n    return [v * 2 for v in x]": "it does more than compute|tests captured data|it uses",
    "def f(x):\n    import os\n    return x": "it does more than compute",
    "def f(x, seen=[]):\n    seen.append(1)\n    return x * len(seen)": "it gets a list",
    "def f(x, w=weight):\n    return x @ (w * 2)": "it gets a Tensor",
    "def f(x):\n    with torch.no_grad():\n        return x": "it does more than compute|it uses 'no_grad'",
}
ASKS = [
    "def f(x, m=None):\n    if m is not None:\n        x = torch.relu(x) + m\n    return x",
    "def f(x, m=None):\n    y = x if m is None else x * m\n    return y",
    "def f(x, m=None):\n    while m is None:\n        return x\n    return x * m",
    "def f(x, m=None):\n    return x * (m is None)",
    "def f(x):\n    return x * 2 if x.dtype is torch.float32 else x",
    "def f(x, flag: bool = True):\n    return x * 2 if flag is True else x",
]
MODEL = """
class Counting(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("n", torch.zeros(()))

    def forward(self, x):
        self.n += 1
        return x * self.n
"""


def made(text, name="f"):
    names = {"torch": torch, "np": np, "math": math, "random": random, "weight": torch.ones(3), "helper": lambda x: x}
    exec(text, names)
    return names[name]


@pytest.mark.parametrize("text", COMPUTES)
def test_what_only_computes_is_traced_as_it_is(text):
    f, x = made(text), torch.tensor([-1.0, 0.5, 2.0])
    for found in (gfx.symbolic_trace(f, x)(x), gfx.transpile(f, x, to="torch")(x)):
        torch.testing.assert_close(found, f(x))


@pytest.mark.parametrize("text", ASKS)
def test_what_it_asks_by_is_is_refused(text):
    """Without source nobody sees the question, and Python says of what stands for an argument that it is not None."""
    with pytest.raises(GfxError, match=r"'f' has no source .*asks by `is`"):
        gfx.symbolic_trace(made(text), backend="torch")


@pytest.mark.parametrize("text", DOES_MORE)
def test_what_does_more_is_refused(text):
    with pytest.raises(GfxError, match=rf"'f' has no source \(<string>\), and ({DOES_MORE[text]})"):
        gfx.symbolic_trace(made(text), torch.ones(3))


def test_state_of_a_model_is_not_touched():
    model = made(MODEL, "Counting")()
    with pytest.raises(GfxError, match=r"'forward' has no source .* it gets a Counting"):
        gfx.symbolic_trace(model, torch.ones(3))
    assert model.n == 0


def test_a_list_that_it_is_given_is_not_written_unseen():
    append = made("def f(x, seen):\n    seen.append(x)\n    return x")

    def fn(x):
        seen = []
        if x.sum() > 0:
            append(x, seen)
        return x * len(seen)

    with pytest.raises(GfxError, match=r"'f' has no source .* it gets a list"):
        gfx.symbolic_trace(fn, torch.ones(3))
