"""Names of what functions give: the author's within, and the caller's where the author has none."""

import torch

import gfx_trace as gfx


def halved(w, x):
    x = x + torch.tanh(x @ w)
    if x.sum() > 100:
        x = x / 2
    return x


def layered(ws, x):
    for w in ws:
        x = halved(w, x)
    return x


def test_what_a_test_assigns_is_returned_once():
    """It is called as the caller calls it, too, which is no reason to return it from the test."""
    source = gfx.transpile(layered, [torch.ones(3, 3)] * 2, torch.ones(3), to="torch").source
    assert "        x = x / 2\n    return x\n" in source


def mapped(x, w):
    def gated(x):
        return list(map(lambda row: torch.tanh(row) * w / (1 + row.abs().sum()), x))

    return gated([x, x + 1]) + gated([x - 1, x])


def test_a_lambda_is_called_by_the_function_around_it():
    """Which keeps its own name."""
    source = gfx.transpile(mapped, torch.ones(3), torch.ones(3), to="jax").source
    assert "def gated_lambda(row, w):" in source and "def gated(x, x_1, w):" in source
