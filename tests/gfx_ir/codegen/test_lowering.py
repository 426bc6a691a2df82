"""Lowering passes, each alone: what it makes of a small program, which stays well formed."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.codegen.prepare import LOWERINGS
from gfx_ir.copies import copy_program
from gfx_ir.graph import Graph, Node
from gfx_ir.op import lookup
from gfx_ir.passes import PassError
from gfx_ir.program import Program
from gfx_ir.text import to_text
from lowerings import STYLES, lowered, style_of

I32 = gfx.TensorSpec((3,), "int32")


def waiting():
    graph = Graph("f")
    x = graph.add_placeholder("x", "tensor")
    first = graph.append(Node(lookup("sin"), (x,)))
    second = graph.append(Node(lookup("cos"), (x,)))
    second.waits = (first,)
    graph.result = second.value
    return Program(graph)


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return g * x


def gate(x):
    return Gate.apply(x)


def doubled(x):
    m = x > 0
    y = x * 1.0
    y[m] = y[m] * 2
    return y


def counted(x):
    out = torch.zeros(3, dtype=torch.int64)
    out[1] = out[1] + 2
    return out + x


def activated(x):
    return torch.nn.functional.softplus(x) * torch.nn.functional.softplus(x * 3)


def powers(n, k):
    return n**k


def placed(x):
    return x + torch.ones(3, device=x.device)


def halved(n):
    return n / 2


def stacked(x):
    return torch.stack([x.sum().item() * 2, x.sum()])


def alone(n):
    return torch.cat((n,)) + 1


def both(x, k: int = 1):
    if x.sum() and k:
        x = x + 1
    return x


CASES = [
    ("keep_order", waiting(), (), "_waits", "evaluate(_1)", "jax", True),
    ("own_gradients", gate, (), "def Gate", "def gate_backward", "jax", False),
    ("booleans", doubled, (), "m = greater", "m: bool[...] = greater", "jax", True),
    ("masked", doubled, (), "index_put(y, m", "where(m, _1, y)", "jax", True),
    ("added", counted, (), "index_put(out, 1, _2)", "accumulate=True", "jax", True),
    ("untold", placed, (), "device=", "ones((3,), dtype=float32)", "jax", True),
    ("powers", powers, (I32, I32), "_1: i32[3] = pow(n, k)", "remainder(k, 2)", "jax", False),
    ("promoted", halved, (I32,), "divide(n, 2)", "astype(n, float32)", "jax", False),
    ("composites", activated, (), "= softplus(x)", 'call("softplus"', "numpy", False),
    ("tensor_lists", stacked, (), "stack((_3, _4))", "as_tensor(_3)", "torch", False),
    ("joined", alone, (I32,), "concat((n,))", "add(n, 1)", "jax", False),
    ("truths", both, (), "not_equal(", "k != 0", "jax", False),
]


@pytest.mark.parametrize(
    ("name", "made", "specs", "before", "after", "target", "runs"), CASES, ids=lambda x: str(x)[:20]
)
def test_each_alone(name, made, specs, before, after, target, runs):
    program = made if isinstance(made, Program) else gfx.symbolic_trace(made, *specs, backend="torch")
    required = [key.name for key in LOWERINGS.get(name).requires]
    given = (np.array([1.0, -2.0, 3.0], np.float32),) if runs else None
    found = to_text(lowered(program, [*required, name], target, given=given))
    old = to_text(program)
    assert before in old
    assert after not in old
    assert after in found


@pytest.mark.parametrize(("name", "mode"), STYLES)
def test_a_target_lists_each_once_and_after_what_it_requires(name, mode):
    listed = style_of(name, mode).lowering
    assert len(set(listed)) == len(listed)
    for at, each in enumerate(listed):
        assert {key.name for key in LOWERINGS.get(each).requires} <= set(listed[:at])


def test_every_pass_is_listed_by_a_target():
    assert {each for pair in STYLES for each in style_of(*pair).lowering} == set(LOWERINGS.names())


def test_what_a_pass_requires_has_to_run_first():
    program = gfx.symbolic_trace(doubled, backend="torch")
    with pytest.raises(PassError, match="'masked' needs the graph attribute 'handed'"):
        lowered(program, ["masked"])


def test_a_lowering_pass_needs_a_target():
    with pytest.raises(PassError, match=r"'added' lowers for a target"):
        LOWERINGS.get("added").apply(copy_program(gfx.symbolic_trace(counted, backend="torch")))
