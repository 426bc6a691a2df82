"""What the tests of passes share: programs with data for their arguments, and a pass applied to one with its results compared."""

import functools

import numpy as np
import torch

import gfx_trace as gfx
import gpt
import resnet
from gfx_ir import ops
from gfx_ir.infer import bind, infer
from gfx_ir.passes import Optimize
from gfx_ir.textparse import parse_text
from gfx_ir.types import TensorSpec
from gfx_ir.verify import verify
from graphs import Maker


def read(text, head='program("numpy", "numpy")', **specs):
    """A program from text, typed where specs are given."""
    program = parse_text(f"{head}\n\n@entry\n{text}" if "@entry" not in text else f"{head}\n\n{text}")
    verify(program)
    return infer(bind(program, **specs)) if specs else program


def f32(*dims):
    return TensorSpec(dims, "float32")


def ops_of(program):
    """Names of the ops of the entry and its regions, in order."""
    return [node.op.name for node in program.entry.walk()]


def applied(passes, program, *inputs, **options):
    """The program after some passes, whose results on `inputs` (a tuple each) must be the same."""
    return Optimize(passes, validate=list(inputs), **options)(program)


def newton(x, tol: float = 1e-6):
    step = 0
    while torch.max(torch.abs(x * x - 2.0)) > tol:
        if step > 10:
            return x + 0.0
        x = x - (x * x - 2.0) / (2.0 * x)
        step = step + 1
    return x


@functools.cache
def models():
    """Three programs by name, each with data for the placeholders of its entry."""
    torch.manual_seed(0)
    block, image = resnet.Bottleneck(32, 8).eval(), torch.randn(2, 32, 6, 6)
    for norm in (block.bn1, block.bn2, block.bn3):
        norm.running_mean.normal_(), norm.running_var.uniform_(0.5, 2.0)
    tokens = torch.randint(0, 50, (2, 8))
    found = {
        "resnet": (gfx.symbolic_trace(block, image).infer(), {"x": image.numpy()}),
        "gpt": (gfx.symbolic_trace(gpt.GPT(depth=2).eval(), tokens).infer(), {"tokens": tokens.numpy()}),
        "newton": (gfx.symbolic_trace(newton), {"x": np.array([1.0, 3.0], np.float32), "tol": 1e-6}),
    }
    return {name: (p, tuple(data.get(v.name) for v in p.entry.placeholders)) for name, (p, data) in found.items()}


class Contracting(Maker):
    """Sums products, too."""

    def make_op(self, pool, depth):
        if self.random.random() < 0.6:
            return super().make_op(pool, depth)
        a, b, c = self.pick(pool), self.pick(pool), self.pick(pool)
        rows = ops.stack((a, b, ops.multiply(c, 0.5)), axis=0)
        made = self.random.choice((
            lambda: ops.matmul(rows, c), lambda: ops.linear(c, rows), lambda: ops.linear(a, rows, b),
            lambda: ops.einsum("ij,jk,k->i", (rows, rows, a)), lambda: ops.vecdot(rows, rows),
        ))()  # fmt: skip
        return [self.name(ops.tanh(ops.multiply(made, 0.25)))]


def generated(seed, typed, maker=Maker):
    """A random program with tests and loops, with data for its arguments: numbers of trips from none on."""
    program, rng = maker(seed).program(), np.random.default_rng(seed)
    if typed:
        program = infer(bind(program, x=f32(3), y=f32(3)))
    draw = lambda: rng.standard_normal(3).astype(np.float32)
    return program, [(draw(), draw(), n) for n in (0, 1, 4)]
