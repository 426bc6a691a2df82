"""Loops over several things at once stop at the shortest in every target, also where data tells the length."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct


def pairs(x, n):
    s = 0.0
    for i, (a, b, c) in enumerate(zip(x, x[1:], x[2:])):
        s = s + a * b if c > 2 else s + i
    return s


def differences(x, n):
    out = []
    for a, b in zip(x, x[1:]):  # noqa: RUF007 - of two lengths
        out.append(b - a if a > 0 else b)
    return torch.stack(out)


def counted_rows(x, n):
    s = 0.0
    for v, i in zip(x, range(n)):
        s = s + v * (i + 1)
    return s


def two_ranges(x, n):
    s = 0
    for i, j in zip(range(n), range(10, 1, -3)):
        s = s * 2 + i * j + 1
    for k, i in enumerate(range(n, 0, -2), 2):
        s = s + k * i
    return s


def fixed_range(x, n):
    s = 0.0
    for v, i in zip(x, range(1, 3)):
        s = s + v * i
    return s


@pytest.mark.parametrize("fn", [pairs, differences, counted_rows, two_ranges, fixed_range], ids=lambda f: f.__name__)
def test_the_shortest_ends_the_loop(fn):
    program = gfx.symbolic_trace(fn, torch.tensor([1.0, -2.0, 3.0, 4.0]), torch.tensor(2))
    compiled = jax.jit(program.module("jax").load())
    for x, n in (([1.0, -2.0, 3.0, 4.0], 2), ([-1.0, 2.0, 1.0, 0.5], 0), ([1.0, 2.0, 3.0, 4.0], 9), ([0.0] * 4, -3)):
        wanted = np.asarray(fn(torch.tensor(x), torch.tensor(n)))
        names = [p.name for p in program.signature]
        given = {"x": x, "n": n}
        for call, array in ((program, torch.tensor), (program.to("torch"), torch.tensor)):
            np.testing.assert_allclose(np.asarray(call(array(x), array(n))), wanted, rtol=1e-6)
        found = compiled(**{name: jnp.asarray(given[name]) for name in names})
        np.testing.assert_allclose(np.asarray(found), wanted, rtol=1e-6)


@pytest.mark.parametrize("fn", [pairs, differences], ids=lambda f: f.__name__)
def test_slices_of_open_length(fn):
    compiled = jax.jit(gfx.symbolic_trace(fn, backend="torch").module("jax").load())
    for x in ([1.0, -2.0, 3.0, 4.0], [-1.0, 2.0, 1.0]):
        wanted = np.asarray(fn(torch.tensor(x), torch.tensor(0)))
        np.testing.assert_allclose(np.asarray(compiled(jnp.asarray(x), 0)), wanted, rtol=1e-6)


@pytest.mark.parametrize("lengths", [(2, 3), (3, 2), (3, 3)])
def test_tensors_of_two_open_lengths(lengths):
    def fn(x, y):
        s = 0.0
        for i, (a, b) in enumerate(zip(x, y)):
            s = s + a * b - i
        return s, torch.stack([a - b for a, b in zip(y, x)])

    x, y = (torch.arange(1.0, 1.0 + n) for n in lengths)
    compiled = jax.jit(gfx.symbolic_trace(fn, backend="torch").module("jax").load())
    for got, wanted in zip(compiled(jnp.asarray(x), jnp.asarray(y)), fn(x, y)):
        np.testing.assert_allclose(np.asarray(got), np.asarray(wanted), rtol=1e-6)


def doubles_what_follows(x, n):
    w, s = x * 1, 0.0
    for a, b in zip(x, w):
        s = s * 2 + a * b
        w += n
    return s


def writes_the_rows_to_come(x, n):
    w, s = x * 1, 0.0
    for a, b in zip(x, w):
        w[-1] += b * n
        s = s * 2 + b
        w = x + a
    return s


def backwards(x, n):
    w, s = x * 1, 0.0
    for a in reversed(w):
        s = s * 2 + a
        w += n
    return s


@pytest.mark.parametrize("fn", [doubles_what_follows, writes_the_rows_to_come, backwards], ids=lambda f: f.__name__)
@pytest.mark.parametrize("arrays", [np.array, torch.tensor])
def test_items_are_what_they_are_when_asked_for(fn, arrays):
    """NumPy's elements are numbers, PyTorch's are views, and its reversed() copies."""
    program = gfx.symbolic_trace(fn, arrays([1.0, -2.0, 3.0, 4.0]), arrays(2.0))
    for x in ([1.0, -2.0, 3.0, 4.0], [-1.0, 2.0, 1.0, 0.5]):
        wanted = fn(arrays(x), arrays(2.0))
        np.testing.assert_allclose(program(arrays(x), arrays(2.0)), wanted, rtol=1e-6)


def test_a_strict_zip_asks_for_one_length():
    def fn(x, n):
        return sum(a * b for a, b in zip(x, x[n:], strict=True))

    with pytest.raises(ValueError, match="argument 2 is shorter"):
        gfx.symbolic_trace(fn, torch.ones(3), 1)
    assert float(gfx.symbolic_trace(fn, torch.ones(3), 0)(torch.ones(3), 0)) == 3
    with pytest.raises(UnsupportedConstruct, match="zip: it is strict"):
        gfx.symbolic_trace(fn, backend="torch")


def test_a_row_that_is_written_by_its_index_is_no_number():
    def fn(x):
        for row in x:
            row[0] += 1.5
        return x

    program = gfx.symbolic_trace(fn, backend="numpy")
    for shape in ((2, 3), (3, 2, 2)):
        given = np.arange(float(np.prod(shape))).reshape(shape)
        np.testing.assert_array_equal(program(given.copy()), fn(given.copy()))
    with pytest.raises(GuardError, match=r"takes x\.ndim >= 2 as given"):
        program(np.ones(3))  # an IndexError of NumPy's
