"""Loop-invariant motion: what no trip changes is computed before the loop, where that cannot fail or the loop surely runs."""

import numpy as np

from optimized import applied, f32, ops_of, read

LOOP = """def f(x, y{kind}):
    def body(i, s, x, y{kind}):
        a = sin(x)
        b = {op}
        c = add(s, b)
        return (c,)
    s = for_(body, items=(("range", 0, {stop}, 1),), init=(x,), operands=(x, y))
    return s
"""
X = (np.ones(2, np.float32), np.ones(2, np.float32))


def loop(op, stop="3", **specs):
    return read(LOOP.format(op=op, stop=stop, kind=""), **specs)


def test_a_loop_that_runs():
    out = applied(["invariant"], loop("matmul(a, y)"), X)
    assert ops_of(out) == ["sin", "matmul", "for", "add"]


def test_a_loop_that_may_not_run():
    text = """def f(x, y, n: int):
    def body(i, s, x, y):
        a = sin(x)
        b = matmul(a, y)
        c = add(s, b)
        return (c,)
    s = for_(body, items=(("range", 0, n, 1),), init=(x,), operands=(x, y))
    return s
"""
    typed = applied(["invariant"], read(text, x=f32(2), y=f32(2)), (*X, 0), (*X, 2))
    assert ops_of(typed) == ["sin", "for", "matmul", "add"]
    assert ops_of(applied(["invariant"], read(text), (*X, 0), (*X, 2))) == ["for", "sin", "matmul", "add"]


def test_out_of_loops_in_loops():
    text = """def f(x):
    def body(i, s, x):
        def body_1(j, t, x):
            a = sin(x)
            b = add(t, a)
            return (b,)
        t = for_(body_1, items=(("range", 0, 2, 1),), init=(s,), operands=(x,))
        return (t,)
    s = for_(body, items=(("range", 0, 3, 1),), init=(x,), operands=(x,))
    return s
"""
    out = applied(["invariant"], read(text), X[:1])
    assert ops_of(out) == ["sin", "for", "for", "add"]
