"""Loops that write the tensor over whose rows they run: each row is read when its turn comes."""

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def from_the_row_before(x):
    x = x.copy()
    for i, v in enumerate(x):
        x[i] = v * 2 + (x[i - 1] if i > 0 else 0)
    return x


def rows_to_come(x):
    x = x.copy()
    total = 0.0
    for i, v in enumerate(x):
        x[len(x) - 1 - i] = 7.0
        total += v
    return x, total


def from_the_end(x):
    x = x.copy()
    for v in reversed(x):
        x[0] += v
    return x


def beside_another(x):
    x, y = x.copy(), x[::-1].copy()
    for i, (a, b) in enumerate(zip(x, y)):
        if a > b:
            x[i] = b
            x[-1] += 1
    return x, y


def with_itself(x):
    x = x.copy()
    for i, (a, b) in enumerate(zip(x, x[::-1])):
        x[i] = a + b
        if x[i] > 9:
            break
    return x


def by_another_name(x):
    y = x = x.copy()
    total = 0.0
    for v in x:
        total += v
        y[-1] = total
    return x, total


def whole_rows(x):
    x = x.copy()
    for row in x:
        row += 1
        row[0] = row[1] * 2
    return x


def items_of_rows(x):
    x = x.copy()
    for i, row in enumerate(x):
        for j in range(len(row)):
            row[j] = row[j] * i + x[0, j]
    return x


def some_rows(x):
    x = x.copy()
    for row in x[1:]:
        if row[0] > 1:
            row *= 2
    return x


def columns(x):
    x = x.copy()
    for column in x.T:
        column -= column.mean()
    return x


def of_tensors(x):
    x, total = x.clone(), 0
    for row in x:
        row[0] = row[1] * 2
        row.mul_(2)
        total = total + row
        x[-1] -= 1
    return x, total


def backwards_over_a_copy(x):
    x, total = x.clone(), 0
    for row in reversed(x):
        x[0] = x[0] + row
        total = total * 2 + row
    return x, total


def under_a_test(x):
    x = x.copy()
    for i in range(len(x)):
        row = x[i]
        if row.sum() < 0:
            row[:] = 0
        else:
            row /= 2
    return x


def in_a_loop_of_its_own(x):
    x = x.copy()
    for i in range(len(x)):
        row = x[i]
        while row.sum() > 1:
            row[:] = row[:] - 1
        for j in range(len(row)):
            if row[j] > 0:
                row[j] = i
    return x


def by_a_function(x):
    def cleared(row):
        if row.sum() < 0:
            row[:] = 0

    x = x.copy()
    for row in x:
        cleared(row)
    return x


def added_under_a_test(x):
    out = np.zeros_like(x)
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                d = x[j] - x[i]
                out[i] += d / (d @ d)
    return out


def of_one_or_two_axes(x):
    out, kept = torch.zeros_like(x), 0
    for t in reversed(range(x.shape[0])):
        after = x[:1] if t == x.shape[0] - 1 else x[t + 1]
        out[t] = kept = x[t] + 0.5 * after + 0.9 * kept
    return out


def of_an_index_with_a_slice(x):
    far = (x[:, None, :] - x[None, :, :]).sum(-1).argmin(axis=1) == 1
    return x * far[:, None]


NUMBERS = (from_the_row_before, rows_to_come, from_the_end, beside_another, with_itself, by_another_name)
MATRICES = (whole_rows, items_of_rows, some_rows, columns)
VIEWS = (under_a_test, in_a_loop_of_its_own, by_a_function, added_under_a_test, of_an_index_with_a_slice)
TENSORS = (of_tensors, backwards_over_a_copy, of_one_or_two_axes)


def assert_equal(got, want):
    for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)


def runs(fn, shape, sizes, backend):
    given = np.linspace(0.0, 3.0, int(np.prod(shape)), dtype=np.float32).reshape(shape)
    made = lambda x: torch.tensor(x) if backend == "torch" else x
    program = gfx.symbolic_trace(fn, made(given), dynamic=True, backend=backend)
    assert not program.notes
    ways = (program, program.to("torch"), jax.jit(program.to("jax")))
    for size in sizes:
        x = np.sin(np.arange(float(np.prod(size)), dtype=np.float32)).reshape(size) * 3
        for run, to in zip(ways, (made, torch.tensor, jax.numpy.asarray)):
            yield run(to(x)), fn(made(x.copy()))


@pytest.mark.parametrize("fn", NUMBERS, ids=lambda fn: fn.__name__)
def test_numbers(fn):
    for got, want in runs(fn, (3,), ((5,), (2,)), "numpy"):
        assert_equal(got, want)


@pytest.mark.parametrize("fn", (*MATRICES, *TENSORS), ids=lambda fn: fn.__name__)
def test_rows(fn):
    for got, want in runs(fn, (3, 2), ((5, 3), (2, 4)), "torch" if fn in TENSORS else "numpy"):
        assert_equal(got, want)


@pytest.mark.parametrize("fn", VIEWS, ids=lambda fn: fn.__name__)
def test_rows_of_a_matrix_whose_rank_is_open(fn):
    program = gfx.symbolic_trace(fn, backend="numpy")
    for size in ((5, 3), (2, 4)):
        x = np.sin(np.arange(float(np.prod(size)))).reshape(size) * 3
        for run, to in ((program, np.copy), (program.to("torch"), torch.tensor), (jax.jit(program.to("jax")), np.copy)):
            assert_equal(run(to(x)), fn(x))


def test_a_row_and_its_place_are_told_by_one_count():
    source = gfx.symbolic_trace(from_the_row_before, backend="numpy").source("torch")
    assert "for i in range(x.shape[0]):\n        v = " in source
