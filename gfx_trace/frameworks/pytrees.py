"""Pytrees: trees of containers as a framework takes them apart, with classes that are registered with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.backend import Backend

from ..interfaces import Capturing
from ..python.rows import in_places

Rebuild = Callable[[Sequence[Any]], Any]


def owner_of(tracer: Capturing, f: Any) -> Backend:
    """The backend of a function that capture itself answers."""
    return next(b for b in tracer.arrays.frameworks() if b.higher_order(f) is not None or f in b.special)


def flatten(backend: Backend, tree: Any) -> tuple[list[Any], Rebuild]:
    """The leaves of a tree, and how it is made of new ones."""
    return backend.flatten(in_places(tree))


def plain(backend: Backend, tree: Any) -> bool:
    """Whether a tree is of tuples, lists and dictionaries alone, which a graph holds as they are."""
    if isinstance(tree, dict):
        return all(plain(backend, item) for item in tree.values())
    if isinstance(tree, (tuple, list)):
        return all(plain(backend, item) for item in tree)
    found = None if tree is None else backend.flatten(tree)[0]
    return found is None or (len(found) == 1 and found[0] is tree)


class Carried:
    """A tree of a loop or test, as what the graph can hold in its place: the tree itself, keys in the order of the first one, or its leaves
    where it is not plain, among them arrays that an object was made with. The author's code gets it as the framework puts it together."""

    def __init__(self, tracer: Capturing, backend: Backend) -> None:
        self.arrays, self.backend = tracer.arrays, backend
        self.rebuild: Rebuild | None = None
        self._first: Any = None

    def down(self, tree: Any) -> Any:
        """What is held for a tree."""
        if plain(self.backend, tree):
            self._first = _ordered(self._first, tree)
            return self._first
        found, self.rebuild = flatten(self.backend, tree)
        return tuple(
            [leaf if self.arrays.array_owner(leaf) is None else self.arrays.array_proxy(leaf) for leaf in found]
        )

    def up(self, held: Any) -> Any:
        """The tree for what is held."""
        if self.rebuild is not None:
            return self.rebuild(held)
        found, rebuild = flatten(self.backend, held)
        return rebuild(found)


def _ordered(first: Any, tree: Any) -> Any:
    """A tree, its keys in the order of the first one where they are the same."""
    if type(first) is type(tree) is dict and first.keys() == tree.keys():
        return {key: _ordered(item, tree[key]) for key, item in first.items()}
    if type(first) is type(tree) and type(tree) in (tuple, list) and len(first) == len(tree):
        return type(tree)(map(_ordered, first, tree))
    return tree
