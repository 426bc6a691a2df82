"""Decompose ends with the ops that were chosen, and says which of the program's have no pattern over them."""

import re

import numpy as np
import pytest

from gfx_ir.build import Builder
from gfx_ir.dtypes import dtype
from gfx_ir.errors import GfxError
from gfx_ir.graph import Graph
from gfx_ir.infer import bind, infer
from gfx_ir.op import REGISTRY, lookup
from gfx_ir.passes import PASSES, PassError
from gfx_ir.program import Program
from gfx_ir.rules import building
from gfx_ir.trees import tree_map
from gfx_ir.types import LogicalTensor
from optimized import applied, f32, ops_of, read
from samples import all_samples
from sweeps import one_of_each

LAYERS = """def f(x, w):
    a = softmax(x, axis=-1)
    b = layer_norm(a, (4,), w)
    def body(i, y):
        z = gelu(y)
        return (z,)
    c = for_(body, items=(("range", 0, 2, 1),), init=(b,), operands=())
    return c
"""
DATA = (np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32), np.ones(4, np.float32))


def test_down_to_primitives_in_regions_too():
    out = applied(["decompose"], read(LAYERS, x=f32(3, 4), w=f32(4)), DATA)
    assert not any(REGISTRY[name].composite for name in ops_of(out))
    assert all(value.type is not None for node in out.entry.walk() for value in node.values)


def test_ops_that_are_chosen_stay_whole():
    program = read(LAYERS, x=f32(3, 4), w=f32(4))
    found = set(ops_of(applied([PASSES.get("decompose")], program, DATA)))
    chosen = [*found, "softmax", "gelu"]
    out = ops_of(applied([PASSES.get("decompose", ops=chosen)], program, DATA))
    assert "softmax" in out and "gelu" in out and "layer_norm" not in out


def test_what_no_chosen_op_gives_is_named():
    with pytest.raises(PassError, match=r"the chosen ops lack\n  \w+"):
        PASSES.get("decompose", ops=["add", "gelu"]).apply(read(LAYERS, x=f32(3, 4), w=f32(4)))


def of_sample(sample, shaped):
    """The call of a sample as a program of its arrays, and these."""
    graph, given = Graph("f"), []

    def placed(leaf):
        if not isinstance(leaf, np.ndarray):
            return leaf
        given.append(leaf)
        return graph.add_placeholder(f"x{len(given)}")

    with building(Builder(graph)):
        graph.result = lookup(sample.op)(*tree_map(placed, sample.args), **tree_map(placed, sample.kwargs))
    program = Program(graph)
    types = [LogicalTensor(dtype(x.dtype), x.shape if shaped else None) for x in given]
    specs = {f"x{at}": type_ for at, type_ in enumerate(types, 1)}
    return infer(bind(program, **specs)), tuple(given)


COMPOSED = one_of_each(lambda sample: sample.op, [s for s in all_samples() if lookup(s.op).composite])


@pytest.mark.parametrize("sample", COMPOSED, ids=str)
def test_every_composite_is_its_body(sample):
    for shaped in (True, False):
        try:
            program, data = of_sample(sample, shaped)
            out = applied(["decompose"], program, data, tolerance=max(sample.tol, 1e-5))
        except GfxError as error:  # what a body asks of shapes, or does not see of them
            assert not shaped and re.search("give the argument's shape|made the program fail", str(error))
            continue
        assert not any(lookup(name).composite for name in ops_of(out))


def test_it_needs_types():
    with pytest.raises(PassError, match=r"layer_norm is made of other ops for other dtypes.*\n.*infer"):
        PASSES.get("decompose", ops=["softmax", "gelu"]).apply(read(LAYERS))
