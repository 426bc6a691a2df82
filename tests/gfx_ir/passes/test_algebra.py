"""Algebra: neutral elements and ops that undo themselves, where the types are the same and no bit changes."""

import numpy as np
import pytest

from gfx_ir.types import TensorSpec
from optimized import applied, f32, ops_of, read

CASES = {
    "a = multiply(x, 1)": [],
    "a = multiply(x, 1.0)": [],
    "a = subtract(x, 0)": [],
    "a = subtract(x, -0.0)": ["subtract"],  # -0.0 - -0.0 is 0.0
    "a = divide(x, 1)": [],
    "a = pow(x, 1)": [],
    "b = negative(x)\n    a = negative(b)": [],
    "b = abs(x)\n    a = abs(b)": ["abs"],
    "a = add(x, 0.0)": ["add"],  # -0.0 + 0.0 is 0.0
    "a = multiply(x, True)": ["multiply"],
    "a = multiply(1, x)": ["multiply"],
    "b = floor(x)\n    a = floor(b)": ["floor"],
}


@pytest.mark.parametrize("lines", CASES)
def test_what_goes(lines):
    program = read(f"def f(x):\n    {lines}\n    c = sin(a)\n    return c\n", x=f32(4))
    x = np.array([-0.0, 1.5, -2.5, np.inf], np.float32)
    assert ops_of(applied(["algebra", "dead_code"], program, (x,))) == [*CASES[lines], "sin"]


def test_where_the_type_changes_it_stays():
    program = read("def f(x):\n    a = divide(x, 1)\n    return a\n", x=TensorSpec((3,), "int64"))
    assert ops_of(applied(["algebra"], program, (np.arange(3),))) == ["divide"]
    assert ops_of(applied(["algebra"], read("def f(x):\n    a = multiply(x, 1)\n    return a\n"), (True,))) == [
        "multiply"
    ]
