"""Indices: out of range, negative steps, lookups."""

import jax.numpy as jnp
import torch
import torch.nn.functional as F

from .row import Table

ROWS = Table()


@ROWS(
    "A position out of range", torch.arange(4.0), torch.tensor([0, 9]),
    note="PyTorch raises IndexError, and so does NumPy. JAX cannot raise: it takes the last element. Test the positions before.",
    raises=("numpy",), other=("jax",),
)  # fmt: skip
def out_of_range(x, i):
    return x[i]


@ROWS("Negative positions", torch.arange(4.0), torch.tensor([-1, -4]), note="Count from the end, everywhere.")
def negative(x, i):
    return x[i], x[-2]


@ROWS(
    "Slices beyond the end", torch.arange(4.0), note="Are cut off; a step is counted from the start.",
)  # fmt: skip
def beyond(x):
    return x[1:99:2], x[7:]


@ROWS(
    "A token past an embedding's end", torch.tensor([0, 5]), torch.arange(6.0).reshape(3, 2),
    note="PyTorch and NumPy raise; JAX takes the last row (a naive `table[tokens]`) or fills with NaN (`jnp.take`).",
    raises=("numpy",), other=("jax",), naive=lambda tokens, table: jnp.take(table, tokens, axis=0),
)  # fmt: skip
def lookup(tokens, table):
    return F.embedding(tokens, table)
