"""Calls of PyTorch that no row names: its own tracer takes them apart where types are known; what a row refuses is kept whole."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from rich.console import Console
from torch.nn import functional as F
from typer.testing import CliRunner

import gfx_trace as gfx
from gfx_ir.errors import GuardError, MissingOp, UnsupportedConstruct
from gfx_trace import cli

X = torch.linspace(0.5, 2.0, 30).reshape(3, 2, 5)
Y = torch.linspace(-1.0, 1.0, 30).reshape(3, 2, 5)
Z = torch.linspace(0.0, 1.0, 20).reshape(5, 2, 2)
W = torch.sin(torch.arange(12.0)).reshape(2, 2, 3)
TARGETS = ("torch", "jax", "numpy")


def in_place(x, y):
    torch.nn.init.constant_(x[0], 3.0)
    torch.nn.init.ones_(y[:, 0])
    return x * y


def statistics(x, mean):
    out, _, scale = torch.native_batch_norm(x, None, None, mean, mean.clone(), True, 0.1, 1e-5)
    return out, scale, mean + 1


def view_of_an_argument(x):
    y = torch.ops.aten.view.default(x, [6, 5])
    z = torch.instance_norm(y[None], None, None, None, None, True, 0.1, 1e-5, False)
    x.add_(1)
    return y, z


CASES = {
    "losses": (lambda x, y: torch.kl_div(y, x) + torch.hinge_embedding_loss(x, torch.sign(y)), X, Y),
    "margins": (lambda x, y: torch.margin_ranking_loss(x, y, torch.sign(y)) + torch.triplet_margin_loss(x, y, x + 0.1, 1.0, 2.0, 1e-6, False, 1), X, Y),
    "layer_norm": (lambda x: torch.native_layer_norm(x, [2, 5], None, None, 1e-5), X),
    "group_norm": (lambda x: torch.native_group_norm(x, None, None, 3, 2, 5, 2, 1e-5), X),
    "instance_norm": (lambda x: torch.instance_norm(x, None, None, None, None, True, 0.1, 1e-5, False), X),
    "convolution": (lambda x, w: torch.convolution(x, w, None, [1], [1], [1], False, [0], 1), X, W),
    "transposed": (lambda x, w: torch.convolution(x, w, None, [2], [1], [1], True, [1], 1), X, W),
    "nuclear": (lambda x: torch.nuclear_norm(x[0]) + torch.frobenius_norm(x[1], 1).sum(), X),
    "grid": (lambda x: torch.affine_grid_generator(x[:, :, :3], [3, 1, 4, 5], True), X),
    "a method": (lambda x: x.hardshrink(0.7) + torch.special.exp2(x), X),
    "what lies in the call": (lambda x: torch.frobenius_norm(x[1], 1) * torch.tensor([1.0, 2.0]), X),
    "dtype": (lambda x: torch.poisson_nll_loss(x.double(), x, True, True, 1e-8, 1), X),
    "aten": (lambda x: torch.ops.aten.add.Tensor(torch.ops.aten._softmax(x, -1, False), x, alpha=2), X),
    "in place": (in_place, X, Y),
    "statistics": (statistics, X, torch.zeros(2)),
    "views": (view_of_an_argument, X),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_has_no_row_is_taken_apart(case):
    fn, *args = CASES[case]
    program = gfx.symbolic_trace(fn, *(arg.clone() for arg in args))
    assert "holder" not in str(program.graph)
    for target in TARGETS:
        report = gfx.check(program, *(arg.clone() for arg in args), to=target)
        assert report.ok, report


def test_it_stands_for_these_shapes_alone():
    program = gfx.symbolic_trace(lambda x: torch.kl_div(x, x), X)
    assert [str(guard.value) for guard in program.guards] == ["f32[3, 2, 5]"]
    with pytest.raises(GuardError, match=r"the capture is for x: f32\[3, 2, 5\]"):
        program(X[:2])
    opened = gfx.symbolic_trace(lambda x: torch.kl_div(x, x))
    assert 'holder("torch", "torch.kl_div"' in str(opened.graph)
    torch.testing.assert_close(opened(X[:2]), torch.kl_div(X[:2], X[:2]))


def test_a_write_behind_a_call_that_was_taken_apart_is_seen():
    def shared(x):
        flat = torch.ops.aten.view.default(x, [30])
        flat.mul_(2)
        return x

    program = gfx.symbolic_trace(shared, X.clone())
    torch.testing.assert_close(program(X.clone()), X * 2)


class Exported(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.conv, self.norm = torch.nn.Conv1d(2, 4, 3, padding=1, padding_mode="reflect"), torch.nn.BatchNorm1d(4)
        self.attention, self.out = torch.nn.MultiheadAttention(4, 2, batch_first=True), torch.nn.Linear(4, 3)

    def forward(self, x):
        x = F.avg_pool1d(F.gelu(self.norm(self.conv(x))), 2).transpose(1, 2)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return F.log_softmax(self.out(x)[:, [1, 0]], dim=-1).cumsum(1), x.std(-1).topk(1)[0]


@pytest.mark.parametrize("core", [False, True], ids=["training", "core"])
def test_what_torch_exported_is_captured(core):
    exported = torch.export.export(Exported().eval(), (X,))
    program = gfx.symbolic_trace((exported.run_decompositions() if core else exported).module(), X)
    for target in TARGETS:
        report = gfx.check(program, X, to=target)
        assert report.ok, report


# ---------------------------------------------------------------------- what cannot be
def counted(x):
    y = torch.conv_tbc(x, W, W[0, 0])
    return F.embedding_bag(torch.arange(2)[None], y[0], scale_grad_by_freq=True) + 1


def test_the_function_that_is_missing_is_named():
    with pytest.raises(MissingOp) as caught:
        gfx.symbolic_trace(lambda x: torch.conv_tbc(x, W, W[0, 0]) + 1, Z).source("jax")
    said = "torch.conv_tbc (GFX has no row for ATen's aten.conv_tbc.default, which the function comes to) [test_decomposing"
    assert said in caught.value.what.replace(f"{__file__.rpartition('/')[0]}/", "")


def test_an_option_that_a_row_refuses_keeps_the_call(tmp_path, monkeypatch):
    program = gfx.symbolic_trace(counted, Z)
    torch.testing.assert_close(program(Z), counted(Z))
    torch.testing.assert_close(program.to("torch")(Z), counted(Z))
    program.save(tmp_path / "kept.json")
    torch.testing.assert_close(gfx.load(tmp_path / "kept.json")(Z), counted(Z))
    with pytest.raises(MissingOp) as caught:
        program.source("jax")
    assert "torch.conv_tbc (GFX has no row for ATen's" in caught.value.what
    assert "embedding_bag (F.embedding_bag with scale_grad_by_freq=True has no counterpart)" in caught.value.what
    code = "from torch.nn import functional as F\n\n\ndef f(x):\n    return F.embedding_bag(x, x.float(), scale_grad_by_freq=True)\n"
    (tmp_path / "m.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "out", Console(width=320))
    shown = CliRunner().invoke(cli.app, ["ops", "--missing", "m.py:f", "--arg", "x=i64[4,4]"]).output
    assert "F.embedding_bag with scale_grad_by_freq=True has no counterpart" in shown and "m.py:5" in shown


REFUSED = {
    "jax": (lambda x: jnp.interp(x, x, x * 2, period=3.0) + jnp.polyint(x, k=2)[1:], jnp.arange(5.0)),
    "numpy": (lambda x: np.histogram(x, bins="doane")[0] * 2, np.arange(5.0)),
    "torch": (lambda x: F.embedding_bag(torch.arange(2)[None], x[0], scale_grad_by_freq=True), X),
}


@pytest.mark.parametrize("framework", REFUSED)
def test_options_are_kept_in_each_framework(framework):
    fn, x = REFUSED[framework]
    program = gfx.symbolic_trace(fn, x)
    np.testing.assert_allclose(np.asarray(program(x)), np.asarray(fn(x)), rtol=1e-6)


@pytest.mark.parametrize(
    "fn, kind, what",
    [
        (
            lambda x: torch.add(x, 1, out=x),
            UnsupportedConstruct,
            "out= of .* does not know that the tensor is of the result's type",
        ),
        (lambda x: F.interpolate(x, 3, mode="nothing"), MissingOp, "nothing"),
        (lambda x: torch.sin(x, x, x), UnsupportedConstruct, "this form of the call has no row"),
    ],
)
def test_what_its_own_framework_cannot_run_is_refused(fn, kind, what):
    with pytest.raises(kind, match=what):
        gfx.symbolic_trace(fn)
