"""Containers that an open test chose: what is read of them, and writes that no graph can hold."""

import jax.numpy as jnp
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError

X = torch.tensor([1.0, 2.0, 3.0])


def gone_over(x, k: int):
    places = {0}
    if k > 1:
        places = {1, 2}
    total = x[0] * 0
    for at in places:
        if x[at] > 2.5:
            break
        total = total + x[at]
    return total * len(places)


def added(x, k: int):
    seen = {0}
    for at in (0, 1, 2):
        if k > 1:
            seen = seen | {at}
        if at in seen:
            x = x + at
    return x


def listed(x, k: int):
    parts = [x[0]]
    if k > 1:
        parts = parts + [x[1]]
    parts = [x[1]] + parts
    return sum(parts) * len(parts)


def compared(x, k: int):
    pair = (1, 2)
    if k > 1:
        pair = (1, 2, 3)
    return x if pair == (1, 2) else -x


def elements(x, k: int):
    parts = (x[0],)
    if k > 1:
        parts = (x[1], x[2])
    return torch.stack([part * 2 for part in parts])


@pytest.mark.parametrize("fn", [gone_over, added, listed, compared, elements])
@pytest.mark.parametrize("k", [1, 2])
def test_what_an_open_test_chose_is_read(fn, k):
    program, want = gfx.symbolic_trace(fn, backend="torch"), fn(X, k)
    torch.testing.assert_close(program(X, k), want)
    torch.testing.assert_close(torch.tensor(program.to("jax")(jnp.array(X.numpy()), k).tolist()), want)


def under_a_number(x, k: int):
    seen = {0}
    if k > 1:
        seen.add(1)
    return x * len(seen)


def as_text(x, k: int):
    parts = (1,) if k > 1 else "no"
    print(f"{parts}")
    return x


def test_a_text_is_that_of_what_was_chosen(capsys):
    program = gfx.symbolic_trace(as_text, backend="torch")
    for k in (1, 2):
        as_text(X, k), program(X, k), program.to("torch")(X, k), program.to("jax")(jnp.array(X.numpy()), k)
    assert capsys.readouterr().out == "no\n" * 4 + "(1,)\n" * 4


def test_what_no_graph_can_hold_is_refused():
    with pytest.raises(CaptureError, match=r"(?s)'seen'.*what the set holds.*test_chosen_containers.py:"):
        gfx.symbolic_trace(under_a_number, backend="torch")
