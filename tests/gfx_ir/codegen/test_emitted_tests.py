"""Emitted tests: early returns, optional arguments, and what decides while the code is read by Python."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from emitted import BACKENDS, X, Y, code, graph, same, source
from gfx_ir import ops
from gfx_ir.codegen import emit
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.loading import backend
from gfx_ir.program import Parameter, Program
from gfx_ir.rules import building
from gfx_jax.helpers_control import promoting_cond
from graphs import branch, named


def foo():
    g, (x, y, z), b = graph("foo", "x", "y", "z:optional")
    with building(b):
        result = named(ops.add(ops.sin(x), ops.cos(y)), "result")
        test = b.host("not", ops.is_none(z))
        then = lambda: [named(ops.add(b.local(result), ops.tan(b.local(z))), "result")]
        made = branch(b, test, then, lambda: [result], ("tensor",), "host_if")
        g.result = named(made[0], "result")
    return Program(g, signature=[Parameter("x", x), Parameter("y", y), Parameter("z", z, None)])


def test_optional_argument():
    for name, module in (("torch", "torch"), ("jax", "jnp"), ("numpy", "np")):
        assert source(foo(), name) == code(f"""
            def foo(x, y, z=None):
                result = {module}.sin(x) + {module}.cos(y)
                if z is not None:
                    result = result + {module}.tan(z)
                return result
        """)


def unit():
    g, (x, floor), b = graph("unit", "x", "floor")
    with building(b):
        n = named(ops.sqrt(ops.sum(ops.multiply(x, x))), "n")

        def normalise():
            y = named(ops.divide(b.local(x), b.local(n)), "y")
            flipped = branch(
                b,
                ops.less(ops.getitem(y, 0), 0),
                lambda: [named(ops.negative(b.local(y)), "y")],
                lambda: [y],
                ("tensor",),
            )
            return [named(flipped[0], "y")]

        g.result = branch(b, ops.less(n, floor), lambda: [ops.zeros_like(b.local(x))], normalise, ("tensor",))[0]
    return Program(g)


def test_early_return_and_nested_if():
    assert source(unit(), "torch") == code("""
        def unit(x, floor):
            n = torch.sqrt(torch.sum(x * x))
            if n < floor:
                return torch.zeros_like(x)
            y = x / n
            if y[0] < 0:
                y = -y
            return y
    """)
    assert source(unit(), "jax") == code("""
        def unit(x, floor):
            n = jnp.sqrt(jnp.sum(x * x))

            def otherwise():
                y = x / n
                return lax.cond(y[0] < 0, lambda: -y, lambda: y)

            return lax.cond(n < floor, lambda: jnp.zeros_like(x), otherwise)
    """)
    for name in BACKENDS:
        for x in ([3, 4], [-3, 4], [0.1, 0.1]):
            same(unit(), (np.float32(x), np.float32(1)), name)


def test_open_host_values_that_decide_are_listed():
    g, (x, n, scale), b = graph("f", "x", "n:int", "scale:float")
    with building(b):
        made = branch(
            b,
            b.host(">", n, 2),
            lambda: [ops.sin(b.local(x))],
            lambda: [ops.multiply(b.local(x), b.local(scale))],
            ("tensor",),
            "host_if",
        )
        g.result = made[0]
    module = emit(Program(g), backend("jax"))
    assert module.static_argnames == ("n",)
    assert 'static_argnames=("n",)' in module.source
    fn = jax.jit(module.load(), static_argnames=module.static_argnames)
    np.testing.assert_allclose(fn(X, 1, 0.5), X * 0.5, rtol=1e-6)
    np.testing.assert_allclose(fn(X, 3, 0.5), np.sin(X), rtol=1e-6)


def test_a_number_on_one_side_of_a_test():
    def program(then):
        g, (x,), b = graph("f", "x")
        with building(b):
            scale = branch(b, ops.greater(ops.sum(x), 0), lambda: [then(b, x)], lambda: [1], ("tensor",))[0]
            g.result = ops.multiply(x, named(scale, "scale"))
        return Program(g)

    linear = program(lambda b, x: ops.mean(b.local(x)))
    assert "    scale = jnp.where(jnp.sum(x) > 0, jnp.mean(x), 1)\n" in source(linear, "jax")
    curved = program(lambda b, x: ops.sqrt(ops.getitem(b.local(x), 1)))
    assert "promoting_cond(jnp.sum(x) > 0, lambda: jnp.sqrt(x[1]), lambda: 1)" in emit(curved, backend("jax")).source
    for name in BACKENDS:
        for x in (Y, -Y):
            same(linear, (x,), name)
            same(curved, (np.abs(x),), name)
    gradient = jax.grad(lambda x: emit(curved, backend("jax")).load()(x).sum())
    assert np.isfinite(gradient(np.float32([-1, 0, 0]))).all()


def test_sides_that_promote_are_traced_once_however_deep_they_stand():
    traced = []

    def nested(depth):
        if not depth:
            return traced.append(depth) or 1
        return promoting_cond(X[0] > depth, lambda: nested(depth - 1), lambda: X[0] * 0.5)

    found = jax.jit(lambda: nested(12))()
    assert found == X[0] * 0.5 and len(traced) == 1


def test_sides_of_other_axes_are_refused_in_jax():
    def either(x):
        return x if x.sum() > 0 else 9.0

    program = gfx.symbolic_trace(either, torch.ones(3))
    assert "9.0" in program.source("torch")
    with pytest.raises(UnsupportedConstruct, match="one side gives 1 axes, and the other one 0"):
        program.source("jax")


def test_so_are_those_of_what_a_loop_begins_as_a_number():
    def total(rows):
        found = 0
        for row in rows:
            if row[0] > 0:
                found = found + row
        return found

    program = gfx.symbolic_trace(total, torch.ones(3, 2))
    assert program.to("torch")(-torch.ones(3, 2)) == 0
    with pytest.raises(UnsupportedConstruct, match="one side gives 1 axes, and the other one 0"):
        program.source("jax")


@pytest.mark.parametrize("decided", [True, False])
def test_a_test_of_data_that_an_edit_decided(decided):
    program = gfx.symbolic_trace(lambda x: x * 2.0 if x.sum() > 0.0 else x, backend="numpy")
    program.entry.last.set_args((decided, *program.entry.last.args[1:]))
    for name in BACKENDS:
        same(program, (X,), name)


def test_a_tensor_that_a_test_of_pythons_finds_true_stays_one():
    """The lengths of x differ, so that JAX source asks the flag in Python."""

    def f(x, flag):
        if flag:
            y = flag
        else:
            y, x = torch.logical_not(flag), x[x > 0]
        return x, y

    made = gfx.transpile(f, torch.ones(2), torch.tensor(True), to="jax")
    assert isinstance(made(jnp.ones(2), jnp.array(True))[1], jax.Array)
