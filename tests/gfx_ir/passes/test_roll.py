"""Runs of equal blocks become loops over their stacked parameters."""

import numpy as np
import torch
from torch import nn

import gfx_trace as gfx
import gpt
from gfx_ir.passes import PASSES
from optimized import ops_of

X = torch.linspace(-1.0, 1.0, 12).reshape(3, 4)


class Block(nn.Module):
    def __init__(self, inside=4):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, inside), nn.Tanh(), nn.Linear(inside, 4))
        self.scale = nn.Parameter(torch.rand(4))

    def forward(self, x, y):
        return x + self.inner(x * y) * self.scale


class Chain(nn.Module):
    def __init__(self, blocks):
        super().__init__()
        self.blocks = nn.ModuleList(blocks)

    def forward(self, x, y):
        for block in self.blocks:
            x = block(x, y)
        return x


def rolled(model, *inputs, **attributes):
    """The program with its runs rolled up, which gives the same on the reference and as source of both frameworks."""
    program = gfx.symbolic_trace(model, *inputs).infer()
    data = tuple([x.numpy() for x in inputs])
    out = program.optimized(PASSES.get("roll", **attributes), validate=data, tolerance=1e-5)
    wanted = model(*inputs).detach()
    np.testing.assert_allclose(out(*inputs).detach(), wanted, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(np.asarray(out.to("jax")(*data)), wanted, rtol=1e-5, atol=1e-5)
    return out


def test_a_run_is_a_loop_over_stacked_parameters():
    model = Chain([Block() for _ in range(5)])
    out = rolled(model, X, X + 1.0)
    assert ops_of(out)[0] == "for" and "call" not in ops_of(out) and not out.functions
    assert {name: tuple(x.shape) for name, x in out.params.items()} == {
        "blocks.inner.0.weight": (5, 4, 4), "blocks.inner.0.bias": (5, 4), "blocks.inner.2.weight": (5, 4, 4),
        "blocks.inner.2.bias": (5, 4), "blocks.scale": (5, 4),
    }  # fmt: skip
    assert "lax.scan" in out.source("jax") and tuple(model.blocks[0].scale.shape) == (4,)


def test_what_differs_or_is_shared_stays():
    shared = Block()
    for blocks in ([Block(), Block(), Block(3)], [shared, shared, shared], [Block(), Block()]):
        assert "for" not in ops_of(rolled(Chain(blocks), X, X))
    tied = Chain([Block() for _ in range(3)])
    tied.blocks[1].scale = tied.blocks[0].scale
    assert "for" not in ops_of(rolled(tied, X, X))
    assert "for" in ops_of(rolled(Chain([Block(), Block()]), X, X, least=2))


def test_blocks_beside_others_keep_them():
    out = rolled(Chain([Block(3), *[Block() for _ in range(3)], Block(3)]), X, X)
    assert ops_of(out).count("for") == 1 and "blocks.0.scale" in out.params
    assert tuple(out.params["blocks_1_to_blocks_3.scale"].shape) == (3, 4)


def test_runs_within_blocks_that_are_called_twice():
    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.left, self.right = (Chain([Block() for _ in range(3)]) for _ in range(2))

        def forward(self, x):
            return self.left(x, x + 2.0) * self.right(x, x + 1.0)

    out = rolled(Outer(), X)
    assert tuple(out.params["left.blocks.scale"].shape) == tuple(out.params["right.blocks.scale"].shape) == (3, 4)


def test_a_language_model():
    torch.manual_seed(0)
    model, tokens = gpt.GPT(depth=4).eval(), torch.randint(0, 50, (2, 8))
    program = gfx.symbolic_trace(model, tokens).infer()
    out = program.optimized("roll", validate=(tokens.numpy(), None), tolerance=1e-4)
    assert ops_of(out).count("for") == 1 and len(out.params) < len(program.params)
    torch.testing.assert_close(out(tokens)[0], model(tokens)[0])
