"""Algorithms in NumPy as people write them: one capture, with and without arguments, gives what Python gives in each framework."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import MissingOp
from gfx_ir.trees import leaves

pytestmark = pytest.mark.usefixtures("wide")


def equals(fn, program, *inputs):
    """The program, and what is written of it, give what the function gives for each input."""
    written = {name: program.module(name).load() for name in ("numpy", "jax", "torch")}
    arrays = {"numpy": np.array, "jax": jnp.asarray, "torch": torch.tensor}
    for args in inputs:
        want = [np.asarray(leaf) for leaf in leaves(fn(*map(np.array, args)))]
        found = {name: (jax.jit(f) if name == "jax" else f)(*map(arrays[name], args)) for name, f in written.items()}
        for name, got in {"as it is": program(*map(np.array, args)), **found}.items():
            for a, b in zip(want, leaves(got), strict=True):
                np.testing.assert_allclose(a, np.asarray(b), 1e-9, 1e-12, err_msg=f"{name}, {args}")


# ---------------------------------------------------------------------- rows by a list of places
def swaps_rows(a):
    a = a.copy()
    p = np.argmax(np.abs(a[:, 0]))
    a[[0, p]] = a[[p, 0]]
    a[[p, 0], 1] *= 2
    return a, a[[[0, 1], [1, 0]]].sum(axis=0)


@pytest.mark.parametrize("typed", [True, False])
def test_an_index_that_is_a_list_is_no_tuple(typed):
    given = np.array([[0.0, 2.0], [-3.0, 5.0], [1.0, 1.0]])
    program = gfx.symbolic_trace(swaps_rows, *([given] if typed else []), backend="numpy")
    equals(swaps_rows, program, (given,), (given[::-1].copy(),))


def test_an_index_that_is_a_list_of_tensors_differs_between_releases_of_pytorch():
    with pytest.raises(MissingOp, match="some releases of PyTorch"):
        gfx.symbolic_trace(lambda x, p: x[[0, p]], backend="torch")


# ---------------------------------------------------------------------- what a list, a shape and `in` mean
def fills_by_the_row(x):
    out = np.full(len(x), -1.0)
    table = np.zeros((3, 2), dtype=int)
    for i in range(3):
        table[i] = (i, x[i] * 2)
        table[i, 1] += x.sum() in (2, 6.0) or x[i] in [x.max(), 1]
    out[0] = x[0] in {1.0, 3.0} or x[1] not in {2: 0, 5: 1}
    return out, table


@pytest.mark.parametrize("typed", [True, False])
def test_lists_are_arrays_and_are_asked_item_by_item(typed):
    given = [np.array(x) for x in ([1.0, 2.0, 3.0], [0.5, 4.0, 1.0], [4.0, 5.0, 0.0])]
    program = gfx.symbolic_trace(fills_by_the_row, *(given[:1] if typed else []), backend="numpy")
    equals(fills_by_the_row, program, *((x,) for x in given))
