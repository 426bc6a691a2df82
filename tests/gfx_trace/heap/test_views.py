"""Aliasing: a write through a view reaches its base, and a write whose aliases cannot be decided is refused.

Every program is compared with plain Python on copies of its arguments: the result, and what the arguments hold afterwards.
"""

import copy

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GfxError, GuardError
from gfx_ir.trees import leaves

CASES, REFUSED, ENDLESS = [], [], []


def case(fn):
    CASES.append(fn)
    return fn


def loop_case(fn):
    """A program whose loop only ends for positive numbers."""
    ENDLESS.append(fn)
    return case(fn)


def refused(fn):
    REFUSED.append(fn)
    return fn


def torch_square(sign=1):
    return sign * (torch.arange(9.0).reshape(3, 3) + 1)


def numpy_square(sign=1):
    return (sign * (np.arange(9.0).reshape(3, 3) + 1)).astype(np.float32)


def flavour(fn):
    """Programs whose names begin with np_ are NumPy's, all others torch's."""
    return "numpy" if fn.__name__.startswith("np_") else "torch"


def argument(fn, sign):
    return numpy_square(sign) if flavour(fn) == "numpy" else torch_square(sign)


def equal(got, want):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-6)


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


@loop_case
def view_in_a_while(x):
    y = x[:1]
    while x.sum() < 100:
        y.add_(1)
    return x, y


@loop_case
def view_made_in_a_while(x):
    while x.sum() < 100:
        x[0].add_(1)
    return x


@loop_case
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


@loop_case
def attribute_written_in_a_loop(x):
    class Holder:
        pass

    holder = Holder()
    holder.value = x * 1
    keep = holder.value
    while holder.value.sum() < 100:
        holder.value += 1
    return holder.value, keep


@loop_case
def list_item_written_in_a_loop(x):
    items = [x * 1, x * 2]
    keep = items[0]
    while items[0].sum() < 100:
        items[0] += 1
        items[1] = items[0] * 2
    return items, keep


@loop_case
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


# ---------------------------------------------------------------------- NumPy
@case
def np_slice(x):
    y = x[1:]
    y *= 2
    return x


@case
def np_reversed_slice(x):
    y = x[::2, ::-1]
    y[:] = 0
    return x


@case
def np_transpose(x):
    x.T[0] = 1
    return x


@case
def np_swapaxes(x):
    np.swapaxes(x, 0, 1)[0] = 1
    return x


@case
def np_split(x):
    a, b = np.split(x, [1])
    a[0] = 1
    return x, b


@case
def np_squeeze(x):
    y = np.squeeze(x[None])
    y += 1
    return x


@case
def np_expand_dims(x):
    np.expand_dims(x, 0)[0, 0] = 7
    return x


@case
def np_flip(x):
    np.flip(x)[0] = 0
    return x


@case
def np_asarray(x):
    y = np.asarray(x)
    y += 1
    return x


@case
def np_copies(x):
    y = x.copy()
    y += 1
    z = x.flatten()
    z += 1
    w = x[x > 3]
    w += 1
    return x


@case
def np_methods_that_write(x):
    x.sort()
    x[x > 3] += 1
    np.copyto(x, x * 2)
    x[0].fill(3.0)
    return x


@case
def np_rows_by_index(x):
    for i in range(len(x)):
        x[i] = x[i] + i
    return x


@pytest.mark.parametrize("fn", CASES, ids=lambda fn: fn.__name__)
def test_writes_are_seen_as_in_plain_python(fn):
    program = gfx.symbolic_trace(fn, backend=flavour(fn))
    for sign in (1,) if fn in ENDLESS else (1, -1):
        mine, plain = argument(fn, sign), argument(fn, sign)
        want, got = fn(plain), program(mine)
        equal(got, want)
        equal(mine, plain)


@pytest.mark.parametrize(
    "fn", [slice_, view_of_a_view, np_slice, rows_exchanged, alias_of_an_accumulator], ids=lambda f: f.__name__
)
def test_in_jax_writes_come_back_as_state(fn):
    program = gfx.symbolic_trace(fn, backend=flavour(fn))
    plain = argument(fn, 1)
    want = fn(plain)
    got = jax.jit(program.to("jax"))(jnp.asarray(np.asarray(argument(fn, 1))))
    if program.writes:
        got, state = got
        assert list(state) == ["x"]
        equal(state["x"], plain)
    equal(got, want)


# ---------------------------------------------------------------------- undecided
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


@refused
def after_a_loop_that_may_not_run(x):
    y = x
    while y.sum() < 100:
        y = y * 2
    y += 1
    return y


@refused
def first_trip_differs(x):
    y = x
    while y.sum() < 100:
        x.add_(1)
        y = y * 2
    return x, y


@refused
def alias_of_an_accumulator_that_is_replaced(x):
    total = torch.zeros(3)
    keep = total
    while total.sum() < 100:
        total += x[0]
        total = total * 2
    return total, keep


