"""Variables that one side of a test on an open number assigns, or deletes, and code behind it reads: where the code runs and nothing was
assigned, it raises what Python raises; else it goes on with what was. On data such a read is refused."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

NUMBERS = [3, 1, -1]
DATA = [torch.tensor([1.0, 2.0, 3.0]), torch.tensor([0.1, 0.2, 0.3]), torch.tensor([-1.0, -2.0, -3.0])]


def one_side(x, n: int):
    if n > 0:
        y = x * 2
    return y


def beside_another(x, n: int):
    if n > 1:
        y = x * 2
        x = x + 1
    else:
        x = x - 1
    z = x * 3
    return y + z, y * z


def within_another(x, n: int):
    if n > 0:
        if n > 1:
            y = x * 2
    return y


def a_list(x, n: int):
    if n > 0:
        y = [x * 2, 1.0]
    return y[0] + y[1]


def a_function(x, n: int):
    if n > 0:

        def doubled(v):
            return v * 2

    return doubled(x)


def a_loop(x, n: int):
    if n > 0:
        y = x
        while y.sum() < 100:
            y = y * 2
    return y


def a_key(x, n: int):
    d = {}
    if n > 0:
        d["a"] = x * 2
    return d["a"] + 1


def deleted(x, n: int):
    y = x * 2
    if n < 0:
        del y
    return y


def elif_without_else(x, n: int):
    if n > 1:
        y = x * 2
    elif n > 0:
        y = x * 3
    return y


def another_error(x, n: int):
    if n > 0:
        y = 2.0
    try:
        return x * y
    except UnboundLocalError:
        raise ValueError("no y") from None


CASES = [
    one_side, beside_another, within_another, a_list, a_function, a_loop, a_key, deleted, elif_without_else, another_error,
]  # fmt: skip


@pytest.mark.parametrize("fn", CASES)
def test_a_read_raises_where_python_does(fn):
    program = gfx.symbolic_trace(fn, backend="torch")
    to_torch, to_jax = program.to("torch"), program.to("jax")
    for x, n in zip(DATA, NUMBERS):
        calls = [(program, x.clone()), (to_torch, x.clone()), (to_jax, jnp.asarray(x.numpy()))]
        try:
            wanted = fn(x.clone(), n)
        except Exception as error:
            for call, argument in calls:
                with pytest.raises(type(error), match=str(error)):
                    call(argument, n)
            continue
        for call, argument in calls:
            for got, want in zip(np.atleast_2d(call(argument, n)), np.atleast_2d(wanted), strict=True):
                np.testing.assert_allclose(got, want, rtol=1e-6)


@pytest.mark.parametrize("fn", CASES)
def test_a_read_is_refused_where_data_decides(fn):
    with pytest.raises(CaptureError, match=r"is defined in only one branch|whether it has the key 'a' hangs on data"):
        gfx.symbolic_trace(lambda x: fn(x, x.sum()), backend="torch")


def caught(x, n: int):
    if n > 0:
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
