"""Aliasing in NumPy: a write through a view reaches its base, copies are not views."""

import numpy as np
import pytest

from aliasing import (
    Programs,
    assert_as_in_plain_python,
    assert_state_in_jax,
)

case = Programs()


@case
def np_slice(x):
    y = x[1:]
    y *= 2
    return x


@case
def np_reversed_slice(x):
    y = x[::2, ::-1]
    y[:] = 0
    return x


@case
def np_transpose(x):
    x.T[0] = 1
    return x


@case
def np_swapaxes(x):
    np.swapaxes(x, 0, 1)[0] = 1
    return x


@case
def np_split(x):
    a, b = np.split(x, [1])
    a[0] = 1
    return x, b


@case
def np_squeeze(x):
    y = np.squeeze(x[None])
    y += 1
    return x


@case
def np_expand_dims(x):
    np.expand_dims(x, 0)[0, 0] = 7
    return x


@case
def np_flip(x):
    np.flip(x)[0] = 0
    return x


@case
def np_einsum(x):
    np.einsum("...i->i...", x)[0] = 7
    number = np.einsum("", x.reshape(-1)[:1].reshape(()))
    number += 1
    return x, number


@case
def np_asarray(x):
    y = np.asarray(x)
    y += 1
    return x


@case
def np_copies(x):
    y = x.copy()
    y += 1
    z = x.flatten()
    z += 1
    w = x[x > 3]
    w += 1
    return x


@case
def np_methods_that_write(x):
    x.sort()
    x[x > 3] += 1
    np.copyto(x, x * 2)
    x[0].fill(3.0)
    return x


@case
def np_rows_by_index(x):
    for i in range(len(x)):
        x[i] = x[i] + i
    return x


@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_writes_are_seen_as_in_plain_python(fn):
    assert_as_in_plain_python(fn)


def test_in_jax_writes_come_back_as_state():
    assert_state_in_jax(np_slice)
