"""In-place writes that Python's frameworks refuse: an array keeps its dtype and its shape."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError

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
