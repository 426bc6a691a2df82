"""Code that is deeper than Python's stack: the error tells calls without end from tests within tests."""

import sys

import pytest
import torch

import gfx_trace as gfx
from gfx_ir import stack
from gfx_ir.errors import UnsupportedConstruct
from program_text import define


def down(x):
    return down(x - 1) if x.sum() > 0 else x


def there(x):
    return back(x + 1)


def back(x):
    return there(x)


@pytest.mark.parametrize("fn", [down, there])
def test_a_function_that_calls_itself(fn):
    with pytest.raises(UnsupportedConstruct, match=f"recursion: '{fn.__name__}' calls itself"):
        gfx.symbolic_trace(fn, torch.ones(2))


def test_returns_behind_returns(monkeypatch):
    lines = [f"    if x.sum() > {k}: return x * {k}" for k in range(400)]
    fn = define("\n".join(["def f(x):", *lines, "    return x", ""]), "<returns>")
    program, x = gfx.symbolic_trace(fn, backend="torch").infer(), torch.ones(2)
    torch.testing.assert_close(program(x), fn(x))
    monkeypatch.setattr(stack, "_MOST", sys.getrecursionlimit())
    with pytest.raises(UnsupportedConstruct, match="stand each within the one before") as told:
        gfx.symbolic_trace(fn, backend="torch")
    assert "recursion:" not in str(told.value) and "setrecursionlimit" in str(told.value)
