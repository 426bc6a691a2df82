"""Sharing: results that are arrays which a call writes in place, or views of them, as the author's code returns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .backend import Backend
from .records import items, like, mapped

Write = Callable[[Any, Any], None]


def handed_back(result: Any, writes: Sequence[tuple[Any, Any, Write]], owner: Backend) -> Any:
    """A result, behind the writes of new elements to arrays, each by its own function: of none of these a write changes anything. What
    lies in memory that is written is a copy, as numbers of NumPy's, which are views in PyTorch."""
    writes = [(held, value, write) for held, value, write in writes if value is not held]
    memory = {owner.memory(held) for held, _, _ in writes if owner.is_tensor(held)}

    def apart(part: Any) -> Any:
        if not memory or not owner.is_tensor(part):
            return part
        at = owner.memory(part)
        return owner.copied(part) if at is None or at in memory else part

    result = mapped(apart, result)
    for held, value, write in [(held, apart(value), write) for held, value, write in writes]:
        write(held, value)
    return result


def as_written(
    result: Any, shared: Mapping[tuple[int, ...], Sequence[str]], state: Mapping[str, Any], held: Mapping[str, Any], owner: Backend
) -> Any:  # fmt: skip
    """A result, in which what is part of the state is the same part of what is written: of the arrays `held` by the state's paths, which
    have the state's elements by now."""

    def place(part: Any, paths: Sequence[str]) -> Any:
        parts = (
            owner.within(part, state[path], held[path]) for path in paths if path in held and owner.is_tensor(part)
        )
        return next((made for made in parts if made is not None), part)

    for at, paths in shared.items():
        result = _with(result, at, partial(place, paths=paths))
    return result


def _with(tree: Any, at: Sequence[int], fn: Callable[[Any], Any]) -> Any:
    """The tree with fn applied to the leaves of what stands at these positions, if it has them: which parts a result has may hang on an
    open test."""
    if not at:
        return mapped(fn, tree)
    if not isinstance(tree, (tuple, list, dict)) or at[0] >= len(tree):
        return tree
    held = items(tree)
    held[at[0]] = _with(held[at[0]], at[1:], fn)
    return like(tree, held)
