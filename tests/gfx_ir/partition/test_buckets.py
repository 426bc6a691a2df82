"""Buckets: a batch is padded where no row hangs on another, which the ops prove; the results are those of the batch alone."""

import numpy as np
import pytest
import torch

import gfx_ir
import gfx_trace as gfx
from gfx_ir.errors import ArgumentError
from gfx_ir.partition import Bucketed, Frozen


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = torch.nn.Conv2d(2, 4, 3, padding=1), torch.nn.BatchNorm2d(4)
        self.out, self.words = torch.nn.Linear(4 * 16, 3), torch.nn.Embedding(7, 3)

    def forward(self, x, word):
        h = torch.relu(self.norm(self.conv(x))).reshape(x.shape[0], -1)
        return torch.softmax(self.out(h), dim=-1) + self.words(word), h.sum(dim=1)


def bucketed(program, rule="pow2", rows=(0,), on="torch"):
    frozen = Frozen(gfx_ir.partition(program, [on]))
    return Bucketed(frozen, rule, rows), frozen


def test_rows_that_are_independent_share_compilations():
    torch.manual_seed(0)
    model = Net().eval()
    run, frozen = bucketed(gfx.symbolic_trace(model), rows=(0, 1))
    for count in (1, 2, 3, 4, 5, 6, 7, 8):
        x, word = torch.randn(count, 2, 4, 4), torch.randint(0, 7, (count,))
        assert run.why(x, word) == ""
        for found, want in zip(run(x, word), model(x, word), strict=True):
            torch.testing.assert_close(found, want)
    assert frozen.compiled.statistics.misses == 4 * len(frozen.plan)  # 1, 2, 4, 8


X = np.arange(12, dtype=np.float32).reshape(3, 4)


@pytest.mark.parametrize(
    ("fn", "why"),
    [
        (lambda x: x - np.mean(x, axis=0), "mean"),
        (lambda x: np.exp(x) / np.max(x, axis=0, keepdims=True), "max"),
        (lambda x: np.sort(x, axis=0), "nothing tells"),
        (lambda x: np.flip(x), "nothing tells"),
        (lambda x: x @ np.transpose(x), "first axis"),
        (lambda x: np.transpose(x) * 2, "first axis"),
        (lambda x: np.reshape(x, -1), "first axis"),
        (lambda x: x[1:] + 1, "first axis"),
        (lambda x: np.where(np.max(x) > 5, x, -x), "first axis"),
        (lambda x: np.sum(x), "first axis"),
    ],
)
def test_rows_that_are_not_keep_their_size(fn, why):
    run, _ = bucketed(gfx.symbolic_trace(fn, backend="numpy"), on="numpy")
    assert why in run.why(X) and run.why(X)
    np.testing.assert_allclose(run(X), fn(X))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: np.tanh(x) * 2 + x[:, :1],
        lambda x: np.exp(x) / np.sum(np.exp(x), axis=-1, keepdims=True),
        lambda x: np.max(x, axis=1, keepdims=True) * x @ np.ones((4, 2), np.float32),
        lambda x: np.reshape(x, (x.shape[0], 2, 2)) + np.float32(1),
    ],
)
def test_what_stays_within_a_row_is_padded(fn):
    run, _ = bucketed(gfx.symbolic_trace(fn, backend="numpy"), lambda size: -(-size // 8) * 8, on="numpy")
    if run.why(X):
        pytest.fail(run.why(X))
    np.testing.assert_allclose(run(X), fn(X), rtol=1e-6)


def test_buckets_are_named_and_hold_what_they_are_given():
    program = gfx.symbolic_trace(lambda x, y: x + y, backend="numpy")
    with pytest.raises(ArgumentError, match="there are no buckets 'fib'"):
        bucketed(program, "fib")
    run, frozen = bucketed(program, "exact", (0, 1), "numpy")
    assert run(X, X).tolist() == (2 * X).tolist() and frozen.compiled.statistics.misses == 1
    with pytest.raises(ArgumentError, match="no batch in common"):
        run(X, X[:2])
    with pytest.raises(ArgumentError, match="does not hold 3"):
        bucketed(program, lambda size: 2, (0, 1), "numpy")[0](X, X)


def test_an_empty_batch_is_its_own_bucket():
    run, _ = bucketed(gfx.symbolic_trace(lambda x: x * 2, backend="numpy"), on="numpy")
    assert run(np.ones((0, 3))).shape == (0, 3)
