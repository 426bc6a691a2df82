"""Keys of arguments: equal for what is the same constant, and for trees of the same leaves."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any

from .trees import BRANCHES

_INTS = frozenset((int,))


def constant_key(leaf: Any) -> Hashable:
    """Of a leaf: 1, 1.0 and True differ, so do 0.0 and -0.0; NaN is itself."""
    kind = type(leaf)
    if kind is float:
        return kind, leaf.hex()
    return (kind, leaf.real.hex(), leaf.imag.hex()) if kind is complex else (kind, leaf)


def tree_key(tree: Any, leaf_key: Callable[[Any], Hashable] = constant_key) -> Hashable:
    """Of a tree, whose leaves have keys by `leaf_key`."""
    kind = type(tree)
    if kind is tuple and _INTS.issuperset(map(type, tree)):
        return tree
    if kind is dict:
        return "dict", tuple([(key, tree_key(item, leaf_key)) for key, item in tree.items()])
    if kind is slice:
        return "slice", *[tree_key(item, leaf_key) for item in (tree.start, tree.stop, tree.step)]
    return (kind.__name__, *[tree_key(item, leaf_key) for item in tree]) if kind in BRANCHES else leaf_key(tree)
