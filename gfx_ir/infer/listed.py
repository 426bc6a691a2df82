"""Items of lists that are values: what stands in a list of open length, wherever on the way to it something was put there."""

from __future__ import annotations

from typing import Any, NamedTuple

from ..graph import Value
from ..op import Trait
from .flow import Flow


class ItemsOf(NamedTuple):
    """What stands at a path of each item of a list, a value."""

    held: Any
    path: tuple


def taken(value: Value) -> list[Any] | None:
    """Of what an op takes one, where that stands in a list; None: it takes no item of a list."""
    node = value.node
    return _of(node.args[0], node.args[2]) if node.op.traits & Trait.ITEM else None


def parts(items: ItemsOf, flow: Flow) -> list[Any] | None:
    """What these are one of: values, constants, and the items of other lists. None: nothing is known of them."""
    held, path = items
    if type(held) is not Value or held.kind != "list":
        return None
    if held in flow.sources:
        source = flow.sources[held]
        return None if source.outside else [part for leaf in source.leaves for part in _of(leaf, path)]
    if held in flow.stacked:
        return _of((flow.stacked[held],), path)
    node = held.node
    if node.op.kinds != ("list",):
        return None
    lists = [node.arg(text) for text in ("items", "more") if text in node.op.params]
    return [part for held in lists for part in _of(held, path)]


def _of(held: Any, path: tuple) -> list[Any]:
    """The items of a list at a path: those that the text tells, or those of a value."""
    if not isinstance(held, (tuple, list)):
        return [ItemsOf(held, path)]
    found = list(held)
    for key in path:
        found = [item[key] for item in found]
    return found
