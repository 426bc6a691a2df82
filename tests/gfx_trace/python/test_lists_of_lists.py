"""Lists of open length whose items are lists: rows of numbers and tensors, as of back pointers."""

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError
from three_ways import assert_as_python

ROWS = gfx.TensorSpec((gfx.Dim("T", min=1), 3), "float32")


def best_path(x):
    """The algorithm of Viterbi, as it is written with lists."""
    pointers, scores = [], x[0]
    for row in x[1:]:
        found, best = [], []
        for j in range(3):
            paths = scores + j * row[j]
            at = torch.argmax(paths)
            found.append(at.item())
            best.append(paths[at].view(1))
        scores = torch.cat(best) + row
        pointers.append(found)
    at = torch.argmax(scores).item()
    path = [at]
    for found in reversed(pointers):
        at = found[at]
        path.append(at)
    path.reverse()
    return scores.max(), path


def of_rows(x):
    found = [[0.0, 0]]
    for row in x:
        found.append([found[-1][0] + row.sum().item(), found[-1][1] + 1])
    numbers = []
    for row in x:
        numbers.append([v.item() for v in row])
    return found, sum(sum(row) for row in numbers), list(zip(*numbers))


def chosen(x):
    found = []
    for i, row in enumerate(x):
        if row.sum() > 0:
            found.append([i, (row * 2, [row.sum()])])
    return found, [tensors[0] for _, tensors in found]


def in_order(x):
    pairs = [[row, row.max().item()] for row in x]
    pairs.sort(key=lambda pair: pair[1])
    return torch.stack([row for row, _ in pairs]), [[top] for _, top in pairs]


def filled_behind(x):
    found = []
    for row in x:
        item = [row * 2, row.sum()]
        found.append(item)
        item.append(row.max())
        item[0].add_(1)
    return found


@pytest.mark.parametrize("fn", [best_path, of_rows, chosen, in_order, filled_behind])
def test_as_python(fn):
    assert_as_python(fn, (ROWS,), [(torch.randn(n, 3),) for n in (3, 1, 4)])


def written(x):
    found = [[row.sum(), 1] for row in x]
    found[0][1] = 5
    return found


def one_for_all(x):
    held, found = [0.0, 0.0], []
    for row in x:
        held[0] = row.sum().item()
        found.append(held)
    return found


def written_in_place(x):
    found = [[row * 2] for row in x]
    for item in found:
        item[0].add_(1)
    return found


@pytest.mark.parametrize("fn", [written, one_for_all, written_in_place])
def test_what_would_be_seen_in_them_is_refused(fn):
    with pytest.raises(CaptureError, match="GFX cannot"):
        gfx.symbolic_trace(fn, ROWS)


# ---------------------------------------------------------------------- items that grow in each trip
def paths(x):
    found = [[]]
    for t in range(len(x)):
        found = [path + [v] for path in found for v in range(x.shape[1])]
    return len(found[0]), found[-1][0]


def beams(x):
    found = [([], 0.0)]
    for row in x:
        longer = [(path + [v], score + row[v].item()) for path, score in found for v in range(3)]
        found = sorted(longer, key=lambda item: -item[1])[:2]
    return found[0]


def tuples(x):
    found = [()]
    for t in range(len(x)):
        longer = []
        for path in found:
            for v in range(x.shape[1]):
                longer.append(path + (v,))
        found = longer
    return len(found[0])


def lists_of_tensors(x):
    found = [[]]
    for row in x:
        longer = []
        for path in found:
            for v in row:
                longer.append([*path, v])
        found = longer
    return found[0]


@pytest.mark.parametrize("fn", [paths, beams, tuples, lists_of_tensors])
def test_items_that_become_longer_in_each_trip_are_refused(fn):
    with pytest.raises(CaptureError, match="GFX cannot"):
        gfx.symbolic_trace(fn, ROWS, backend="torch")
