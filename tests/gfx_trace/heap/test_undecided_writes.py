"""A write whose aliases cannot be decided is refused; with more known it is not."""

import pytest
import torch

import gfx_trace as gfx
from aliasing import Programs, equal, flavour, torch_square
from gfx_ir.errors import GfxError

refused = Programs()


@refused
def through_reshape(x):
    x.reshape(-1).zero_()
    return x


@refused
def through_a_transposed_reshape(x):
    x.transpose(0, 1).reshape(-1).zero_()
    return x


@refused
def through_flatten(x):
    y = x.flatten()
    y += 1
    return x


@refused
def through_contiguous(x):
    y = x.contiguous()
    y.zero_()
    return x


@refused
def through_a_cast(x):
    y = x.float()
    y.add_(1)
    return x


@refused
def through_to(x):
    y = x.to(torch.float32)
    y.add_(1)
    return x


def rows_of_open_number(x):
    for row in x:
        row.add_(1)
    return x


def rows_of_unbind(x):
    for row in x.unbind(0):
        row.add_(1)
    return x


@refused
def last_row(x):
    last = x[0] * 1
    for row in x:
        last = row
    last.add_(1)
    return x


def written_while_it_is_iterated_over(x):
    total = x[0] * 0
    for row in x:
        total = total + row
        x.add_(1)
    return total


@refused
def expanded(x):
    torch.broadcast_to(x, (3, 3)).add_(1)
    return x


@refused
def np_ravel(x):
    y = x.ravel()
    y += 1
    return x


@pytest.mark.parametrize("fn", refused, ids=lambda fn: fn.__name__)
def test_a_write_that_cannot_be_decided_is_refused(fn):
    with pytest.raises(GfxError) as caught:
        gfx.symbolic_trace(fn, backend=flavour(fn))
    text = str(caught.value)
    assert "test_undecided_writes.py" in text and len(text.splitlines()) >= 3, (
        text
    )  # what and where, the line, and what to do


@pytest.mark.parametrize(
    "fn", [rows_of_open_number, rows_of_unbind, written_while_it_is_iterated_over], ids=lambda f: f.__name__
)
def test_rows_that_a_loop_goes_over_may_be_written(fn):
    for given in ((torch_square(),), ()):
        mine, plain = torch_square(), torch_square()
        program = gfx.symbolic_trace(fn, *given, backend="torch")
        equal(program(mine), fn(plain))
        equal(mine, plain)
