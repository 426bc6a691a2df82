"""Reductions and order: empty ones, NaN, ties."""

import jax
import jax.numpy as jnp
import torch
from torch.nn import functional as F

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


@ROWS(
    "The largest elements, with NaN",
    torch.tensor([2.0, -float("nan"), 1.0]),
    note="NaN is the largest, also with the sign bit that processors give 0 / 0 and that `lax.top_k` has behind all numbers.",
    naive=lambda x: jax.lax.top_k(x, 2)[0],
)
def nan_largest(x):
    return torch.topk(x, 2).values


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
    "Gradients at a corner",
    torch.tensor([-1.0, 0.0, 1.0]),
    note="One of the slopes beside it, each framework's own: at 0 PyTorch gives abs 0 and clamp 1, JAX 1 and 1/2.",
    gradient=True,
    other=("jax",),
)
def at_a_corner(x):
    return torch.sum(torch.abs(x) + torch.clamp(x, min=0))


@ROWS(
    "Gradients of the norm of zeros",
    torch.zeros(3),
    note="0 in PyTorch, and NaN in JAX, as of its own norm. Where zeros may come, write `torch.sqrt(torch.sum(x * x) + 1e-12)`.",
    gradient=True,
    other=("jax",),
)
def norm_of_zeros(x):
    return torch.linalg.vector_norm(x)


@ROWS(
    "Gradients of a loss at a logit of 0",
    torch.tensor([0.0, 0.0, 3.0]),
    note="There is no corner there, so they are the same.",
    naive=lambda x: jnp.mean(jnp.maximum(x, 0) - x * jnp.array([1.0, 0.0, 1.0]) + jnp.log1p(jnp.exp(-jnp.abs(x)))),
    gradient=True,
)
def loss_of_zeros(x):
    return F.binary_cross_entropy_with_logits(x, torch.tensor([1.0, 0.0, 1.0]))


@ROWS(
    "Gradients of what is written later",
    torch.tensor([0.0, 1.0]),
    note="Those of the values computed, as JAX has them: sources write in no tensor that a backward needs. PyTorch gives none, its "
    "backward raises, also where the write is one to `y.detach()` or under `no_grad`; only behind `y.data` it sees no write, and takes "
    "what it finds in y: here `y.data += 1` gives `[2., 3.7183]`, which is no gradient of this function.",
    gradient=True,
    other=("torch", "jax"),
)
def written_later(x):
    y = torch.exp(x)
    y += 1
    return y.sum()


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
