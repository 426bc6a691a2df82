"""Saved modules read their params themselves: trees with lists, several files, reduced precision, names that are taken."""

import importlib.util
import json

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from safetensors.numpy import load_file, save_file
from torch import nn

import gfx_trace as gfx


def imported(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Net(nn.Module):
    def __init__(self, dtype=torch.float32):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(3, 3, dtype=dtype) for _ in range(11)])
        self.act, self.head = nn.ReLU(), nn.Linear(3, 2, bias=False, dtype=dtype)

    def forward(self, x):
        for block in self.blocks:
            x = x + self.act(block(x))
        return self.head(x)


@pytest.mark.parametrize("to", ["torch", "jax", "numpy"])
def test_a_saved_module_loads_its_params(to, tmp_path):
    model, x = Net(), torch.randn(4, 3)
    result, path = gfx.transpile(model, to=to), tmp_path / "net.py"
    result.save(path)
    module = imported(path)
    params = module.load(path.with_suffix(".safetensors"))
    assert isinstance(params["blocks"], list) and len(params["blocks"]) == 11
    assert "import gfx" not in path.read_text()
    given = x if to == "torch" else x.numpy() if to == "numpy" else jnp.asarray(x.numpy())
    found = module.net(params, given)
    np.testing.assert_allclose(np.asarray(found.detach() if to == "torch" else found), model(x).detach(), rtol=1e-5)


def test_shards_are_read_by_their_index(tmp_path):
    model, path = Net(), tmp_path / "net.py"
    gfx.transpile(model, to="jax").save(path)
    arrays = load_file(path.with_suffix(".safetensors"))
    names = sorted(arrays)
    files = {"a.safetensors": names[:7], "b.safetensors": names[7:]}
    for file, own in files.items():
        save_file({name: arrays[name] for name in own}, tmp_path / file)
    index = tmp_path / "net.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": {name: file for file, own in files.items() for name in own}}))
    module = imported(path)
    one, several = module.load(path.with_suffix(".safetensors")), module.load(str(index))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool((a == b).all()), one, several))


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_bfloat16_stays(to, tmp_path):
    path = tmp_path / "net.py"
    gfx.transpile(Net(torch.bfloat16), to=to).save(path)
    params = imported(path).load(path.with_suffix(".safetensors"))
    assert str(params["head"]["weight"].dtype).endswith("bfloat16")


def test_a_name_that_is_taken(tmp_path):
    scale = torch.randn(20)

    def load(x):
        return x * scale

    path = tmp_path / "load.py"
    gfx.transpile(load, to="jax").save(path)
    module = imported(path)
    found = module.load(module.load_params(path.with_suffix(".safetensors")), jnp.ones(20))
    np.testing.assert_allclose(found, scale)


def test_source_without_params_has_no_loader(tmp_path):
    path = tmp_path / "f.py"
    gfx.transpile(lambda x: x + 1, backend="torch", to="jax").save(path)
    assert "load" not in path.read_text()
