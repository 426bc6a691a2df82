"""The gallery: models, and what is written of them for the other framework. Usage: `python -m docs.exhibits`, or `make gallery`."""

from __future__ import annotations

import ast
import functools
import importlib.util
import os
import pathlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import gfx_trace as gfx

ROOT = pathlib.Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "gallery"
HEAD = """# The gallery

Models as their authors write them, and the source that GFX writes of each for the other framework. `make gallery` writes these files
and this page. Lines are those of functions that run when the model is called, without blank lines, imports, comments and docstrings:
of the author's file alone, where the emitted one has the library's layers, too.

| model | written for | the author's lines | emitted | captured |
|---|---|---|---|---|
"""


Given = tuple[Any, tuple, dict[str, Any]]
"""A model, and what else `gfx.transpile` is given: arguments and options."""


@dataclass(frozen=True)
class Exhibit:
    """A model: the name of its file, what it is, and what `gfx.transpile` is given for which framework. `apart`: functions of the
    file that only make it."""

    name: str
    title: str
    target: str
    captured: str
    given: Callable[[ModuleType], Given]
    apart: tuple[str, ...] = ()

    @property
    def original(self) -> pathlib.Path:
        """The author's file: of the examples, or beside what is written."""
        example = ROOT / "examples" / f"{self.name}.py"
        return example if example.exists() else FOLDER / f"{self.name}.py"

    @property
    def written(self) -> pathlib.Path:
        """The file of the emitted source."""
        return FOLDER / f"{self.name}_{self.target}.py"

    def module(self) -> ModuleType:
        """The author's file, imported. Raises ImportError where its library is not installed."""
        return imported(self.original)

    def made(self) -> tuple[Any, gfx.Transpiled]:
        """The model, and what it is for the other framework."""
        model, args, options = self.given(self.module())
        return model, gfx.transpile(model, *args, to=self.target, **options)


def imported(path: pathlib.Path) -> ModuleType:
    """A file as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


def spec(dtype: str, *dims: Any) -> gfx.TensorSpec:
    """An argument, letters for its open sizes."""
    return gfx.TensorSpec(dims, dtype)


IMAGES = (spec("float32", "B", 3, "H", "W"),)


def _linen(file: ModuleType) -> Given:
    import jax

    model = file.Transformer()
    variables = model.init(jax.random.key(0), jax.numpy.zeros((2, 7), "int32"))
    return model, (spec("int32", "B", "T"),), {"variables": variables}


def _equinox(file: ModuleType) -> Given:
    import jax

    return functools.partial(file.classify, file.Mixer(jax.random.key(0))), (spec("float32", "B", 3, 16, 16),), {}


def _nnx(file: ModuleType) -> Given:
    from flax import nnx

    return file.Decoder(nnx.Rngs(0)), (spec("int32", "B", "T"),), {}


_NOISED = spec("float32", "B", 3, 16, 16), spec("float32", "B"), spec("int64", "B")
_MAKING = "_stage", "resnet50", "calibrate"
EXHIBITS = (
    Exhibit("gpt", "GPT, with its loss", "jax", "no argument told", lambda file: (file.GPT().eval(), (), {})),
    Exhibit("resnet", "ResNet-50", "jax", "open batch and image size", lambda file: (file.resnet50().eval(), IMAGES, {}), _MAKING),
    Exhibit("dit", "Diffusion transformer (DiT)", "jax", "open batch", lambda file: (file.DiT().eval(), _NOISED, {})),
    Exhibit("unet", "U-Net", "jax", "open batch and image size", lambda file: (file.UNet().eval(), IMAGES, {})),
    Exhibit("mamba", "Mamba, its recurrence a loop", "jax", "no argument told", lambda file: (file.Mamba().eval(), (), {})),
    Exhibit("linen_transformer", "Transformer in Flax Linen", "torch", "open batch and length", _linen),
    Exhibit("equinox_mixer", "MLP-mixer in Equinox, under jax.vmap", "torch", "open batch", _equinox),
    Exhibit("nnx_decoder", "Decoder with rotary positions in Flax NNX", "torch", "open batch and length", _nnx),
)  # fmt: skip


def lines(source: str, apart: Sequence[str] = ()) -> int:
    """Lines of the functions of a file but those that only make a model; what stands in one of these is not counted either."""
    counted = set[int]()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.name not in ("__init__", *apart):
            told = isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)
            counted.add(node.lineno)
            for statement in node.body[told:]:
                counted.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    texts = enumerate(source.splitlines(), 1)
    return sum(at in counted and bool(text.strip()) and not text.strip().startswith("#") for at, text in texts)


def row(exhibit: Exhibit) -> str:
    """A line of the page, of the files as they are."""
    original, written = exhibit.original, exhibit.written
    links = [f"[{path.name}]({os.path.relpath(path, FOLDER.parent)})" for path in (original, written)]
    counts = lines(original.read_text(), exhibit.apart), lines(written.read_text())
    return f"| {exhibit.title}: {links[0]} | {links[1]} | {counts[0]} | {counts[1]} | {exhibit.captured} |"


def main() -> None:
    """Write every file, and the page."""
    for exhibit in EXHIBITS:
        exhibit.written.write_text(exhibit.made()[1].source.rstrip() + "\n")
    (ROOT / "docs" / "gallery.md").write_text(HEAD + "\n".join(map(row, EXHIBITS)) + "\n")


if __name__ == "__main__":
    main()
