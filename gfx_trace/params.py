"""The parameter tree: dotted paths of the Program, nested dictionaries and lists of what emitted functions take."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.loading import loaded


def nest(flat: Mapping[str, Any]) -> Any:
    """`{"blocks.0.w": x}` as `{"blocks": [{"w": x}]}`: numbered children are lists, positions that hold nothing are None."""
    root: dict[str, Any] = {}
    for path, leaf in flat.items():
        node = root
        *outer, last = path.split(".")
        for key in outer:
            node = node.setdefault(key, {})
        node[last] = leaf
    return _listed(root)


def _listed(node: Any) -> Any:
    if not isinstance(node, dict):
        return node
    items = {key: _listed(item) for key, item in node.items()}
    if items and all(map(str.isdecimal, items)):
        out: list[Any] = [None] * (max(map(int, items)) + 1)
        for key, item in items.items():
            out[int(key)] = item if item is not None else {}
        return [({} if item is None else item) for item in out]
    return items


def flatten(tree: Any, prefix: str = "") -> dict[str, Any]:
    """The inverse of `nest`."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, (list, tuple)) else None
    if items is None:
        return {prefix: tree}
    flat: dict[str, Any] = {}
    for key, item in items:
        flat.update(flatten(item, f"{prefix}.{key}" if prefix else str(key)))
    return flat


def to_host(x: Any) -> Any:
    """An array of any loaded framework as NumPy."""
    for backend in loaded():
        if backend.is_tensor(x):
            return backend.to_host(x)
    return x


def moved(x: Any, target: Backend) -> Any:
    """An array of any loaded framework as the target's; what is none goes through."""
    if target.is_tensor(x):
        return x
    for backend in loaded():
        if backend.is_tensor(x):
            return target.from_host(backend.to_host(x))
    return x


def mapped(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with fn applied to its leaves; named tuples and dataclass-like dictionaries keep their class."""
    if isinstance(tree, dict):
        return {key: mapped(fn, item) for key, item in tree.items()}
    if isinstance(tree, (list, tuple)):
        items = [mapped(fn, item) for item in tree]
        return getattr(type(tree), "_make", type(tree))(items)
    return fn(tree)
