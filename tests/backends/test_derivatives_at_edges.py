"""Derivatives of activations where these have an edge: of the emitted source in both frameworks, against the author's."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx

POINTS = np.arange(-6.0, 7.0, dtype=np.float32)
OF_TORCH = (
    F.relu, F.relu6, F.hardtanh, F.hardsigmoid, F.hardswish, F.leaky_relu, F.elu, F.selu, F.celu, F.hardshrink, F.softshrink,
    lambda x: F.threshold(x, 1.0, -2.0), lambda x: F.hardtanh(x, -2.0, 3.0), lambda x: torch.nn.ReLU6()(x),
)  # fmt: skip
OF_JAX = (
    jax.nn.relu, jax.nn.relu6, jax.nn.hard_tanh, jax.nn.hard_sigmoid, jax.nn.hard_silu, jax.nn.leaky_relu, jax.nn.elu, jax.nn.selu,
    jax.nn.celu,
)  # fmt: skip


def in_torch(f):
    x = torch.from_numpy(POINTS.copy()).requires_grad_()
    f(x).sum().backward()
    return x.grad.numpy()


def in_jax(f):
    return np.asarray(jax.vmap(jax.grad(f))(POINTS))


BOTH = {"torch": lambda f: in_torch(torch.vmap(f)), "jax": in_jax}


@pytest.mark.parametrize("f", [torch.i0, lambda x: torch.polygamma(1, x), lambda x: torch.polygamma(2, x)])
def test_of_special_functions_where_a_helper_changes_its_way(f):
    points = torch.tensor([0.0, 1.0, 2.0, 2.5, -0.25]) if f is torch.i0 else torch.tensor([1.0, 2.0, 2.5, -0.25])
    want = torch.func.grad(lambda x: f(x).sum())(points)
    made = gfx.transpile(lambda x: f(x), points, to="jax").fn
    np.testing.assert_allclose(jax.grad(lambda x: made(x).sum())(points.numpy()), want, rtol=1e-3)


@pytest.mark.parametrize("at", range(len(OF_TORCH)))
def test_of_pytorch(at):
    for to, derive in BOTH.items():
        made = gfx.transpile(lambda x: OF_TORCH[at](x), torch.ones(()), to=to)
        np.testing.assert_allclose(derive(made.fn), in_torch(OF_TORCH[at]), rtol=1e-4)


@pytest.mark.parametrize("at", range(len(OF_JAX)))
def test_of_jax(at):
    for to, derive in BOTH.items():
        made = gfx.transpile(lambda x: OF_JAX[at](x), jnp.ones(()), to=to)
        np.testing.assert_allclose(derive(made.fn), in_jax(OF_JAX[at]), rtol=1e-4)


def test_of_a_query_that_sees_no_key():
    """Its row of scores has no derivative, and the values their mean: PyTorch's kernel takes numbers near -inf otherwise."""
    mask, x = np.tri(3, k=-1, dtype=bool), np.float32(np.arange(12).reshape(1, 3, 2, 2) % 5)
    f = lambda x: jnp.sin(jax.nn.dot_product_attention(x, x, x, mask=mask)).sum()
    given = torch.tensor(x, requires_grad=True)
    gfx.transpile(f, jnp.asarray(x), to="torch").fn(given).backward()
    np.testing.assert_allclose(given.grad, jax.grad(f)(x), rtol=1e-4, atol=1e-6)


