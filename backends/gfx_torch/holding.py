"""Calls of PyTorch that no op stands for: which a graph may hold, and what they give."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import torch

from gfx_ir.public import Unheld

from .helpers import updated

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


_REGISTRY = "torch.ops."
_PACKET, _OVERLOAD = type(torch.ops.aten.sin), type(torch.ops.aten.sin.default)
_OWN = frozenset(("aten", "prim", "prims"))
"""What PyTorch itself registers: its functions have public names."""


def registered(fn: Any) -> str:
    """The name of an operator that was registered with `torch.library`, by its definition or as `torch.ops` has it; else ""."""
    if isinstance(fn, torch.library.CustomOpDef):
        space, _, name = fn._qualname.partition("::")
    elif isinstance(fn, (_PACKET, _OVERLOAD)):
        space, _, name = str(fn).partition(".")
    else:
        return ""
    return "" if space in _OWN else f"{_REGISTRY}{space}.{name}"


def find(target: str) -> Any:
    """What `torch.ops` has under that name, or None."""
    space, _, name = target.removeprefix(_REGISTRY).partition(".")
    if not target.startswith(_REGISTRY) or space in _OWN or not name:
        return None
    found: Any = torch.ops
    for part in (space, *name.split(".")):
        found = getattr(found, part, None)
    return found if isinstance(found, (_PACKET, _OVERLOAD)) else None


def _schemas(fn: Any) -> list[Any]:
    overloads = [fn] if isinstance(fn, _OVERLOAD) else [getattr(fn, name) for name in fn.overloads()]
    return [overload._schema for overload in overloads]


def written_by(fn: Any) -> dict[str, bool]:
    """The parameters of an operator of one form that writes tensors and gives new ones, each with whether it is written; {} for
    any other."""
    schemas = _schemas(fn) if isinstance(fn, (_PACKET, _OVERLOAD)) else []
    if len(schemas) != 1 or not schemas[0].is_mutable:
        return {}
    written = {arg.name: arg.alias_info is not None and arg.alias_info.is_write for arg in schemas[0].arguments}
    lists = any(written[arg.name] and "List" in str(arg.type) for arg in schemas[0].arguments)
    same = any(given.alias_info is not None for given in schemas[0].returns)
    return {} if lists or same else written


def functional(fn: Any) -> Any:
    """The same as a function that writes nothing."""
    names = tuple(name for name, written in written_by(fn).items() if written)
    return functools.partial(updated, fn, names) if names else fn


def gives_nothing(fn: Any) -> bool:
    """Whether an operator has no results."""
    return isinstance(fn, (_PACKET, _OVERLOAD)) and not any(schema.returns for schema in _schemas(fn))


def holds(fn: Any) -> bool:
    """Whether a graph may hold calls of the function: PyTorch's names of those that write end with `_`; an operator has to write
    tensors alone, and to have one form where it does."""
    if isinstance(fn, (_PACKET, _OVERLOAD)):
        return bool(registered(fn)) and (bool(written_by(fn)) or not any(schema.is_mutable for schema in _schemas(fn)))
    name = getattr(fn, "__name__", "_")
    return not name.endswith("_") and fn in _of_tensors()


def probe(call: Callable[[Sequence[Any]], Any], types: Sequence[Any], native: Any, data: int) -> Any:
    """What `call` gives for tensors of these types. Raises Unheld where it writes to one of them."""
    device = "cpu" if data else "meta"
    with torch.random.fork_rng(devices=[]), torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tensors = [torch.full(type_.dims, data or 1, dtype=native(type_.dtype), device=device) for type_ in types]
        out = call(tensors)
    if any(tensor._version for tensor in tensors):
        raise Unheld("it writes to its arguments")
    return out
