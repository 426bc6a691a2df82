"""Writes from a place on that data choose: what has as many rows as the slice is written by positions, which XLA compiles."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from recapture import load_source


class Queue(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("queue", torch.zeros(4, 8))
        self.register_buffer("place", torch.zeros(1, dtype=torch.long))

    def forward(self, keys):
        count, place = keys.shape[0], int(self.place)
        self.queue[:, place : place + count] = keys.T
        self.place[0] = (place + count) % 8
        return self.queue.sum(0)


class Cache(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(4, 8))
        self.register_buffer("length", torch.tensor(0))

    def forward(self, keys):
        self.kept[:, self.length : self.length + keys.shape[0]] = keys.T
        self.length += keys.shape[0]
        return self.kept * 2


@pytest.mark.parametrize("kind", [Queue, Cache])
def test_a_queue_that_is_filled_call_by_call_is_compiled(kind):
    model = kind()
    target = gfx.transpile(kind(), torch.ones(2, 4), to="jax")
    function = jax.jit(getattr(load_source(target.source), kind.__name__.lower()))
    params = {name: jnp.asarray(held.numpy()) for name, held in model.state_dict().items()}
    for number in range(4):
        keys = torch.arange(8.0).reshape(2, 4) + number
        result, state = function(params, jnp.asarray(keys.numpy()))
        np.testing.assert_allclose(np.asarray(result), model(keys).numpy())
        np.testing.assert_allclose(np.asarray(target(jnp.asarray(keys.numpy()))), np.asarray(result))
        params |= state


def rows(x, p, v):
    x = x.clone()
    x[p : p + 2] = v
    return x


def in_a_loop(x, p, v):
    x = x.clone()
    for k in range(2):
        x[p : 2 + p] = v * k
        p = p + 1
    return x


@pytest.mark.parametrize("write", [rows, in_a_loop])
def test_rows_are_written_at_places_that_data_choose(write):
    x, v = torch.zeros(6, 3), torch.arange(6.0).reshape(2, 3)
    target = gfx.transpile(write, x, torch.tensor(1), v, to="jax")
    function = jax.jit(getattr(load_source(target.source), write.__name__))
    for place in (0, 1, 3):
        got = function(jnp.asarray(x.numpy()), jnp.asarray(place), jnp.asarray(v.numpy()))
        np.testing.assert_allclose(np.asarray(got), write(x, torch.tensor(place), v).numpy())


def filled(x, p, v):
    x[p : p + 2] = 7.0
    return x


def row_by_row(x, p, v):
    x[p : p + 2] = v[:1]
    return x


def read(x, p, v):
    return x[p : p + 2]


@pytest.mark.parametrize("write", [filled, row_by_row, read])
def test_what_may_be_shorter_keeps_its_slice(write):
    x, v = torch.arange(18.0).reshape(6, 3), torch.ones(2, 3)
    target = gfx.transpile(lambda x, p, v: write(x.clone(), p, v), x, torch.tensor(1), v, to="jax")
    for place in (0, 4, 5, -1):
        want = write(x.clone(), torch.tensor(place), v)
        got = target(jnp.asarray(x.numpy()), jnp.asarray(place), jnp.asarray(v.numpy()))
        np.testing.assert_allclose(np.asarray(got), want.numpy())
