"""Dead carries: what loops and tests carry, give and take in vain."""

import numpy as np

from optimized import applied, ops_of, read

X = (np.arange(3, dtype=np.float32),)


def test_a_value_that_only_feeds_itself():
    program = read(
        """def f(x):
    def test(i, s, t, u, x):
        p = less(i, 4)
        return p
    def body(i, s, t, u, x):
        j = add(i, 1)
        a = add(s, t)
        b = multiply(t, 2.0)
        c = cos(u)
        return (j, a, b, c)
    i, s, t, u = while_(test, body, init=(0, x, x, x), operands=(x,))
    return s
"""
    )
    program.entry.first.meta["author"] = "me"
    out = applied(["dead_carries"], program, X)
    node = out.entry.first
    assert node.meta == {"author": "me"}
    assert len(node.values) == 3 and node.arg("operands") == () and len(node.regions[1].placeholders) == 3
    assert ops_of(out) == ["while", "less", "add", "add", "multiply"]


def test_rows_and_exits():
    program = read(
        """def f(x):
    def body(row, done, dead, s):
        a = add(s, row)
        over = greater(a, 1.0)
        d = add(dead, row)
        return (over, d, a, d, row)
    done, dead, s, rows, others = for_(body, items=(x,), init=(False, 0.0, 0.0), operands=(), exit=0)
    return (s, others)
"""
    )
    out = applied(["dead_carries"], program, X)
    assert len(out.entry.first.values) == 3 and out.entry.first.arg("exit") == 0


def test_results_and_operands_of_a_test():
    program = read(
        """def f(x):
    p = any(x)
    def then(x, p):
        a = sin(x)
        b = cos(x)
        return (a, b)
    def else_(x, p):
        return (x, x)
    a, b = cond(then, else_, pred=p, operands=(x, p))
    return b
"""
    )
    out = applied(["dead_carries", "dead_code"], program, X)
    assert ops_of(out) == ["any", "cond", "cos"] and len(out.entry.last.arg("operands")) == 1
