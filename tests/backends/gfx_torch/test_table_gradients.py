"""Rows of tables: what only concerns their gradients, and rows that are made shorter when they are read."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from recapture import load_source

TABLE = np.sin(np.arange(12.0, dtype=np.float32)).reshape(4, 3)
TOKENS = np.array([[0, 1, 1], [3, 1, 2]])
LATE = np.arange(1.0, 19.0, dtype=np.float32).reshape(2, 3, 3)
CASES = {
    "padding": lambda w, x: F.embedding(x, w, padding_idx=1),
    "padding from the end": lambda w, x: F.embedding(x, w, padding_idx=-1),
    "by frequency": lambda w, x: F.embedding(x, w, scale_grad_by_freq=True),
    "both": lambda w, x: F.embedding(x, w, padding_idx=0, scale_grad_by_freq=True),
    "of torch": lambda w, x: torch.embedding(w, x, 2, True),
    "short": lambda w, x: F.embedding(x, w, max_norm=0.8),
}


def torch_gradient(fn):
    given = torch.tensor(TABLE, requires_grad=True)
    with torch.no_grad():  # for what writes the table
        fn(given, torch.tensor(TOKENS))
    out = fn(given, torch.tensor(TOKENS))
    out = out[0] if isinstance(out, tuple) else out
    (out * torch.tensor(LATE)).sum().backward()
    return given.grad.numpy()


def jax_gradient(fn):
    def total(w):
        out = fn(w, jnp.asarray(TOKENS))
        return jnp.sum((out[0] if isinstance(out, tuple) else out) * LATE)

    return jax.jit(jax.grad(total))(jnp.asarray(TABLE))


@pytest.mark.parametrize("case", CASES)
def test_gradients_are_those_of_torch(case):
    fn = CASES[case]
    program = gfx.symbolic_trace(fn, torch.tensor(TABLE), torch.tensor(TOKENS))
    want = torch_gradient(fn)
    np.testing.assert_allclose(jax_gradient(program.to("jax")), want, rtol=1e-5)
    np.testing.assert_allclose(torch_gradient(program.to("torch")), want, rtol=1e-5)
    again = load_source(program.source("jax"))
    tokens = gfx.TensorSpec(np.shape(TOKENS), "int64")  # as torch has them
    recaptured = gfx.symbolic_trace(getattr(again, program.entry.name), jnp.asarray(TABLE), tokens)
    np.testing.assert_allclose(torch_gradient(recaptured.to("torch")), want, rtol=1e-5)


def test_torch_is_written_as_it_was():
    program = gfx.symbolic_trace(CASES["both"])
    assert "F.embedding(x, w, padding_idx=0, scale_grad_by_freq=True)" in program.source("torch")
