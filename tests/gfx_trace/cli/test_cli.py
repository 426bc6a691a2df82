"""The command line: what each command prints, writes and exits with."""

import io
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

import gfx_trace
from gfx_trace import cli
from gfx_trace.cli import commands
from recapture import load_source

MODELS = '''
import torch


def f(x, y=None):
    """Sine, and more."""
    return torch.sin(x) + (y if y is not None else 0)


def scaled(x, n: int = 2):
    return x * n, {"a": x + 1}


def matmul(x, y):
    return x @ y


def embed(tokens, table):
    return table[tokens]


def boom(x):
    raise RuntimeError("the user's own error [in brackets]")


def unknown(x):
    return torch.nested.to_padded_tensor(x, 0.0)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(3, 4)

    def forward(self, x):
        return self.linear(x).relu()


class Namespace:
    @staticmethod
    def double(x):
        return x * 2
'''


@pytest.fixture
def models(tmp_path, monkeypatch):
    (tmp_path / "models.py").write_text(MODELS)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def gfx(*words, code=0):
    """What a command prints, its stdout and stderr together."""
    result = CliRunner().invoke(cli.app, [str(word) for word in words])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(autouse=True)
def _streams(monkeypatch):
    """Consoles that write to the streams that the runner puts in place."""
    for module in (cli, commands):
        monkeypatch.setattr(module, "out", Console(width=160))
        monkeypatch.setattr(module, "err", Console(stderr=True, width=160))


# ---------------------------------------------------------------------- transpile
def test_transpile_prints_source(models):
    text = gfx("transpile", "models.py:f", "--to", "jax")
    assert "import jax.numpy as jnp" in text and "def f(x, y=None):" in text and "torch" not in text


def test_transpile_writes_source_and_weights(models):
    text = gfx("transpile", "models.py:Net", "--to", "jax", "-o", "net.py")
    assert "net.py and net.safetensors" in text
    weights = load_file("net.safetensors")
    assert {name: x.shape for name, x in weights.items()} == {"linear.weight": (4, 3), "linear.bias": (4,)}
    assert sorted(path.name for path in models.iterdir() if path.is_file()) == [
        "models.py",
        "net.py",
        "net.safetensors",
    ]
    assert hasattr(load_source(Path("net.py").read_text()), "net")


def test_transpile_with_arguments(models):
    text = gfx("transpile", "models.py:scaled", "--to", "torch", "--arg", "n=3")
    assert "x * 3" in text and "Assumes: n == 3" in text


def test_transpile_in_another_layout_needs_shapes(models):
    text = gfx("transpile", "models.py:f", "--to", "jax", "--layout", "nhwc", code=1)
    assert "needs the shapes" in text and "give them at capture" in text


def test_a_name_inside_of_a_class(models):
    assert "x * 2" in gfx("transpile", "models.py:Namespace.double", "--to", "jax")


def test_a_saved_program_is_a_target(models):
    gfx_trace.symbolic_trace(cli.load_target("models.py:f")).save("f.json")
    assert "jnp.sin(x)" in gfx("transpile", "f.json", "--to", "jax")
    assert "sin(x)" in gfx("show", "f.json")


# ---------------------------------------------------------------------- show
def test_show(models):
    text = gfx("show", "models.py:f")
    assert "sin(x)" in text and "host_if" in text and "level=0" in text
    assert "f32[B, 3]" in gfx("show", "models.py:f", "--level", "2", "--arg", "x=f32[B,3]")
    table = gfx("show", "models.py:f", "--format", "table")
    assert "models.py:7" in table and "sin" in table


@pytest.mark.parametrize(
    "words, shown",
    [
        ((), "x: f32[2]"),
        (("--level", "0"), "x: tensor"),
        (("--level", "1"), "x: f32[2]"),
        (("--level", "2"), "x: f32[2]"),
    ],
)
def test_levels(models, words, shown):
    text = gfx("show", "models.py:scaled", "--arg", "x=f32[2]", "--arg", "n=3", *words)
    assert shown in text and "multiply(x, 3)" in text
    assert (": f32[2] = multiply" in text) == (words != ("--level", "0"))


