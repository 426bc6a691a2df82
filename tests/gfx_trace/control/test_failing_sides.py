"""Code that fails on one side of a test on sizes, by itself or as it is asked to: the program raises there, and goes on with the other side."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError

NAMES, SIZES = {"a": 2}, (3, 5)


def item_of_a_list(x):
    parts = [x * 2] if x.shape[0] > 1 else []
    return parts[0]


def item_of_a_tuple(x):
    return x * SIZES[1 if x.shape[0] > 1 else 2]


def key_of_a_dictionary(x):
    return x * NAMES["a" if x.shape[0] > 1 else "b"]


def division(x):
    return x * (4 // (2 if x.shape[0] > 1 else 0))


def number_in_a_text(x):
    return x * int("3" if x.shape[0] > 1 else "z")


def largest_of_none(x):
    return x * max([1, 2] if x.shape[0] > 1 else [])


def joined_of_none(x):
    return torch.cat([x, x] if x.shape[0] > 1 else [])


def elements_that_make_no_shape(x):
    return x.sum() * torch.arange(6).view(*((2, 3) if x.shape[0] > 1 else (4, 2)))


def within_a_function_that_is_called_twice(x):
    def first(v):
        rows = [v * 2, v] if v.shape[0] > 1 else [v]
        return rows[1]

    return first(x) + first(x)


FUNCTIONS = (
    item_of_a_list, item_of_a_tuple, key_of_a_dictionary, division, number_in_a_text, largest_of_none, joined_of_none,
    elements_that_make_no_shape, within_a_function_that_is_called_twice,
)  # fmt: skip
OF_FRAMEWORKS = (joined_of_none, elements_that_make_no_shape)
"""Those that fail in PyTorch: each framework has an exception of its own for it."""


@pytest.mark.parametrize("target", ("torch", "jax"))
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_a_side_that_fails_is_a_raise(f, target):
    emitted = gfx.transpile(f, torch.ones(2, 3), dynamic=True, to=target)
    array = torch.ones if target == "torch" else jnp.ones
    np.testing.assert_array_equal(np.asarray(emitted(array((4, 3)))), f(torch.ones(4, 3)).numpy())
    with pytest.raises(Exception) as wanted:
        f(torch.ones(1, 3))
    with pytest.raises((RuntimeError, TypeError) if f in OF_FRAMEWORKS else wanted.type):
        emitted(array((1, 3)))


def test_an_except_clause_around_is_not_passed_by():
    def caught(x):
        parts = [x * 2] if x.shape[0] > 1 else []
        try:
            return parts[0]
        except IndexError:
            return x

    emitted = gfx.transpile(caught, torch.ones(2, 3), dynamic=True, to="torch")
    assert torch.equal(emitted(torch.ones(2, 3)), caught(torch.ones(2, 3)))
    with pytest.raises(GuardError):
        emitted(torch.ones(1, 3))


def longer_than(v, n):
    if v.shape[0] <= n:
        raise ValueError("too few rows")


def checks_twice(x):
    longer_than(x, 1)
    longer_than(x * 2, 1)
    return x


def checks_under_a_test(x):
    if x.shape[1] > 2:
        longer_than(x, 1)
        longer_than(x + 1, 1)
    return x + 1


def checks_through_another(x):
    def both(v):
        longer_than(v, 1)

    both(x)
    both(x * 2)
    return x * 2


@pytest.mark.parametrize("target", ("torch", "jax", "numpy"))
@pytest.mark.parametrize("f", (checks_twice, checks_under_a_test, checks_through_another), ids=lambda f: f.__name__)
def test_a_function_that_only_checks_is_called(f, target):
    emitted = gfx.transpile(f, torch.ones(2, 3), dynamic=True, to=target)
    array = {"torch": torch.ones, "jax": jnp.ones, "numpy": lambda shape: np.ones(shape, "float32")}[target]
    np.testing.assert_array_equal(np.asarray(emitted(array((4, 3)))), f(torch.ones(4, 3)).numpy())
    with pytest.raises(ValueError, match="too few rows"):
        emitted(array((1, 3)))
