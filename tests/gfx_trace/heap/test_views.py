"""Aliasing in PyTorch: a write through a view reaches its base, copies are not views, one tensor may have several names."""

import pytest
import torch

from aliasing import (
    Programs,
    assert_as_in_plain_python,
    assert_state_in_jax,
)

case = Programs()


# ---------------------------------------------------------------------- views of torch tensors
@case
def slice_(x):
    y = x[1:]
    y.mul_(2)
    return x


@case
def view(x):
    y = x.view(9)
    y[:4].add_(1)
    return x, y


@case
def transpose(x):
    y = x.transpose(0, 1)
    y[0].zero_()
    return x.sum(), y


@case
def matrix_transpose(x):
    x.mT[0] = 0
    return x


@case
def permute(x):
    torch.permute(x, (1, 0))[0].add_(1)
    return x


@case
def select(x):
    x.select(0, 1).fill_(7.0)
    return x * 1


@case
def select_from_the_end(x):
    x.select(-1, -1).zero_()
    return x


@case
def squeeze(x):
    y = x.unsqueeze(0).squeeze(0)
    y += 5
    return x


@case
def chunk(x):
    a, b = x.chunk(2)
    a.mul_(3)
    b.zero_()
    return x.clone()


@case
def chunk_in_a_loop(x):
    for part in x.chunk(3, 0):
        part.mul_(2)
    return x


@case
def split(x):
    a, b = torch.split(x, [1, 2])
    b.mul_(0)
    return x, a


@case
def unbind(x):
    a, b, c = x.unbind(0)
    b.zero_()
    c.add_(a)
    return x


@case
def unpacking(x):
    a, b, c = x
    b.zero_()
    return x, a + c


@case
def narrow(x):
    x.narrow(0, 1, 2).mul_(2)
    return x


@case
def diagonal(x):
    x.diagonal().zero_()
    return x


@case
def movedim(x):
    x.movedim(0, 1)[0].zero_()
    return x


@case
def unflatten(x):
    x.unflatten(0, (3, 1))[0] = 0
    return x


@case
def detach(x):
    x.detach().mul_(2)
    return x


@case
def data(x):
    x.data.mul_(2)
    return x


@case
def new_axis(x):
    x[None][0, 0] = 7
    return x


@case
def ellipsis(x):
    x[...].add_(1)
    return x


@case
def view_of_a_view(x):
    y = x[1:]
    z = y[:, 1:]
    z.mul_(10)
    y.add_(1)
    return x, y, z


@case
def view_read_after_a_write_to_its_base(x):
    y = x[0]
    before = y.sum()
    x.add_(1)
    return before, y.sum(), y


@case
def rows_exchanged(x):
    t = x[0]
    x[0] = x[1]
    x[1] = t
    return x


@case
def rows_exchanged_by_copies(x):
    t = x[0].clone()
    x[0] = x[1]
    x[1] = t
    return x


@case
def several_indices(x):
    x[-1] = 0
    x[..., -1] = 5
    x[::2] = 3
    x[1:] += 1
    x[:, 0] *= 2
    return x


@case
def mask(x):
    x[x > 4] = 0
    return x


@case
def index_of_tensors(x):
    x[torch.tensor([0, 0, 1])] += 1
    return x


# ---------------------------------------------------------------------- copies are not views
@case
def list_index_copies(x):
    y = x[[0, 1]]
    y += 1
    return x, y


@case
def mask_copies(x):
    y = x[x > 3]
    y.add_(1)
    return x


@case
def flip_copies(x):
    y = x.flip(0)
    y.zero_()
    return x


@case
def arithmetic_copies(x):
    y = x[1:]
    y = y * 2
    y += 1
    return x, y


# ---------------------------------------------------------------------- the same tensor under several names
def _scale(rows):
    rows.mul_(3)


@case
def helper_writes(x):
    _scale(x[0])
    _scale(x[1:])
    return x


@case
def through_containers(x):
    items = [x, x[0]]
    items[1].add_(1)
    items[0][1] = 0
    table = {"a": x}
    table["a"] += 1
    return items, x


@case
def through_an_attribute(x):
    class Holder:
        pass

    holder = Holder()
    holder.value = x
    holder.value += 1
    return x


@case
def through_a_closure(x):
    total = torch.zeros(3)

    def add(row):
        total.add_(row)

    for row in x:
        add(row)
    return total


@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_writes_are_seen_as_in_plain_python(fn):
    assert_as_in_plain_python(fn)


@pytest.mark.parametrize("fn", [slice_, view_of_a_view, rows_exchanged], ids=lambda f: f.__name__)
def test_in_jax_writes_come_back_as_state(fn):
    assert_state_in_jax(fn)
