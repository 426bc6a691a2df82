"""Functions of NumPy against what is captured of them, in all three frameworks."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

from gfx_ir.trees import leaves


def equals(fn, program, *inputs):
    """The program, and what is written of it, give what the function gives for each input."""
    written = {name: program.module(name).load() for name in ("numpy", "jax", "torch")}
    arrays = {"numpy": np.array, "jax": jnp.asarray, "torch": lambda x: torch.tensor(np.array(x))}
    for args in inputs:
        want = [np.asarray(leaf) for leaf in leaves(fn(*map(np.array, args)))]
        found = {name: (jax.jit(f) if name == "jax" else f)(*map(arrays[name], args)) for name, f in written.items()}
        for name, got in {"as it is": program(*map(np.array, args)), **found}.items():
            for a, b in zip(want, leaves(got), strict=True):
                np.testing.assert_allclose(a, np.asarray(b), 1e-9, 1e-12, err_msg=f"{name}, {args}")
