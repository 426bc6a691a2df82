"""Constants: host values that types tell, Python's numbers, and tests that they decide."""

import numpy as np

from optimized import applied, f32, ops_of, read

X = (np.ones((2, 3), np.float32),)
TEXT = """def f(x):
    n = size(x, 1)
    m = n * 2
    big = m > 5
    def then(x):
        y = sin(x)
        return (y,)
    def else_(x):
        y = cos(x)
        return (y,)
    z = host_if(then, else_, test=big, operands=(x,))
    w = multiply(z, m)
    return w
"""


def test_a_test_of_sizes_is_decided_once_they_are_known():
    out = applied(["constants"], read(TEXT, x=f32(2, 3)), X, fixpoint=True)
    assert ops_of(out) == ["sin", "multiply"] and out.entry.last.args[1] == 6
    assert ops_of(applied(["constants"], read(TEXT, x=f32(2, 2)), (X[0][:, :2],), fixpoint=True)) == ["cos", "multiply"]


def test_what_is_open_stays():
    assert ops_of(applied(["constants"], read(TEXT), X)) == ops_of(read(TEXT))
    assert ops_of(applied(["constants"], read(TEXT, x=f32(2, "N")), X)) == ops_of(read(TEXT))


def test_effects_of_the_side_that_is_taken_keep_their_order():
    text = """def f(x):
    print(("first",))
    def then(x):
        print(("second",))
        return (x,)
    def else_(x):
        return (x,)
    y = host_if(then, else_, test=True, operands=(x,))
    print(("third",))
    z = sin(y)
    return z
"""
    out = applied(["constants"], read(text), X)
    prints = [node for node in out.entry if node.op.name == "print"]
    assert [p.args[0][0] for p in prints] == ["first", "second", "third"]
    assert [p.after for p in prints] == [None, *prints[:2]]
