"""Trips of a loop, as far as they are known before it runs."""

from __future__ import annotations

from typing import Any

from ..graph import Node
from ..regions import is_range
from ..types import LogicalTensor


def length(item: Any) -> int | None:
    """How many entries a loop finds in one of its `items`; None where only the run knows."""
    if is_range(item):
        return len(range(*item[1:])) if all(type(end) is int for end in item[1:]) else None
    dims = item.type.dims if isinstance(item.type, LogicalTensor) else None
    return dims[0] if dims and type(dims[0]) is int else None


def surely_runs(node: Node) -> bool:
    """Whether the body of a loop runs once at least."""
    items = node.arg("items") if "items" in node.op.params else ()
    return bool(items) and node.arg("exit") is None and all(length(item) for item in items)
