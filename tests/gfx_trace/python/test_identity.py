"""`a is b`: told of what is one object in any case, and refused where a test or a loop leaves one of several."""

import copy

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct


def number_kept(x: np.ndarray):
    s = x[0]
    r = s
    if x[1] > 0:
        s = s - x
    return s is r


def same_number(x: np.ndarray):
    s = r = 0
    if x[1] > 0:
        s -= x
    return s is r


def number_of_numpy(x: np.ndarray):
    s = x[0]
    r = s
    for _ in range(x.argmax()):
        s **= 2
    return s is r


def carried(x: torch.Tensor):
    y = x
    for _ in x:
        if y is x:
            y = y + 1
    return y


@pytest.mark.parametrize("fn", [number_kept, same_number, number_of_numpy, carried], ids=lambda fn: fn.__name__)
def test_what_a_test_decides_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match="one object"):
        gfx.symbolic_trace(fn)


def fixed(x):
    y = x * 2
    if x.sum() > 0:
        z = x + 1
    else:
        z = x + 2
    kept = z
    return y is z, z is x, kept is z, y is x, x is None, y is fixed


def test_what_is_one_object_in_any_case_is_told():
    x = torch.tensor([1.0, -3.0])
    for target in ("torch", "jax"):
        assert tuple(gfx.symbolic_trace(fixed).to(target)(x if target == "torch" else x.numpy())) == fixed(x)


IDENTITIES = [
    lambda a, b: a * (1 if id(a) == id(b) else 2),
    lambda a, b: a * len({a, b}),
    lambda a, b: a * {a: 1, b: 2}[a],
    lambda a, b: a * (1 if a is b else 2),
]


@pytest.mark.parametrize("fn", IDENTITIES)
@pytest.mark.parametrize("typed", [False, True])
def test_arguments_that_are_one_object_in_a_call_alone_are_refused_there(fn, typed):
    """One tensor was taken for two."""
    x, y = torch.tensor([1.0, -3.0]), torch.tensor([2.0, 5.0])
    program = gfx.symbolic_trace(fn, *[x, y] * typed, backend="torch")
    assert torch.equal(program(x, y), fn(x, y))
    with pytest.raises(GuardError, match=r"is not [ab],"):
        program(x, x)


def identity_of_a_chosen(x):
    y, z = x + 1, x + 2
    b = y if x.sum() > 0 else z
    return x * (1 if id(b) == id(y) else 2)


def set_of_a_chosen(x):
    y, z = x + 1, x + 2
    b = y if x.sum() > 0 else z
    return x * len({b, y})


@pytest.mark.parametrize("fn", [identity_of_a_chosen, set_of_a_chosen])
def test_the_identity_of_what_a_test_chose_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match="one object"):
        gfx.symbolic_trace(fn)


@pytest.mark.parametrize("other", [None, 5, "a"])
def test_whether_what_may_be_something_else_is_true(other):
    def fn(x, n: int):
        v = other if n > 2 else n > 1
        if v is True:
            return x, v is False
        return x * 2, v is False, v is not True

    program, x = gfx.symbolic_trace(fn, backend="torch"), torch.ones(2)
    for n in (0, 2, 3):
        assert repr(program(x, n)) == repr(fn(x, n)) == repr(program.to("torch")(x, n))


def single(x: np.ndarray):
    found, chosen = (x > 0).any(), np.bool_(True)
    if x[0] > 0:
        chosen = np.bool_(False)
    return found is np.True_, chosen is np.False_, found is chosen, found is True, x.sum() is np.True_


def test_numpy_has_one_object_for_each_boolean():
    program = gfx.symbolic_trace(single)
    for x in (np.array([1.0, 2.0]), np.array([-1.0, 2.0]), np.array([-1.0, -2.0])):
        assert program(x) == program.to("numpy")(x) == single(x)


@pytest.mark.parametrize("fn", [lambda x: copy.deepcopy(x) is x, lambda x: copy.copy(x) is x])
def test_a_copy_of_an_array_that_nothing_writes_is_no_longer_that_array(fn):
    assert not fn(jnp.ones(3))
    with pytest.raises(gfx.GfxError, match="cannot tell whether these are one object"):
        gfx.symbolic_trace(fn, backend="jax")
    held = gfx.symbolic_trace(lambda x: [copy.deepcopy([x, x])[0] + 1, copy.copy(x)], backend="jax")
    np.testing.assert_array_equal(held(jnp.ones(3)), [[2, 2, 2], [1, 1, 1]])
