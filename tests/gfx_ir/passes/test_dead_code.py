"""Dead code: what no result and no effect needs goes, also in regions; what has an effect stays, through calls, too."""

import numpy as np

from optimized import applied, ops_of, read

X = (np.ones(3, np.float32),)


def test_straight_code_regions_and_calls():
    program = read(
        """def loud(x):
    print((x,))
    return x

def quiet(x):
    y = sin(x)
    return y

@entry
def f(x):
    a = call("loud", "", (x,))
    b = call("quiet", "", (x,))
    p = any(x)
    def then(x):
        c = cos(x)
        d = tan(x)
        return (d,)
    def else_(x):
        return (x,)
    e = cond(then, else_, pred=p, operands=(x,))
    g = sinh(x)
    return e
"""
    )
    out = applied(["dead_code"], program, X)
    assert ops_of(out) == ["call", "any", "cond", "tan"] and list(out.functions) == ["loud"]


def test_a_test_with_an_effect_stays():
    program = read(
        """def f(x):
    p = any(x)
    def then(x):
        print((x,))
        return (x,)
    def else_(x):
        return (x,)
    e = cond(then, else_, pred=p, operands=(x,))
    return x
"""
    )
    assert ops_of(applied(["dead_code"], program, X)) == ["any", "cond", "print"]
