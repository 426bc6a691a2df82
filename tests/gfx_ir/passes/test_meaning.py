"""Every pass keeps what programs compute: three models, and random programs with tests and loops in one another."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.graph import Graph, Node
from gfx_ir.infer import bind, infer
from gfx_ir.op import lookup
from gfx_ir.passes import DEFAULT, PASSES, Optimize
from gfx_ir.program import Program
from gfx_ir.rules import building
from gfx_ir.verify import verify
from linear import assert_linear
from optimized import f32, generated, models
from sweeps import part

EVERY_PASS = pytest.mark.parametrize("name", PASSES.names())
REWRITES = pytest.mark.parametrize(
    "name", [name for name in PASSES.names() if name != "memory_plan"]
)  # which edits nothing


@REWRITES
@pytest.mark.parametrize("model", models())
def test_models(name, model):
    program, inputs = models()[model]
    rounds = PASSES.get(name).tolerance is not None
    verify(Optimize([name], validate=inputs, tolerance=None if rounds else 1e-4)(program))


@REWRITES
@pytest.mark.parametrize("seed", range(part(6, 30)))
def test_generated_programs(name, seed):
    for typed in (False, True):
        program, inputs = generated(seed, typed)
        Optimize([name], validate=inputs)(program)


@pytest.mark.parametrize("seed", range(30, 30 + part(3, 30)))
def test_all_passes_to_a_fixpoint(seed):
    program, inputs = generated(seed, typed=True)
    everything = Optimize([*DEFAULT, "inline", "invariant"], validate=inputs, fixpoint=True)
    out = everything(program)
    assert not any(applied.changed for applied in everything.report[-len(everything.passes) :])
    assert str(everything(out)) == str(out)


@pytest.mark.parametrize("target", ["torch", "jax"])
def test_what_is_emitted_afterwards(target):
    x = torch.tensor([1.0, 3.0])
    program = models()["newton"][0].optimized("invariant", *DEFAULT)
    assert isinstance(program, gfx.Program)
    given = x if target == "torch" else x.numpy()
    np.testing.assert_allclose(np.asarray(program.to(target)(given)), [2**0.5] * 2, rtol=1e-6)


@EVERY_PASS
def test_every_pass_is_linear(name):
    def prepare(n):
        program, x = Program(Graph("f")), None
        with building(Builder(program.entry)):
            x = y = program.entry.add_placeholder("x")
            for _ in range(n // 6):
                y = ops.add(ops.multiply(ops.sin(y), 1.0), x)
                y = ops.permute_dims(ops.permute_dims(ops.negative(ops.negative(y)), (1, 0)), (1, 0))
            program.entry.result = y
        program = infer(bind(program, x=f32(2, 3)))
        return lambda: PASSES.get(name).apply(program)

    assert_linear(prepare)


@EVERY_PASS
def test_every_pass_is_linear_in_loops(name):
    def prepare(n):
        program = Program(Graph("f"))
        build = Builder(program.entry)
        with building(build):
            x = y = program.entry.add_placeholder("x")
            for _ in range(n // 10):
                with build.region("body") as body:
                    _, carry, dead = [
                        body[0].add_placeholder(a, kind) for a, kind in (("i", "int"), ("c", "tensor"), ("d", "tensor"))
                    ]
                    again = ops.add(ops.sin(build.local(x)), carry)
                    body[0].result = (ops.multiply(again, ops.sin(build.local(x))), ops.cos(dead))
                operands = build.outer_operands([body])
                args = ((("range", 0, 3, 1),), (y, y), operands, None)
                made = Node(lookup("for"), args, ("tensor", "tensor"), None, (body[0],))
                y = build.append(made).values[0]
            program.entry.result = y
        program = infer(bind(program, x=f32(2, 3)))
        return lambda: PASSES.get(name).apply(program)

    assert_linear(prepare)
