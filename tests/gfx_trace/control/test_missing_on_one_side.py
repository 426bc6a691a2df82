"""Variables that one side of a test on data assigns, or deletes, and code behind it reads: where the code runs and nothing was assigned,
it raises what Python raises; else it goes on with what was."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

DATA = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3]), torch.tensor([-1.0, -2.0, -3.0])]


def one_side(x):
    if x.sum() > 0:
        y = x * 2
    return y


def beside_another(x):
    if x.sum() > 1:
        y = x * 2
        x = x + 1
    else:
        x = x - 1
    z = x * 3
    return y + z, y * z


def within_another(x):
    if x.sum() > 0:
        if x.max() > 1:
            y = x * 2
    return y


def a_list(x):
    if x.sum() > 0:
        y = [x * 2, 1.0]
    return y[0] + y[1]


def a_function(x):
    if x.sum() > 0:

        def doubled(v):
            return v * 2

    return doubled(x)


def a_loop(x):
    if x.sum() > 0:
        y = x
        while y.sum() < 100:
            y = y * 2
    return y


def a_key(x):
    d = {}
    if x.sum() > 0:
        d["a"] = x * 2
    return d["a"] + 1


def deleted(x):
    y = x * 2
    if x.sum() < 0:
        del y
    return y


def elif_without_else(x):
    if x.sum() > 1:
        y = x * 2
    elif x.sum() > 0:
        y = x * 3
    return y


def another_error(x):
    if x.sum() > 0:
        y = 2.0
    try:
        return x * y
    except UnboundLocalError:
        raise ValueError("no y") from None


CASES = [
    one_side, beside_another, within_another, a_list, a_function, a_loop, a_key, deleted, elif_without_else, another_error,
]  # fmt: skip


@pytest.mark.parametrize("given", [(), (DATA[0],)], ids=["open", "typed"])
@pytest.mark.parametrize("fn", CASES)
def test_a_read_raises_where_python_does(fn, given):
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    to_torch, to_jax = program.to("torch"), program.to("jax")
    for x in DATA:
        calls = [(program, x.clone()), (to_torch, x.clone()), (to_jax, jnp.asarray(x.numpy()))]
        try:
            wanted = fn(x.clone())
        except Exception as error:
            for call, argument in calls:
                with pytest.raises(Exception, match=str(error)) as raised:
                    call(argument)
                assert call is to_jax or type(raised.value) is type(error)
            continue
        for call, argument in calls:
            for got, want in zip(np.atleast_2d(call(argument)), np.atleast_2d(wanted), strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-6)


def caught(x):
    if x.sum() > 0:
        y = 2.0
    try:
        return x * y
    except UnboundLocalError:
        return x


def caught_behind_a_loop(x):
    try:
        for row in x:
            y = row
        return y
    except UnboundLocalError:
        return x


@pytest.mark.parametrize("fn", [caught, caught_behind_a_loop])
def test_an_except_clause_that_waits_is_refused(fn):
    with pytest.raises(CaptureError, match="an except clause around it may catch it"):
        gfx.symbolic_trace(fn, backend="torch")


def drawn(x):
    if x.sum() > 0:
        y = torch.rand(3)
    return y


def test_what_was_drawn_is_not_drawn_again():
    with pytest.raises(CaptureError, match="'y' here: it was made under another test"):
        gfx.symbolic_trace(drawn, backend="torch")


def drawn_on_one_side(x):
    if x.sum() > 0:
        x = x + torch.rand(3)
    return x + torch.rand(3)


def test_one_side_may_draw():
    program = gfx.symbolic_trace(drawn_on_one_side, backend="torch").to("torch")
    for x in DATA:
        wanted, got = torch.Generator().manual_seed(3), torch.Generator().manual_seed(3)
        by_hand = x + torch.rand(3, generator=wanted) if x.sum() > 0 else x
        assert torch.equal(program(x, generator=got), by_hand + torch.rand(3, generator=wanted))
    to_jax = gfx.symbolic_trace(drawn_on_one_side, backend="torch").to("jax")
    assert to_jax(jnp.asarray(DATA[0].numpy()), key=jax.random.key(1)).shape == (3,)
