"""Samples of every op, a file a family: from them every test of an op derives."""

import importlib
import pkgutil
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gfx_ir.trees import leaves


@dataclass
class Sample:
    """A call of an op, NumPy arrays in place of tensors. `skip` maps a backend, or the name of a check ("symbolic",
    "dtype", "write"), to the reason why it does not apply; `tol` is the tolerance, relative and absolute."""

    op: str
    args: tuple = ()
    kwargs: dict[str, Any] = field(default_factory=dict)
    tol: float = 1e-5
    skip: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        shown = [_show(a) for a in self.args] + [f"{k}={_show(v)}" for k, v in self.kwargs.items()]
        return f"{self.op}({', '.join(shown)})"


def _show(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{value.dtype.kind}{value.dtype.itemsize * 8}[{','.join(map(str, value.shape))}]"
    if isinstance(value, (tuple, list)) and any(isinstance(leaf, np.ndarray) for leaf in leaves(value)):
        return f"({', '.join(map(_show, value))})"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_show(item)}' for key, item in value.items())}}}"
    return str(value).replace("Ellipsis", "...")


def normal(*shape: int, seed: int = 0, dtype: str = "float32") -> np.ndarray:
    """Fixed normal numbers."""
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def uniform(*shape: int, low: float = 0.1, high: float = 0.9, seed: int = 0, dtype: str = "float32") -> np.ndarray:
    """Fixed numbers of an interval."""
    return np.random.default_rng(seed).uniform(low, high, shape).astype(dtype)


def integers(*shape: int, low: int = 0, high: int = 10, seed: int = 0, dtype: str = "int64") -> np.ndarray:
    """Fixed integers, low <= n < high."""
    return np.random.default_rng(seed).integers(low, high, shape).astype(dtype)


def booleans(*shape: int, seed: int = 0) -> np.ndarray:
    """Fixed truth values."""
    return np.random.default_rng(seed).integers(0, 2, shape).astype(bool)


def all_samples() -> list[Sample]:
    """The samples of every family."""
    modules = [importlib.import_module(f"samples.{m.name}") for m in pkgutil.iter_modules(__path__)]
    return [sample for module in modules for sample in module.SAMPLES]
