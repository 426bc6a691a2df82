"""Data of parameters, from one framework to another."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.loading import owner_of


def moved(x: Any, target: Backend) -> Any:
    """An array of any loaded framework as the target's; what is none goes through."""
    owner = None if target.is_tensor(x) else owner_of(x)
    return x if owner is None else target.from_host(owner.to_host(x))


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with fn applied to its leaves; named tuples and dataclass-like dictionaries keep their class."""
    if isinstance(tree, dict):
        return {key: mapped(fn, item) for key, item in tree.items()}
    if isinstance(tree, (list, tuple)):
        items = [mapped(fn, item) for item in tree]
        return getattr(type(tree), "_make", type(tree))(items)
    return fn(tree)
