"""Loops under tests, one after the other, that each define a variable anew that functions in them share: what it held before is read by
nobody."""

import runpy

import numpy as np
import pytest

import gfx_trace as gfx

MADE = {
    "list": "cache = [x * 3]; read = lambda: cache[0]",
    "written list": "cache = [0.0]; read = lambda: cache[0]; cache[0] = x * 3",
    "dictionary": "cache = {}; read = lambda: cache[1]; cache[1] = x * 3",
    "array": "cache = x * 3; read = lambda: cache",
    "tuple": "cache = (x, x * 3); read = lambda: cache[1]",
    "copy of it": "cache = [x * 3]; cache = list(cache); read = lambda: cache[0]",
}
LOOPS = {
    "while": "while x.sum() < {bound}:",
    "while under a test": "if x.mean() != 2:\n     while x.sum() < {bound}:",
    "for": "for row in x:",
    "test": "if x.sum() < {bound}:",
    "for under a test": "if x.mean() != 2:\n     for row in x:",
}
STARTS = [np.array([0.1, 0.1, 0.01]), np.array([1.0, 1.0, 1.0]), np.array([2.0, 2.0, 2.0]), np.array([9.0, 1.0, 1.0])]


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_variable_that_is_defined_anew_has_nothing_of_the_loop_before(made, loop, tmp_path):
    lines = ["def f(x):"]
    for bound in (2, 4, 8):
        lines += ["  " + LOOPS[loop].format(bound=bound), f"      {MADE[made]}", "      x = x + read() * 0.5"]
    (tmp_path / "shared.py").write_text("\n".join([*lines, "  return x"]))
    f = runpy.run_path(str(tmp_path / "shared.py"))["f"]
    program = gfx.symbolic_trace(f, STARTS[0])
    for x in STARTS:
        np.testing.assert_allclose(program(x), f(x))
