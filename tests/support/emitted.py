"""Emitted source of graphs that a test builds: its text, and what it computes against the interpreter."""

import numpy as np

from gfx_ir import ops
from gfx_ir.build import Builder
from gfx_ir.codegen import emit
from gfx_ir.graph import Graph
from gfx_ir.loading import backend
from gfx_ir.program import Parameter, Program
from gfx_ir.rules import building
from graphs import add, named, run

BACKENDS = ("numpy", "torch", "jax")
X, Y = np.float32([0.3, -0.7, 1.1]), np.float32([0.9, 0.2, -0.4])


def source(program, name, **options):
    """Emitted source behind the imports."""
    text = emit(program, backend(name), **options).source
    return text[text.index("def ") :]


def code(text):
    """Expected source, given indented."""
    lines = text.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(line[indent:] for line in lines).rstrip() + "\n"


def same(program, args, name, module=None, params=()):
    """Run the emitted source against the interpreter."""
    target = backend(name)
    fn = (module or emit(program, target)).load()
    give = lambda leaf: target.from_host(np.array(leaf)) if isinstance(leaf, (np.ndarray, np.generic)) else leaf
    want = run(program.entry, args, program.functions, program.params)
    got = fn(*params, *[give(arg) for arg in args])
    for a, b in zip(leaves(want), leaves(got), strict=True):
        np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=2e-3, atol=2e-3)


def leaves(tree):
    return [leaf for item in tree for leaf in leaves(item)] if type(tree) in (tuple, list) else [tree]


def graph(name, *arguments):
    made = Graph(name)
    return made, [made.add_placeholder(*a.split(":")) for a in arguments], Builder(made)


def newton():
    g, (x, tol), b = graph("newton", "x", "tol:float")
    with building(b):
        with b.region("test") as test:
            c = test[0].add_placeholder("x")
            residual = ops.abs(ops.subtract(ops.multiply(c, c), 2.0))
            test[0].result = ops.greater(ops.max(residual), b.local(tol))
        with b.region("body") as body:
            c = body[0].add_placeholder("x")
            step = ops.divide(ops.subtract(ops.multiply(c, c), 2.0), ops.multiply(2.0, c))
            body[0].result = (named(ops.subtract(c, step), "x"),)
        operands = b.outer_operands([test, body])
        g.result = named(add(b, "while", ((x,), operands, None), ("tensor",), (test[0], body[0])), "x")
    return Program(g, signature=[Parameter("x", x), Parameter("tol", tol, 1e-6, annotation="float")])
