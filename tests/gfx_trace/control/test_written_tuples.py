"""Tuples that a loop puts in the place of others, in a list, a dictionary or an object, and what it puts in a deque: their leaves are carried."""

from collections import deque
from types import SimpleNamespace
from typing import NamedTuple

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python


class State(NamedTuple):
    h: torch.Tensor
    c: torch.Tensor


def zeros(x):
    return torch.zeros(x.shape[1]), torch.zeros(x.shape[1])


def layers(x):
    """Cells above each other, each with its state in a list."""
    hidden, total = [zeros(x) for _ in range(3)], x.sum()
    for row in x:
        for i in range(3):
            h, c = hidden[i]
            h = torch.tanh(h + (row if i == 0 else hidden[i - 1][0]))
            hidden[i] = (h, c + h * i)
        total = total + hidden[-1][0].sum()
    return total, hidden


def of_an_object(x):
    held, counts = SimpleNamespace(state=(zeros(x)[0], (x[0], 3))), {"n": (0, 1)}
    for row in x:
        h, (c, k) = held.state
        held.state = (h + row if row.sum() > 0 else c, (c * 0.5, k))
        counts["n"] = (counts["n"][0] + 1, 1)
    return held.state[0], held.state[1][0], counts["n"][0]


def until_large(x):
    held = {"state": State(*zeros(x))}
    while held["state"].h.sum() < 3:
        state = held["state"]._replace(h=held["state"].h + x[0].abs() + 0.1)
        held["state"] = State(state.h, state.c + state.h)
    return held["state"].h, held["state"].c


def exchanged(x):
    pair = [zeros(x), (x[0] * 1, x[-1] * 2)]
    for row in x:
        h, c = pair[0]
        h[0] += row.sum()
        pair[0], pair[1] = pair[1], (c + row, h)
    return pair


class Cell:
    hidden = None

    def step(self, row):
        if self.hidden is None:
            self.hidden = (torch.zeros(3), torch.ones(3))
        h, c = self.hidden
        self.hidden = (torch.tanh(row + h), c * 0.5 + h)
        return self.hidden[0]


def of_a_cell(x):
    """None before the first step."""
    cell, total = Cell(), x.sum()
    for row in x:
        total = total + cell.step(row).sum()
    return total, cell.hidden


def of_frames(x):
    """The last frames, as a stack; a deque that both ends are added to, and one of Python's numbers."""
    frames, sides, last, shown = deque(maxlen=2), deque([x[0]] * 2, maxlen=2), deque([0, 1], maxlen=2), []
    for _ in range(2):
        frames.append(torch.zeros(3))
    for row in x:
        frames.append(row)
        shown.append(torch.cat(list(frames)))
        (sides.append if row.sum() > 0 else sides.appendleft)(row)
        last.append(last[0] + last[1])
    return torch.stack(shown), list(sides), x * last[-1]


def of_written_items(x):
    """Items that are written in place, and known by another name."""
    held = deque([(x[0] * 1, 0), (x[0] * 2, 1)], maxlen=2)
    other = held[1][0]
    for row in x:
        held[0][0].add_(row)
        held.append((held[0][0] * 2, held[-1][1] + 1))
    other += 1
    return list(held), other


@pytest.mark.parametrize("fn", [layers, of_an_object, until_large, exchanged, of_a_cell, of_frames, of_written_items])
def test_as_python(fn):
    rows = gfx.TensorSpec((gfx.Dim("T", min=1), 3), "float32")
    assert_as_python(fn, (rows,), [(torch.randn(n, 3),) for n in (1, 2, 5)], rtol=1e-4)


def test_a_tuple_that_grows_is_refused():
    def fn(x):
        held = [(x[0],)]
        for row in x:
            held[0] = (*held[0], row)
        return held[0]

    with pytest.raises(CaptureError, match="no graph can carry"):
        gfx.symbolic_trace(fn, gfx.TensorSpec(("T", 3), "float32"))
