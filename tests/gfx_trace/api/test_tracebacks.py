"""What users see of a failure in captured code: plain Python's exception, their own frames and lines."""

import bdb
import inspect
import pdb  # noqa: T100
import sys
import traceback

import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError

HERE = __file__


def divide(x, n):
    return x / (1 / n)


def nested(x, n: int):
    y = x + 1
    for i in range(2):
        if n < 5 and x.sum() > 0:
            y = [divide(v, n) for v in (y, y)][0]
    return y


def operand(x, n: int):
    return x if n > 5 or divide(1.0, n) > 0 else -x


def early(x, n: int):
    for i in range(n + 1):
        if i > 5:
            return x
    return divide(x, n)


def callback(x, n: int):
    return sorted([2, 1], key=lambda v: divide(v, n))


def raising(x, limit: float = 1.0):
    if x.sum() > limit:
        raise ValueError("too large")
    return x


def outer(x):
    y = x + 1
    return inner(y)


def inner(x):
    z = x * 2
    return z @ torch.ones(5, 5)


def frames(call, *args):
    """(file, function, line) of the traceback under this test's own frame, and the exception."""
    with pytest.raises(Exception) as caught:
        call(*args)
    found = traceback.extract_tb(caught.value.__traceback__)
    here = [at for at, f in enumerate(found) if f.name == "frames"][-1]
    return [(f.filename, f.name, f.lineno) for f in found[here + 1 :]], caught.value


@pytest.fixture(autouse=True)
def not_debugging(monkeypatch):
    monkeypatch.delenv("GFX_DEBUG", raising=False)


@pytest.mark.parametrize("fn", [nested, operand, callback], ids=lambda f: f.__name__)
def test_during_capture(fn):
    plain, error = frames(fn, torch.ones(2), 0)
    plain = [f for f in plain if f[1] != "<listcomp>"]  # which later Pythons do not show either
    assert plain[-1][1] == "divide"
    for capture in (lambda x, n: gfx.symbolic_trace(fn, x, n), gfx.trace(fn, specialize=True)):
        found, got = frames(capture, torch.ones(2), 0)
        assert isinstance(got, CaptureError) == (fn is nested)  # which fails under a test on data
        if isinstance(got, CaptureError):
            got = got.__cause__
            found = [(f.filename, f.name, f.lineno) for f in traceback.extract_tb(got.__traceback__)]
        assert [f for f in found if f[1] != "<lambda>" or fn is callback][-len(plain) :] == plain
        assert all(f[0] == HERE for f in found)
        assert (type(got), str(got), got.__cause__, got.__context__) == (type(error), str(error), None, None)


def test_code_that_fails_behind_a_loop_fails_when_the_program_runs():
    with pytest.raises(ZeroDivisionError) as plain:
        early(torch.ones(2), 0)
    program = gfx.symbolic_trace(early, torch.ones(2), 0)
    with pytest.raises(ZeroDivisionError, match=str(plain.value)):
        program(torch.ones(2), 0)


def test_when_the_program_runs():
    plain, _ = frames(raising, torch.ones(2))
    for call in (gfx.trace(raising), gfx.symbolic_trace(raising)):
        found, got = frames(call, torch.ones(2))
        assert found == plain and (type(got), str(got)) == (ValueError, "too large")
        assert "raise ValueError" in "".join(traceback.format_exception(got))


def test_calls_are_shown_as_the_user_wrote_them():
    plain, _ = frames(outer, torch.ones(2, 2))
    found, _ = frames(gfx.trace(outer), torch.ones(2, 2))
    assert found == plain


def test_errors_of_gfx_have_no_frames_of_gfx():
    program = gfx.symbolic_trace(divide, gfx.TensorSpec((2,), "float32"), 1.0)
    for call, kind in (
        (lambda: program(torch.ones(3), 1.0), GuardError),
        (lambda: program(), TypeError),
        (lambda: gfx.symbolic_trace(divide, 1, 2, 3), TypeError),
        (lambda: gfx.symbolic_trace(3), CaptureError),
    ):
        found, error = frames(call)
        assert isinstance(error, kind)
        assert [f[:2] for f in found] == [(HERE, "<lambda>")]


def test_debugging_shows_all_frames(monkeypatch):
    monkeypatch.setenv("GFX_DEBUG", "1")
    for call, args in ((gfx.symbolic_trace, (nested, torch.ones(2), 0)), (gfx.trace(raising), (torch.ones(2),))):
        found, _ = frames(call, *args)
        assert any("gfx_trace" in f[0] for f in found)


def test_emitted_code_shows_its_own_lines():
    found, _ = frames(gfx.symbolic_trace(raising).to("torch"), torch.ones(2))
    assert [f[1] for f in found] == ["raising"] and found[0][0].startswith("<gfx raising")


class Model(torch.nn.Module):
    @gfx.trace
    def forward(self, x, scale: float = 2.0):
        """Scaled."""
        return x * scale


@gfx.trace
def decorated(x, *, k: int = 1):
    """Powers."""
    return x**k


def test_inspect_sees_the_function():
    for traced, name in ((decorated, "decorated"), (Model.forward, "forward"), (Model().forward, "forward")):
        lines, first = inspect.getsourcelines(traced)
        assert f"def {name}(" in lines[1] and lines[0].strip() == "@gfx.trace"
        assert inspect.getsource(traced) == "".join(lines)
        assert first == inspect.unwrap(traced).__code__.co_firstlineno
        assert inspect.getdoc(traced) == inspect.unwrap(traced).__doc__
    assert str(inspect.signature(decorated)) == "(x, *, k: int = 1)"
    assert list(inspect.signature(Model().forward).parameters) == ["x", "scale"]


class Stops(bdb.Bdb):
    """A debugger that notes where it stops."""

    def __init__(self):
        super().__init__()
        self.stops = []

    def user_line(self, frame):
        if frame.f_code.co_filename == HERE:
            self.stops.append((frame.f_code.co_name, frame.f_lineno))
        self.set_continue()


def test_breakpoints_hit_the_users_lines():
    lines, first = inspect.getsourcelines(nested)
    at = next(n for n, text in enumerate(lines, first) if "divide(v, n)" in text)
    debugger = Stops()
    assert debugger.set_break(HERE, at) is None
    debugger.runcall(gfx.symbolic_trace, nested, torch.ones(2), 1)
    assert ("nested", at) in debugger.stops and {line for _, line in debugger.stops} == {at}


def stopping(x):
    if x.sum() > 0:
        y = x + 1
        breakpoint()  # noqa: T100
        pdb.set_trace()  # noqa: T100
        x = y
    return x


def test_a_call_of_the_debugger_stops_in_the_users_code(monkeypatch):
    stops = []

    def note(*args, **kwargs):
        frame = sys._getframe(1)
        stops.append((frame.f_code.co_filename, frame.f_code.co_name, frame.f_lineno, "y" in frame.f_locals))

    note.__module__, note.__name__ = "pdb", "set_trace"
    monkeypatch.setattr(sys, "breakpointhook", note)
    monkeypatch.setattr(pdb, "set_trace", note)
    gfx.symbolic_trace(stopping)
    first = inspect.getsourcelines(stopping)[1]
    assert stops == [(HERE, "stopping", first + 3, True), (HERE, "stopping", first + 4, True)]
