"""Functions of jax.lax that are no single op, against JAX itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx

X = jnp.asarray(np.random.default_rng(0).standard_normal((4, 5)), jnp.float32)
WHOLE = jnp.asarray(np.random.default_rng(1).integers(-50, 50, (4, 5)), jnp.int8)
TIES = jnp.array([[3, 1, 3, 2], [0, 0, 0, 0]], jnp.int32)
COMPLEX = lax.complex(X, X[::-1])
AT = jnp.array([[0], [3], [9], [-2]])
SQUARE = X[:, :4] @ X[:, :4].T + 4 * jnp.eye(4)
WINDOW = lax.GatherDimensionNumbers((0, 2), (), (0,))
WRITTEN = lax.ScatterDimensionNumbers((1,), (0,), (0,))
MODES = "clip", "fill"


def gathering(mode):
    return lambda x: lax.gather(x, AT, WINDOW, (2, 5), mode=mode)


def scattering(function, mode):
    return lambda x: function(x, AT, 2 * x[:4], WRITTEN, mode=mode)


COMBINING = lax.scatter_add, lax.scatter_sub, lax.scatter_mul, lax.scatter_min, lax.scatter_max
CALLS = {
    **{f"gather {mode}": gathering(mode) for mode in MODES},
    **{f"{fn.__name__} {mode}": scattering(fn, mode) for mode in MODES for fn in COMBINING},
    "scatter": lambda x: lax.scatter(X, AT[:3], X[:3], WRITTEN, mode="fill"),
    "top_k": lambda x: lax.top_k(TIES, 3),
    "sort": lambda x: lax.sort((TIES, jnp.flip(TIES, 1)), num_keys=2),
    "sort of keys": lambda x: lax.sort_key_val(TIES, TIES + 1),
    "cumsum": lambda x: lax.cumsum(WHOLE, axis=1, reverse=True),
    "reduce_prod": lambda x: lax.reduce_prod(WHOLE, (0,)),
    "conj": lambda x: lax.conj(X),
    "round": lambda x: lax.round(X * 2, lax.RoundingMethod.AWAY_FROM_ZERO),
    "select_n": lambda x: lax.select_n(TIES % 3, TIES, -TIES, TIES * 7),
    "shift": lambda x: lax.shift_right_logical(WHOLE, jnp.full_like(WHOLE, 3)),
    "precision": lambda x: lax.reduce_precision(X, 8, 7),
    "windows of numbers": lambda x: lax.reduce_window(WHOLE, jnp.int8(3), lax.add, (2, 2), (1, 2), "SAME"),
    "windows apart": lambda x: lax.reduce_window(X, 1.0, lax.mul, (2, 2), (1, 1), "VALID", (1, 2), (2, 1)),
    "padded": lambda x: lax.pad(X, 7.0, ((1, -1, 2), (-2, 3, 0))),
    "groups of a batch": lambda x: lax.conv_general_dilated(
        X.reshape(2, 1, 10), X[:, None], (1,), "SAME", batch_group_count=2
    ),
    "spread": lambda x: lax.conv_general_dilated(X[None], X[:, :4, None], (1,), [(-1, 2)], lhs_dilation=(2,)),
    "channels last": lambda x: lax.conv_general_dilated(
        X[None], X[None], (2,), "SAME", None, None, ("NWC", "WOI", "NWC")
    ),
    "dot of truths": lambda x: lax.dot_general(X > 0, X.T > 1, (((1,), (0,)), ((), ()))),
    "dot of two dtypes": lambda x: lax.dot_general(
        WHOLE, X, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32
    ),
    "triangular": lambda x: lax.linalg.triangular_solve(SQUARE, X.T, left_side=False, lower=True, transpose_a=True),
    "cholesky": lambda x: lax.linalg.cholesky(SQUARE),
    "lu": lambda x: lax.linalg.lu(SQUARE[::-1]),
    "svd": lambda x: lax.linalg.svd(SQUARE, compute_uv=False),
    "fft": lambda x: lax.fft(COMPLEX, "FFT", (4, 5)),
}


@pytest.mark.parametrize("name", CALLS)
def test_as_jax_computes_it(name):
    call, want = CALLS[name], jax.tree.leaves(CALLS[name](X))
    program = gfx.symbolic_trace(call, X)
    given = {"torch": torch.from_numpy(np.array(X)), "numpy": np.asarray(X), "jax": X}
    for target, x in given.items():
        for a, b in zip(want, jax.tree.leaves(program.to(target)(x)), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-4, atol=1e-5)
            assert str(b.dtype).removeprefix("torch.") == str(a.dtype)
