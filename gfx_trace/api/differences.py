"""Differences: how far what two programs give for the same is apart."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_ir.loading import to_host

from ..values.flavour import loaded_frameworks

_TOLERANCES = {"float64": 1e-6, "complex128": 1e-6, "float32": 1e-4, "complex64": 1e-4, "float16": 1e-2}
_NARROW = 5e-2  # bfloat16, and what is narrower
_ABSENT = object()


@dataclass(frozen=True)
class Difference:
    """One output: its path, its shapes and dtypes (original, transpiled; None where one has no such output), how far the
    two are apart (`max_rel`: relative to the largest magnitude of the original), and in what they differ ("": in nothing)."""

    path: str
    shapes: tuple[tuple[int, ...] | None, tuple[int, ...] | None]
    dtypes: tuple[str | None, str | None]
    max_abs: float
    max_rel: float
    reason: str

    @property
    def equal(self) -> bool:
        """Whether the two agree."""
        return not self.reason

    def __str__(self) -> str:
        shape = _either(self.shapes)
        text = f"{self.path or 'result'}: shape {shape}, {_either(self.dtypes)}"
        if shape == str(self.shapes[0]):
            text += f", max abs {self.max_abs:.3g}, max rel {self.max_rel:.3g}"
        return text + (f"   <-- {self.reason}" if self.reason else "")


def copied(leaf: Any) -> Any:
    """A copy of an array; what is none goes through."""
    if any(b.is_tensor(leaf) for b in loaded_frameworks()):
        return leaf.clone() if hasattr(leaf, "clone") else copy.copy(leaf)
    return leaf


def flat(tree: Any, prefix: str = "") -> dict[str, Any]:
    """The leaves of a result by their paths, without None."""
    if isinstance(tree, Mapping):
        pairs = [(str(k), v) for k, v in tree.items()]
    elif isinstance(tree, (tuple, list)):
        pairs = [(str(k), v) for k, v in enumerate(tree)]
    elif hasattr(tree, "__dataclass_fields__"):
        pairs = [(k, getattr(tree, k)) for k in tree.__dataclass_fields__]
    else:
        return {} if tree is None else {prefix: tree}
    return {k: v for key, item in pairs for k, v in flat(item, f"{prefix}.{key}" if prefix else key).items()}


def compare_all(
    want: Mapping[str, Any], have: Mapping[str, Any], owner: Any, tolerance: float | None
) -> tuple[Difference, ...]:
    """Output by output; `owner` is the backend of those that we have."""
    paths = dict.fromkeys([*want, *have])
    return tuple(compare(path, want.get(path, _ABSENT), have.get(path, _ABSENT), owner, tolerance) for path in paths)


def compare(path: str, want: Any, have: Any, owner: Any, tolerance: float | None) -> Difference:
    """One output: what is wanted, and what we have."""
    a, b = _array(want), _array(have)
    shapes = (None if a is None else a.shape, None if b is None else b.shape)
    dtypes = (None if a is None else str(a.dtype), None if b is None else str(b.dtype))
    far = float("inf")
    if a is None or b is None:
        reason = "the transpiled function has no such output" if b is None else "the original has no such output"
        return Difference(path, shapes, dtypes, far, far, reason)
    if a.shape != b.shape:
        return Difference(path, shapes, dtypes, far, far, "shapes differ")
    if a.dtype.kind in "USO" or b.dtype.kind in "USO":  # texts and other plain objects
        return Difference(path, shapes, dtypes, 0.0, 0.0, "" if want == have else "values differ")
    furthest, scale = distance(a, b)
    if not _dtypes_agree(want, a, b, owner):
        return Difference(path, shapes, dtypes, furthest, furthest / scale, "dtypes differ")
    exact = tolerance is None and a.dtype.kind in "bui"
    if tolerance is None:
        tolerance = 0.0 if exact else max(_TOLERANCES.get(name, _NARROW) for name in map(str, (a.dtype, b.dtype)))
    reason = "" if furthest <= tolerance * max(scale, 1.0) else "values differ"
    return Difference(path, shapes, dtypes, furthest, furthest / scale, reason)


def _array(x: Any) -> Any:
    return None if x is _ABSENT else np.asarray(to_host(x))


def _dtypes_agree(want: Any, a: np.ndarray, b: np.ndarray, owner: Any) -> bool:
    """Whether the result has the dtype of the original, as far as the framework has it; a Python number is of its kind only."""
    if a.dtype == b.dtype:
        return True
    if isinstance(want, (bool, int, float, complex)):
        return a.dtype.kind == b.dtype.kind
    return owner.to_host(owner.from_host(np.zeros((), a.dtype))).dtype == b.dtype


def distance(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """(the largest difference, the largest magnitude of a): infinite where NaN stands on one side only."""
    wide = np.complex128 if "c" in a.dtype.kind + b.dtype.kind else np.float64
    same = a == b
    a, b = a.astype(wide), b.astype(wide)
    with np.errstate(invalid="ignore"):
        gap = np.where(same | (np.isnan(a) & np.isnan(b)), 0, np.abs(a - b))
    furthest = float(np.max(gap, initial=0.0)) if not np.isnan(gap).any() else float("inf")
    return furthest, max(float(np.max(np.abs(a[np.isfinite(a)]), initial=0.0)), 1e-30)


def _either(pair: tuple[Any, Any]) -> str:
    return str(pair[0]) if pair[0] == pair[1] else f"{pair[0]} / {pair[1]}"