@refused
def rows_of_open_number(x):
    for row in x:
        row.add_(1)
    return x


@refused
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


@refused
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


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_a_write_that_cannot_be_decided_is_refused(fn):
    with pytest.raises(GfxError) as caught:
        gfx.symbolic_trace(fn, backend=flavour(fn))
    text = str(caught.value)
    assert "test_views.py" in text and len(text.splitlines()) >= 3, text  # what and where, the line, and what to do


@pytest.mark.parametrize(
    "fn", [rows_of_open_number, rows_of_unbind, written_while_it_is_iterated_over], ids=lambda f: f.__name__
)
def test_rows_of_a_known_number_may_be_written(fn):
    mine, plain = torch_square(), torch_square()
    program = gfx.symbolic_trace(fn, torch_square())
    equal(program(mine), fn(plain))
    equal(mine, plain)


# ---------------------------------------------------------------------- code of no framework
def generic_reads(x):
    y = x * 1
    y += 1
    if y.sum() > 0:
        y += 2
    return y


def generic_writes(x):
    x[0] += 1
    y = x[1:]
    y[0] = 5.0
    return y, x


def test_in_place_operators_of_generic_code_are_new_arrays_where_nobody_can_tell():
    program = gfx.symbolic_trace(generic_reads)
    for x in (numpy_square(), torch_square(), jnp.asarray(numpy_square())):
        equal(program(x), generic_reads(copy.copy(x)))


def test_items_are_written_as_in_every_framework_that_has_such_writes():
    program = gfx.symbolic_trace(generic_writes)
    for make in (numpy_square, torch_square):
        mine, plain = make(), make()
        equal(program(mine), generic_writes(plain))
        equal(mine, plain)


def generic_changes_its_argument(x):
    x += 1
    return x


def generic_changes_an_alias(x):
    y = x * 1
    z = y
    y += 1
    return z


def generic_changes_a_view(x):
    y = x[0]
    y += 1
    return x


@pytest.mark.parametrize("fn", [generic_changes_its_argument, generic_changes_an_alias, generic_changes_a_view])
def test_in_place_operators_that_frameworks_differ_in_are_refused(fn):
    with pytest.raises(CaptureError, match="writes in place in some frameworks"):
        gfx.symbolic_trace(fn)


# ---------------------------------------------------------------------- arguments
def add_into(x, y):
    x.add_(y)
    return x + y


def test_arguments_are_written():
    program = gfx.symbolic_trace(add_into, backend="torch")
    mine, plain = torch_square(), torch_square()
    equal(program(mine, torch.ones(3, 3)), add_into(plain, torch.ones(3, 3)))
    equal(mine, plain)


@pytest.mark.parametrize(
    "pair", [lambda x: (x, x), lambda x: (x, x.T), lambda x: (x[:2], x[1:])], ids=["same", "transposed", "overlap"]
)
def test_a_written_argument_may_not_share_memory_with_another(pair):
    program = gfx.symbolic_trace(add_into, backend="torch")
    with pytest.raises(GuardError, match="share memory"):
        program(*pair(torch_square()))
    x = torch_square()
    program(x[:1], x[2:])  # parts of one tensor that do not overlap


def test_arguments_that_are_only_read_may_be_one_tensor():
    program = gfx.symbolic_trace(lambda x, y: x + y)
    x = torch_square()
    equal(program(x, x), x + x)


def test_one_array_given_twice_at_capture_is_two_arguments():
    x = torch.ones(3)
    program = gfx.symbolic_trace(lambda a, b: a - b, x, x)
    equal(program(torch.ones(3), torch.zeros(3)), torch.ones(3))


def write_nested(state, rows):
    state["count"].add_(1)
    rows[1].mul_(2)
    return state["count"] + rows[0] + rows[1]


def test_tensors_inside_of_arguments_are_written():
    def make():
        return {"count": torch.zeros(3)}, [torch.ones(3), torch.ones(3)]

    program = gfx.symbolic_trace(write_nested, *make())
    mine, plain = make(), make()
    equal(program(*mine), write_nested(*plain))
    equal(list(mine), list(plain))


def add_key(table):
    table["b"] = table["a"] + 1
    return table["a"]


def append_item(items):
    items.append(items[0] + 1)
    return items[0]


def replace_item(items):
    items[0] = items[0] + 1
    return items[0]


@pytest.mark.parametrize(
    "fn, argument", [(add_key, {"a": torch.ones(2)}), (append_item, [torch.ones(2)]), (replace_item, [torch.ones(2)])]
)
def test_containers_of_the_caller_are_not_changed_silently(fn, argument):
    before = copy.copy(argument)
    with pytest.raises(CaptureError, match="of an argument"):
        gfx.symbolic_trace(fn, argument)
    assert list(argument) == list(before)
