"""None, or a text, in the place of an array: every framework raises, also where nothing uses the result."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def of_torch(x: torch.Tensor, mask=None):
    torch.sin(mask)
    return x


def of_numpy(x: np.ndarray, mask=None):
    np.linalg.norm(mask)
    return x


def of_jax(x: jax.Array, mask=None):
    jnp.where(x > 0, x, mask)
    return x


def of_a_text(x: torch.Tensor):
    torch.relu("x")
    return x


def of_a_method(x: torch.Tensor):
    x.add(None)
    return x


@pytest.mark.parametrize("typed", (True, False))
@pytest.mark.parametrize(
    ("fn", "given"),
    [
        (of_torch, torch.ones(2)), (of_numpy, np.ones(2)), (of_jax, jnp.ones(2)), (of_a_text, torch.ones(2)),
        (of_a_method, torch.ones(2)),
    ],
)  # fmt: skip
def test_it_is_refused(fn, given, typed):
    with pytest.raises(TypeError):
        fn(given)
    with pytest.raises(UnsupportedConstruct, match="takes arrays and numbers, not"):
        gfx.symbolic_trace(fn, *[given] * typed, kwargs={"mask": None} if "mask" in fn.__code__.co_varnames else {})
