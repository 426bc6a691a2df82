"""Parts of one size: where an axis does not come out even, every target raises, as the author's framework does."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx

TARGETS = {"numpy": np.float32, "torch": torch.tensor, "jax": jnp.asarray}


def halves(x):
    a, b = np.split(x, 2)
    return a * b


def last_halves(x):
    a, b = jnp.split(x, 2, axis=-1)
    return a * b


def second_half(x):
    return np.split(x, 2)[1]


def gated(x):
    return F.glu(x, 0)


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(
    "function, backend", [(halves, "numpy"), (second_half, "numpy"), (last_halves, "jax"), (gated, "torch")]
)
def test_an_axis_that_does_not_come_out_even_raises(function, backend, target, typed):
    four, three = [1.0, -2.0, 3.0, 0.5], [1.0, -2.0, 3.0]
    example = (TARGETS[backend](four),) if typed else ()
    program = gfx.symbolic_trace(function, *example, backend=backend, dynamic=True)
    call = program.to(target)
    np.testing.assert_allclose(
        np.asarray(call(TARGETS[target](four))), np.asarray(function(TARGETS[backend](four))), rtol=1e-5
    )
    with pytest.raises((ValueError, RuntimeError)):
        call(TARGETS[target](three))
