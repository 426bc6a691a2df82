"""gfx convert-weights: checkpoints of the original as params of the emitted source."""

import json
import sys

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from typer.testing import CliRunner

import gfx_trace as gfx
from gfx_trace.cli import app

X = torch.linspace(-1, 1, 2 * 3 * 8 * 8).reshape(2, 3, 8, 8)


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convs = torch.nn.ModuleList([torch.nn.Conv2d(3, 3, 3, padding=1) for _ in range(2)])
        self.head = torch.nn.Linear(3, 2)
        self.register_buffer("scale", torch.full((3,), 2.0), persistent=False)

    def forward(self, x):
        for conv in self.convs:
            x = torch.relu(conv(x))
        return self.head(x.mean((2, 3)) * self.scale)


@pytest.fixture
def trained(tmp_path, monkeypatch):
    """A graph and its source that were made before the training, and the model after it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    torch.manual_seed(0)
    model = Net().eval()
    gfx.symbolic_trace(model, X).save("net.json")
    for layout in ("nchw", "nhwc"):
        gfx.transpile(model, X, to="jax", layout=layout).save(f"net_{layout}.py")
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter))
    yield model
    for layout in ("nchw", "nhwc"):
        sys.modules.pop(f"net_{layout}", None)


def convert(old, *options, code=0):
    result = CliRunner().invoke(
        app, ["convert-weights", str(old), "--graph", "net.json", "-o", "new.safetensors", *options]
    )
    assert result.exit_code == code, result.output
    return result.output


def same(model, layout="nchw", atol=1e-5):
    module = __import__(f"net_{layout}")
    found = jax.jit(module.net)(module.load("new.safetensors"), jnp.asarray(X.numpy()))
    np.testing.assert_allclose(found, model(X).detach(), atol=atol)


def arrays(model):
    return {name: x.numpy() for name, x in model.state_dict().items()}


@pytest.mark.parametrize("layout", ["nchw", "nhwc"])
def test_state_dict_of_a_training_loop(trained, layout):
    prefixed = {f"module.{name}": x for name, x in trained.state_dict().items()}
    torch.save({"epoch": 3, "state_dict": {**prefixed, "module.aux": torch.ones(1)}}, "old.pt")
    said = convert("old.pt", "--strip", "module.", "--keep", "scale", "--layout", layout)
    assert "kept of the graph: scale" in said and "no such name: aux" in said
    same(trained, layout)


def test_shards_in_bfloat16(trained, tmp_path):
    names = sorted(arrays(trained))
    narrow = {name: x.astype(ml_dtypes.bfloat16) for name, x in arrays(trained).items()}
    files = {"a.safetensors": names[:3], "b.safetensors": names[3:]}
    (tmp_path / "old").mkdir()
    for file, own in files.items():
        save_file({name: narrow[name] for name in own}, tmp_path / "old" / file)
    index = {"weight_map": {name: file for file, own in files.items() for name in own}}
    (tmp_path / "old" / "model.safetensors.index.json").write_text(json.dumps(index))
    convert("old", "--keep", "s*")
    trained.load_state_dict({name: torch.from_numpy(x.astype(np.float32)) for name, x in narrow.items()})
    same(trained)
    assert load_file("new.safetensors")["head.weight"].dtype == np.float32
    (tmp_path / "old" / "b.safetensors").unlink()
    assert "there is no checkpoint" in convert("old", "--keep", "scale", code=1)


def test_names_of_jax(trained):
    named = {name.replace(".", "/"): x for name, x in arrays(trained).items()}
    np.savez(
        "old.npz", **{name.replace("head", "top"): x for name, x in named.items()}, scale=np.full(3, 2.0, np.float32)
    )
    renames = ("--rename", "top.weight=head.weight", "--rename", "top.bias=head.bias")
    assert "left out" in convert("old.npz", *renames)
    same(trained)


@pytest.mark.parametrize(
    ("change", "options", "told"),
    [
        (lambda a: {f"m.{k}": x for k, x in a.items()}, (), "--strip m."),
        (lambda a: a, (), "lacks scale"),
        (lambda a: {**a, "head.bias": a["head.bias"][:1]}, ("--keep", "scale"), r"head.bias is (1,) and not (2,)"),
        (lambda a: {**a, "head.bias": a["head.bias"].astype(np.float64)}, ("--keep", "scale"), "lose digits"),
        (lambda a: a, ("--rename", "tail=head"), "names 'tail', which is not there"),
    ],
)
def test_what_does_not_fit_is_refused(trained, tmp_path, change, options, told):
    save_file(change(arrays(trained)), "old.safetensors")
    assert told in convert("old.safetensors", *options, code=1)
    assert not (tmp_path / "new.safetensors").exists()


def test_files_that_are_no_checkpoints(trained, tmp_path):
    (tmp_path / "old.pt").write_bytes(b"no zip")
    (tmp_path / "old.txt").write_text("")
    torch.save(trained, "whole.pt")
    for name, told in {
        "old.pt": "cannot be read as a state dict",
        "old.txt": "no checkpoint",
        "whole.pt": "state_dict",
        "x.npz": "there is no",
    }.items():
        assert told in convert(name, code=1)
