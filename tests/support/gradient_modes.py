"""Gradients of a program, of its sources and of what is captured from these, against those of PyTorch."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx
from recapture import load_source

XS = np.array([[1.5, -2.0, 3.0], [0.5, 1.0, -0.25]], np.float32)


def gradient(fn, x):
    x = torch.tensor(x, requires_grad=True)
    y = fn(x)
    (found,) = torch.autograd.grad(y.sum(), [x]) if y.requires_grad else [torch.zeros(3)]
    return y.detach().numpy(), found.numpy()


def of_values_computed():
    """Inside, PyTorch's gradients are those of the values computed, though what an operation keeps for its backward is written later:
    there PyTorch raises, or behind `.data` takes what was written (see "Gradients of what is written later" in docs/semantics.md)."""
    return torch.autograd.graph.saved_tensors_hooks(lambda kept: kept.detach().clone(), lambda kept: kept)


def gradient_in_jax(fn, forward):
    """What gives the result and the gradient at x. `forward`: a loop that data ends has no reverse mode in JAX."""
    derive = jax.jacfwd if forward else jax.grad
    derived = jax.jit(derive(lambda x: (fn(x).sum(), fn(x)), has_aux=True))

    def at(x):
        found, y = derived(jnp.asarray(x))
        return np.asarray(y), np.asarray(found)

    return at


def assert_gradients(fn, level):
    program = gfx.symbolic_trace(fn, *[torch.tensor(XS[0])] * level, backend="torch")
    emitted = load_source(program.source("torch"))
    functions = [program, getattr(emitted, fn.__name__)]
    if level == 0:
        functions.append(gfx.symbolic_trace(functions[1], backend="torch"))
    in_jax = gradient_in_jax(program.to("jax"), "while" in fn.__name__)
    for x in XS:
        wants = gradient(fn, x)
        for found in (*(gradient(f, x) for f in functions), in_jax(x)):
            np.testing.assert_allclose(found[0], wants[0], rtol=1e-5)
            np.testing.assert_allclose(found[1], wants[1], rtol=1e-5)
