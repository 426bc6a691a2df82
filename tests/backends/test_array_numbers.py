"""Functions of numbers and decompositions that NumPy and jax.numpy share: captured, run in torch, against their own."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import ShapeError

X = np.array([[1.5, -2.0, np.nan], [np.inf, -np.inf, 0.25]], np.float32)
Y = np.array([[np.nan, 4.0, np.nan], [1.0, 2.0, -3.0]], np.float32)
Z = np.array([1 + 2j, -3 + 0j, 2 - 1j], np.complex64)
M = (np.arange(9).reshape(3, 3) % 4 + 4 * np.eye(3)).astype(np.float32)

CASES = {
    "fabs": (lambda m, x: m.fabs(x), X),
    "fmax": (lambda m, x: m.fmax(x, x[::-1]), Y),
    "fmin": (lambda m, x: m.fmin(x[::-1], x), Y),
    "infinities": (lambda m, x: (m.isneginf(x), m.isposinf(x)), X),
    "angle": (lambda m, x: m.angle(x), Z),
    "degrees": (lambda m, x: m.angle(x, deg=True), Z),
    "real or not": (lambda m, x: (m.isreal(x), m.iscomplex(x)), Z),
    "nanmax": (lambda m, x: m.nanmax(x, axis=1), Y),
    "nanmin": (lambda m, x: m.nanmin(x, axis=0), Y),
    "matvec": (lambda m, x: m.matvec(x, x[0]), M),
    "vecmat": (lambda m, x: m.vecmat(x[0], x), M),
    "diagonal": (lambda m, x: m.linalg.diagonal(x, offset=1), M),
    "norms of whole numbers": (
        lambda m, x: (m.linalg.norm(x, ord=3), m.linalg.norm(x, ord=1)),
        np.array([3, -1, 2], np.int32),
    ),
    "svdvals": (lambda m, x: m.linalg.svd(x, compute_uv=False), M),
    "slogdet": (lambda m, x: m.linalg.slogdet(x).logabsdet, M),
    "pinv": (lambda m, x: m.linalg.pinv(x), M),
    "matrix_rank": (lambda m, x: m.linalg.matrix_rank(x), M),
    "matrix_power": (lambda m, x: m.linalg.matrix_power(x, 3), M),
    "cond": (lambda m, x: m.linalg.cond(x), M),
    "eigvalsh": (lambda m, x: m.linalg.eigvalsh(x + x.T), M),
    "hfft": (lambda m, x: m.fft.hfft(x, norm="ortho"), Z),
    "fft2": (lambda m, x: m.fft.ifft2(m.fft.fft2(x)).real, M),
    "fftshift": (lambda m, x: m.fft.fftshift(x, axes=1), M),
    "cov": (lambda m, x: m.cov(x), M),
    "trapezoid": (lambda m, x: m.trapezoid(x, dx=0.5), M),
    "gradient": (lambda m, x: m.gradient(x, axis=1), M),
    "sinc": (lambda m, x: m.sinc(x), M),
}


@pytest.mark.parametrize("module", (np, jnp), ids=("np", "jnp"))
@pytest.mark.parametrize("case", CASES)
def test_torch_gives_the_same(case, module):
    function, x = CASES[case]

    def captured(x):
        return function(module, x)

    given = module.asarray(x)
    want = captured(given)
    got = gfx.symbolic_trace(captured, given).to("torch")(torch.from_numpy(x))
    parts = list(zip(got, want)) if isinstance(want, (tuple, list)) else [(got, want)]
    for mine, theirs in parts:
        np.testing.assert_allclose(mine.numpy(), np.asarray(theirs), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("arrays", [np, jnp])
@pytest.mark.parametrize("fn", [lambda x: -x if x.sum() > 1 else x, lambda x: x - x, lambda x: x - True])
def test_booleans_are_neither_negated_nor_subtracted(arrays, fn):
    """NumPy and JAX raise TypeError there; JAX also for a side of a test that is not taken."""
    with pytest.raises(ShapeError, match="no framework takes booleans here") as raised:
        gfx.symbolic_trace(fn, arrays.asarray([True, False]))
    assert raised.value.span.line