def test_a_saved_program_is_typed(models):
    gfx_trace.symbolic_trace(cli.load_target("models.py:f")).save("f.json")
    assert "f32[3]" in gfx("show", "f.json", "--arg", "x=f32[3]", "--level", "2")


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_is_shown_on_a_terminal_only(models, monkeypatch, terminal):
    shown = io.StringIO()
    monkeypatch.setattr(commands, "err", Console(file=shown, force_terminal=terminal, width=100))
    for words in (
        ("transpile", "models.py:f", "--to", "jax"),
        ("show", "models.py:f"),
        ("run", "models.py:f", "--arg", "x=f32[2]"),
        ("check", "models.py:f", "--arg", "x=f32[2]"),
    ):
        shown.truncate(0)
        gfx(*words)
        assert ("models.py:f" in shown.getvalue()) is terminal


# ---------------------------------------------------------------------- run
def test_run(models):
    np.save("x.npy", np.array([0.0, np.pi / 2], np.float32))
    assert "[0. 1.]" in gfx("run", "models.py:f", "--arg", "x=x.npy")
    assert "[2. 3.]" in gfx("run", "models.py:f", "--arg", "x=x.npy", "--arg", "y=2")
    assert "tensor([0., 1.])" in gfx("run", "models.py:f", "--arg", "x=x.npy", "--on", "torch")


def test_run_on_devices(models):
    made = gfx(
        "run",
        "models.py:f",
        "--arg",
        "x=f32[4]",
        "--device",
        "torch",
        "--device",
        "numpy",
        "--plan",
        "--profile",
        "--trace",
        "t.json",
    )
    assert all(text in made for text in ("tensor(", "policy fusion", "torch_0", "node", "wrote t.json"))
    assert {"traceEvents"} <= set(json.loads(Path("t.json").read_text()))
    assert "there is no device 'abacus'" in gfx("run", "models.py:f", "--arg", "x=f32[4]", "--device", "abacus", code=1)


def test_run_on_random_data_of_a_type(models):
    assert gfx("run", "models.py:f", "--arg", "x=f32[2]") == gfx("run", "models.py:f", "--arg", "x=f32[2]")
    gfx("run", "models.py:matmul", "--arg", "x=f32[B,3]", "--arg", "y=f32[3,B]")
    gfx("run", "models.py:embed", "--arg", "tokens=i64[5]", "--arg", "table=f32[8,2]")


def test_run_with_a_file_of_several_arrays(models):
    save_file({"a": np.ones(2, np.float32), "b": np.zeros(2, np.float32)}, "tree.safetensors")
    Path("more.py").write_text("def total(tree):\n    return tree['a'] + tree['b'] + 1\n")
    assert "[2. 2.]" in gfx("run", "more.py:total", "--arg", "tree=tree.safetensors")


# ---------------------------------------------------------------------- check and ops
def test_check(models):
    for to in ("jax", "numpy", "torch"):
        text = gfx("check", "models.py:Net", "--to", to, "--arg", "x=f32[2,3]")
        assert f"equal on {to}" in text and "max abs" in text
    assert "1.a" in gfx("check", "models.py:scaled", "--arg", "x=f32[2]", "--arg", "n=3")


def test_a_difference_has_its_own_exit_code(models):
    text = gfx("check", "models.py:Net", "--blocks", "--arg", "x=f32[2,3]", "--tolerance", "-1", code=2)
    assert "DIFFERENT" in text and "first block that differs" in text and "deviation" in text and "│" in text


def test_ops():
    everything = gfx("ops")
    assert all(word in everything for word in ("sin", "conv", "elementwise", "jax", "torch", "numpy"))
    assert "torch" not in gfx("ops", "--backend", "jax").splitlines()[1]
    assert len(gfx("ops", "--missing").splitlines()) < len(everything.splitlines()) / 4


