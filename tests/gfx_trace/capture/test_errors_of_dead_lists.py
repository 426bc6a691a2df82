"""Errors of what a loop puts into a list that nobody reads: Python raises them, and so does the program."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx


def appended(x, m):
    out = []
    for _ in x:
        out.append(m[3])
    return x


def stacked(x, m):
    for i, _ in enumerate(x, 1):
        out = []
        for e in m:
            out.append(m[i] if e > 0.5 else e)
        torch.stack(out)
    return x


def listed(x, m):
    [m[i + 1] for i, _ in enumerate(x)]
    return x


def of_other_shapes(x, m):
    out = []
    for row in x:
        out.append(row + m[:2] + m)
    return m


def under_a_test(x, m):
    if x.sum() > 0:
        out = []
        for _ in x:
            out.append(m[3])
    return x


@pytest.mark.parametrize("fn", [appended, stacked, listed, of_other_shapes, under_a_test])
def test_they_are_raised(fn):
    x, m = torch.ones(3), torch.ones(3)
    with pytest.raises((IndexError, RuntimeError)):
        fn(x, m)
    program = gfx.symbolic_trace(fn, backend="torch")
    for call in (program, program.to("torch")):
        with pytest.raises((IndexError, RuntimeError, gfx.GfxError)):
            call(x, m)


@pytest.mark.parametrize("given", [(), (np.ones(3), np.ones(3))], ids=["open", "given"])
def test_none_is_not_written_into_an_array(given):
    def fn(y, m=None):
        y = y.copy()
        y[...] = None if m is not None else y * 2
        return y

    with pytest.raises(gfx.GfxError, match=r"may write None.*\n.*\nwrite np\.nan"):
        gfx.symbolic_trace(fn, *given, backend="numpy")
