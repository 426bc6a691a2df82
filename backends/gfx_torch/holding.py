"""Calls of PyTorch that no op stands for: which a graph may hold, and what they give."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch

from gfx_ir.public import Unheld

PUBLIC = (
    "torch", "torch.nn.functional", "torch.special", "torch.linalg", "torch.fft", "torch.sparse", "torch.nested",
    "torch.Tensor",
)  # fmt: skip


@functools.cache
def _of_tensors() -> frozenset[Any]:
    """The functions that PyTorch lists as functions of tensors: none of them loads, saves or sets anything up."""
    listed = torch.overrides.get_overridable_functions()
    nested = [fn for name, fn in vars(torch.nested).items() if not name.startswith("_") and callable(fn)]
    return frozenset([*(fn for functions in listed.values() for fn in functions), *nested])


def holds(fn: Any) -> bool:
    """Whether a graph may hold calls of the function: PyTorch's names of those that write end with `_`."""
    name = getattr(fn, "__name__", "_")
    return not name.endswith("_") and fn in _of_tensors()


def probe(call: Callable[[Sequence[Any]], Any], types: Sequence[Any], native: Any, data: bool) -> Any:
    """What `call` gives for tensors of these types. Raises Unheld where it writes to one of them."""
    device = "cpu" if data else "meta"
    with torch.random.fork_rng(devices=[]), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensors = [torch.ones(type_.dims, dtype=native(type_.dtype), device=device) for type_ in types]
        out = call(tensors)
    if any(tensor._version for tensor in tensors):
        raise Unheld("it writes to its arguments")
    return out
