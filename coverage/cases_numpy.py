"""Calls of NumPy with typical arguments, from the table beside this file, as cases."""

import ast
import functools
import linecache
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from attempt import Case, states
from compare import difference
from factored import factor_difference, products

TABLE = Path(__file__).with_name("calls_numpy.txt")
WIDTHS = ("float64", "float32")
_UNORDERED = ("unique_values",)
_FACTORS = ("linalg.svd", "linalg.qr", "linalg.eigh", "linalg.eig", "linalg.eigvals")


@functools.cache
def table() -> dict[str, tuple[str, bool]]:
    """(family, whether the result's shape hangs on values) of each call, by its text."""
    found: dict[str, tuple[str, bool]] = {}
    family = ""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            family = line.strip("[]")
        elif line and not line.startswith("#"):
            found[line.removeprefix("~ ")] = family, line.startswith("~ ")
    return found


def arguments(width: str) -> dict[str, np.ndarray]:
    """What the letters of the table stand for; floats, complex numbers and integers of the width."""
    rng = np.random.default_rng(0)
    real = np.dtype(width)
    integer = np.dtype("int64" if width == "float64" else "int32")
    f, g, t = (rng.normal(size=shape).astype(real) * 2 for shape in ((3, 4), (3, 4), (2, 3, 4)))
    m = (rng.normal(size=(4, 4)) + 3 * np.eye(4)).astype(real)
    c = (f + 1j * g).astype("complex128" if width == "float64" else "complex64")
    n = f.copy()
    n[0, 1], n[1, 2] = np.nan, np.inf
    square = c[:, :3] + np.eye(3)
    return {
        "f": f, "g": g, "t": t, "m": m, "c": c, "n": n, "s": m @ m.T, "h": square @ square.conj().T,
        "p": rng.uniform(0.1, 0.9, (3, 4)).astype(real), "v": f.ravel()[:5], "w": g.ravel()[:5],
        "z": np.linspace(-1, 2, 5).astype(real), "i": rng.integers(0, 6, (3, 4)).astype(integer),
        "j": rng.integers(1, 4, (3, 4)).astype(integer), "k": np.array([2, 0], dtype=integer),
        "u": rng.integers(0, 200, (3, 4)).astype(np.uint8), "b": f > 0, "d": g > 0,
    }  # fmt: skip


def case_of(text: str, width: str) -> Case:
    """A call with arguments of one width."""
    family, value_dependent = table()[text]
    values = arguments(width)
    used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    names = [name for name in values if name in used]
    written = _function(text, names)
    arrays = [np.array(values[name]) for name in names]

    def call(*xs: Any) -> Any:
        return written(*xs)

    after = [np.array(x) for x in arrays]
    with np.errstate(all="ignore"):
        want = call(*after)
    differs = functools.partial(_differs, text, family == "random")
    return Case(
        f"{text} [{width}]",
        "numpy",
        call,
        arrays,
        want,
        states(arrays, after),
        lambda: value_dependent,
        differs,
        functools.partial(difference, loose=family == "random"),
    )


def _function(text: str, names: list[str]) -> Callable[..., Any]:
    """The call as a function with a source."""
    file = f"<call {text}>"
    source = f"def called({', '.join(names)}):\n    return {text}\n"
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    space: dict[str, Any] = {"np": np, "__name__": "calls"}
    exec(compile(source, file, "exec"), space)
    return space["called"]


def _differs(text: str, random: bool, want: Any, got: Any) -> str | None:
    rule = text.partition("(")[0].removeprefix("np.")
    if rule in _UNORDERED:
        want, got = np.sort(want), np.sort(got)
    if isinstance(want, tuple) and rule in _FACTORS and products(rule, want) is not None:
        return factor_difference(rule, want, got)
    return difference(want, got, loose=random)
