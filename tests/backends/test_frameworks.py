"""Frameworks that are not installed, or of another version: one clear error from the library and from the command line."""

import re
import tomllib

import pytest

import gfx_jax
import gfx_numpy
import gfx_torch
from gfx_ir.errors import BackendError
from processes import CLI, ROOT, python, without

LIBRARY = """
import numpy as np, gfx_trace as gfx
program = gfx.symbolic_trace(lambda x: np.sin(x) + 1, backend="numpy")
assert abs(program(np.zeros(2)) - 1).max() == 0
assert "np.sin" in program.source("numpy")
for missing in {missing!r}:
    try:
        program.source(missing)
    except gfx.GfxError as error:
        print(type(error).__name__, str(error))
"""
TORCH_MODEL = """import torch

net = torch.nn.Linear(3, 3)
"""


@pytest.mark.parametrize("missing", [("torch",), ("jax",)], ids=lambda names: names[0])
def test_a_framework_that_is_not_installed(tmp_path, missing):
    (name,) = missing
    env = without(tmp_path, name, f"{name}lib")
    what = f"backend {name!r} cannot be loaded: No module named {name!r}"
    hint = f"pip install 'gfx-trace[{name}]'"
    done = python(env, "-c", LIBRARY.format(missing=missing))
    assert done.returncode == 0 and done.stdout.strip() == f"BackendError {what}\n{hint}", done.stderr
    (tmp_path / "f.py").write_text("import numpy as np\n\n\ndef f(x):\n    return np.sin(x)\n")
    failed = python(env, "-c", CLI, "transpile", f"{tmp_path}/f.py:f", "--to", name, "-o", f"{tmp_path}/out.py")
    assert failed.returncode == 1 and failed.stderr.strip() == f"error: {what}\n{hint}" and not failed.stdout
    assert not (tmp_path / "out.py").exists()


def test_a_model_whose_framework_is_not_installed(tmp_path):
    (tmp_path / "models.py").write_text(TORCH_MODEL)
    env = without(tmp_path, "torch")
    listed = python(env, "-c", CLI, "ops")
    assert listed.returncode == 0 and "sin" in listed.stdout
    assert listed.stderr.startswith("left out: backend 'torch' cannot be loaded")
    failed = python(env, "-c", CLI, "transpile", f"{tmp_path}/models.py:net", "--to", "jax")
    assert failed.returncode == 1 and failed.stderr.startswith("error: ModuleNotFoundError: No module named 'torch'")
    assert "models.py:1 in <module>]\n    import torch\n" in failed.stderr


@pytest.mark.parametrize(("package", "owner"), [("torch", gfx_torch), ("jax", gfx_jax), ("numpy", gfx_numpy)])
def test_versions_are_those_that_the_project_declares(package, owner):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = [*project["dependencies"], *(project["optional-dependencies"].get(package) or ())]
    (wanted,) = (text for text in declared if re.match(rf"{package}\b", text))
    lowest, below = re.fullmatch(r"\w+>=([\d.]+),<([\d.]+)", wanted).groups()
    for version in (lowest, f"{lowest}.1", f"{lowest}.0+cpu", f"{lowest}.2rc1"):
        owner.check_version(version)
    for version in ("0.1", "0.0.9", below, f"{below}.0", f"{below}.0rc1", "99", "unknown"):
        with pytest.raises(BackendError) as caught:
            owner.check_version(version)
        assert str(caught.value).splitlines() == [
            f"GFX's {package} backend is written for {wanted}, and found {package} {version}",
            f"pip install '{wanted}'",
        ]


def test_another_version_is_refused_before_anything_of_it_is_used(tmp_path):
    env = without(tmp_path, "nothing")
    with (tmp_path / "blocked" / "sitecustomize.py").open("a") as file:
        file.write("import jax\njax.__version__ = '0.4.30'\n")
    done = python(env, "-c", LIBRARY.format(missing=("jax",)))
    assert "BackendError GFX's jax backend is written for jax>=0.9,<0.11, and found jax 0.4.30" in done.stdout
