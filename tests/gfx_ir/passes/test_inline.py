"""Inline: calls become the nodes of what they call, parameters under their paths, effects in order."""

import numpy as np

from gfx_ir.passes import PASSES
from optimized import applied, models, ops_of, read


def test_calls_of_calls_with_parameters_and_effects():
    program = read(
        """def inner(x):
    w = parameter("w")
    print(("inner",))
    y = multiply(x, w)
    return y

def outer(x):
    a = call("inner", "one", (x,))
    b = call("inner", "two", (a,))
    return b

@entry
def f(x):
    print(("before",))
    p = any(x)
    def then(x):
        y = call("outer", "left", (x,))
        return (y,)
    def else_(x):
        y = call("outer", "right", (x,))
        return (y,)
    y = cond(then, else_, pred=p, operands=(x,))
    z = call("outer", "", (y,))
    return z
"""
    )
    program.params = {f"{path}.w": np.float32(n) for n, path in enumerate(
        ["left.one", "left.two", "right.one", "right.two", "one", "two"], 2)}  # fmt: skip
    out = applied(["inline"], program, (np.ones(2, np.float32),), (np.zeros(2, np.float32),))
    assert "call" not in ops_of(out) and not out.functions
    left = applied(["inline"], program, (np.ones(2, np.float32),))
    assert left.entry.parameters.keys() == {"one.w", "two.w"}


def test_only_small_ones():
    program, inputs = models()["resnet"]
    out = applied([PASSES.get("inline", limit=1)], program, inputs, tolerance=1e-4)
    assert ops_of(out).count("conv") == 3 and "call" not in ops_of(out)