NUMBERS_OF_TORCH = (
    lambda x: torch.tensor(x) * x, lambda x: torch.tensor([x[0], 2.0]).sum() * x, lambda x: x.new_tensor(x) * x,
    lambda x: torch.linspace(0.0, x[0], 3).sum() * x, lambda x: torch.fmax(x, torch.zeros_like(x)), lambda x: torch.fmin(x * 2, x),
)  # fmt: skip
NUMBERS_OF_JAX = (
    lambda x: jnp.array([x[0], 2.0]).sum() * x, lambda x: jnp.linspace(0.0, x[0], 3).sum() * x, lambda x: jnp.full(2, x[1]).sum() * x,
    lambda x: jnp.full_like(x, x[1]) * x, lambda x: jnp.logspace(0.0, x[9], 2).sum() * x, lambda x: jnp.fmax(x, 0.0),
    lambda x: jnp.interp(x, POINTS[:4], POINTS[2:6] ** 2),
)  # fmt: skip


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.filterwarnings("ignore:To copy construct")
def test_of_what_pytorch_makes_of_numbers(typed):
    """PyTorch passes no derivative on to tensors that are given for numbers; JAX does. Equal ones share none in fmax."""
    wanted = [in_torch(f) for f in NUMBERS_OF_TORCH]
    wanted += [np.asarray(jax.grad(lambda x, f=f: f(x).sum())(jnp.asarray(POINTS))) for f in NUMBERS_OF_JAX]
    for f, own in zip(NUMBERS_OF_TORCH + NUMBERS_OF_JAX, wanted):
        backend = "torch" if f in NUMBERS_OF_TORCH else "jax"
        given = ({"torch": torch.tensor, "jax": jnp.asarray}[backend](POINTS),) if typed else ()
        for to, derive in {"torch": in_torch, "jax": lambda f: jax.grad(lambda x: f(x).sum())(POINTS)}.items():
            made = gfx.transpile(lambda x, f=f: f(x), *given, to=to, backend=backend)
            np.testing.assert_allclose(derive(made.fn), own, rtol=1e-4)


@pytest.mark.parametrize("p", [2.0, 1.0])
def test_of_distances_of_rows_to_themselves(p):
    x = np.float32([[1, 2], [3, 5], [1, 2]])
    f = lambda x: torch.cdist(x, x, p=p) * torch.arange(3)
    wanted = torch.func.grad(lambda x: f(x).sum())(torch.tensor(x))
    for given in ((torch.tensor(x),), ()):
        made = gfx.transpile(f, *given, to="jax", backend="torch").fn
        np.testing.assert_allclose(jax.grad(lambda x: made(x).sum())(x), wanted, rtol=1e-4)


def test_what_a_window_hides_and_is_cut_off_has_no_part_in_derivatives():
    """Behind the first and the last frame a window that begins with 0 leaves 0 / 0."""

    def there_and_back(x):
        window = torch.hann_window(8)
        return torch.istft(torch.stft(x, 8, 4, window=window, return_complex=True), 8, 4, window=window)

    x = torch.arange(24.0, requires_grad=True)
    made = gfx.transpile(there_and_back, x.detach(), to="jax").fn
    there_and_back(x).square().sum().backward()
    got = jax.grad(lambda x: jnp.square(made(x)).sum())(jnp.arange(24.0))
    np.testing.assert_allclose(got, x.grad, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("options", [{}, {"reduction": "sum", "zero_infinity": True}, {"reduction": "none"}])
def test_of_ctc_loss(options):
    """Ways that no label takes are infinitely far: they have no part in it, nor has a row whose labels do not fit. PyTorch's is
    that of the numbers before a log_softmax, also where none made them."""
    scores = torch.from_numpy(np.sin(np.arange(84.0, dtype=np.float32)).reshape(7, 3, 4)).log_softmax(2)
    labels, times = (
        torch.tensor([[2, 2, 3], [1, 2, 3], [3, 1, 1]]),
        torch.tensor([7, 2 if options.get("zero_infinity") else 5, 6]),
    )
    given = scores.requires_grad_(), labels, times, torch.tensor([3, 3, 1])
    made = gfx.transpile(lambda *given: F.ctc_loss(*given, **options), *given, to="jax").fn
    F.ctc_loss(*given, **options).sum().backward()
    got = jax.grad(lambda *given: made(*given).sum())(*(x.detach().numpy() for x in given))
    np.testing.assert_allclose(got, scores.grad, rtol=1e-4, atol=1e-6)
