"""The parameter tree: children that are called by numbers are a list where all of them are, else entries of a dictionary."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx

X = np.arange(8, dtype=np.float32).reshape(2, 4) / 8


def weights(at):
    return {"w": jnp.asarray(np.roll(np.eye(4, dtype=np.float32), at, 0) * (at + 1))}


def layer(params, x):
    return jnp.tanh(x @ params["w"])


def mixed(params, x):
    for key in ("0", "1", "2"):
        x = layer(params[key], x)
    return x @ params["head"]["w"]


def inner(params, x):
    for key in ("0", "1"):
        block = params["blocks"][key]
        x = layer(block["10"], x) + layer(block["fc"], x)
    return x


def list_beside_a_number(params, x):
    for item in params["list"]:
        x = layer(item, x)
    return x @ params["0"]["w"]


def gaps(params, x):
    return x @ params["1"]["w"] @ params["3"]["w"]


CASES = [
    (mixed, {"0": weights(0), "1": weights(1), "2": weights(2), "head": weights(3)}),
    (inner, {"blocks": {key: {"10": weights(at), "fc": weights(at + 2)} for at, key in enumerate("01")}}),
    (list_beside_a_number, {"list": [weights(0), weights(1)], "0": weights(2)}),
    (gaps, {"1": weights(1), "3": weights(2)}),
]


@pytest.mark.parametrize(("fn", "params"), CASES, ids=lambda case: getattr(case, "__name__", ""))
def test_numbers_that_are_names(fn, params):
    want = fn(params, X)
    target = functools.partial(fn, params)
    made = gfx.transpile(target, jnp.asarray(X), to="torch")
    for found in (made, made.module(), functools.partial(made.fn, made.params)):
        np.testing.assert_allclose(found(torch.tensor(X)).detach(), want, rtol=1e-5)
    back = gfx.transpile(target, jnp.asarray(X), to="jax")
    np.testing.assert_allclose(jax.jit(back.fn)(back.params, X), want, rtol=1e-5)


class Named(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module("0", nn.Linear(4, 4))
        self.add_module("1", nn.Linear(4, 4))
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(getattr(self, "1")(getattr(self, "0")(x)))


def test_modules_of_pytorch_that_are_called_by_numbers():
    model = Named()
    made = gfx.transpile(model, torch.tensor(X), to="jax")
    assert set(made.params) == {"0", "1", "head"}
    np.testing.assert_allclose(made(jnp.asarray(X)), model(torch.tensor(X)).detach(), rtol=1e-5)


class Counting(nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("count", torch.zeros(1))

    def forward(self, x):
        self.count += 1
        return x + self.count


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_each_transpiled_program_has_params_of_its_own(to):
    program = gfx.symbolic_trace(Counting(), torch.ones(2))
    x = torch.ones(2) if to == "torch" else jnp.ones(2) if to == "jax" else np.ones(2, np.float32)
    first, second = (gfx.transpile(program, to=to) for _ in range(2))
    assert [float(found[0]) for found in (first(x), first(x), second(x), gfx.transpile(program, to=to)(x))] == [
        2,
        3,
        2,
        2,
    ]
