"""Sharing: results that are arrays which a call writes in place, or views of them, as the author's code returns them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from .backend import Backend
from .records import items, like, mapped


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
    """The tree with fn applied to the leaves of what stands at these positions."""
    if not at:
        return mapped(fn, tree)
    held = items(tree)
    held[at[0]] = _with(held[at[0]], at[1:], fn)
    return like(tree, held)