# ---------------------------------------------------------------------- errors
@pytest.mark.parametrize(
    "words, what, hint",
    [
        (("transpile", "none.py:f", "--to", "jax"), "there is no file 'none.py'", ""),
        (("transpile", "models.py:none", "--to", "jax"), "has no 'none'", "it has"),
        (("transpile", "models.py", "--to", "jax"), "does not name a target", "FILE:NAME"),
        (("transpile", "models.py:f", "--to", "tf"), "there is no backend 'tf'", "installed:"),
        (("transpile", "models.py:unknown", "--to", "jax", "-o", "out.py"), "no row for", "models.py:27"),
        (("transpile", "models.py:boom", "--to", "jax", "-o", "out.py"), "own error [in brackets]", "--debug"),
        (("transpile", "models.py:f", "--to", "jax", "-o", "none/out.py"), "there is no directory 'none'", ""),
        (("transpile", "models.py:torch", "--to", "jax"), "cannot capture a module", "give it"),
        (("run", "models.py:f"), "'x'", ""),
        (("run", "models.py:f", "--arg", "q=3"), "'q'", ""),
        (("run", "models.py:f", "--arg", "x"), "'x' is no argument", "NAME=SPEC"),
        (("run", "models.py:f", "--arg", "x=word"), "cannot read 'x=word'", "a SPEC is"),
        (("run", "models.py:f", "--arg", "x=f32[2"), "'f32[2' is no tensor type", "f32[2, 3]"),
        (("run", "models.py:f", "--arg", "x=q32[2]"), "'q32' is no dtype", "float32"),
        (("run", "models.py:f", "--arg", "x=none.npy"), "there is no file 'none.npy'", ""),
        (("run", "models.py:matmul", "--arg", "x=f32[2,3]", "--arg", "y=f32[2,3]"), "do not multiply", "models.py:15"),
        (("show", "models.py:f", "--format", "xml"), "text or table", ""),
        (("show", "none.json"), "none.json", ""),
        (("ops", "--backend", "tf"), "there is no backend 'tf'", "installed:"),
    ],
)
def test_errors(models, words, what, hint):
    text = gfx(*words, code=1)
    assert text.startswith("error: ") and what in text and hint in text
    assert "Traceback" not in text
    assert sorted(path.name for path in models.iterdir() if path.is_file()) == ["models.py"]  # no partial file


def test_a_file_that_is_no_python(models):
    Path("broken.py").write_text("def f(:\n")
    assert "SyntaxError" in gfx("show", "broken.py:f", code=1)
    Path("needs.py").write_text("import a_module_that_is_not_there\n")
    assert "a_module_that_is_not_there" in gfx("show", "needs.py:f", code=1)


def test_debug_shows_the_traceback(models):
    result = CliRunner().invoke(cli.app, ["show", "models.py:boom", "--debug"])
    assert isinstance(result.exception, RuntimeError)


def test_usage_errors_exit_with_two(models):
    assert "Invalid value" in gfx("show", "models.py:f", "--level", "3", code=2)
    gfx("transpile", "models.py:f", code=2)


def test_the_console_script(models):
    def run(*words):
        return subprocess.run(
            [Path(sys.executable).with_name("gfx"), *words], capture_output=True, text=True, check=False
        )

    done = run("transpile", "models.py:f", "--to", "jax", "-o", "f.py")
    assert (done.returncode, done.stdout) == (0, "") and done.stderr.strip() == "wrote f.py"
    failed = run("transpile", "models.py:none", "--to", "jax")
    assert failed.returncode == 1 and failed.stdout == "" and failed.stderr.startswith("error: ")


def test_explain(models):
    assert "conditional expression" in gfx("explain", "models.py:f")
    (models / "models.py").write_text("async def f(x):\n    return x\n")
    assert "GFX cannot convert this async" in gfx("explain", "models.py:f", code=2)


# ---------------------------------------------------------------------- optimize
def test_optimize_a_saved_program(models):
    gfx_trace.symbolic_trace(cli.load_target("models.py:scaled"), kwargs={"n": 1}).save("f.json")
    text = gfx("optimize", "f.json", "--arg", "x=f32[3]", "--validate", "--fixpoint", "-o", "g.json", "--dump", "steps")
    assert "wrote g.json" in text and "common_subexpressions" in text
    x = np.ones(3, np.float32)
    np.testing.assert_array_equal(gfx_trace.load("g.json")(x, n=1)[1]["a"], x + 1)


def test_optimize_prints_the_program(models):
    text = gfx("optimize", "models.py:Net", "--arg", "x=f32[3]", "--passes", "inline, dead_code")
    assert "call(" not in text and "linear(x" in text and "@entry" in text


def test_optimize_in_a_layout(models):
    text = gfx("optimize", "models.py:Net", "--arg", "x=f32[3]", "--layout", "nhwc", "--passes", "casts", "--validate")
    assert [row for row in ("channels_last", "shapes", "casts") if row in text] == ["channels_last", "shapes", "casts"]
    assert "needs the shapes" in gfx("optimize", "models.py:Net", "--layout", "nhwc", code=1)
    assert "no directory" in gfx("optimize", "models.py:Net", "-o", "absent/f.json", code=1)


def test_optimize_names_the_passes_that_there_are(models):
    assert "there is no pass 'absent'" in gfx("optimize", "models.py:Net", "--passes", "absent", code=1)
