"""What the sections of the demo share: figures and their limits, conversion of arrays, capture of emitted source."""

import ast
import importlib.util
import inspect
import pathlib
import textwrap
from dataclasses import dataclass, field

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx


@dataclass
class Figure:
    name: str
    value: float | int | bool | str
    limit: float | None
    kept: bool


@dataclass
class Report:
    """The figures of one section; emitted files go to `out`."""

    out: pathlib.Path
    figures: list[Figure] = field(default_factory=list)
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def failures(self):
        return [figure for figure in self.figures if not figure.kept]

    def note(self, name, value):
        self.figures.append(Figure(name, value, None, True))

    def true(self, name, value):
        self.figures.append(Figure(name, bool(value), None, bool(value)))

    def within(self, name, value, limit):
        self.figures.append(Figure(name, value, limit, value <= limit))  # a NaN is not within anything

    def close(self, name, got, want, limit):
        """The largest difference between two trees of arrays, relative to the largest element of `want`."""
        self.within(name, relative_error(got, want), limit)

    def near(self, name, got, want, limit):
        """The same, as an absolute difference."""
        self.within(name, absolute_error(got, want), limit)

    def lines(self, name, source, function, limit):
        """Lines of code of an emitted function against those of the one it was captured from."""
        ratio = code_lines(source, function.__name__) / code_lines(inspect.getsource(function), function.__name__)
        self.within(f"{name}: lines against the original", ratio, limit)

    def write(self, name, source):
        path = self.out / name
        path.write_text(source, encoding="utf-8")
        return path


def to_numpy(leaf):
    return leaf.detach().numpy() if isinstance(leaf, torch.Tensor) else np.asarray(leaf)


def to_framework(tree, target):
    """The same tree with its arrays in `target`; plain Python values stay."""
    wrap = {"torch": lambda a: torch.from_numpy(np.array(a)), "jax": jnp.asarray, "numpy": np.array}[target]
    return jax.tree.map(lambda leaf: wrap(to_numpy(leaf)) if hasattr(leaf, "shape") else leaf, tree)


def named(tree):
    """Leaves by dotted path: layers.0.norm1.scale."""
    paths = jax.tree_util.tree_flatten_with_path(tree)[0]
    return {jax.tree_util.keystr(path, simple=True, separator="."): leaf for path, leaf in paths}


def relative_error(got, want):
    return _largest(got, want, lambda a, b: np.abs(a - b).max() / max(np.abs(b).max(), 1e-12))


def absolute_error(got, want):
    return _largest(got, want, lambda a, b: np.abs(a - b).max())


def _largest(got, want, error):
    """The largest `error` of any pair of leaves; infinite where the trees or the shapes differ."""
    if jax.tree.structure(got) != jax.tree.structure(want):
        return float("inf")
    pairs = [(to_numpy(a), to_numpy(b)) for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(want), strict=True)]
    if any(a.shape != b.shape for a, b in pairs):
        return float("inf")
    return float(np.max([error(a, b) for a, b in pairs]))  # of NumPy, so that a NaN is not lost


def code_lines(source, name):
    """Lines of the function `name`, blank lines, comments and its docstring apart."""
    source = textwrap.dedent(source)
    node = next(n for n in ast.walk(ast.parse(source)) if isinstance(n, ast.FunctionDef) and n.name == name)
    lines = source.splitlines()[node.lineno - 1 : node.end_lineno]
    docstring = len((ast.get_docstring(node, clean=False) or "").splitlines())
    return sum(bool(line.strip()) and not line.lstrip().startswith("#") for line in lines) - docstring


def load_function(path, name):
    """The function `name` of the Python file at `path`, imported as its user would."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return getattr(module, name)


def emit_back(path, name, target, *params):
    """Capture an emitted function again and emit it for `target`; `params`, if it takes them, come first, the rest stays open."""
    function = load_function(path, name)
    taken = [
        p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
    ]
    rest = [p.name for p in taken[len(params) :]]
    return gfx.symbolic_trace(function, *params, kwargs=dict.fromkeys(rest, gfx.Open)).to(target)
