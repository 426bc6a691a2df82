"""A model's tensor that the code moves to the device and dtype of another, as it is: no state, even where several modules hold it."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = torch.linspace(-1, 2, 8).reshape(2, 4)


class Masked(torch.nn.Module):
    def __init__(self, mask):
        super().__init__()
        self.scale, self.mask = torch.nn.Parameter(torch.ones(4)), mask

    def forward(self, x):
        self.mask = self.mask.to(dtype=x.dtype, device=x.device) if self.mask is not None else None
        return x * self.scale + self.mask


class Moved(Masked):
    def forward(self, x):
        self.mask = self.mask.to(x.device)
        return x * self.scale + self.mask


class Alike(Masked):
    def forward(self, x):
        self.mask = self.mask.to(x)
        return x * self.scale + self.mask


class Adding(Masked):
    def forward(self, x):
        self.mask += 1
        return x + self.mask


def several(*kinds):
    mask = torch.arange(4.0)
    return torch.nn.Sequential(*(kind(mask) for kind in kinds))


@pytest.mark.parametrize("kinds", [(Masked,), (Masked, Masked), (Moved, Masked), (Alike, Moved, Alike)])
def test_what_is_moved_as_it_is_is_no_state(kinds):
    model = several(*kinds)
    want = model(X).detach()
    for target, x in (("torch", X), ("jax", jnp.asarray(X))):
        emitted = gfx.transpile(model, X, to=target)
        assert not emitted.program.writes
        np.testing.assert_allclose(
            np.asarray(emitted(x).detach() if target == "torch" else emitted(x)), want, rtol=1e-6
        )


@pytest.mark.parametrize("kinds", [(Masked, Adding), (Adding, Masked)])
def test_what_another_module_writes_is_refused_or_right(kinds):
    model, again = several(*kinds), several(*kinds)
    want = [again(X).detach() for _ in range(3)]
    try:
        emitted = gfx.transpile(model, X, to="torch")
    except UnsupportedConstruct:
        return
    for expected in want:
        torch.testing.assert_close(emitted(X).detach(), expected)
