"""min() and max() of captured values choose as Python does: a NaN is no less than anything, and nothing is less than it."""

import math

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves

pytestmark = pytest.mark.usefixtures("wide")
NAN = math.nan
MAKES = {"torch": lambda xs: torch.tensor(xs, dtype=torch.float64), "numpy": np.array, "jax": jnp.array}


def in_a_loop(x):
    lo = 1.0
    for v in x:
        lo = min(lo, v * 2)
    return lo


def of_three(x):
    return max(x[0], x[1], x[2]), min(x[2], 2.0), max(0.0, x[1])


def of_the_items(x):
    return max(x), min(x)


def _plain(found):
    return [np.asarray(leaf).tolist() for leaf in leaves(found)]


@pytest.mark.parametrize("xs", [[1.0, NAN, 3.0], [NAN, 2.0, 1.0], [3.0, -1.0, NAN], [NAN, NAN, NAN]])
@pytest.mark.parametrize("function", [in_a_loop, of_three, of_the_items])
@pytest.mark.parametrize("flavour", MAKES)
def test_a_nan_is_chosen_as_python_does(flavour, function, xs):
    want = _plain(function(MAKES[flavour](xs)))
    for program in (gfx.symbolic_trace(function, backend=flavour), gfx.symbolic_trace(function, MAKES[flavour](xs))):
        np.testing.assert_array_equal(_plain(program(MAKES[flavour](xs))), want)
        for target, make in MAKES.items():
            np.testing.assert_array_equal(_plain(program.to(target)(make(xs))), want)


def test_python_writes_them_as_python_does():
    source = gfx.symbolic_trace(lambda a, b: (min(a, b), max(a, 0.0)), backend="torch").source("torch")
    assert "return min(a, b), max(a, 0.0)" in source


def test_the_gradient_goes_to_the_one_that_is_chosen():
    x = torch.tensor([2.0, 2.0], requires_grad=True)
    gfx.symbolic_trace(lambda x: min(x[0], x[1]), x)(x).backward()
    assert x.grad.tolist() == [1.0, 0.0]
