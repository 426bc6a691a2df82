"""Shapes: chains of reshapes and of permutations become one, or nothing."""

import numpy as np
import pytest

from optimized import applied, f32, ops_of, read

CASES = {
    "a = reshape(x, (6, 4))\n    b = reshape(a, (2, 12))": ["reshape"],
    "a = flatten(x)\n    b = reshape(a, (2, 3, 4))": [],
    "a = expand_dims(x, 0)\n    b = squeeze(a, axis=0)": [],
    "a = permute_dims(x, (2, 0, 1))\n    b = permute_dims(a, (1, 2, 0))": [],
    "a = swapaxes(x, 0, 2)\n    b = permute_dims(a, (1, 0, 2))": ["permute_dims"],
    "a = moveaxis(x, 0, -1)\n    b = matrix_transpose(a)": ["permute_dims"],
    "a = permute_dims(x, (0, 1, 2))\n    b = sin(a)": ["sin"],
    "a = matrix_transpose(x)\n    b = reshape(a, (24,))": ["matrix_transpose", "reshape"],
}


@pytest.mark.parametrize("lines", CASES)
def test_chains(lines):
    program = read(f"def f(x):\n    {lines}\n    c = cos(b)\n    return c\n", x=f32(2, 3, 4))
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
    out = applied(["shapes", "dead_code"], program, (x,), fixpoint=True)
    assert ops_of(out) == [*CASES[lines], "cos"]
