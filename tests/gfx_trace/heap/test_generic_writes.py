"""Writes in code of no framework: items are written, in-place operators are new arrays where nobody can tell."""

import copy

import jax.numpy as jnp
import pytest

import gfx_trace as gfx
from aliasing import (
    equal,
    numpy_square,
    torch_square,
)
from gfx_ir.errors import CaptureError


def generic_reads(x):
    y = x * 1
    y += 1
    if y.sum() > 0:
        y += 2
    return y


def generic_writes(x):
    x[0] += 1
    y = x[1:]
    y[0] = 5.0
    return y, x


def test_in_place_operators_of_generic_code_are_new_arrays_where_nobody_can_tell():
    program = gfx.symbolic_trace(generic_reads)
    for x in (numpy_square(), torch_square(), jnp.asarray(numpy_square())):
        equal(program(x), generic_reads(copy.copy(x)))


def test_items_are_written_as_in_every_framework_that_has_such_writes():
    program = gfx.symbolic_trace(generic_writes)
    for make in (numpy_square, torch_square):
        mine, plain = make(), make()
        equal(program(mine), generic_writes(plain))
        equal(mine, plain)


def generic_changes_its_argument(x):
    x += 1
    return x


def generic_changes_an_alias(x):
    y = x * 1
    z = y
    y += 1
    return z


def generic_changes_a_view(x):
    y = x[0]
    y += 1
    return x


@pytest.mark.parametrize("fn", [generic_changes_its_argument, generic_changes_an_alias, generic_changes_a_view])
def test_in_place_operators_that_frameworks_differ_in_are_refused(fn):
    with pytest.raises(CaptureError, match="writes in place in some frameworks"):
        gfx.symbolic_trace(fn)
