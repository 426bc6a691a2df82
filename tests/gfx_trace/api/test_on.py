"""program.on(...): a capture on chosen devices is called like its target: state, random numbers, tests on data, results of any size."""

import copy

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import ArgumentError, GuardError
from gfx_ir.runtime.call import Limits

DEVICES = ("torch", "numpy", "jax", "reference")


class Norm(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(3)

    def forward(self, x):
        return self.norm(x)


@pytest.mark.parametrize("name", DEVICES)
def test_what_the_program_writes_is_written(name):
    torch.manual_seed(0)
    model, x = Norm().train(), torch.randn(5, 3)
    wanted_of = copy.deepcopy(model)
    wanted = wanted_of(x).detach()
    found = gfx.symbolic_trace(model).on(name)(x)
    np.testing.assert_allclose(np.asarray(found), wanted, atol=1e-5)
    torch.testing.assert_close(model.norm.running_mean, wanted_of.norm.running_mean)
    assert int(model.norm.num_batches_tracked) == 1


def newton(x, tol: float = 1e-6):
    while jnp.max(jnp.abs(x * x - 2.0)) > tol:
        x = x - (x * x - 2.0) / (2.0 * x)
    return x


@pytest.mark.parametrize("name", DEVICES)
def test_loops_that_data_ends_run_everywhere(name):
    found = gfx.symbolic_trace(newton).on(name)(jnp.full(3, 1.5))
    np.testing.assert_allclose(np.asarray(found), np.full(3, 2**0.5), rtol=1e-5)


def positive(x):
    y = x[x > 0]
    return {"some": y, "count": y.shape[0]}


@pytest.mark.parametrize("name", DEVICES)
def test_results_whose_size_hangs_on_data(name):
    found = gfx.symbolic_trace(positive, backend="torch").on(name)(torch.tensor([1.0, -1.0, 2.0]))
    assert np.asarray(found["some"]).tolist() == [1, 2] and found["count"] == 2


def test_random_numbers_are_those_of_the_frameworks_own_generator():
    program = gfx.symbolic_trace(lambda x: x + torch.rand(3), backend="torch")
    again = [torch.Generator().manual_seed(7) for _ in range(2)]
    torch.testing.assert_close(
        program.on("torch")(torch.zeros(3), generator=again[0]), program(torch.zeros(3), generator=again[1])
    )


def test_arguments_are_held_against_the_capture():
    placed = gfx.symbolic_trace(newton, jnp.ones(3)).on("numpy")
    with pytest.raises(GuardError):
        placed(jnp.ones(4))
    with pytest.raises(ArgumentError):
        placed()
    assert placed(jnp.full(3, 1.5), limits=Limits(seconds=60)).shape == (3,)
