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


def halves(x, n: int):
    return x if n == 0 else halves(x * 0.5, n - 1)


def halves_while_large(x, n: int, by=1.0):
    if n == 0 or x.sum() < 1:
        return x
    return halves_while_large(x * 0.5, n - 1, by + 0.5)


@pytest.mark.parametrize("fn", [down, there, halves, halves_while_large])
def test_a_function_that_calls_itself(fn):
    with pytest.raises(UnsupportedConstruct, match=f"recursion: '{fn.__name__}' calls itself"):
        gfx.symbolic_trace(fn, torch.ones(2))


def scanned(x):
    """Running totals, by those of pairs."""
    if len(x) < 2:
        return x
    odd = scanned(x[:-1:2] + x[1::2])
    even = torch.cat([x[:1], (odd[:-1] if len(x) % 2 == 0 else odd) + x[2::2]])
    out = torch.zeros(len(x))
    out[::2], out[1::2] = even, odd
    return out


def until_equal(x, y):
    if len(x) == len(y):
        return x + y
    return until_equal(torch.cat([x, torch.ones(1)]), y) if y.sum() > 0 else y


def test_a_recursion_on_sizes_ends_where_their_bounds_or_differences_tell():
    x = torch.arange(1.0, 9.0)
    program = gfx.symbolic_trace(scanned, x, dynamic=True)
    assert "size 8 of 'x', axis 0, is fixed" in program.notes
    torch.testing.assert_close(program(x), x.cumsum(0))
    few = gfx.symbolic_trace(scanned, gfx.TensorSpec((gfx.Dim("n", min=1, max=6),), "float32"), backend="torch")
    for n in range(1, 7):
        torch.testing.assert_close(few(x[:n]), x[:n].cumsum(0))
    n = gfx.Dim("n", min=1)
    apart = gfx.symbolic_trace(until_equal, gfx.TensorSpec((n,)), gfx.TensorSpec((n + 2,)), backend="torch")
    torch.testing.assert_close(apart(x[:3], x[:5]), until_equal(x[:3], x[:5]))


def falling(x, n):
    return x if n == 0 else falling(x - 1, n - 1) * 0.99


def noting(x, n, notes):
    notes.append(n)
    return x + len(notes) if n == 0 else noting(x - 1, n - 1, notes) + notes[n - 1]


def test_a_recursion_on_fixed_values_is_as_deep_as_python_lets_it():
    def f(x):
        return falling(x, 250) + noting(x, 250, [])

    x = torch.tensor([1.0, -3.0])
    torch.testing.assert_close(gfx.symbolic_trace(f, x)(x), f(x))


def test_returns_behind_returns(monkeypatch):
    lines = [f"    if x.sum() > {k}: return x * {k}" for k in range(400)]
    fn = define("\n".join(["def f(x):", *lines, "    return x", ""]), "<returns>")
    program, x = gfx.symbolic_trace(fn, backend="torch").infer(), torch.ones(2)
    torch.testing.assert_close(program(x), fn(x))
    monkeypatch.setattr(stack, "_MOST", sys.getrecursionlimit())
    with pytest.raises(UnsupportedConstruct, match="stand each within the one before") as told:
        gfx.symbolic_trace(fn, backend="torch")
    assert "recursion:" not in str(told.value) and "setrecursionlimit" in str(told.value)
