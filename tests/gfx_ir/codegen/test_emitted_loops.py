"""Emitted loops: `while`, counted ones, those over rows, those that `break` leaves."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from emitted import BACKENDS, X, code, graph, newton, same, source
from gfx_ir import ops
from gfx_ir.codegen import emit
from gfx_ir.graph import Node
from gfx_ir.loading import backend
from gfx_ir.op import lookup
from gfx_ir.program import Parameter, Program
from gfx_ir.rules import building
from graphs import add, branch, named


def test_while():
    assert source(newton(), "torch") == code("""
        def newton(x, tol: float = 1e-06):
            while torch.max(torch.abs(x * x - 2.0)) > tol:
                x = x - (x * x - 2.0) / (2.0 * x)
            return x
    """)
    assert source(newton(), "jax") == code("""
        def newton(x, tol: float = 1e-06):
            def cond(x):
                return jnp.max(jnp.abs(x * x - 2.0)) > tol

            def body(x):
                return x - (x * x - 2.0) / (2.0 * x)

            return lax.while_loop(cond, body, x)
    """)
    for name in BACKENDS:
        same(newton(), (np.float32([1, 3, 0.5]), 1e-4), name)
    module = emit(newton(), backend("jax"))
    assert module.static_argnames == ()
    assert jax.jit(module.load())(np.float32([1.0]), 1e-4) == pytest.approx(2**0.5, abs=1e-3)


def stepping():
    """A loop with a counter and a break."""
    g, (a, tol, most), b = graph("stepping", "a", "tol", "max_steps:int")
    with building(b):
        with b.region("test") as test:
            step = [test[0].add_placeholder("x"), test[0].add_placeholder("step"), test[0].add_placeholder("")][1]
            test[0].result = ops.less(step, b.local(most))
        with b.region("body") as body:
            x, step, _ = [body[0].add_placeholder(text) for text in ("x", "step", "")]
            delta = named(ops.divide(ops.subtract(ops.multiply(x, x), b.local(a)), ops.multiply(2, x)), "delta")
            after = named(ops.subtract(x, delta), "x"), named(ops.add(step, 1), "step")
            stop = branch(b, ops.less(ops.abs(delta), b.local(tol)), lambda: [True], lambda: [False], ("tensor",))
            body[0].result = (*after, *stop)
        operands = b.outer_operands([test, body])
        x, step, _ = add(b, "while", ((a, 0, False), operands, 2), ("tensor",) * 3, (test[0], body[0]))
        g.result = (named(x, "x"), named(step, "step"))
    return Program(g, signature=[Parameter("a", a), Parameter("tol", tol), Parameter("max_steps", most, 50)])


def test_break():
    assert source(stepping(), "torch") == code("""
        def stepping(a, tol, max_steps: int = 50):
            x, step = a, 0
            while step < max_steps:
                delta = (x * x - a) / (2 * x)
                x = x - delta
                step += 1
                if torch.abs(delta) < tol:
                    break
            return x, step
    """)
    assert source(stepping(), "jax") == code("""
        def stepping(a, tol, max_steps: int = 50):
            def cond(carry):
                _, step, done = carry
                return (step < max_steps) & ~done

            def body(carry):
                x, step, _ = carry
                delta = (x * x - a) / (2 * x)
                return x - delta, step + 1, jnp.abs(delta) < tol

            x, step, _ = lax.while_loop(cond, body, (a, 0, False))
            return x, step
    """)
    for name in BACKENDS:
        same(stepping(), (np.float32(50), np.float32(1e-3), 50), name)
        same(stepping(), (np.float32(50), np.float32(1e-3), 3), name)


def gated():
    g, (x, threshold), b = graph("gated", "x", "threshold")
    with building(b):
        start = named(ops.zeros_like(ops.getitem(x, 0)), "h")
        with b.region("body") as body:
            row, h = body[0].add_placeholder("row"), body[0].add_placeholder("h")
            after = branch(
                b, ops.greater(ops.max(row), b.local(threshold)),
                lambda: [named(ops.add(b.local(h), b.local(row)), "h")], lambda: [named(ops.multiply(0.5, b.local(h)), "h")], ("tensor",),
            )  # fmt: skip
            body[0].result = (named(after[0], "h"), after[0])
        operands = b.outer_operands([body])
        h, outs = add(b, "for", ((x,), (start,), operands, None), ("tensor",) * 2, (body[0],))
        g.result = (named(outs, "outs"), named(h, "h"))
    return Program(g)


def test_rows_are_scanned_and_stacked():
    assert source(gated(), "numpy") == code("""
        def gated(x, threshold):
            h = np.zeros_like(x[0])
            outs = []
            for row in x:
                if np.max(row) > threshold:
                    h = h + row
                else:
                    h = 0.5 * h
                outs.append(h)
            return np.stack(outs), h
    """)
    assert source(gated(), "jax") == code("""
        def gated(x, threshold):
            def step(h, row):
                h = lax.cond(jnp.max(row) > threshold, lambda: h + row, lambda: 0.5 * h)
                return h, h

            h, outs = lax.scan(step, jnp.zeros_like(x[0]), x)
            return outs, h
    """)
    for name in BACKENDS:
        same(gated(), (np.float32([[1, 2], [-1, -2], [3, 0]]), np.float32(1)), name)


def test_counted_loops_stay_loops_unless_short():
    def program(trips):
        g, (x,), b = graph("f", "x")
        with building(b):
            with b.region("body") as body:
                i, h = body[0].add_placeholder("i", "int"), body[0].add_placeholder("x")
                body[0].result = (named(ops.add(ops.multiply(h, 0.5), i), "x"),)
            b.outer_operands([body])
            g.result = named(add(b, "for", ((("range", 0, trips, 1),), (x,), (), None), ("tensor",), (body[0],)), "x")
        return Program(g)

    loop = """
        def f(x):
            for i in range(%d):
                x = x * 0.5 + i
            return x
    """
    assert source(program(40), "torch") == code(loop % 40)
    assert source(program(4), "jax") == code(loop % 4)
    assert source(program(40), "jax", unroll=True) == code(loop % 40)
    folded = """
        def f(x):
            def body(i, x):
                return x * 0.5 + i

            return lax.fori_loop(0, %d, body, x)
    """
    assert source(program(40), "jax") == code(folded % 40)
    assert source(program(4), "jax", unroll=False) == code(folded % 4)


def loop(op, bounds, carried, build):
    """A program of one loop over a range; `build(builder, index, carried...)` gives the results of a trip."""
    g, arguments, b = graph("f", "x", *[bound for bound in bounds if isinstance(bound, str)])
    x, given = arguments[0], iter(arguments[1:])
    with building(b):
        limits = [next(given) if isinstance(bound, str) else bound for bound in bounds]
        limits = [ops.size(x, 0) if bound is None else bound for bound in limits]
        with b.region("body") as body:
            i = body[0].add_placeholder("i", "int" if op == "host_for" else "tensor")
            phis = [body[0].add_placeholder(name) for name in carried]
            body[0].result = tuple(build(b, x, i, *phis))
        operands = b.outer_operands([body])
        init = tuple(x if start is None else start for start in carried.values())
        made = b.append(
            Node(lookup(op), ((("range", *limits),), init, operands, None), ("tensor",) * len(init), None, (body[0],))
        )
        g.result = tuple(named(value, name) for value, name in zip(made.values, carried))
    return Program(g)


def test_a_loop_over_an_open_range_is_staged_where_the_index_is_data():
    write = lambda b, x, i, out: [named(ops.index_put(out, i, ops.multiply(ops.getitem(b.local(x), i), 2.0)), "out")]
    program = loop("host_for", (1, None, 1), {"out": None}, write)
    assert "lax.fori_loop(1, x.shape[0], body, x)" in source(program, "jax")
    assert "    for i in range(1, x.shape[0]):\n" in source(program, "torch")
    part = lambda b, x, i, out: [ops.add(out, ops.sum(ops.getitem(b.local(x), slice(None, i))))]
    sliced = loop("host_for", (1, None, 1), {"out": None}, part)
    assert "    for i in range(1, x.shape[0]):\n" in source(sliced, "jax")
    for name in BACKENDS:
        same(program, (X,), name)
        same(sliced, (X,), name)


def test_a_range_with_a_step_over_data_is_counted():
    program = loop("for", ("a", "b", "c"), {"s": 0.0}, lambda b, x, i, s: [ops.add(ops.multiply(s, 0.5), i)])
    assert source(program, "jax") == code("""
        def f(x, a, b, c):
            def body(k, s):
                i = a + k * c
                return s * 0.5 + i

            return (lax.fori_loop(0, -((a - b) // c), body, 0.0),)
    """)
    fn = jax.jit(emit(program, backend("jax")).load())
    for bounds in ((0, 9, 2), (9, 0, -2), (3, 3, 1), (5, 0, 1)):
        want = 0.0
        for i in range(*bounds):
            want = want * 0.5 + i
        assert np.asarray(jax.tree.leaves(fn(X, *bounds))[0]) == pytest.approx(want)


def test_numbers_that_become_arrays_late():
    program = loop(
        "for", (0, 40, 1), {"a": 0, "b": 0, "c": 0}, lambda b, x, i, p, q, r: [ops.add(ops.sum(b.local(x)), p), p, q]
    )
    assert "settled(" in emit(program, backend("jax")).source
    for name in BACKENDS:
        same(program, (X,), name)


def floats(x):
    return [float(row) for row in x]


def added_up(x):
    return sum([float(row) for row in x])


def doubled(x):
    rows = [row * 2 for row in x]
    return [row + 1 for row in rows]


@pytest.mark.parametrize("fn", [floats, added_up, doubled])
def test_what_a_list_of_no_rows_gives_has_no_rows(fn):
    captured = gfx.symbolic_trace(fn, backend="torch")
    for x in (torch.empty(0), torch.arange(3.0)):
        for target, given in (("torch", x), ("numpy", x.numpy())):
            assert captured.to(target)(given) == fn(x)
    assert "stack" not in captured.source("torch")
