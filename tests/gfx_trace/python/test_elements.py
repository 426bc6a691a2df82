"""An index that leaves no axis: a number of its own in NumPy, a view in PyTorch; and lists of tensors that a loop writes."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError
from gfx_ir.trees import leaves


def swaps(a):
    a = a.copy()
    a[0], a[1] = a[1], a[0]
    return a


def sorts(a):
    a = a.copy()
    for i in range(len(a)):
        for j in range(len(a) - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a


def keeps(a):
    a = a.copy()
    last = a[-1]
    a[-1] = a[0]
    a[0] += last
    return a, last


def carries(a):
    a = a.copy()
    h = a[0]
    for i in range(2):
        a[i] = h
        h = h + a[i + 1]
    return a


def unpacks(a):
    a = a.copy()
    p, q, r = a
    a[0] = 9.0
    return p + q + r


def adds(a):
    a = a.copy()
    r = a[0]
    r += 5
    return a, r


def of_largest(a):
    a = a.copy()
    m = a.max()
    n = m
    m += 1
    a[a.argmax()] = 0.0
    return a, m, n


def of_sums(a):
    s = a.sum() + np.float64(1.0)
    q = s
    s += 1
    return q, s


def of_elements(a):
    s = np.sqrt(a[0] ** 2 + a[1] ** 2)
    q = s
    s *= 2
    return q, s


def of_sides(a):
    s = a[0] if a.sum() > 0 else a[1]
    q = s
    s += 1
    return a, q, s


def of_trips(a):
    s = np.float64(0.0)
    q, best = s, a[0]
    for i in range(a.shape[0]):
        q = s
        s += a[i]
        if a[i] > best:
            best = a[i]
        best -= 0.5
    return a, q, s, best


def of_counters(a):
    s = a.sum()
    for i in range(int(a[0])):
        s = i
    q = s
    s += 0.25
    return q, s * a.sum()


def of_arrays(a):
    r = 1
    for _ in range(2):
        if a[0] > 0:
            r += a
    return r


def of_items(a):
    q = 0.0
    for e in a:
        q = e
        e += 1
    return a, q


def through_rows(a):
    a = a.copy()
    a[0][1] = a[1][0]
    a[2].fill(3.0)
    return a


ELEMENTS = [
    swaps, sorts, keeps, carries, unpacks, adds, of_largest, of_sums, of_elements, of_sides, of_trips, of_counters, of_arrays, of_items,
]  # fmt: skip
VECTOR, MATRIX = np.array([3.0, 1.0, 2.0]), np.arange(9.0)[::-1].reshape(3, 3)


def equal(got, want):
    got, want = list(leaves(got)), list(leaves(want))
    assert len(got) == len(want)
    for a, b in zip(got, want):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize("fn", ELEMENTS, ids=lambda f: f.__name__)
def test_elements_of_a_vector_are_numbers(fn):
    program = gfx.symbolic_trace(fn, VECTOR)
    equal(program(VECTOR), fn(VECTOR))
    equal(program.to("torch")(torch.tensor(VECTOR)), fn(VECTOR))


@pytest.mark.parametrize("fn", [swaps, keeps, unpacks, adds, through_rows], ids=lambda f: f.__name__)
def test_rows_of_a_matrix_are_views(fn):
    equal(gfx.symbolic_trace(fn, MATRIX)(MATRIX), fn(MATRIX))


def test_an_array_of_open_rank_is_taken_for_a_vector_where_it_matters():
    program = gfx.symbolic_trace(swaps, backend="numpy")
    equal(program(VECTOR), swaps(VECTOR))
    with pytest.raises(GuardError, match="ndim == 1"):
        program(MATRIX)


@pytest.mark.parametrize("fn", [of_sums, of_elements, of_sides, of_trips, of_counters], ids=lambda f: f.__name__)
def test_what_is_computed_from_elements_is_a_number_where_the_rank_is_open(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    equal(program(VECTOR), fn(VECTOR))
    equal(program.to("jax")(jnp.asarray(VECTOR)), fn(VECTOR))


def counts_on(a, n):
    q = n
    n += 1
    return a * n, q


def test_a_number_that_is_given_is_no_array():
    program = gfx.symbolic_trace(counts_on, VECTOR, np.float64(2.0))
    equal(program(VECTOR, np.float64(3.0)), counts_on(VECTOR, np.float64(3.0)))
    with pytest.raises(GuardError, match="n is a number of NumPy's"):
        program(VECTOR, np.array(3.0))


def test_rows_and_numbers_are_told_apart_by_what_is_done_to_them():
    program = gfx.symbolic_trace(through_rows, backend="numpy")
    equal(program(MATRIX), through_rows(MATRIX))


def adds_to_items(x):
    x = x.clone()
    for e in x:
        e += 1
    return x


def doubles_items(x):
    x = x.clone()
    for e in x:
        e.mul_(2)
    return x


def keeps_an_item(x):
    q = x.sum()
    for e in x:
        q = e
    q += 1
    return x, q


@pytest.mark.parametrize("fn", [adds_to_items, doubles_items], ids=lambda f: f.__name__)
def test_items_of_a_tensor_are_views_in_pytorch(fn):
    program = gfx.symbolic_trace(fn, torch.tensor(VECTOR))
    equal(program(torch.tensor(VECTOR)), fn(torch.tensor(VECTOR)))


def test_a_view_that_a_loop_may_have_left_is_not_written():
    with pytest.raises(CaptureError, match="cannot decide whether a write changes 'x'"):
        gfx.symbolic_trace(keeps_an_item, torch.tensor(VECTOR))


# ---------------------------------------------------------------------- lists
def appends_what_it_writes(x):
    a, outs = torch.zeros(3), []
    for i in range(x.shape[0]):
        a[i] = x[i]
        outs.append(a)
    return torch.stack(outs)


def appends_a_view(x):
    a, outs = torch.zeros(3), []
    for i in range(x.shape[0]):
        a[i] = x[i]
        outs.append(a[1:])
    return torch.stack(outs)


def appends_a_sum(x):
    h, outs = torch.zeros(()), []
    for v in x:
        h += v
        outs.append(h)
    return torch.stack(outs)


def appends_then_scales(x):
    h, outs = torch.zeros(()), []
    for v in x:
        h += 1
        h = h * v
        outs.append(h)
    return torch.stack(outs)


def collects(x):
    a = torch.zeros(3)
    return torch.stack([a.add_(v) for v in x])


WRITTEN_LATER = [appends_what_it_writes, appends_a_view, appends_a_sum, appends_then_scales, collects]


@pytest.mark.parametrize("fn", WRITTEN_LATER, ids=lambda f: f.__name__)
def test_a_list_holds_tensors_that_change(fn):
    x = torch.tensor([1.0, 2.0, 3.0])
    equal(gfx.symbolic_trace(fn, x)(x), fn(x))
    with pytest.raises(CaptureError, match=r"in place, which .* holds"):
        gfx.symbolic_trace(fn, backend="torch")


def appends_new_ones(x):
    outs = []
    h = torch.zeros(())
    for v in x:
        h = h + v
        outs.append(h)
        h += 1
    return torch.stack(outs)


def test_a_list_of_new_tensors_is_stacked():
    x = torch.tensor([1.0, 2.0, 3.0])
    equal(gfx.symbolic_trace(appends_new_ones, backend="torch")(x), appends_new_ones(x))
