"""A function of PyTorch's, captured: its program, and its source for PyTorch and for JAX, held against what Python gives."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx


def assert_as_python(fn, given, calls, rtol=1e-5):
    """`given`: what fn is captured for; `calls`: the arguments of each call, the first one a tensor that is given as a copy."""
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    to_torch, to_jax = program.to("torch"), program.to("jax")
    for x, *others in calls:
        want = fn(x.clone(), *others)
        torch.testing.assert_close(program(x.clone(), *others), want)
        torch.testing.assert_close(to_torch(x.clone(), *others), want)
        got = to_jax(jnp.asarray(x.numpy()), *others)
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
            np.testing.assert_allclose(a, np.asarray(b), rtol=rtol)
