"""Bad input: one clear error (what, where, what to do), an exit code, no traceback, and no partial file."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch
from rich.console import Console
from torch import nn
from typer.testing import CliRunner

import gfx_trace as gfx
from gfx_ir import save as saving
from gfx_ir.errors import (
    ArgumentError,
    BackendError,
    CaptureError,
    FormatError,
    GuardError,
    MissingOp,
    ShapeError,
    UnsupportedConstruct,
)
from gfx_trace import cli
from processes import CLI, without

MODELS = """
import torch


def unknown(x):
    return torch.nested.to_padded_tensor(x, 0.0)


def collects(x):
    out = []
    if x.sum() > 0:
        out.append("up")
    return out


def gives(x):
    yield x


def product(x, y):
    return x @ y


def divides(x):
    return 1 // 0


class Net(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear = torch.nn.Linear(width, width)

    def forward(self, x):
        return self.linear(x)


net = Net(3)
"""


@pytest.fixture
def models(tmp_path, monkeypatch):
    (tmp_path / "models.py").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "out", Console(width=200))
    monkeypatch.setattr(cli, "err", Console(stderr=True, width=200))
    return tmp_path


def files(folder):
    return sorted(path.name for path in folder.iterdir() if path.name != "__pycache__")


def command(*words, code=1):
    """What a command that fails prints."""
    before = files(Path())
    result = CliRunner().invoke(cli.app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    assert result.output.count("error:") == 1 and "Traceback" not in result.output
    assert files(Path()) == before  # nothing was written
    return result.output


# ---------------------------------------------------------------------- code that cannot be captured
@pytest.mark.parametrize(
    ("name", "kind", "what", "place", "hint"),
    [
        ("unknown", MissingOp, "no row for torch.nested.to_padded_tensor", "models.py:6 in unknown", "gfx ops"),
        ("collects", UnsupportedConstruct, "append to 'out'", "models.py:12 in collects", "fixed length"),
        ("gives", UnsupportedConstruct, "a generator", "models.py:16 in gives", "tuples, lists or dicts"),
    ],
)
def test_code_that_cannot_be_captured(models, name, kind, what, place, hint):
    target = cli.load_target(f"models.py:{name}")
    with pytest.raises(kind) as caught:
        gfx.transpile(target, to="jax")
    text = str(caught.value)
    assert what in text and place in text and hint in text and len(text.splitlines()) == 3
    assert command("transpile", f"models.py:{name}", "--to", "jax", "-o", "out.py").strip() == f"error: {text}"


def padded(x):
    return torch.nested.to_padded_tensor(x, 0.0) + 1


def without_rows(x, n: int = 3):
    y = torch.quantize_per_tensor(x, 0.1, 0, torch.qint8)
    for _ in range(n):
        x = padded(x) * y
    if x.sum() > 0:
        x.int_repr()
    return x.q_scale() + x.is_mkldnn


@pytest.mark.parametrize("args", [(), (torch.ones(3, 3),)], ids=["open", "typed"])
def test_all_calls_that_cannot_be_kept_are_named_at_once(args):
    with pytest.raises(MissingOp) as caught:
        gfx.symbolic_trace(without_rows, *args)
    first, *named, hint = str(caught.value).splitlines()
    assert first == "GFX has no row for" and "gfx ops" in hint and all("test_errors.py:" in line for line in named)
    names = ("torch.quantize_per_tensor", "torch.nested.to_padded_tensor", "Tensor.int_repr", "Tensor.q_scale")
    assert all(sum(name in line for line in named) == 1 for name in names)


def test_the_users_own_error_has_its_place(models):
    text = command("transpile", "models.py:divides", "--to", "jax", "-o", "out.py")
    assert "ZeroDivisionError" in text and "models.py:25 in divides]\n    return 1 // 0\n--debug" in text
    shown = CliRunner().invoke(cli.app, ["transpile", "models.py:divides", "--to", "jax", "--debug"])
    assert isinstance(shown.exception, ZeroDivisionError)


# ---------------------------------------------------------------------- arguments
def test_shapes_that_do_not_fit(models):
    product = cli.load_target("models.py:product")
    with pytest.raises(ShapeError, match=r"do not multiply(.|\n)*models.py:21 in product"):
        gfx.symbolic_trace(product, torch.ones(2, 3), torch.ones(2, 3)).infer()
    program = gfx.symbolic_trace(product, torch.ones(2, 3))
    with pytest.raises(GuardError, match=r"capture is for x: f32\[2, 3\], and the call has f32\[3, 2\](.|\n)*dynamic"):
        program(torch.ones(3, 2), torch.ones(2, 2))
    np.save("x.npy", np.ones((3, 4), np.float32))
    before = command("check", "models.py:net", "--arg", "x=x.npy")
    assert "mat1 and mat2" in before or "do not multiply" in before


@pytest.mark.parametrize(
    ("args", "kwargs", "what"),
    [
        ((), {}, "missing a required argument: 'x'"),
        ((1, 2, 3), {}, "too many positional arguments"),
        ((1,), {"z": 2}, "unexpected keyword argument 'z'|missing a required argument: 'y'"),
    ],
)
def test_arguments_that_are_missing_or_too_many(args, kwargs, what):
    def product(x, y):
        return x @ y

    with pytest.raises(ArgumentError, match=rf"'product' cannot be called(.|\n)*({what})(.|\n)*it takes x, y"):
        gfx.symbolic_trace(product, backend="torch")(*args, **kwargs)
    if len(args) > 2:
        with pytest.raises(ArgumentError, match="too many"):
            gfx.symbolic_trace(product, *args, backend="torch")


def test_a_command_that_lacks_an_argument(models):
    assert "missing a required argument: 'x'\nit takes x" in command("run", "models.py:net")
    text = command("transpile", "models.py:Net", "--to", "jax", "-o", "net.py")
    assert "'Net' is a class" in text and "'width'" in text and "model = Net(...)" in text


@pytest.mark.parametrize("name", ["x.npy", "x.safetensors"])
def test_data_that_cannot_be_read(models, name):
    Path(name).write_bytes(b"no data")
    assert f"{name} cannot be read" in command("run", "models.py:net", "--arg", f"x={name}")


# ---------------------------------------------------------------------- graph files
def change_json(folder):
    data = json.loads((folder / "net.json").read_text())
    data["graphs"][0]["nodes"][0][0] = "os.system"
    (folder / "net.json").write_text(json.dumps(data))


def change_version(folder):
    data = json.loads((folder / "net.json").read_text())
    (folder / "net.json").write_text(json.dumps({**data, "version": 99}))


def cut(name):
    def change(folder):
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])

    return change


@pytest.mark.parametrize(
    ("change", "what", "hint"),
    [
        (lambda folder: (folder / "net.json").unlink(), "net.json cannot be read: No such file", "save() wrote"),
        (lambda folder: (folder / "net.json").write_bytes(b"\x80\x04"), "net.json is no program of GFX", "save()"),
        (change_json, "net.json: the program needs an op that this GFX lacks: 'os.system'", "gfx ops"),
        (change_version, "format version 99", "update it"),
        (cut("net.json"), "net.json is no program of GFX", "cut off"),
        (cut("net.safetensors"), "net.safetensors is not the file of params", "both files of one save()"),
        (
            lambda folder: (folder / "net.safetensors").unlink(),
            "net.safetensors: No such file",
            "copy the .safetensors",
        ),
    ],
    ids=["missing", "binary", "changed", "version", "cut", "params cut", "params missing"],
)
def test_graph_files_that_are_not_what_was_saved(models, change, what, hint):
    gfx.symbolic_trace(nn.Linear(3, 3)).save("net.json")
    change(models)
    with pytest.raises(FormatError) as caught:
        gfx.load("net.json")
    assert what in str(caught.value) and hint in str(caught.value) and "net.json" in str(caught.value)
    assert str(caught.value) in command("transpile", "net.json", "--to", "jax", "-o", "out.py")


# ---------------------------------------------------------------------- files that cannot be written
def transpiled():
    return gfx.transpile(nn.Linear(3, 3), to="jax")


@pytest.mark.parametrize("before", [True, False], ids=["over an old file", "new"])
@pytest.mark.parametrize(
    "error", [OSError(28, "No space left on device"), KeyboardInterrupt()], ids=["full", "interrupt"]
)
@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_a_write_that_fails_leaves_what_was_there(models, monkeypatch, before, error, at):
    old = {"net.py": b"old source", "net.safetensors": b"old weights"} if before else {}
    for name, content in old.items():
        Path(name).write_bytes(content)
    real, calls = getattr(os, at), []

    def fails(*args):
        calls.append(args)
        if len(calls) == 2:  # of the second file
            raise error
        return real(*args)

    result = transpiled()
    monkeypatch.setattr(saving.os, at, fails)
    with pytest.raises(type(error)):
        result.save("net.py")
    calls.clear()
    if isinstance(error, OSError):
        text = command("transpile", "models.py:net", "--to", "jax", "-o", "net.py")
        assert "cannot write net" in text and "No space left on device\nno file was changed" in text
    assert files(models) == sorted(["models.py", *old])
    assert all(Path(name).read_bytes() == content for name, content in old.items())


@pytest.mark.parametrize(
    ("name", "what"),
    [("folder", "cannot write folder: Is a directory"), ("net.safetensors", "the name of a file of params")],
)
def test_names_that_cannot_be_written(models, name, what):
    Path("folder").mkdir()
    assert what in command("transpile", "models.py:net", "--to", "jax", "-o", name)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_command_that_is_stopped_leaves_no_file(tmp_path, number):
    (tmp_path / "f.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n")
    env = without(tmp_path, "nothing")
    with (tmp_path / "blocked" / "sitecustomize.py").open("a") as file:
        file.write(
            f"import os, time\nos.fsync = lambda file: [open({str(tmp_path / 'writing')!r}, 'w'), time.sleep(60)]\n"
        )
    words = ["transpile", "f.py:f", "--to", "numpy", "-o", "out.py"]
    running = subprocess.Popen(
        [sys.executable, "-c", CLI, *words],
        env=env,
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),  # a shell's background jobs ignore an interrupt
    )
    try:
        while not (tmp_path / "writing").exists() and running.poll() is None:
            time.sleep(0.05)
        running.send_signal(number)
        _, errors = running.communicate(timeout=60)
    finally:
        running.kill()
    assert running.returncode != 0 and "Traceback" not in errors
    assert files(tmp_path) == ["blocked", "f.py", "writing"]


def test_every_error_is_of_one_shape():
    for kind in (ArgumentError, BackendError, CaptureError, FormatError, GuardError, MissingOp, ShapeError):
        assert issubclass(kind, gfx.GfxError)
    assert str(GuardError("what", hint="what to do")) == "what\nwhat to do"


def test_an_error_of_a_builtin_on_tensors_names_the_users_line():
    def largest(x):
        best = 0.0
        for v in x:
            best = max(best, round(v, 2))
        return best, x

    with pytest.raises(CaptureError, match=r"test_errors\.py:\d+ in .*largest\]\n +best = max\(best, round\(v, 2\)\)"):
        gfx.symbolic_trace(largest, backend="torch")


def left_by_a_refusal(x):
    try:
        if x.sum() > 0:
            raise ValueError
        y = x * 2
    except ValueError:
        y = x * 3
    finally:
        y = y + 10
    return y


def left_in_a_trip(x):
    try:
        while x.sum() < 9:
            x = x * 2
            if x[0] > 1:
                step = 1
            x = x + step
    finally:
        x = x + 10
    return x


@pytest.mark.parametrize(
    ("fn", "what"), [(left_by_a_refusal, "convert this raise"), (left_in_a_trip, "'step' is defined")]
)
def test_a_finally_that_fails_on_the_way_out_of_a_refusal_does_not_hide_it(fn, what):
    with pytest.raises(UnsupportedConstruct, match=what):
        gfx.symbolic_trace(fn, backend="torch")
