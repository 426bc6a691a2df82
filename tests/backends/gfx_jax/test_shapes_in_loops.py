"""Loops whose trips change the shape of what they carry: JAX's source says so, whatever the shapes are."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gfx_trace as gfx


def assigned(x, k: int = 2):
    y = jnp.concatenate([x, jnp.ones(1)])
    for _ in range(k):
        y = x.astype(jnp.int8)
    return y


def longer(x, k: int = 2):
    y = x
    for _ in range(k):
        y = jnp.concatenate([x, jnp.ones(1)]).astype(jnp.int8)
    return y


def of_fewer_axes(x, k: int = 2):
    y = x[None] * jnp.ones((2, 1))
    for _ in range(k):
        y = x.astype(jnp.int8)
    return y


@pytest.mark.parametrize("fn", [assigned, longer, of_fewer_axes])
def test_they_are_refused_by_what_was_captured_open(fn):
    program = gfx.symbolic_trace(fn, backend="jax")
    with pytest.raises(TypeError, match="a loop changes the shape of what it carries"):
        program.to("jax")(jnp.arange(3.0), 2)


def of_rows(xs):
    out = 0.0
    for x in xs:
        out = out + x
    return out


def counted(x, n: int):
    out = 0.0
    for _ in range(n):
        out = out + x
    return out


def on_data(x):
    out = 0
    while jnp.sum(x) > 0:
        out, x = out + x, x - 1
    return out


def flagged(x):
    above = True
    while jnp.sum(x) > 0:
        x = x - 1
        above = x > 0
    return above


def differences(xs):
    last, total = 0.0, jnp.zeros(2)
    for x in xs:
        last, total = x, total + (x - last)
    return total


@pytest.mark.parametrize(
    "fn, some, none",
    [
        (of_rows, (jnp.ones((3, 2)),), (jnp.ones((0, 2)),)),
        (counted, (jnp.ones(2), 2), (jnp.ones(2), 0)),
        (on_data, (jnp.ones(2),), (-jnp.ones(2),)),
        (flagged, (jnp.array([3.0, 1.0]),), (-jnp.ones(2),)),
    ],
)
def test_a_number_or_truth_that_trips_make_an_array_is_no_array_without_them(fn, some, none):
    emitted = jax.jit(gfx.symbolic_trace(fn, backend="jax").to("jax"))
    np.testing.assert_array_equal(emitted(*some), fn(*some))
    with pytest.raises(Exception, match="a loop without a trip leaves a number"):
        emitted(*none).block_until_ready()
    jax.effects_barrier()


def test_a_number_that_only_trips_read_may_have_no_trips():
    rows = jnp.ones((0, 2))
    np.testing.assert_array_equal(gfx.symbolic_trace(differences, backend="jax").to("jax")(rows), differences(rows))
