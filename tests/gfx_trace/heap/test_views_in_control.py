"""Aliasing in tests and loops: a write through a view reaches its base, whichever way was taken."""

import pytest
import torch

from aliasing import (
    Programs,
    assert_as_in_plain_python,
    assert_state_in_jax,
)

case = Programs()
endless = Programs()
"""Programs whose loop only ends for positive numbers."""


# ---------------------------------------------------------------------- tests
@case
def view_made_in_a_branch(x):
    if x.sum() > 0:
        x[0].add_(1)
    else:
        y = x[1:]
        y[0].mul_(2)
    return x


@case
def view_from_before_a_branch(x):
    y = x[1:]
    if x.sum() > 0:
        y.mul_(2)
    return x


@case
def view_derived_again_in_a_branch(x):
    y = x[1:]
    x.add_(1)
    z = y * 2 if x.sum() > 0 else y * 3
    return y.sum() + z.sum()


@case
def written_on_one_side_replaced_on_the_other(x):
    y = x * 1
    if x.sum() > 0:
        y += 1
    else:
        y = y * 2
    return y


@case
def written_then_replaced(x):
    y = x * 1
    if x.sum() > 0:
        y.add_(1)
        y = y * 2
    else:
        y = y * 3
    return y


@case
def one_tensor_joined_under_two_names(x):
    if x.sum() > 0:
        y = x * 2
        z = y
    else:
        y = x * 3
        z = y
    y.add_(1)
    return y, z


@case
def returned_from_both_sides(x):
    if x.sum() > 0:
        x.add_(1)
        return x[0]
    return x[1]


@case
def joined_tensor_only_read(x):
    y = x if x.sum() > 0 else x * 2
    x = x + 1
    return y * 3 + x


@case
def joined_with_a_tensor_that_nobody_sees(x):
    z = x * 1
    y = z if x.sum() > 0 else z * 2
    y.add_(1)
    return y


# ---------------------------------------------------------------------- loops
@case
def rows_in_a_loop(x):
    for i in range(3):
        x[i] += i
    return x


@case
def select_in_a_loop(x):
    for i in range(3):
        y = x.select(0, i)
        y.mul_(i)
    return x


@case
@case
def view_of_a_view_in_each_trip(x):
    view = x
    for _ in range(2):
        view = view[1:]
        view.mul_(2)
    return x, view


@case
def up_sweep_of_a_scan(x):
    held = torch.cat((x, x + 1))[:4]
    part, pairs = held, held
    for _ in range(2):
        pairs = part.view(-1, 2)
        pairs[:, 1] += pairs[:, 0]
        part = pairs[:, 1]
    return held, part


@case
def half_that_is_halved(x):
    held = torch.cat((x, x + 1))[:4]
    part = held
    for i in range(2):
        first, second = part.chunk(2)
        first += second
        part = first.mul_(i + 1)
    return held


@endless
def view_in_a_while(x):
    y = x[:1]
    while x.sum() < 100:
        y.add_(1)
    return x, y


@case
@endless
def view_made_in_a_while(x):
    while x.sum() < 100:
        x[0].add_(1)
    return x


@case
@endless
def alias_of_what_a_loop_writes(x):
    y = x
    z = x[0]
    while x.sum() < 100:
        x += 1
    return x, y, z


@case
def alias_of_an_accumulator(x):
    total = torch.zeros(3)
    keep = total
    for i in range(3):
        total += x[i]
    return keep, total


@case
def accumulator_that_is_replaced(x):
    total = torch.zeros(3)
    for i in range(3):
        total += x[i]
        total = total * 2
    return total


@case
@endless
def attribute_written_in_a_loop(x):
    class Holder:
        pass

    holder = Holder()
    holder.value = x * 1
    keep = holder.value
    while holder.value.sum() < 100:
        holder.value += 1
    return holder.value, keep


@case
@endless
def list_item_written_in_a_loop(x):
    items = [x * 1, x * 2]
    keep = items[0]
    while items[0].sum() < 100:
        items[0] += 1
        items[1] = items[0] * 2
    return items, keep


@case
@endless
def exchanged_and_written(x):
    a, b = x * 1, x * 2
    while a.sum() < 300:
        a += 1
        a, b = b, a
    return a, b


@case
def carried_view(x):
    y = x[0]
    for i in range(3):
        y += i
    return x, y


@case
def nested_loops(x):
    t = x * 1
    for i in range(3):
        for j in range(3):
            t[i] += j
            if t.sum() > 60:
                t.mul_(0.5)
    return t


@case
def branch_in_a_loop(x):
    y = x * 1
    for i in range(4):
        if y.sum() < 50:
            y += i
        else:
            y = y - 1
    return y


@case
def copy_of_what_no_op_has_taken_yet(x):
    v = torch.tanh(x)
    for _ in range(2):
        if abs(v).sum() > 0:
            y = v.detach().clone()
            y.copy_(v)
            x = x - torch.where(~(abs(v) < 1), y, -v)
    return v, x


@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_writes_are_seen_as_in_plain_python(fn):
    assert_as_in_plain_python(fn, (1,) if fn in endless else (1, -1))


def test_in_jax_writes_come_back_as_state():
    assert_state_in_jax(alias_of_an_accumulator)
