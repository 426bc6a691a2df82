"""The law of composites: what a body was written out as is matched by the op's pattern, and gives the op's arguments again."""

import numpy as np
import pytest

from gfx_ir import dtypes
from gfx_ir.body import body_of
from gfx_ir.build import Builder
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Graph, Value
from gfx_ir.op import REGISTRY, lookup
from gfx_ir.passes.moves import splice
from gfx_ir.patterns import Pattern, PatternError, anything, find
from gfx_ir.rules import building
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor
from sampled import bound
from samples import all_samples
from sweeps import one_in

COMPOSITES = sorted(op.name for op in REGISTRY.values() if op.composite)
SAMPLES = {name: [sample for sample in all_samples() if sample.op == name] for name in COMPOSITES}
LARGEST = 300  # nodes: larger bodies are the same again
AS_THEY_STAND = 67  # composites whose bodies need no argument given: this number only rises


def written_out(sample, typed):
    """A graph of the sample's one node, which is its body then, and what the node's arguments were."""
    graph = Graph("f")

    def argument(leaf):
        if isinstance(leaf, (np.ndarray, np.generic)):
            type_ = LogicalTensor(dtypes.dtype(leaf.dtype), leaf.shape) if typed else None
            return graph.add_placeholder(f"x{len(graph.placeholders)}", "tensor", type_)
        return leaf

    args = tree_map(argument, bound(sample))
    with building(Builder(graph)):
        graph.result = Builder(graph).add(lookup(sample.op), args)
    found = body_of(graph.first)
    splice(found.graph, graph.first, found.operands, "")
    node = graph.last
    while node is not None:
        before = node.prev
        if not any(value.uses for value in node.values):
            graph.erase(node)
        node = before
    return graph, args


def results(graph):
    return tuple(
        leaf
        for leaf in leaves(graph.result)
        if type(leaf) is Value and leaf.node.graph is graph and leaf.node in set(graph)
    )


def found_again(graph, args, op, given):
    """Whether the pattern matches the whole graph, with these arguments."""
    for match in find(graph, Pattern(op, **given)):
        if match.outputs == results(graph) and set(match.nodes) == set(graph):
            if all(same(match[name], arg) for name, arg in zip(op.params, args)):
                return True
    return False


def same(a, b):
    return all(x is y or (type(x) is type(y) and x == y) for x, y in zip(leaves(a), leaves(b), strict=True))


def holes(args, op, names):
    """Arguments given to a pattern: what is constant in them, and for each tensor a hole of its type."""
    hole = lambda leaf: anything(leaf.type) if type(leaf) is Value else leaf
    return {name: tree_map(hole, arg) for name, arg in zip(op.params, args) if name in names}


@pytest.mark.parametrize("name", one_in(2, COMPOSITES))
def test_bodies_are_matched(name):
    op, checked = lookup(name), 0
    for sample in SAMPLES[name]:
        for typed in (True, False):
            try:
                graph, args = written_out(sample, typed)
            except ShapeError:
                assert not typed  # a body that takes the rank of its argument
                continue
            if 0 < len(graph) <= LARGEST:
                assert matched(graph, args, op), f"{sample}: {graph}"
                checked += 1
    assert checked


def matched(graph, args, op):
    """As the function stands, else with its constants given, else with all types given, too."""
    constants = [n for n, arg in zip(op.params, args) if not any(type(leaf) is Value for leaf in leaves(arg))]
    for names in ((), constants, op.params):
        try:
            if found_again(graph, args, op, holes(args, op, names)):
                return True
        except PatternError:
            continue
    return False


def test_most_bodies_need_no_argument():
    count = 0
    for name in COMPOSITES:
        try:
            count += bool(Pattern(lookup(name)).variants)
        except PatternError as error:
            assert "give" in str(error)
    assert count >= AS_THEY_STAND
