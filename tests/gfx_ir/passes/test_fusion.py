"""Loops over the same trips become one; what one needs of another, and what acts, keeps them apart."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.passes import PASSES, Optimize
from graphs import Maker
from linear import assert_linear
from optimized import applied, f32, generated, ops_of, read
from sweeps import part

SUM = "    def {name}(i, s, x):\n        a = {op}(x)\n        b = add(s, a)\n        return (b,)\n"
LOOP = "    {out} = for_({name}, items=({items},), init=({init},), operands=({x},))\n"
RANGE = '("range", 0, 3, 1)'
X, Y = np.array([0.5, -1.0], np.float32), np.array([2.0, 0.25], np.float32)


def loop(out, op, init="x", x="x", items=RANGE, name=None):
    name = name or f"body_{out}"
    return SUM.format(name=name, op=op) + LOOP.format(out=out, name=name, items=items, init=init, x=x)


def fused(lines, result, *inputs, head="x, y", **specs):
    """The ops of a function after fusion, which gives the same."""
    program = read(f"def f({head}):\n{lines}    return ({result})\n", **specs)
    return ops_of(applied(["fuse_loops"], program, *(inputs or [(X, Y)])))


def test_loops_over_the_same_trips():
    lines = loop("s", "sin") + loop("t", "cos", "y", "y")
    assert fused(lines, "s, t") == ["for", "sin", "add", "cos", "add"]
    assert fused(lines.replace("0, 3, 1", "2, 8, 2", 1), "s, t").count("for") == 1
    assert fused(lines.replace("0, 3, 1", "0, 4, 1", 1), "s, t").count("for") == 2
    assert fused(lines.replace(", 3, 1", ", n, 1"), "s, t", (X, Y, 0), (X, Y, 2), head="x, y, n: int").count("for") == 1


def test_what_one_needs_of_another():
    assert fused(loop("s", "sin") + loop("t", "cos", "y", "s"), "s, t").count("for") == 2
    assert fused(loop("s", "sin") + "    z = tanh(s)\n" + loop("t", "cos", "z"), "s, t").count("for") == 2


def test_what_stands_among_them():
    lines = loop("s", "sin") + "    u = tanh(y)\n    z = multiply(s, u)\n    v = exp(z)\n" + loop("t", "cos", "u", "u")
    lines += "    w = sqrt(x)\n    k = add(w, v)\n"
    assert fused(lines, "s, t, k") == ["tanh", "for", "sin", "add", "cos", "add", "multiply", "exp", "sqrt", "add"]


def test_more_than_two_and_those_in_bodies():
    inner = (loop("s", "sin") + loop("t", "cos", "y", "y")).replace("    ", "        ")
    inner = inner.replace("body_s(", "inner_s(").replace("body_s,", "inner_s,")
    body = f"    def body(j, x, y):\n{inner}        return (s, t)\n"
    program = f"{body}    p, q = for_(body, items=({RANGE},), init=(x, y), operands=())\n" + loop(
        "u", "exp", name="other"
    )
    assert fused(program + loop("v", "cos", "y", "y"), "p, q, u, v").count("for") == 2


def test_effects():
    quiet, loud = loop("s", "sin"), loop("t", "cos").replace("        return", "        print((b,))\n        return")
    assert fused(quiet + loud, "s, t").count("for") == 1
    again = loud.replace("body_t", "body_u").replace("    t =", "    u =")
    assert fused(loud + again, "t, u").count("for") == 2
    assert fused(quiet + "    print((x,))\n" + loop("t", "cos"), "s, t").count("for") == 2
    lines = loud + quiet + "    print((t,))\n"
    assert fused(lines, "s, t") == ["for", "cos", "add", "print", "sin", "add", "print"]


def test_effects_print_the_same(capsys):
    loud = loop("t", "cos").replace("        return", "        print((b,))\n        return")
    program = read(f"def f(x, y):\n{loud}{loop('s', 'sin', 'y', 'y')}    print((t,))\n    return (s, t)\n")
    for p in (program, Optimize(["fuse_loops"])(program)):
        Optimize([], validate=(X, Y))(p)
    first, second = np.array_split(capsys.readouterr().out.splitlines(), 2)
    assert list(first) == list(second) and len(first) == 4


def test_a_loop_with_an_end_of_its_own_stays():
    body = "    def body(i, s, stop):\n        a = sin(s)\n        b = sum(a)\n        c = greater(b, 1.0)\n        return (a, c)\n"
    lines = f"{body}    s, stop = for_(body, items=({RANGE},), init=(x, False), operands=(), exit=1)\n" + loop(
        "t", "cos"
    )
    assert fused(lines, "s, t").count("for") == 2


def test_scans_of_jax():
    def both(xs, ys):
        total, sums = jax.lax.scan(lambda c, x: (c + x, c * x), jnp.zeros(2), xs)
        largest, _ = jax.lax.scan(lambda c, y: (jnp.maximum(c, y), None), jnp.zeros(2), ys)
        return total, sums, largest

    spec = gfx.TensorSpec((5, 2))
    program = gfx.symbolic_trace(both, spec, spec, backend="jax").infer()
    data = tuple(np.random.default_rng(0).standard_normal((2, 5, 2)).astype(np.float32))
    out = program.optimized("fuse_loops", validate=data)
    assert out.source("jax").count("lax.scan") == 1 and program.source("jax").count("lax.scan") == 2
    for one, other, given in zip(both(*data), out.to("jax")(*data), out.to("torch")(*map(torch.from_numpy, data))):
        np.testing.assert_allclose(one, other, rtol=1e-6)
        np.testing.assert_allclose(one, given, rtol=1e-6)


class Loops(Maker):
    """Little else than loops."""

    def block(self, pool, depth, steps):
        pool = super().block(pool, depth, steps)
        for _ in range(self.random.randint(2, 4) if depth < 2 and self.budget > -10 else 0):
            self.budget -= 1
            items = [("range", 0, self.random.choice((0, 3, 3)), 1)]
            pool += self.loop(pool[:4], depth, items, stacked=self.random.random() < 0.3)
        return pool


@pytest.mark.parametrize("typed", [False, True])
def test_generated_programs(typed):
    count = 0
    for seed in range(part(3, 60)):
        program, inputs = generated(seed, typed, Loops)
        series = Optimize(["fuse_loops"], validate=inputs)
        series(program)
        count += series.report[0].changed
    assert count > 10


@pytest.mark.parametrize("apart", [False, True])
def test_the_cost_of_many_loops(apart):
    def prepare(n):
        lines = "".join(loop(f"s{at}", "sin") + f"    t{at} = tanh(s{at})\n" for at in range(1 + n // 5))
        if apart:
            lines = lines.replace("0, 3, 1", "0, 4, 1", lines.count("range") // 2)
        program = read(f"def f(x, y):\n{lines}    return t0\n", x=f32(2), y=f32(2))
        return lambda: PASSES.get("fuse_loops").apply(program)

    assert_linear(prepare)
