"""Calls that no op stands for: kept, run, printed and saved as they are, or taught by the user."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.special
import torch
from rich.console import Console
from typer.testing import CliRunner

import gfx_trace as gfx
from gfx_ir.errors import ArgumentError, FormatError, GfxError, MissingOp, ShapeError, UnsupportedConstruct
from gfx_ir.text import to_text
from gfx_ir.textparse import parse_text
from gfx_trace import cli
from recapture import load_source
from registered import taken_back


def quantized(x, scale: float = 0.1):
    y = torch.fake_quantize_per_tensor_affine(x, scale, 0, -128, 127)
    return torch.sin(y), torch.fake_quantize_per_tensor_affine(y * 2, 0.5, 0, 0, 127)


def slope(x):
    return jnp.sum(jax.lax.random_gamma_grad(x, x)) + x


def elliptic(x):
    sn, cn, _, phase = scipy.special.ellipj(x, 0.5)
    return np.sin(sn) * phase + cn


X = torch.linspace(0.5, 2.0, 6).reshape(3, 2)
CASES = [(quantized, X), (slope, jnp.linspace(0.5, 2.0, 5)), (elliptic, np.linspace(0.5, 2.0, 5))]
HELD = pytest.mark.parametrize("fn, x", CASES, ids=["torch", "jax", "numpy"])


def same(got, want):
    for a, b in zip(
        got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,), strict=True
    ):
        np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-4, atol=1e-5)


@pytest.fixture
def registering():
    with taken_back():
        yield


# ---------------------------------------------------------------------- kept as they are
@HELD
@pytest.mark.parametrize("typed", [False, True], ids=["open", "typed"])
def test_a_call_without_a_row_is_kept(fn, x, typed, tmp_path):
    program = gfx.symbolic_trace(fn, x) if typed else gfx.symbolic_trace(fn)
    program = program.infer() if typed else program
    same(program(x), fn(x))
    emitted = load_source(program.source(program.flavour))
    again = gfx.symbolic_trace(getattr(emitted, fn.__name__))
    same(again(x), fn(x))
    if not typed:  # where types are known, JAX's own tracer may have taken the call apart
        assert again.source(program.flavour) == program.source(program.flavour)
    text = to_text(program, spans=False)
    assert to_text(parse_text(text)) == text
    program.save(tmp_path / "kept.json")
    same(gfx.load(tmp_path / "kept.json")(x), fn(x))


@HELD
def test_other_targets_refuse_all_of_them_at_once(fn, x):
    program = gfx.symbolic_trace(fn)
    for target in {"torch", "jax", "numpy"} - {program.flavour}:
        with pytest.raises(MissingOp, match="test_unknown_ops") as caught:
            program.source(target)
    names = {
        quantized: "torch.fake_quantize_per_tensor_affine",
        slope: "jax.lax.random_gamma_grad",
        elliptic: "scipy.special.ellipj",
    }
    assert caught.value.what.count(f"{names[fn]} [") == (2 if fn is quantized else 1)


@HELD
def test_arrays_of_another_framework_are_moved_there_and_back(fn, x):
    program, host = gfx.symbolic_trace(fn), np.asarray(x)
    for given, kind in ((torch.from_numpy(host.copy()), torch.Tensor), (jnp.asarray(host), jax.Array)):
        got = program(given)
        assert all(isinstance(part, kind) for part in (got if isinstance(got, tuple) else (got,)))
        same(got, fn(x))


def test_types_let_jax_take_a_call_apart():
    program = gfx.symbolic_trace(lambda x: jax.scipy.stats.cauchy.logpdf(x, 0.5), jnp.arange(5.0))
    assert "holder" not in str(program.graph) and gfx.check(program, jnp.arange(5.0), to="torch").ok


def test_types_are_those_of_the_framework():
    text = str(gfx.symbolic_trace(elliptic, gfx.TensorSpec((4, 3), "float64")).infer().graph)
    assert "sn: f64[4, 3]; cn: f64[4, 3]; _1: f64[4, 3]; phase: f64[4, 3]" in text


def writes(x):
    return torch.nn.init.zeros_(x) + torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 9, out=x)


def gives_a_number(x):
    return x + torch.get_device(x)


def gives_a_place(x):
    return torch.arange(3, device=x.get_device())


def takes_a_function(x):
    return torch.nested.as_nested_tensor([x], layout=torch.jagged)


def may_share(x):
    y = torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 9)
    y += 1
    return x, y


def makes_a_sparse_one(x):
    return torch.sparse_csr_tensor(torch.tensor([0, 2]), torch.tensor([0, 1]), x[:2], (1, 3)) + x


@pytest.mark.parametrize(
    "fn, kind, what",
    [
        (makes_a_sparse_one, MissingOp, "sparse_csr_tensor is about sparse tensors"),
        (writes, MissingOp, "torch.fake_quantize_per_tensor_affine.*it writes to its arguments"),
        (gives_a_number, MissingOp, "get_device.*it gives a int"),
        (gives_a_place, MissingOp, "Tensor.get_device"),
        (takes_a_function, MissingOp, "takes a layout, and a graph holds plain data"),
        (may_share, UnsupportedConstruct, "does not know whether torch.fake_quantize_per_tensor_affine copies"),
    ],
)
def test_what_cannot_be_kept_is_refused(fn, kind, what):
    with pytest.raises(kind, match=what):
        gfx.symbolic_trace(fn)


@pytest.mark.parametrize(
    "fn, x",
    [
        (lambda x: x.split(int(x[0]))[0], torch.ones(3)),
        (lambda x: torch.unsafe_split(x, int(x[0]))[0], torch.ones(3)),
        (lambda x: torch.unsafe_chunk(x, int(x[0]))[0], torch.ones(3)),
        (lambda x: torch.unsafe_split(x, 2)[0], gfx.TensorSpec((gfx.Dim("n"),), "float32")),
        (lambda x: np.array_split(x, int(x[0]) + 1)[0], np.ones(3)),
    ],
)
def test_how_many_results_there_are_does_not_hang_on_data(fn, x):
    with pytest.raises(GfxError):
        gfx.symbolic_trace(fn, x, backend="numpy" if isinstance(x, np.ndarray) else "torch")


@pytest.mark.parametrize(
    "target", ["torch.load", "torch.Tensor.zero_", "os.system", "torch._C.foo", "torch.serialization.load"]
)
def test_a_file_names_functions_of_the_framework_only(target):
    text = f'def f(x: tensor):\n    y = holder("torch", "{target}", (x,), {{}})\n    return y'
    program = gfx.Program.of(parse_text(f'program("torch", "torch")\n@entry\n{text}'))
    for use in (lambda: program.source("torch"), lambda: program(jnp.ones(1))):
        with pytest.raises(MissingOp, match="is no function of torch that a graph can hold"):
            use()


def test_a_file_cannot_print_more_than_a_call(tmp_path):
    gfx.symbolic_trace(quantized).save(tmp_path / "p.json")
    text = (tmp_path / "p.json").read_text()
    (tmp_path / "p.json").write_text(text.replace('["dict"]', '["dict",["q=2, p=print(1)",2]]', 1))
    with pytest.raises(FormatError, match="dictionary of those by name"):
        gfx.load(tmp_path / "p.json")


def test_the_command_line_lists_what_is_missing(tmp_path, monkeypatch):
    (tmp_path / "m.py").write_text(
        "import torch\n\n\ndef f(x):\n    return torch.fake_quantize_per_tensor_affine(x, 0.1, 0, 0, 9) + torch.sin(x)\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "out", Console(width=320))
    shown = CliRunner().invoke(cli.app, ["ops", "--missing", "m.py:f"]).output
    assert (
        "torch.fake_quantize_per_tensor_affine" in shown
        and "m.py:5" in shown
        and "no op" in shown
        and " sin " not in shown
    )
    assert " sin " in CliRunner().invoke(cli.app, ["ops", "m.py:f"]).output
    assert (
        "nothing is missing" in CliRunner().invoke(cli.app, ["ops", "--missing", "m.py:f", "--backend", "torch"]).output
    )


# ---------------------------------------------------------------------- taught by the user
def smooth(x, width):
    return width * torch.tanh(x / width)


def smooth_jax(x, width):
    return width * jnp.tanh(x / width)


def test_an_op_of_the_users_own_goes_everywhere(registering):
    op = gfx.register(
        "smooth(x, width=2.0)",
        torch=smooth,
        jax=smooth_jax,
        numpy="width * np.tanh(x / width)",
        shape=lambda x, width: x,
    )
    assert op(np.float64(1.0)) == 2 * np.tanh(0.5)
    for fn, x in ((lambda x: smooth(x, 3.0) + 1, X), (lambda x: smooth_jax(x, 3.0) + 1, jnp.asarray(X))):
        program = gfx.symbolic_trace(fn, x).infer()
        assert "f32[3, 2] = smooth(x, width=3.0)" in str(program.graph)
        for target in ("torch", "jax", "numpy"):
            assert gfx.check(program, x, to=target).ok
            again = gfx.symbolic_trace(program.to(target)) if target != "numpy" else program
            assert "smooth(x, width=3.0)" in str(again.graph)


def test_a_function_of_the_framework_becomes_the_users_op(registering):
    gfx.register("struve(order, x)", numpy=scipy.special.struve, torch="torch.special.bessel_j0(x) * order")
    program = gfx.symbolic_trace(lambda x: scipy.special.struve(1, x))
    assert "struve(1, x)" in str(program.graph) and "special.struve(1, x)" in program.source("numpy")
    assert "torch.special.bessel_j0(x) * 1" in program.source("torch")
    with pytest.raises(MissingOp, match="'jax' has no row for struve"):
        program.source("jax")


def test_a_function_in_other_words(registering):
    @gfx.register(torch.fake_quantize_per_tensor_affine)
    def quantize(input, scale, zero_point, quant_min, quant_max):
        whole = torch.clamp(torch.round(input / scale) + zero_point, quant_min, quant_max)
        return (whole - zero_point) * scale

    assert gfx.check(gfx.symbolic_trace(lambda x: torch.fake_quantize_per_tensor_affine(x, 0.1, 3, 0, 12)), X).ok


def test_a_spelling_is_an_expression_over_the_arguments(registering):
    gfx.register("scaled(x, k=2)", torch=torch.dequantize, jax="x * k", numpy="x")
    program = gfx.symbolic_trace(lambda x: torch.dequantize(x))
    assert "return x * 2\n" in program.source("jax") and "return x\n" in program.source("numpy")


@pytest.mark.parametrize(
    "what, spellings, error",
    [
        ("sin(x)", {"torch": "torch.sin"}, "there is an op 'sin' already"),
        ("mine(x)", {}, "is written for no backend"),
        ("mine(x)", {"tensorflow": "tf.sin"}, "no backend 'tensorflow'"),
        ("mine(x)", {"torch": "torch.no_such"}, "no function 'torch.no_such'"),
        ("mine(x)", {"torch": "no_package.sin"}, "no module 'no_package'"),
        ("mine(x)", {"torch": "nothing(x)"}, "neither an argument nor a module"),
        ("mine(x)", {"torch": "torch.sin(x"}, "no expression of Python"),
        ("mine(x)", {"torch": lambda x: x}, "neither a Python function nor one that its framework shows"),
        ("mine(*x)", {"torch": "torch.sin"}, "no signature of an op"),
    ],
)
def test_what_cannot_be_registered(what, spellings, error, registering):
    with pytest.raises(ArgumentError, match=error):
        gfx.register(what, **spellings)
    assert "mine" not in gfx.symbolic_trace(lambda x: torch.sin(x)).source("torch")


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: torch.split(x, 0),
        lambda x: torch.chunk(x, 0),
        lambda x: torch.nn.functional.conv1d(x[None], x[None], stride=0),
    ],
)
def test_parts_and_steps_of_no_size_are_refused(fn):
    with pytest.raises((UnsupportedConstruct, ShapeError), match=r"by zero|0 chunks"):
        gfx.transpile(fn, X, to="jax")
