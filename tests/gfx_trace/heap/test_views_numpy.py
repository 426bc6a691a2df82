"""Aliasing in NumPy: a write through a view reaches its base, copies are not views."""

import numpy as np
import pytest

import gfx_trace as gfx
from aliasing import (
    Programs,
    assert_as_in_plain_python,
    assert_state_in_jax,
)
from gfx_ir.errors import GuardError

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
def np_reversed_slice_of_its_own(x):
    y = x.copy()
    y[::-1] += x
    y[-1:0:-1] *= 2
    y[::-1, ::-1] -= y
    return y


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


@case
def np_view(x):
    y = x.view()
    y[0] = 9
    return x


def behind_a_view(x):
    first = x[0]
    first += 1
    y = x[1:3]
    y[0] = 9
    return x.sum(), first


def behind_a_view_that_a_test_chose(x):
    first = x[0]
    first *= 3
    y = x[2:] if x.sum() > 0 else x[:2]
    x[3] = 9
    y[0] = 7
    return x.sum(), y.sum(), first


def behind_a_name_of_its_own(x):
    total = x[0]
    for v in x[1:]:
        total += v
    y = np.zeros(4) if total > 0 else x
    x[3] = total
    return y.sum(), x.mean()


@pytest.mark.parametrize("fn", [behind_a_view, behind_a_view_that_a_test_chose, behind_a_name_of_its_own])
def test_a_number_of_an_array_that_changes_leaves_the_views_of_the_array_as_they_are(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    for x in (np.array([1.0, 2.0, -4.0, 0.5]), np.array([-1.0, 2.0, 4.0, 0.5])):
        before = x.copy()
        assert np.allclose(program(x), fn(before))
        assert np.array_equal(x, before)


def to_what_an_empty_index_gave(x):
    s = x.sum(axis=0)[()]
    np.add(s, 1, out=s)
    return x, s


def test_what_an_empty_index_gives_of_a_number_is_one_and_is_not_written():
    program = gfx.symbolic_trace(to_what_an_empty_index_gave, backend="numpy")
    matrix, row = np.arange(6.0).reshape(3, 2), np.arange(3.0)
    for found, want in zip(program(matrix), to_what_an_empty_index_gave(matrix.copy()), strict=True):
        np.testing.assert_array_equal(found, want)
    with pytest.raises(GuardError):
        program(row)
    with pytest.raises(TypeError, match="must be of ArrayType"):
        gfx.symbolic_trace(to_what_an_empty_index_gave, row)


def to_a_diagonal(x):
    np.diagonal(x)[0] = 2.0
    return x


def to_a_part_of_one(x):
    y = np.diag(x)[1:]
    y += 2.0
    return x


@pytest.mark.parametrize("fn", [to_a_diagonal, to_a_part_of_one])
def test_what_numpy_lets_no_one_write_is_not_written(fn):
    for run in (fn, lambda x: gfx.symbolic_trace(fn, x)):
        with pytest.raises(ValueError, match="read-only"):
            run(np.ones((3, 3)))


@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_writes_are_seen_as_in_plain_python(fn):
    assert_as_in_plain_python(fn)


def test_in_jax_writes_come_back_as_state():
    assert_state_in_jax(np_slice)
