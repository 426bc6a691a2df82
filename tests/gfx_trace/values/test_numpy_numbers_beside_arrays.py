"""Numbers of NumPy's in code of PyTorch and JAX: constants, which do not decide the dtype of what stands beside them."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

ROOT = np.sqrt(2 / np.pi)


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale, self.rows = np.sqrt(8.0), np.int64(2)

    def forward(self, x):
        return (x / self.scale).reshape(self.rows, -1)


def summed(x):
    total, count = np.float32(1), np.int64(0)
    for row in x:
        total, count = total + row.sum(), count + 1
    return total / count


def chosen(x):
    scale = np.sqrt(3.0)
    if x.sum() > 0:
        scale = scale * 2
    return x * scale


FUNCTIONS = [
    lambda x: ROOT * x + np.ceil(1.5), lambda x: x / np.sqrt(x.shape[0]), lambda x: x * int(np.prod(x.shape)), lambda x: x > ROOT,
    lambda x: np.float64(2) ** x, summed, chosen,
]  # fmt: skip
OF_TORCH = [
    Scaled(),
    lambda x: torch.where(x > 0, x, ROOT),
    lambda x: x.clamp(max=ROOT),
    lambda x: torch.tensor(ROOT) * x,
]


@pytest.mark.parametrize(
    "x", [torch.rand(4, 2), torch.arange(8, dtype=torch.int32).reshape(4, 2)], ids=["float", "int"]
)
@pytest.mark.parametrize("fn", [*FUNCTIONS, *OF_TORCH])
def test_of_torch_they_are_pythons(fn, x):
    wanted = fn(x)
    made = gfx.transpile(fn, x, to="torch")
    torch.testing.assert_close(made(x), wanted)
    np.testing.assert_allclose(gfx.transpile(fn, x, to="jax")(x.numpy()), wanted.numpy(), rtol=1e-5)


def test_of_no_axes_they_do_not_widen_either():
    x = torch.tensor(2.0)
    torch.testing.assert_close(gfx.transpile(lambda x: ROOT * x, x, to="torch")(x), ROOT * x)


@pytest.mark.parametrize("fn", [fn for fn in FUNCTIONS if fn is not chosen])
def test_of_jax_they_are_as_wide_as_jax_is_set_to(fn):
    x = jnp.linspace(0.0, 1.0, 8).reshape(4, 2)
    wanted = fn(x)
    got = gfx.transpile(fn, x, to="torch")(torch.asarray(np.array(x)))
    assert str(got.dtype).removeprefix("torch.") == str(wanted.dtype)
    np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-6)


def test_source_has_the_number():
    assert "return x / 2.0\n" in gfx.transpile(lambda x: x / np.sqrt(x.shape[0]), torch.ones(4), to="jax").source
