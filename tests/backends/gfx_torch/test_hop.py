"""PyTorch source in the spelling of higher-order operators: the same results, under fullgraph compilation and torch.export."""

import logging

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.trees import leaves
from sweeps import one_in

UP = torch.tensor([1.0, 2.0, 3.0])


def unit(x, floor):
    n = torch.linalg.vector_norm(x)
    if n < floor:
        return torch.zeros_like(x)
    y = x / n
    if y[0] < 0:
        y = -y
    return y


def newton(a, tol, max_steps: int = 50):
    x, step = a, 0
    while step < max_steps:
        delta = (x * x - a) / (2 * x)
        x = x - delta
        step += 1
        if delta.abs() < tol:
            break
    return x, step


def gated(x, threshold):
    h = x.new_zeros(x.shape[1])
    outs = []
    for row in x:
        if row.max() > threshold:
            h = h + row
        else:
            h = 0.5 * h
        outs.append(h)
    return torch.stack(outs), h


def first_above(x, limit):
    for i, v in enumerate(x):
        if v > limit:
            return i
    return -1


def runs(x):
    values, counts = torch.zeros_like(x), torch.zeros_like(x)
    values[0], counts[0] = x[0], 1
    k = 0
    for i in range(1, x.shape[0]):
        if x[i] == values[k]:
            counts[k] += 1
        else:
            k += 1
            values[k] = x[i]
            counts[k] = 1
    return values, counts, k + 1


def triangular(n, x):
    for i in range(n):
        for j in range(i):
            x = x * 0.5 + i * j
    return x


def swapped(x, flag):
    a, b = x, x
    if flag > 0:
        a, b = b, a + 1
    return a, b


def squares(x):
    return torch.stack([v * v if v > 1 else -v for v in x])


def total(x, limit):
    s = 0
    while s < limit:
        s = s + x.sum()
    return s


def factor(a):
    low = torch.zeros_like(a)
    for i in range(a.shape[0]):
        pivot = a[i, i] - low[i, 0]
        if pivot <= 0:
            return low, False
        low[i, i] = pivot
    return low, True


def doubles_in_the_second_trip(x):
    for i in range(2):
        if i == 1:
            x = x * 2
            if x.sum() > 3:
                return x, False
    return x, True


def least(x):
    best = float("inf")
    for v in x:
        if v < best:
            best = v
    return best


EXAMPLES = [
    (unit, [(UP, torch.tensor(1.0)), (-UP, torch.tensor(1.0)), (UP / 100, torch.tensor(1.0))], False),
    (newton, [(torch.tensor(2.0), torch.tensor(1e-6)), (torch.tensor(9.0), torch.tensor(-1.0))], False),
    (gated, [(torch.tensor([[1.0, 2], [-1, -2], [3, 0]]), torch.tensor(1.0))], False),
    (first_above, [(UP, torch.tensor(1.5)), (UP, torch.tensor(9.0))], False),
    (runs, [(torch.tensor([1, 1, 2, 2, 2, 3]),), (torch.tensor([5, 5, 5, 5, 5, 5]),)], False),
    (runs, [(torch.tensor([1, 1, 2, 2, 2, 3]),)], True),
    (triangular, [(torch.tensor(4), UP), (torch.tensor(0), UP)], False),
    (swapped, [(UP, torch.tensor(1)), (UP, torch.tensor(0))], False),
    (squares, [(UP,)], False),
    (total, [(UP, torch.tensor(20.0)), (UP, torch.tensor(-1.0))], True),
    (factor, [(torch.tensor([[4.0, 2], [2, 3]]),), (torch.tensor([[4.0, 2], [2, -3]]),)], True),
    (doubles_in_the_second_trip, [(UP,), (-UP,)], True),
    (least, [(UP,), (-UP,)], True),
]


class Wrapped(torch.nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, *args):
        return self.fn(*args)


@pytest.fixture
def written(tmp_path, monkeypatch):
    """Emitted source as a module that is imported, as torch.export asks for."""
    monkeypatch.syspath_prepend(tmp_path)
    logging.disable(logging.WARNING)

    def write(program, name):
        (tmp_path / f"{name}.py").write_text(program.source("torch", mode="hop"))
        return getattr(__import__(name), program.module("torch", mode="hop").entry)

    yield write
    logging.disable(logging.NOTSET)
    torch._dynamo.reset()


@pytest.mark.parametrize("fn, tuples, typed", one_in(2, EXAMPLES), ids=lambda x: getattr(x, "__name__", None))
def test_same_results_compiled_and_exported(fn, tuples, typed, written):
    program = gfx.symbolic_trace(fn, *(tuples[0] if typed else ()), backend="torch")
    emitted = written(program, f"emitted_{fn.__name__}_{typed}")
    compiled = torch.compile(emitted, fullgraph=True, backend="eager")
    exported = torch.export.export(Wrapped(emitted), tuples[0]).module()
    for args in tuples:
        wanted = list(leaves(fn(*args)))
        for found in (compiled(*args), exported(*args)):
            for want, got in zip(wanted, leaves(found), strict=True):
                assert torch.allclose(torch.as_tensor(want).double(), torch.as_tensor(got).double())


def test_numbers_of_unknown_dtype_ask_for_types():
    program = gfx.symbolic_trace(total, backend="torch")
    with pytest.raises(GfxError, match="dtype of 's' is not known"):
        program.source("torch", mode="hop")


def test_errors_that_hang_on_data_are_refused():
    def checked(x):
        if x.sum() < 0:
            raise ValueError("negative")
        return x

    with pytest.raises(GfxError, match="cannot raise"):
        gfx.symbolic_trace(checked, backend="torch").source("torch", mode="hop")


def test_only_torch_has_the_spelling():
    with pytest.raises(GfxError, match="'hop' spelling"):
        gfx.symbolic_trace(unit, backend="torch").source("jax", mode="hop")
