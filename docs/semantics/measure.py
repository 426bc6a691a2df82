"""What a row gives: in PyTorch itself, and in what is emitted for each target."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx
from gfx_ir.loading import backend

from .row import Meaning

TARGETS = ("torch", "jax", "numpy")


@contextlib.contextmanager
def wide(on: bool) -> Iterator[None]:
    """Inside, JAX is set to 64-bit types or not."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", on)
    try:
        yield
    finally:
        jax.config.update("jax_enable_x64", before)


def program_of(row: Meaning) -> gfx.Program:
    """The row's function, captured."""
    return gfx.symbolic_trace(row.fn, *(row.args if row.typed else ()), backend="torch")


def original(row: Meaning) -> list[np.ndarray] | Exception:
    """What PyTorch gives."""
    return _attempt(row, row.fn, "torch")


def emitted(row: Meaning, target: str, x64: bool = False) -> list[np.ndarray] | Exception:
    """What the source for a target gives; `x64`: where JAX is set to 64-bit types."""
    with wide(row.x64 or x64):
        return _attempt(row, program_of(row).to(target), target)


def naively(row: Meaning) -> list[np.ndarray] | Exception:
    """What the line gives that one would write in JAX."""
    return _attempt(row, row.naive, "jax")


def _attempt(row: Meaning, fn: Any, target: str) -> list[np.ndarray] | Exception:
    args = [backend(target).from_host(x.numpy().copy()) for x in row.args]
    try:
        out = _gradient(fn, args[0], target) if row.gradient else fn(*args)
    except Exception as error:  # whatever the framework raises
        return error
    parts: Sequence[Any] = out if isinstance(out, (tuple, list)) else (out,)
    return [backend(target).to_host(part) if backend(target).is_tensor(part) else np.asarray(part) for part in parts]


def _gradient(fn: Any, x: Any, target: str) -> Any:
    if target == "numpy":
        return fn(x)
    if target == "jax":
        # JAX's gradient of a complex number is the conjugate of PyTorch's.
        return jnp.conj(jax.grad(fn)(x))
    x = x.requires_grad_()
    fn(x).backward()
    return x.grad.resolve_conj() if isinstance(x, torch.Tensor) else None


def agree(want: Any, got: Any, narrow: bool = False) -> bool:
    """Whether two results are the same: both errors, or arrays of equal shapes, dtypes (`narrow`: 64-bit ones may be 32-bit) and values."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        return isinstance(want, Exception) and isinstance(got, Exception)
    return len(want) == len(got) and all(_same(a, b, narrow) for a, b in zip(want, got))


def _same(a: np.ndarray, b: np.ndarray, narrow: bool) -> bool:
    kinds = {a.dtype.name, a.dtype.name.replace("64", "32")} if narrow else {a.dtype.name}
    return a.shape == b.shape and b.dtype.name in kinds and np.allclose(a, b, rtol=1e-4, atol=1e-6, equal_nan=True)
