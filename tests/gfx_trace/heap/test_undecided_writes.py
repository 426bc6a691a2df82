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


def to_its_own_dtype(x):
    y = x.float()
    y.add_(1)
    return x, y


def to_that_of_another(x):
    y = x[0].to(x.dtype)
    y.mul_(2)
    return x, x.t().to(y.dtype)[1].add_(1), x


def to_another_dtype(x):
    y = x.double()
    y.add_(1)
    return x, y


def to_a_copy(x):
    y = x.to(torch.float32, copy=True, memory_format=torch.contiguous_format)
    y.add_(1)
    return x, y


def of_whole_numbers(x):
    top = x.argmax(-1)
    mask = top.float()
    mask *= x.sum()
    return mask, top


def of_complex_numbers(x):
    y = x.cfloat()
    y.cfloat().mul_(2)
    return x, y.real


CASTS = [to_its_own_dtype, to_that_of_another, to_another_dtype, to_a_copy, of_whole_numbers, of_complex_numbers]


@pytest.mark.parametrize("fn", CASTS, ids=lambda fn: fn.__name__)
def test_a_cast_of_a_known_dtype_is_the_tensor_itself_or_a_copy(fn):
    program = gfx.symbolic_trace(fn, torch_square(), dynamic=True)
    for again in (program, program.to("torch")):
        mine, plain = torch_square(), torch_square()
        result = again(mine)
        equal(result[0] if again is not program and program.writes else result, fn(plain))
        if again is program:
            equal(mine, plain)


def test_a_cast_of_positions_needs_no_types():
    torch.testing.assert_close(
        gfx.symbolic_trace(of_whole_numbers, backend="torch")(torch_square()), of_whole_numbers(torch_square())
    )


class Cached(torch.nn.Module):
    """Its cache goes where the keys are, as code does that may run on another device."""

    def __init__(self):
        super().__init__()
        self.cache, self.key = torch.zeros(4, 3), torch.nn.Linear(3, 3)

    def forward(self, x, at: int):
        key = self.key(x)
        self.cache = self.cache.to(key)
        self.cache[at : at + x.shape[0]] = key
        x = x.to("cpu")
        x += self.cache[:1].sum()
        return x, self.cache[: at + x.shape[0]]


@torch.no_grad()
def test_a_tensor_that_is_where_it_is_asked_for_is_itself():
    model, plain = Cached(), Cached()
    plain.load_state_dict(model.state_dict())
    program = gfx.symbolic_trace(model, torch.ones(2, 3), 1)
    assert [str(guard) for guard in program.guards if guard.kind == "device"] == ["x.device == cpu"]
    for x in (torch.ones(2, 3), torch.rand(2, 3)):
        given, own = x.clone(), x.clone()
        torch.testing.assert_close(program(given, 1), plain(own, 1))
        torch.testing.assert_close((given, model.cache), (own, plain.cache))
    with pytest.raises(GfxError, match="device"):
        program(torch.ones(2, 3, device="meta"), 1)
