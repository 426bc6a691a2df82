"""Derivatives in PyTorch source where elements are equal or probabilities saturate: they are the author's."""

import jax
import jax.numpy as jnp
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx

TARGETS = torch.tensor([[0.0, 1.0, 1.0], [1.0, 0.0, 0.5]])
FUNCTIONS = [
    lambda x: x.max(1).values,
    lambda x: x.min(dim=0)[0],
    lambda x: torch.max(x, 1, keepdim=True).values * x,
    lambda x: x.max(0).values[x.max(0).indices.clamp(max=2)],
    lambda x: x.amax(1),
    lambda x: x.amin((0, 1)),
    lambda x: x.max(),
    lambda x: max(x[0]) * 2,
    lambda x: torch.stack([min(row) for row in x]),
    lambda x: torch.stack([min(list(row)) for row in x]),
    lambda x: max(x[1], key=lambda v: v * 2),
    lambda x: torch.exp(x - x.max(1, keepdim=True).values).sum(1).log(),
]
PROBABILITIES = [
    lambda x: F.binary_cross_entropy(torch.sigmoid(x), TARGETS),
    lambda x: F.binary_cross_entropy(torch.sigmoid(x), TARGETS, reduction="sum"),
    lambda x: F.binary_cross_entropy(torch.sigmoid(x), TARGETS, weight=TARGETS + 1, reduction="none"),
    lambda x: torch.nn.BCELoss()(torch.sigmoid(x), TARGETS),
]
XS = ([[1.0, 1.0, 0.0], [2.0, 2.0, 2.0]], [[0.0, -0.0, 0.0], [0.0, 0.0, 0.0]], [[3.0, 1.0, 2.0], [-1.0, 1.0, 0.0]])


def gradient(f, rows):
    x = torch.tensor(rows, requires_grad=True)
    return torch.autograd.grad(f(x).sum(), x)[0]


@pytest.mark.parametrize("f", FUNCTIONS + PROBABILITIES)
def test_of_equal_elements_those_have_it_that_have_it_in_the_author_s_code(f):
    for program in (gfx.symbolic_trace(f, torch.tensor(XS[0])), gfx.symbolic_trace(f, backend="torch")):
        emitted = program.to("torch")
        for rows in XS:
            for call in (program, emitted):
                torch.testing.assert_close(gradient(call, rows), gradient(f, rows))


@pytest.mark.parametrize("f", PROBABILITIES)
def test_saturated_probabilities_have_finite_ones(f):
    program, rows = gfx.symbolic_trace(f, torch.tensor(XS[0])), [[200.0, -200.0, 200.0], [-200.0, 0.0, -200.0]]
    torch.testing.assert_close(gradient(program.to("torch"), rows), gradient(f, rows))
    emitted = program.to("jax")
    found = jax.grad(lambda x: emitted(x).sum())(jnp.array(rows))
    torch.testing.assert_close(torch.tensor(found.tolist()), gradient(f, rows))
