"""Code that is deeper than Python's stack: the error tells calls without end from tests within tests."""

import importlib.util

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


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


def test_returns_behind_returns_in_a_loop(tmp_path):
    lines = [f"        if x.sum() + i > {k}: return x * {k}" for k in range(200)]
    path = tmp_path / "returning.py"
    path.write_text("\n".join(["def fn(x):", "    for i in range(8):", *lines, "        x = x + 1", "    return x"]))
    spec = importlib.util.spec_from_file_location("returning", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    with pytest.raises(UnsupportedConstruct, match="stand each within the one before") as told:
        gfx.symbolic_trace(module.fn, backend="torch")
    assert "recursion:" not in str(told.value) and "setrecursionlimit" in str(told.value)
