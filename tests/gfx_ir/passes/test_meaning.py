"""Every pass keeps what programs compute: three models, and random programs with tests and loops in one another."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.passes import DEFAULT, PASSES, Optimize
from gfx_ir.verify import verify
from optimized import generated, models

EVERY_PASS = pytest.mark.parametrize("name", PASSES.names())


@EVERY_PASS
@pytest.mark.parametrize("model", models())
def test_models(name, model):
    program, inputs = models()[model]
    verify(Optimize([name], validate=inputs, tolerance=1e-4)(program))


@EVERY_PASS
@pytest.mark.parametrize("seed", range(30))
def test_generated_programs(name, seed):
    for typed in (False, True):
        program, inputs = generated(seed, typed)
        Optimize([name], validate=inputs)(program)


@pytest.mark.parametrize("seed", range(30, 60))
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
