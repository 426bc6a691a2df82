"""Canonical form: equal computations are written alike."""

import numpy as np

from optimized import applied, ops_of, read


def test_operands_in_the_order_in_which_they_are_made():
    program = read(
        """def f(x, y):
    a = add(y, x)
    b = add(x, y)
    c = multiply(2.0, a)
    d = multiply(b, 2.0)
    e = subtract(y, x)
    g = subtract(c, d)
    h = add(g, e)
    return h
"""
    )
    inputs = (np.ones(2, np.float32), np.zeros(2, np.float32))
    out = applied(["canonical", "common_subexpressions"], program, inputs)
    assert ops_of(out) == ["add", "multiply", "subtract", "subtract", "add"]
