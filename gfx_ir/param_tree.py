"""The parameter tree: dotted paths of a program, as nested dictionaries and lists, which emitted functions take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def nest(flat: Mapping[str, Any]) -> Any:
    """`{"blocks.0.w": x}` as `{"blocks": [{"w": x}]}`: numbered children are lists, positions that hold nothing are None."""
    return listed(as_dictionaries(flat))


def as_dictionaries(flat: Mapping[str, Any]) -> dict[str, Any]:
    """`{"a.0.w": x}` as `{"a": {"0": {"w": x}}}`."""
    root: dict = {}
    for path, leaf in flat.items():
        node = root
        *outer, last = path.split(".")
        for key in outer:
            node = node.setdefault(key, {})
        node[last] = leaf
    return root


def listed(node: Any) -> Any:
    """Dictionaries whose keys are all numbers as lists, {} where nothing has a number."""
    if not isinstance(node, dict):
        return node
    items = {key: listed(item) for key, item in node.items()}
    if not items or not all(map(str.isdecimal, items)):
        return items
    found = {int(key): item for key, item in items.items() if item is not None}
    return [found.get(at, {}) for at in range(1 + max(map(int, items)))]


def flatten(tree: Any, prefix: str = "") -> dict[str, Any]:
    """The inverse of `nest`."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, (list, tuple)) else None
    if items is None:
        return {prefix: tree}
    flat: dict[str, Any] = {}
    for key, item in items:
        flat.update(flatten(item, f"{prefix}.{key}" if prefix else str(key)))
    return flat
