"""Reductions and order: empty ones, NaN, ties."""

import jax.numpy as jnp
import torch

from .row import Table

ROWS = Table()
NAN = torch.tensor([2.0, float("nan"), 1.0])


@ROWS("Empty reductions", torch.zeros(0, 3), note="The neutral element; the mean of nothing is NaN.")
def empty(x):
    return torch.sum(x, dim=0), torch.prod(x, dim=0), torch.mean(x, dim=0), torch.all(x > 0)


@ROWS("The maximum of nothing", torch.zeros(0), note="Raises everywhere.", raises=("torch", "jax", "numpy"))
def empty_maximum(x):
    return torch.max(x)


@ROWS("NaN in extrema", NAN, note="NaN wins, and its position is the first one's.")
def nan_extrema(x):
    return torch.max(x), torch.min(x), torch.argmax(x), torch.maximum(x, torch.zeros_like(x))


@ROWS(
    "NaN in a sort",
    NAN,
    note="NaN counts as the largest, so it comes first in descending order.",
    naive=lambda x: (jnp.sort(x), -jnp.sort(-x)),
)
def nan_sort(x):
    return torch.sort(x).values, torch.sort(x, descending=True).values


@ROWS("Ties in positions", torch.tensor([1.0, 3.0, 3.0, 1.0]), note="The first of equal elements.")
def ties(x):
    return torch.argmax(x), torch.argmin(x)


@ROWS("Ties in a stable sort", torch.tensor([1.0, 0.0, 1.0, 0.0]), note="Equal elements keep their order, also in descending order.",
      naive=lambda x: jnp.argsort(x)[::-1])  # fmt: skip
def stable(x):
    return torch.sort(x, descending=True, stable=True).indices


@ROWS(
    "Gradients of ties",
    torch.tensor([1.0, 3.0, 3.0]),
    note="`amax` shares the gradient among equal elements, as `jnp.max` does.",
    gradient=True,
)
def tied_gradient(x):
    return torch.amax(x)


@ROWS("Bias correction", torch.tensor([1.0, 2.0, 4.0]), note="`var` and `std` divide by n - 1 in PyTorch, by n in JAX and NumPy.",
      naive=lambda x: (jnp.var(x), jnp.std(x), jnp.var(x)))  # fmt: skip
def deviations(x):
    return torch.var(x), torch.std(x), torch.var(x, correction=0)


@ROWS("The gradient of abs at a complex zero", torch.tensor([0j, 3 + 4j]), note="Zero, not NaN.", gradient=True)
def complex_abs(z):
    return torch.sum(torch.abs(z))


@ROWS(
    "Writing in place broadcasts the right side alone",
    torch.zeros(2, 3),
    torch.arange(3.0),
    note="`x += y` keeps the shape of x, and its dtype.",
)
def in_place(x, y):
    x = x.clone()
    x += y
    x[0] *= 2
    return x
