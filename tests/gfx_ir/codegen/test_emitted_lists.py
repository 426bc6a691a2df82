"""Lists that Python's loops fill are stacked and joined by one call, along the axis that their author names."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def stacked(x, n: int):
    outs = []
    for i in range(n):
        x = x * 2 + i
        outs.append(x)
    return torch.stack(outs, dim=1)


def stacked_last(x, n: int):
    outs = []
    for i in range(n):
        outs.append((x + i).sum(0))
    return torch.stack(outs, dim=-1)


def joined(x, n: int):
    outs = []
    for i in range(n):
        outs.append(x * i)
    return torch.cat(outs)


def joined_behind(x, n: int):
    outs = [x]
    for i in range(n):
        outs.append(x - i)
    return torch.cat(outs, dim=-1)


def both(x, n: int):
    outs = []
    for i in range(n):
        outs.append(x * i)
    return torch.stack(outs, dim=1), torch.stack(outs).sum(0)


WANTED = {
    stacked: ("torch.stack(outs, dim=1)", "np.stack(outs, axis=1)", "jnp.stack(outs, axis=1)"),
    stacked_last: ("dim=-1)", "axis=-1)", "axis=-1)"),
    joined: ("torch.cat([x * i ", "np.concatenate([x * i ", "jnp.concatenate([x * i "),
    joined_behind: ("torch.cat(outs, dim=-1)", "np.concatenate(outs, axis=-1)", "jnp.concatenate(outs, axis=-1)"),
    both: ("torch.movedim(outs, 0, 1)", "np.moveaxis(outs, 0, 1)", "jnp.moveaxis(outs, 0, 1)"),
}


@pytest.mark.parametrize("at, to", enumerate(["torch", "numpy", "jax"]), ids=["torch", "numpy", "jax"])
@pytest.mark.parametrize("fn", WANTED, ids=lambda fn: fn.__name__)
def test_lists_are_stacked_and_joined_as_written(fn, at, to):
    program = gfx.symbolic_trace(fn, backend="torch")
    assert WANTED[fn][at] in program.source(to), program.source(to)
    x = torch.arange(6.0).reshape(2, 3)
    wants, emitted = fn(x, 3), program.to(to)
    call = jax.jit(emitted, static_argnums=1) if to == "jax" else emitted
    found = call(x if to == "torch" else x.numpy(), 3)
    for got, want in zip(*((y,) if not isinstance(y, tuple) else y for y in (found, wants)), strict=True):
        np.testing.assert_allclose(np.asarray(got), want)


def paired(x, factors):
    outs = []
    for factor in factors:
        outs.append(x * factor)
    rows = torch.stack(outs)
    pairs = [(row, rows) for row in x]
    return sum((a * b).sum() for a, b in pairs), len(pairs)


def test_the_tensor_of_a_list_is_an_item_of_another():
    x, factors = torch.arange(6.0).reshape(2, 3), torch.tensor([1.0, 2.0])
    found = gfx.symbolic_trace(paired, backend="torch").to("torch")(x, factors)
    np.testing.assert_allclose(found, paired(x, factors))
