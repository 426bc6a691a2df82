"""The public names of JAX: each has a row, or is said to be converted otherwise, which is tried here, or not to be converted."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import MissingOp
from names_jax import listed
from rowless_jax import AT_CAPTURE, BY_JAXPR, NOT_CONVERTED
from sweeps import one_in

X = jnp.array([[0.5, 1.5, 2.5], [0.3, 0.9, 0.7]], jnp.float32)
CALLS = [(title, name) for title, calls in BY_JAXPR.items() for name in calls]


def test_every_name_has_a_row_or_a_word():
    for title, names in listed().items():
        told = [*AT_CAPTURE.get(title, "").split(), *BY_JAXPR.get(title, ()), *NOT_CONVERTED.get(title, ())]
        assert sorted(told) == sorted(name for name, has in names.items() if not has), title


@pytest.mark.parametrize("title, name", one_in(3, CALLS))
def test_what_comes_in_through_the_jaxpr(title, name):
    call = BY_JAXPR[title][name]
    program, want = gfx.symbolic_trace(call, X), jax.tree.leaves(call(X))
    assert not any(node.op.name == "holder" for node in program.entry.walk())
    for got, wanted in zip(jax.tree.leaves(program.to("torch")(torch.from_numpy(np.array(X)))), want, strict=True):
        np.testing.assert_allclose(got.numpy(), wanted, rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("name", ["block_until_ready", "__array__"])
def test_what_only_the_arrays_themselves_have_is_refused_by_name(name):
    with pytest.raises(MissingOp, match=f"GFX has no row for '{name}' of jax tensors"):
        gfx.symbolic_trace(lambda x: (x, getattr(x, name)()), X)
