"""Outline as a pass: what stands there again and again is one function, wherever its parameters are."""

import numpy as np
import torch
from torch import nn

import gfx_trace as gfx
import gpt
from gfx_ir.passes import PASSES, Optimize
from linear import assert_linear
from optimized import applied, f32, models, ops_of, read

X = torch.linspace(-1.0, 1.0, 12).reshape(3, 4)
TWICE = """def f(x, y):
    a = sin(x)
    b = multiply(a, y)
    c = cos(b)
    d = add(c, a)
    e = tanh(d)
    g = sin(e)
    h = multiply(g, y)
    k = cos(h)
    l = add(k, g)
    return (l, k)
"""
DATA = (np.arange(3, dtype=np.float32), np.ones(3, np.float32))


def test_inline_is_undone():
    program, inputs = models()["gpt"]
    out = applied(["inline", "outline"], program, inputs, tolerance=1e-5)
    calls = [node.args[:2] for node in out.entry if node.op.name == "call"]
    assert calls == [("block", "blocks.0"), ("block", "blocks.1")] and list(out.functions) == ["block"]
    assert set(out.entry.parameters) == {"token.weight", "position.weight", "norm.weight", "norm.bias"}
    assert "def block" in program.optimized("inline", "outline").source("jax") and str(
        Optimize(["outline"])(out)
    ) == str(out)


def test_what_any_of_the_runs_gives_all_give():
    out = applied(["outline"], read(TWICE, x=f32(3), y=f32(3)), DATA)
    assert ops_of(out) == ["call", "tanh", "call"]
    (function,) = out.functions.values()
    assert ops_of(out) and len(function) == 4 and len(function.outputs()) == 2


def test_only_what_computes_the_same():
    other = TWICE.replace("l = add(k, g)", "l = add(k, h)")
    out = applied([PASSES.get("outline", least=2)], read(other, x=f32(3), y=f32(3)), DATA)
    assert [len(graph) for graph in out.functions.values()] == [3]
    assert not applied(["outline"], read(other, x=f32(3), y=f32(3)), DATA).functions


def test_parameters_without_a_path_of_their_own_are_handed_over():
    text = """def f(x):
    v = parameter("v")
    w = parameter("w")
    a = multiply(x, v)
    b = add(a, w)
    c = sin(b)
    d = multiply(c, w)
    e = add(d, v)
    g = sin(e)
    return g
"""
    program = read(text)
    program.params = {"v": np.float32(2.0), "w": np.float32(0.5)}
    out = applied([PASSES.get("outline", least=3)], program, DATA[:1])
    assert ops_of(out) == ["call", "call"] and not next(iter(out.functions.values())).parameters


def test_effects_keep_their_order(capsys):
    lines = "".join(
        f"    a{n} = sin(x)\n    print((a{n},))\n    b{n} = cos(a{n})\n    print(('{n}',))\n" for n in (1, 2)
    )
    program = read(f"def f(x):\n{lines}    print(('end',))\n    return (b1, b2)\n")
    out = Optimize([PASSES.get("outline", least=3)])(program)
    assert ops_of(out) == ["call", "print", "call", "print", "print"]
    first, second, third = [node for node in out.entry if node.op.effect]
    assert first.after is None and second.after is first and third.after is second
    (inner,) = out.functions.values()
    assert [node.op.name for node in inner] == ["sin", "print", "cos"]


def test_what_is_written_in_place_stays():
    def twice(x):
        y = torch.sin(x)
        y += 1.0
        y *= x
        y = torch.cos(y)
        z = torch.sin(x)
        z += 1.0
        z *= x
        z = torch.cos(z)
        return y + z

    program = gfx.symbolic_trace(twice, X)
    assert not applied(["outline"], program, (X.numpy(),)).functions


class Chain(nn.Module):
    def __init__(self):
        super().__init__()
        block = lambda: nn.Sequential(nn.Linear(4, 4), nn.Tanh(), nn.Linear(4, 4), nn.ReLU())
        self.blocks = nn.ModuleList(block() for _ in range(5))

    def forward(self, x):
        for block in self.blocks:
            x = x + block(x)
        return x


def test_blocks_of_a_model_and_loops_of_them():
    model = Chain()
    program = gfx.symbolic_trace(model, X).infer()
    out = program.optimized("inline", "outline", "roll", validate=(X.numpy(),), tolerance=1e-5)
    assert ops_of(out)[0] == "for" and "call" not in ops_of(out)
    np.testing.assert_allclose(np.asarray(out.to("jax")(X.numpy())), model(X).detach(), rtol=1e-5, atol=1e-6)


class Nested(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList(gpt.GPT(depth=1).blocks[0] for _ in range(6))

    def forward(self, x):
        for at, layer in enumerate(self.layers):
            x = layer(x) if at != 3 else torch.flip(layer(x), (0,))
        return x


def test_blocks_that_do_not_follow_on_one_another():
    torch.manual_seed(0)
    model, x = Nested().eval(), torch.randn(2, 4, 32)
    program = gfx.symbolic_trace(model, x).infer()
    out = program.optimized("inline", "outline", validate=(x.numpy(),), tolerance=1e-4)
    assert ops_of(out).count("call") >= 2 and len(out.entry) <= 12
    np.testing.assert_allclose(out.to("torch")(x).detach(), model(x).detach(), rtol=1e-4, atol=1e-5)


def test_the_cost_of_a_graph_without_repeats_and_of_one_with_many():
    def prepare(n, period):
        lines = "".join(f"    a{at + 1} = multiply(a{at}, {at % period}.0)\n" for at in range(n))
        program = read(f"def f(a0):\n{lines}    return a{n}\n")
        return lambda: PASSES.get("outline").apply(program)

    for period in (1, 7, 10**9):
        assert_linear(lambda n, period=period: prepare(n, period))
