"""What is stacked or joined of the rows of a tensor is a tensor of its own: a write to one is not seen in the other."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx


def stacked(x):
    rows = list(x)
    y = torch.stack(rows)
    y[0] = 9
    return x, y, rows[0]


def unbound(x):
    rows = x.unbind(0)
    y = torch.stack(rows)
    y += 1
    return x, y, rows[-1]


def joined(x):
    rows = tuple(x)
    y = torch.cat(rows)
    y[0] = 9
    return x, y


def along_another_axis(x):
    rows = list(x)
    y = torch.stack(rows, dim=1)
    y[0] = 9
    return x, y


def the_tensor_is_written(x):
    x = x.clone()
    rows = list(x)
    y = torch.stack(rows)
    x += 1
    return x, y, rows[0]


def some_of_them(x):
    rows = list(x)[1:]
    y = torch.stack(rows)
    y *= 2
    return x, y, rows[0]


def of_a_slice(x):
    rows = list(x[1:])
    y = torch.stack(rows)
    y *= 2
    return x, y, rows[0]


def twice(x):
    rows = list(x)
    y, z = torch.stack(rows), torch.stack(rows)
    y -= 1
    return x, y, z


def of_a_filled_list(x):
    out = []
    for v in x:
        out.append(v * 2)
    y = torch.stack(out)
    y += 1
    return y, out[0], torch.stack(out)


@pytest.mark.parametrize("given", [(), (torch.ones(3, 2),)], ids=["open", "typed"])
@pytest.mark.parametrize(
    "fn",
    [
        stacked,
        unbound,
        joined,
        along_another_axis,
        the_tensor_is_written,
        some_of_them,
        of_a_slice,
        twice,
        of_a_filled_list,
    ],
)
def test_a_write_is_not_seen_in_the_other(fn, given):
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    for call in (program, program.to("torch")):
        x = torch.arange(6.0).reshape(3, 2)
        kept = x.clone()
        for got, want in zip(call(x), fn(kept), strict=True):
            np.testing.assert_allclose(got, want)
        np.testing.assert_allclose(x, kept)
