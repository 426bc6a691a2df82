"""Patterns: 50 of them looked for in graphs of 10k nodes, and a node at 100k against one at 10k."""

from chains import flat
from harness import timed

from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.graph import Graph
from gfx_ir.op import REGISTRY
from gfx_ir.patterns import Pattern, PatternError, compose, find
from gfx_ir.rules import building

NODES, PATTERNS = 10_000, 50


def patterns():
    """The first 50 composites of the catalogue whose bodies are patterns as they stand."""
    found = []
    for op in REGISTRY.values():
        try:
            found += [Pattern(op)] if op.composite else []
        except PatternError:
            continue
    return found[:PATTERNS]


def layers(count):
    """Layers of a network, written out: much of it is what one of the patterns has."""
    graph = Graph("layers")
    x = graph.add_placeholder("x")
    with building(Builder(graph)):
        while len(graph) < count:
            for op in (ops.softmax, ops.gelu, ops.silu, ops.softplus, ops.log_softmax, ops.mse_loss):
                x = op.body(x, x) if op is ops.mse_loss else op.body(x)
        graph.result = x
    return graph


def sums(count):
    """One long sum, in which hardly anything stands that a pattern has, though their ops do."""
    graph = Graph("sums")
    x = graph.add_placeholder("x")
    with building(Builder(graph)):
        while len(graph) < count:
            x = ops.add(ops.multiply(x, 0.5), x)
        graph.result = x
    return graph


def measure(report):
    wanted = patterns()
    assert len(wanted) == PATTERNS
    for name, make in (("layers", layers), ("a long sum", sums)):
        graph = make(NODES)
        matches = len(find(graph, wanted))
        detail = f"{matches} matches"
        samples = [timed(lambda graph=graph: find(graph, wanted)) for _ in range(5)]
        report.add(f"{name}: {NODES} nodes x {PATTERNS} patterns", samples, "s", 1.0, detail)
    report.add("50 patterns made", [timed(patterns)], "s", 1.0)
    report.add(f"compose: {NODES} nodes", [timed(lambda: compose(layers(NODES))) for _ in range(3)], "s", 3.0)
    flat(report, "find", lambda graph: find(graph, wanted), layers, 3, (NODES, 10 * NODES))
