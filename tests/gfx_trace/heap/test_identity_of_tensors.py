"""`is` of tensors that a test or loop chose: it tells which one was chosen, or it is refused."""

import jax.numpy as jnp
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

XS = torch.tensor([1.0, 2.0]), torch.tensor([-1.0, -2.0])


def pick(x, y):
    return y if x.sum() > 0 else x


def returned(x):
    x, y = x * 1, x + 1
    b = pick(x, y)
    return b * 10 if b is y else b


def assigned(x):
    x, y = x * 1, x + 1
    b = y if x.sum() > 0 else x
    return b * 10 if b is not y else b + (b is x)


def of_two_chosen(x):
    x, y = x * 1, x + 1
    a, b = pick(x, y), pick(y, x)
    return a * 10 if a is b else a


def made_there(x):
    y = x + 1
    if x.sum() > 0:
        a = b = x * 2
    else:
        a, b = x * 2, y
    return a * 10 if a is b else a + (b is y)


def written_through(x):
    x, y = x * 1, x + 1
    b = pick(x, y)
    b += 1
    return b * 10 if b is y else y


def branched(x: torch.Tensor):
    z = x
    if x.sum() > 0:
        z = x + 1
    return x * 2 if z is x else x


def of_a_loop(x):
    x, y = x * 1, x + 1
    b = x
    while x.sum() < 10:
        x, b = x + 5, y
    return b * 10 if b is y else b


def of_several_trips(x):
    x, y = x * 1, x + 1
    b = x
    while x.sum() < 10:
        b, x = x, y
    return b * 10 if b is y else b


@pytest.mark.parametrize("fn", [returned, assigned, of_two_chosen, made_there, written_through, branched, of_a_loop])
def test_what_a_test_chose_is_what_it_chose(fn):
    program = gfx.symbolic_trace(fn, XS[0].clone())
    functions = program, program.to("torch")
    for x in XS:
        for got in functions:
            torch.testing.assert_close(got(x.clone()), fn(x.clone()))


def test_what_a_loop_carries_may_be_another():
    with pytest.raises(UnsupportedConstruct, match="whether these are one"):
        gfx.symbolic_trace(of_several_trips, XS[0].clone())


@pytest.mark.parametrize(
    "give", [torch.Tensor.contiguous, torch.Tensor.float, torch.Tensor.flatten, torch.real, lambda x: x.to(x.dtype)]
)
def test_what_a_framework_may_hand_through_is_refused(give):
    with pytest.raises(UnsupportedConstruct, match="one is made of the other"):
        gfx.symbolic_trace(lambda x: x * 2 if give(x) is x else x, backend="torch")


@pytest.mark.parametrize("given", [(), (jnp.ones(3),)])
@pytest.mark.parametrize("give", [jnp.transpose, jnp.squeeze, jnp.asarray, jnp.conj, lambda x: x[:]])
def test_jax_may_hand_an_array_through_too(give, given):
    with pytest.raises(UnsupportedConstruct, match="one is made of the other"):
        gfx.symbolic_trace(lambda x: x * 2 if give(x) is x else x, *given, backend="jax")


@pytest.mark.parametrize("give", [lambda x: x.T, torch.squeeze, lambda x: x.view(3)])
def test_what_has_nothing_to_do_where_the_shape_is_known_is_refused_too(give):
    with pytest.raises(UnsupportedConstruct, match="one is made of the other"):
        gfx.symbolic_trace(lambda x: x * 2 if give(x) is x else x, torch.ones(3))


def test_what_is_computed_or_has_other_axes_is_another():
    program = gfx.symbolic_trace(lambda x: (x + 0 is x, x.clone() is x, x[None] is not x), XS[0], backend="torch")
    assert program(XS[1]) == (False, False, True)
