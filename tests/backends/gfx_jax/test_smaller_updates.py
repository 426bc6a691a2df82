"""Updates along one axis that are smaller than the array along the others: they fill these from the start."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

TARGETS = {"numpy": np.asarray, "torch": torch.as_tensor, "jax": jnp.asarray}


def rows(x, y, i):
    return jax.lax.dynamic_update_slice_in_dim(x, y, i, axis=0)


def columns(x, y, i):
    return jax.lax.dynamic_update_slice_in_dim(x, y, i, axis=-1)


def one_row(x, y, i):
    return jax.lax.dynamic_update_index_in_dim(x, y, i, axis=0)


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("function, shape", [(rows, (2, 1)), (rows, (3, 3)), (columns, (1, 2)), (one_row, (1, 1))])
def test_what_an_update_does_not_reach_stays(function, shape, dynamic):
    x, y = np.arange(9, dtype=np.float32).reshape(3, 3), -1 - np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    i = np.int32(1)
    want = function(jnp.asarray(x), jnp.asarray(y), jnp.asarray(i))
    program = gfx.symbolic_trace(function, jnp.asarray(x), jnp.asarray(y), jnp.asarray(i), dynamic=dynamic)
    for target, make in TARGETS.items():
        got = program.to(target)(make(x.copy()), make(y), make(i))
        np.testing.assert_array_equal(np.asarray(got), want, err_msg=target)


@pytest.mark.parametrize("shape", [(1, 1), (4, 3), (4, 1)])
def test_where_no_ranks_are_known_an_update_has_the_other_axes_and_no_more_elements(shape):
    program = gfx.symbolic_trace(rows, backend="jax")
    for target, make in TARGETS.items():
        with pytest.raises(ValueError):
            program.to(target)(make(np.zeros((3, 3), np.float32)), make(np.ones(shape, np.float32)), make(np.int32(0)))
    with pytest.raises(gfx.GfxError):
        gfx.symbolic_trace(rows, jnp.zeros((3, 3)), jnp.ones((4, 3)), jnp.int32(0))
