"""Common subexpressions: equal nodes are one, tests and loops, too; results that a caller gets stay apart."""

import numpy as np

from optimized import applied, ops_of, read

X = (np.arange(3, dtype=np.float32),)


def common(text):
    return applied(["common_subexpressions"], read(text), X)


def test_equal_nodes_are_one():
    text = """def f(x):
    a = sin(x)
    b = sin(x)
    c = add(a, b)
    d = multiply(x, 1)
    e = multiply(x, 1.0)
    g = add(d, e)
    h = add(c, g)
    return h
"""
    assert ops_of(common(text)) == ["sin", "add", "multiply", "multiply", "add", "add"]


def test_equal_tests_are_one_and_each_side_is_looked_through():
    side = """    def then{0}(x):
        a = sin(x)
        b = sin(x)
        c = add(a, b)
        return (c,)
    def else_{0}(x):
        return (x,)
    y{0} = cond(then{0}, else_{0}, pred=p, operands=(x,))
"""
    text = f"def f(x):\n    p = any(x)\n{side.format(1)}{side.format(2)}    z = add(y1, y2)\n    return z\n"
    assert ops_of(common(text)) == ["any", "cond", "sin", "add", "add"]


def test_results_stay_apart_and_effects_stay():
    text = """def f(x):
    a = sin(x)
    b = sin(x)
    print((x,))
    print((x,))
    c = copy(x)
    d = copy(x)
    return (a, b, c, d)
"""
    assert ops_of(common(text)) == ["sin", "sin", "print", "print", "copy", "copy"]


def test_zeros_of_two_signs_are_two():
    text = """def f(x):
    a = copysign(x, 0.0)
    b = copysign(x, -0.0)
    c = subtract(a, b)
    return c
"""
    assert ops_of(common(text)) == ["copysign", "copysign", "subtract"]
