"""Quantiles and medians where frameworks compute them otherwise: infinities in the middle, and elements that are as near."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

INF = float("inf")
TARGETS = {"numpy": np.float32, "torch": torch.tensor, "jax": jnp.float32}


@pytest.mark.parametrize(
    "values", [[INF, INF, 1.0, 2.0], [-INF, INF], [-INF, -INF], [1.0, INF, INF], [1.0, 2.0, 4.0, INF]]
)
@pytest.mark.parametrize("own", ["numpy", "jax"])
@pytest.mark.parametrize("to", TARGETS)
def test_the_median_of_infinities_is_the_author_s(values, own, to):
    module = {"numpy": np, "jax": jnp}[own]

    def middle(x):
        return module.median(x)

    want = middle(TARGETS[own](values))
    for samples in ((), (TARGETS[own](values),)):
        got = gfx.transpile(middle, *samples, to=to, backend=own)(TARGETS[to](values))
        np.testing.assert_array_equal(np.asarray(got), np.asarray(want))


@pytest.mark.parametrize("share", [0.5, 0.25, 1.0])
@pytest.mark.parametrize("own", TARGETS)
@pytest.mark.parametrize("to", TARGETS)
def test_of_two_elements_that_are_as_near_the_author_s_is_taken(share, own, to):
    def nearest(x):
        if own == "torch":
            return torch.quantile(x, share, interpolation="nearest")
        return {"numpy": np, "jax": jnp}[own].quantile(x, share, method="nearest")

    target = gfx.transpile(nearest, to=to, backend=own)
    for count in range(1, 8):
        values = [float(k) for k in range(count)]
        assert float(target(TARGETS[to](values))) == float(nearest(TARGETS[own](values)))


def test_logarithms_of_sums_of_powers_of_several_dtypes_are_computed_in_the_wider_one():
    def together(x, y):
        return np.logaddexp2(x, y)

    x, y = np.array([1, 2], np.float16), np.array([0.3, 0.7])
    for samples in ((), (x, y)):
        got = gfx.symbolic_trace(together, *samples, backend="numpy")(x, y)
        np.testing.assert_allclose(got, together(x, y), rtol=1e-14)
