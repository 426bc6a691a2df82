"""Trees of values: tuple, list, dict and slice are the branches, everything else is a leaf."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

BRANCHES = frozenset((tuple, list, dict, slice))
_CONSTANTS = frozenset((int, float, bool, str, type(None)))


def is_constant(tree: Any) -> bool:
    """Whether a tree is plainly a tuple of numbers and texts, as most arguments that are trees are."""
    return type(tree) is tuple and _CONSTANTS.issuperset(map(type, tree))


def parts_of(kind: type, trees: Iterable[Any]) -> list[Any]:
    """The leaves of a class among trees, left to right. Most trees are leaves, or tuples of numbers."""
    found: list[Any] = []
    for tree in trees:
        own = type(tree)
        if own is kind:
            found.append(tree)
        elif own in BRANCHES and not (own is tuple and _CONSTANTS.issuperset(map(type, tree))):
            flat = own is tuple and BRANCHES.isdisjoint(map(type, tree))
            found += [leaf for leaf in (tree if flat else leaves(tree)) if type(leaf) is kind]
    return found


def map_parts(kind: type, fn: Callable[[Any], Any], trees: Iterable[Any]) -> tuple:
    """Trees with fn applied to each leaf of a class."""

    def mapped(tree: Any) -> Any:
        if type(tree) is kind:
            return fn(tree)
        return tree_map(mapped, tree) if type(tree) in BRANCHES and not is_constant(tree) else tree

    return tuple(map(mapped, trees))


def leaves(tree: Any) -> Iterator[Any]:
    """Every leaf, left to right; dictionaries in their own order. None is a leaf."""
    stack = [tree]
    while stack:
        item = stack.pop()
        kind = type(item)
        if kind is tuple or kind is list:
            stack.extend(reversed(item))
        elif kind is dict:
            stack.extend(reversed(item.values()))
        elif kind is slice:
            stack.extend((item.step, item.stop, item.start))
        else:
            yield item


def has_part(trees: Iterable[Any], x: Any) -> bool:
    """Whether a leaf of one of the trees is this very object."""
    for tree in trees:
        if tree is x or (type(tree) in BRANCHES and not is_constant(tree) and any(leaf is x for leaf in leaves(tree))):
            return True
    return False


def tree_map(fn: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with fn applied to every leaf."""
    kind = type(tree)
    if kind is tuple:
        return tuple([tree_map(fn, item) for item in tree])
    if kind is list:
        return [tree_map(fn, item) for item in tree]
    if kind is dict:
        return {key: tree_map(fn, item) for key, item in tree.items()}
    if kind is slice:
        return slice(tree_map(fn, tree.start), tree_map(fn, tree.stop), tree_map(fn, tree.step))
    return fn(tree)


def unflatten(tree: Any, items: Iterator[Any]) -> Any:
    """The tree with its leaves replaced, in order, by `items`."""
    return tree_map(lambda _: next(items), tree)


def paths(tree: Any, prefix: tuple = ()) -> Iterator[tuple[tuple, Any]]:
    """(path, leaf) pairs; a path is a tuple of keys and positions."""
    if type(tree) in (tuple, list):
        for at, item in enumerate(tree):
            yield from paths(item, (*prefix, at))
    elif type(tree) is dict:
        for key, item in tree.items():
            yield from paths(item, (*prefix, key))
    else:
        yield prefix, tree


def children(tree: Any) -> list[Any]:
    """The children of a branch, keys of a dictionary among them."""
    if type(tree) is dict:
        return [part for key, item in tree.items() for part in (str(key), item)]
    return [tree.start, tree.stop, tree.step] if type(tree) is slice else list(tree)
