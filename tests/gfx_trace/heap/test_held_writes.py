"""In-place writes that Python's frameworks refuse: an array keeps its dtype and its shape."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError

WHOLE, REAL, FLAGS = np.array([1, 2, 3]), np.array([1.5, 2, 3], np.float32), np.array([True, False, True])


def divided(x):
    y = x * 1
    y /= 2
    return y


def added(x):
    y = x * 1
    y += 1.5
    return y


def argument(x):
    x += 1.5
    return x * 1


def power(x):
    y = x * 1
    y **= 0.5
    return y


def flags(x):
    y = x > 1
    y += 1
    return y


def item(x):
    y = x * 1
    y[0] += 1.5
    return y


def row(x):
    z = x[:1] * 1
    z += x
    return z


def total(x):
    z = x.sum()
    z += x
    return z


def method(x):
    y = x * 1
    return y.add_(1.5)


def scaled_total(x):
    return (x.sum() * 1).mul_(x)


def narrow(x):
    y = x.astype(np.uint8)
    y += x
    return y


def narrow_float(x):
    y = x.astype(np.float16)
    y += x
    return y


def fine(x):
    y = x * 1.5
    y += x
    y -= 1
    y[1:] *= x[1:]
    return y


CASES = [
    (fn, library, data)
    for fn in (
        divided,
        added,
        argument,
        power,
        flags,
        item,
        row,
        total,
        method,
        scaled_total,
        narrow,
        narrow_float,
        fine,
    )
    for library in ("torch", "numpy")
    for data in (WHOLE, REAL, FLAGS)
    if (fn not in (method, scaled_total) or library == "torch")
    and (fn not in (narrow, narrow_float) or library == "numpy")
]


@pytest.mark.parametrize(("fn", "library", "data"), CASES)
def test_what_raises_in_python_is_refused(fn, library, data):
    make = torch.tensor if library == "torch" else np.array
    try:
        want = fn(make(data))
    except (RuntimeError, TypeError, ValueError):
        with pytest.raises(GfxError, match="in place"):
            gfx.symbolic_trace(fn, make(data))
        return
    got = gfx.symbolic_trace(fn, make(data))(make(data))
    assert got.dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got, float), np.asarray(want, float), rtol=1e-3)


@pytest.mark.parametrize("library", ["torch", "numpy"])
def test_what_the_operations_tell_is_enough(library):
    with pytest.raises(GfxError, match="in place: an array of bool"):
        gfx.symbolic_trace(flags, backend=library)


def of_two(x, n):
    y = x * 1
    y *= n
    return y


def keeps(x, n):
    y = x * 1
    y += x[0]
    y -= n * 0
    return y


def into_counts(x):
    y = torch.zeros(3, dtype=torch.int64)
    y += x
    return y


def filled(x):
    y = x * 1
    y.masked_fill_(y > 1, 2.0)
    return y


def runs(program, way, *args):
    """What a program gives, captured without types, in one of its ways; None where it raises as an in-place write does."""
    fn = program if way == "program" else program.to(way)
    if way == "jax":
        args = tuple(jnp.asarray(arg) for arg in args)
    try:
        found = fn(*args)
        return np.asarray(found[0] if isinstance(found, tuple) else found, float)
    except (RuntimeError, TypeError, ValueError, GfxError) as error:
        assert type(error) is not GuardError or "in place" in str(error)
        return None


@pytest.mark.parametrize("way", ["program", "torch", "jax"])
@pytest.mark.parametrize("data", [WHOLE, REAL, FLAGS])
@pytest.mark.parametrize(
    "fn",
    [
        divided,
        added,
        argument,
        power,
        item,
        total,
        method,
        scaled_total,
        fine,
        into_counts,
        filled,
    ],
)
def test_what_types_would_tell_is_asked_where_it_runs(fn, data, way):
    program = gfx.symbolic_trace(fn, backend="torch")
    try:
        want = np.asarray(fn(torch.tensor(data)), float)
    except (RuntimeError, TypeError):
        assert runs(program, way, torch.tensor(data)) is None
        return
    np.testing.assert_allclose(runs(program, way, torch.tensor(data)), want, rtol=1e-3)


@pytest.mark.parametrize("way", ["program", "torch", "jax"])
@pytest.mark.parametrize("pair", [(WHOLE, WHOLE), (WHOLE, REAL), (REAL, WHOLE), (REAL, REAL[:1])])
@pytest.mark.parametrize("fn", [of_two, keeps])
def test_so_are_the_types_of_two_arguments(fn, pair, way):
    program = gfx.symbolic_trace(fn, backend="torch")
    args = [torch.tensor(data) for data in pair]
    try:
        want = np.asarray(fn(*args), float)
    except (RuntimeError, TypeError, IndexError):
        assert runs(program, way, *args) is None
        return
    np.testing.assert_allclose(runs(program, way, *args), want)


def optional(x, m=None):
    if m is not None:
        w = m * 1
        w += 0.5
        x = x + w
    return x


def left_by_a_side(x, m=None):
    v = torch.tanh(x)
    if v.sum() > 0:
        if m is not None:
            v = v + m * 0.1
        v += x[0] * 0.5
    return v


def one_of_two(x, m=None):
    v = x * 1
    if m is not None:
        v = v + m * 0.1
    v += 0.5
    return v


@pytest.mark.parametrize("way", ["program", "torch", "jax"])
@pytest.mark.parametrize("data", [(WHOLE,), (REAL,), (REAL, WHOLE), (WHOLE, REAL), (FLAGS, REAL)])
@pytest.mark.parametrize("fn", [optional, left_by_a_side, one_of_two])
def test_an_argument_that_may_be_left_out_holds_what_is_written_where_it_is_given(fn, data, way):
    program = gfx.symbolic_trace(fn, backend="torch")
    args = [torch.tensor(each) for each in data]
    try:
        want = np.asarray(fn(*args), float)
    except (RuntimeError, TypeError):
        assert runs(program, way, *args) is None
        return
    np.testing.assert_allclose(runs(program, way, *args), want, rtol=1e-3)


def test_what_was_captured_so_is_captured_again():
    again = gfx.symbolic_trace(gfx.symbolic_trace(divided, backend="torch").to("jax"))
    assert again(jnp.ones(2)).tolist() == [0.5, 0.5]
    with pytest.raises(AssertionError):
        again(jnp.arange(2))
