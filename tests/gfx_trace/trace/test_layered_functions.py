"""Layers of helpers, each of which calls the one below twice: twice the time for each layer would take longer than anybody waits.

Every pass that follows calls is asked, each for functions that differ in what they are given, give, write and act on.
"""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.verify import verify
from layers import KINDS, layered

X = torch.tensor([0.5, -1.0, 2.0])
GIVEN = pytest.mark.parametrize("given", [(X,), ()], ids=["typed", "open"])
MANY = 24


def captured(f, given):
    return gfx.symbolic_trace(f, *given, backend="torch")


@GIVEN
@pytest.mark.parametrize("kind", KINDS)
def test_layers_give_what_their_author_wrote(kind, given, tmp_path):
    f = layered(tmp_path, kind, 4)
    program = captured(f, given)
    for got in (
        program(X.clone()),
        program.to("torch")(X.clone()),
        program.to("numpy")(X.numpy().copy(), **_key(program)),
    ):
        np.testing.assert_allclose(np.asarray(got), f(X.clone()), rtol=1e-4)


def _key(program):
    drawn = any(value.kind == "key" for value in program.entry.placeholders)
    return {"key": np.random.default_rng(0)} if drawn else {}


@GIVEN
@pytest.mark.parametrize("kind", KINDS)
def test_layers_take_a_few_nodes_each(kind, given, tmp_path):
    program = captured(layered(tmp_path, kind, MANY), given)
    assert sum(1 for graph in program.graphs for _ in graph.walk()) <= 20 * MANY
    verify(program)
    for target in ("torch", "jax", "numpy"):
        assert len(program.source(target)) <= 400 * MANY
    program.save(tmp_path / "saved")
    assert str(gfx.load(tmp_path / "saved")) == str(program)
    typed = program if given else program.bind(x=gfx.TensorSpec((3,), "float32"))
    assert typed.infer().level == 2


@GIVEN
def test_jax_traces_a_call_of_both_sides_once(given, tmp_path):
    f = layered(tmp_path, "branches", MANY)
    got = jax.jit(captured(f, given).to("jax"))(jax.numpy.asarray(X.numpy()))
    np.testing.assert_allclose(got, f(X), rtol=1e-4)


def test_few_layers_are_written_as_they_were(tmp_path):
    source = captured(layered(tmp_path, "branches", 2), ()).source("jax")
    assert "lax.cond(jnp.sum(x) > 2, lambda: h1(x) + 1, lambda: h1(x * 2) - 1)" in source
