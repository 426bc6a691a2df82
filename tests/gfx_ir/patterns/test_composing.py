"""Compose: ops come back from their bodies, and from what authors write by hand."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import ArgumentError
from gfx_ir.passes import Optimize
from gfx_ir.patterns import compose
from gfx_ir.patterns.composing import rules
from gfx_ir.verify import verify
from optimized import f32, models, ops_of, read


def traced(fn, *shapes, backend="torch"):
    return gfx.symbolic_trace(fn, *(gfx.TensorSpec(shape) for shape in shapes), backend=backend)


@pytest.mark.parametrize("model", ["resnet", "gpt"])
def test_models_come_back(model):
    program, inputs = models()[model]
    flat = Optimize(["inline"])(program)
    down = Optimize(["decompose", "dead_code"])(flat)
    up = Optimize(["compose"], validate=inputs, tolerance=1e-4)(down)
    for name in rules():
        if name not in ("conv", "relu"):
            assert ops_of(up).count(name) == ops_of(flat).count(name), name
    assert len(up.entry) < len(down.entry)


LAYERS = """def f(x, w, b):
    a = softmax(x, axis=-1)
    c = layer_norm(a, (4,), w, b, 0.001)
    d = rms_norm(c, (3, 4))
    e = gelu(d, "tanh")
    g = log_softmax(e, axis=0)
    h = scaled_dot_product_attention(g, e, d, is_causal=True)
    return h
"""


@pytest.mark.parametrize("element", ["float32", "float16"])
def test_arguments_come_back(element):
    specs = {"x": (2, 3, 4), "w": (4,), "b": (4,)}
    program = read(LAYERS, **{name: gfx.TensorSpec(shape, element) for name, shape in specs.items()})
    down = Optimize(["decompose", "dead_code"])(program)
    assert len(down.entry) > 30
    assert str(Optimize(["compose", "dead_code"])(down)) == str(program)


def layer_norm(x, w, b):
    u = x.mean(-1, keepdim=True)
    s = (x - u).pow(2).mean(-1, keepdim=True)
    return w * ((x - u) / torch.sqrt(s + 1e-5)) + b


def rms_norm(x, w):
    return w * (x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6))


def gelu_by_tanh(x):
    return 0.5 * x * (1.0 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3.0))))


def gelu_by_erf(x):
    return x * 0.5 * (1 + torch.erf(x / math.sqrt(2.0)))


def attention(q, k, v):
    return torch.softmax(q @ k.transpose(-2, -1) * (1.0 / math.sqrt(k.size(-1))), -1) @ v


def divided(q, k, v):
    return torch.softmax(torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(q.size(-1)), -1) @ v


def still(x):
    e = jnp.exp(x - jax.lax.stop_gradient(x.max(-1, keepdims=True)))
    return e / e.sum(-1, keepdims=True)


def by_hand(x):
    e = torch.exp(x - x.max(-1, keepdim=True).values)
    return e / e.sum(-1, keepdim=True)


def log_by_hand(x):
    shifted = x - torch.max(x, -1, keepdim=True)[0]
    return shifted - torch.log(torch.exp(shifted).sum(-1, keepdim=True))


def conv(x, w, b):
    return jnp.maximum(jax.lax.conv(x, w, (1, 1), "VALID") + b[:, None, None], 0)


Q, IMAGE = (2, 4, 5, 8), ((1, 3, 8, 8), (4, 3, 3, 3), (4,))
BY_HAND = [
    (layer_norm, ((2, 8), (8,), (8,)), "torch", ["layer_norm"]),
    (rms_norm, ((2, 8), (8,)), "torch", ["rms_norm"]),
    (gelu_by_tanh, ((2, 8),), "torch", ["gelu"]),
    (gelu_by_erf, ((2, 8),), "torch", ["gelu"]),
    (attention, (Q, Q, Q), "torch", ["scaled_dot_product_attention"]),
    (divided, (Q, Q, Q), "torch", ["scaled_dot_product_attention"]),
    (still, ((2, 8),), "jax", ["softmax"]),
    (by_hand, ((2, 8),), "torch", ["softmax"]),
    (log_by_hand, ((2, 8),), "torch", ["log_softmax"]),
    (conv, IMAGE, "jax", ["conv", "relu"]),
]


@pytest.mark.parametrize(("fn", "shapes", "backend", "wanted"), BY_HAND, ids=lambda x: getattr(x, "__name__", ""))
def test_what_authors_write(fn, shapes, backend, wanted):
    program = traced(fn, *shapes, backend=backend)
    rng = np.random.default_rng(0)
    data = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    before = np.asarray(program(*data))
    assert compose(program, near=True) == len(wanted)
    verify(program)
    assert ops_of(program) == wanted
    np.testing.assert_allclose(np.asarray(program(*data)), before, atol=1e-5, rtol=1e-4)
    for target, array in (("torch", torch.as_tensor), ("jax", jnp.asarray)):
        np.testing.assert_allclose(np.asarray(program.to(target)(*map(array, data))), before, atol=1e-4, rtol=1e-3)


def test_rounding_is_kept_unless_asked():
    program = traced(gelu_by_erf, (2, 8))
    assert compose(program) == 0 and compose(program, near=True) == 1


def test_an_op_is_not_composed_of_what_its_targets_do_not_take():
    lines = """def f(x, w):
    m = mean(x, axis=-1, keepdims=True)
    v = var(x, axis=-1, keepdims=True)
    c = subtract(x, m)
    e = add(v, 1e-05)
    r = rsqrt(e)
    n = multiply(c, r)
    a = multiply(n, w)
    return a
"""
    program = read(lines, x=f32(2, 8), w=f32(2, 8))  # the weight is no vector
    assert compose(program, ["layer_norm"]) == 1 and ops_of(program) == ["layer_norm", "multiply"]
    both = read(
        "def f(x):\n    m = max(x, axis=(0, 1), keepdims=True)\n    c = subtract(x, m)\n    e = exp(c)\n"
        "    s = sum(e, axis=(0, 1), keepdims=True)\n    a = divide(e, s)\n    return a\n"
    )
    assert compose(both) == 0  # no target has softmax over two axes
    for element, zero, count in (("bool", "0", 0), ("int64", "0", 1), ("int64", "0.0", 0), ("float32", "0.0", 1)):
        larger = read(f"def f(x):\n    a = maximum(x, {zero})\n    return a\n", x=gfx.TensorSpec((3,), element))
        assert compose(larger) == count
    slope = read("def f(x, s):\n    p = greater(x, 0)\n    n = multiply(x, s)\n    a = where(p, x, n)\n    return a\n")
    assert compose(slope) == 0  # the slope of leaky_relu is a number


def test_shapes_may_be_open():
    program = read(
        "def f(x):\n    m = mean(x, axis=-1, keepdims=True)\n    v = var(x, axis=-1, keepdims=True)\n    c = subtract(x, m)\n"
        "    e = add(v, 0.1)\n    r = rsqrt(e)\n    n = multiply(c, r)\n    return n\n"
    )
    assert compose(program) == 1
    verify(program)
    assert ops_of(program) == ["size", "layer_norm"]


def test_what_cannot_be_composed_is_named():
    with pytest.raises(ArgumentError, match="'sin' cannot be composed"):
        compose(read("def f(x):\n    return x\n"), ["sin"])
