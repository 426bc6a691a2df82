"""Objects of classes that the module of the code does not name: their operators are entered, and their texts are made where one is asked."""

import pprint
import reprlib
import types
import typing

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.errors import GfxError

X = jnp.array([1.0, 2.0, 3.0])


def group():
    """A class of elements of a group, whose product asks for data and whose text shows them."""

    class Scaled:
        def __init__(self, value):
            self.value = value

        def __repr__(self):
            return f"Scaled({self.value})"

        def __matmul__(self, other):
            found = self.value * other.value
            return Scaled(found + 1 if (found > 10).all() else found)

    return Scaled


def product_of_a_class():
    made = group()
    return lambda x: (made(x) @ made(x)).value


def product_with_an_object():
    one, make = group()(jnp.ones(3)), group()
    return lambda x: (one @ make(x)).value


def product_by_a_function():
    make = (lambda made: lambda x: made(x))(group())
    return lambda x: (make(x) @ make(x)).value


def product_in_a_module():
    held = types.ModuleType("held")
    held.Scaled = group()
    return lambda x: (held.Scaled(x) @ held.Scaled(x)).value


@pytest.mark.parametrize(
    "make", (product_of_a_class, product_with_an_object, product_by_a_function, product_in_a_module)
)
def test_operators_are_entered(make):
    fn = make()
    program = gfx.transpile(fn, X, to="jax")
    for x in (X, X * 5):
        np.testing.assert_allclose(program(x), fn(x))


def test_code_that_makes_no_text_takes_objects_that_have_one_of_their_own():
    made = group()

    def passes(x):
        return typing.cast(made, jax.tree_util.Partial(made, x)()).value * 2

    np.testing.assert_allclose(gfx.transpile(passes, X, to="jax")(X), X * 2)


@pytest.mark.parametrize("text", (pprint.pformat, reprlib.repr))
def test_texts_of_them_are_refused_where_they_show_data(text):
    made = group()
    with pytest.raises(GfxError, match=r"text|goes on without the value"):
        gfx.symbolic_trace(lambda x: (x, text(made(x))), X)


def test_a_function_of_the_framework_without_a_row_is_taken_with_the_whole_target():
    def fn(x, scale):
        inner, consts = jax.closure_convert(lambda y: y * scale, x)
        return inner(x, *consts)

    np.testing.assert_allclose(gfx.transpile(fn, X, X + 1, to="jax")(X, X + 1), X * (X + 1))
