"""What a framework answers as a boolean of Python's own (torch.equal, np.allclose, `in`): one in arithmetic, classes and results."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X, Y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0])


def counted(x: torch.Tensor, y: torch.Tensor):
    found = sum([torch.equal(x, x), torch.allclose(x, y), x.equal(y)])
    return x * found, found, -torch.equal(x, x), torch.equal(x, y) * 2.5


def looked_up(x: torch.Tensor, y: torch.Tensor):
    return x * {True: 2.0, False: 3.0}[torch.equal(x, y)]


def classes(x: torch.Tensor, y: torch.Tensor):
    same = torch.equal(x, y)
    return isinstance(same, bool), same is False, torch.is_tensor(same), hasattr(same, "shape"), same


def within(x: torch.Tensor, y: torch.Tensor):
    found = 4.0 in y
    return x * (found + (9.0 in x)), found, isinstance(3.0 in x, bool), -(3.0 in x), (4.0 in y) is True


def of_numpy(x: np.ndarray, y: np.ndarray):
    return np.array_equal(x, x) + np.allclose(x, y), isinstance(np.allclose(x, y), bool), np.allclose(x, y + 1e-9)


@pytest.mark.parametrize("fn", [counted, looked_up, classes, within, of_numpy])
@pytest.mark.parametrize("level", [0, 1])
def test_it_is_one_wherever_it_is_used(fn, level):
    make = (lambda x: x.copy()) if fn is of_numpy else torch.tensor
    program = gfx.symbolic_trace(fn, *(make(X), make(Y)) * level)
    flavour = "numpy" if fn is of_numpy else "torch"
    for other in (X, Y):
        want = fn(make(X), make(other))
        for found in (program(make(X), make(other)), program.to(flavour)(make(X), make(other))):
            assert str(found) == str(want)
        found = program.to("jax")(jnp.asarray(X), jnp.asarray(other))
        for part, wanted in zip(found, want):
            np.testing.assert_allclose(part, wanted)


def test_it_is_printed_as_it_was_written():
    assert "    return torch.equal(x, y)" in gfx.symbolic_trace(lambda x, y: torch.equal(x, y)).source("torch")


def either_of_two(x: torch.Tensor, y: torch.Tensor):
    return (x.sum() > 6.5 and True) + (y.sum() > 6.5 and True), (x.sum() > 9 or False) + 0, x.sum() > 9 or False


def test_what_is_a_tensor_or_pythons_own_is_the_one_that_python_has():
    program = gfx.symbolic_trace(either_of_two)
    for x, y in ((X, Y), (Y, X), (Y, Y), (Y * 9, Y)):
        want = str(either_of_two(torch.tensor(x), torch.tensor(y)))
        assert str(program(torch.tensor(x), torch.tensor(y))) == want
        assert str(program.to("torch")(torch.tensor(x), torch.tensor(y))) == want
    with pytest.raises(UnsupportedConstruct, match="boolean of Python's or a tensor of booleans"):
        program.source("jax")


def turned(x: torch.Tensor, n: torch.Tensor):
    g = True
    if n:
        g = False
    return g + g, x * g


def one_of_several(x: torch.Tensor, n: torch.Tensor):
    g, h = False, 0
    if n != 1:
        h = 2
    else:
        g = True
    return g + g, -g, h


@pytest.mark.parametrize("fn", [turned, one_of_several])
def test_which_side_was_taken_is_one_as_well(fn):
    made = gfx.symbolic_trace(fn).to("torch")
    for n in (0, 1, 2):
        want, got = fn(torch.tensor(X), torch.tensor(n)), made(torch.tensor(X), torch.tensor(n))
        assert (
            type(got[0]) is int and got[0] == want[0] and torch.equal(torch.as_tensor(got[1]), torch.as_tensor(want[1]))
        )


def returned_with_its_test(x: torch.Tensor):
    y = x.sum() > 4
    if y:
        return y, x
    return x, y


def either_test(x: torch.Tensor):
    y, z = x.sum() > 4, bool(x.sum() > 6.5)
    return y and z, y or z, [y if y else z], {"not": not (y and z)}


def carried(x: torch.Tensor):
    y, n = x.sum() > 4, 0
    while y:
        x, n = x - 1, n + 1
        y = x.sum() > 4 and n < 2
    return y, n


def of_a_helper(x: torch.Tensor):
    first = lambda v: v.sum() > 4 and v.max() > 3.5
    return first(x), first(x + 1) | first(x), first(x) and first(x + 1)


@pytest.mark.parametrize("fn", [returned_with_its_test, either_test, carried, of_a_helper])
def test_a_tensor_of_a_test_stays_one_where_it_is_returned(fn):
    program = gfx.symbolic_trace(fn)
    for x in (X, Y, Y * 9, -X):
        want = str(fn(torch.tensor(x)))
        assert str(program(torch.tensor(x))) == want
        assert str(program.to("torch")(torch.tensor(x))) == want
