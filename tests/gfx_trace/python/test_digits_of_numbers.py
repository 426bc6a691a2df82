"""A number of Python's that data gives keeps its digits: in PyTorch it becomes a tensor of the dtype that it is asked for at once."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = np.array([0.1, 1.375, -0.497])


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


TORCH = {
    "tensor": lambda x: torch.tensor(float(x[0]), dtype=torch.float64),
    "as_tensor": lambda x: torch.as_tensor(float(x[0]), dtype=x.dtype),
    "new_tensor": lambda x: x.new_tensor(float(x[0])),
    "full": lambda x: torch.full((2,), float(x[0]), dtype=torch.float64),
    "where": lambda x: torch.where(x > 0, x, float(x[0])),
    "maximum": lambda x: (x < torch.tensor(max([float(e) for e in x]), dtype=x.dtype)) * x,
}
JAX = {
    "asarray": lambda x: jnp.asarray(x[0].item(), dtype=x.dtype),
    "full_like": lambda x: jnp.full_like(x, x[0].item()),
    "where": lambda x: jnp.where(x > 0, x, x[0].item()),
    "linspace": lambda x: jnp.linspace(x[0].item(), 2.0, 3, dtype=x.dtype),
    "select": lambda x: jnp.select([x > 0], [x], x[0].item()),
}


def is_told_to_the_last_digit(fn, example, levels):
    want = np.asarray(fn(example))
    for given in levels:
        program = gfx.symbolic_trace(fn, *given, backend=gfx.symbolic_trace(fn, example).flavour)
        for backend, x in (("torch", torch.from_numpy(X)), ("jax", jnp.asarray(X)), ("numpy", X)):
            found = np.asarray(program.to(backend)(x))
            assert found.dtype == want.dtype
            np.testing.assert_allclose(found, want, rtol=1e-13)


@pytest.mark.parametrize("call", TORCH)
def test_from_torch(call):
    x = torch.from_numpy(X)
    is_told_to_the_last_digit(TORCH[call], x, [(x,)] if call == "maximum" else [(x,), ()])


@pytest.mark.parametrize("call", JAX)
def test_from_jax(call):
    x = jnp.asarray(X)
    is_told_to_the_last_digit(JAX[call], x, [(x,), ()])
