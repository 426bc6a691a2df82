"""Narrow numbers that a function computes with under way wrap and overflow no earlier than in the author's framework."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

WHOLE = {"int8": [-1, 127, -128, 3], "uint8": [3, 4, 255, 0], "int16": [-1, 32767, -32768, 5], "int32": [7, 8, -9, 10]}
MAKE = {"torch": torch.from_numpy, "numpy": lambda x: x, "jax": jnp.asarray}
CLOSE = {
    "torch": (lambda x, y: torch.isclose(x, y), lambda x, y: torch.isclose(x, y, atol=1.5), lambda x, y: torch.allclose(x, y, atol=128)),
    "numpy": (lambda x, y: np.isclose(x, y), lambda x, y: np.isclose(x, y, rtol=0.1), lambda x, y: np.allclose(x, y, atol=128)),
    "jax": (lambda x, y: jnp.isclose(x, y), lambda x, y: jnp.isclose(x, y, atol=1.5), lambda x, y: jnp.allclose(x, y, atol=128)),
}  # fmt: skip
ROUNDED = {
    "torch": lambda x: torch.round(x, decimals=2),
    "numpy": lambda x: np.round(x, 2),
    "jax": lambda x: jnp.round(x, 2),
}


def agrees(f, flavour, *arrays):
    wanted = np.asarray(f(*map(MAKE[flavour], arrays)))
    program = gfx.symbolic_trace(f, *map(MAKE[flavour], arrays), backend=flavour)
    for target, make in MAKE.items():
        np.testing.assert_array_equal(np.asarray(program.to(target)(*map(make, arrays))), wanted)


@pytest.mark.parametrize("flavour", CLOSE)
@pytest.mark.parametrize("element", WHOLE)
def test_whole_numbers_are_close_as_floats(flavour, element):
    x = np.array(WHOLE[element], element)
    for f in CLOSE[flavour]:
        agrees(f, flavour, x, np.roll(x, 1))


@pytest.mark.parametrize("flavour", ["torch", "jax"])
def test_narrow_floats_are_rounded_to_decimals_in_wide_ones(flavour):
    agrees(ROUNDED[flavour], flavour, np.array([3e4, -65504, 1.125, 0.335], np.float16))
