"""Meter: bytes that an interpreter holds at once, against the limit of a call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..errors import MemoryLimitError
from ..graph import Node
from ..op import Trait


class Meter:
    """Counts the results of nodes that make memory of their own, and of what they call, as long as they are held."""

    __slots__ = ("limit", "level")

    def __init__(self, limit: int) -> None:
        self.limit, self.level = limit, 0

    def took(self, node: Node, results: Sequence[Any]) -> None:
        """Note what a node gave. Raises MemoryLimitError beyond the limit."""
        if not _counts(node):
            return
        self.level += sum([getattr(x, "nbytes", 0) for x in results])
        if self.level > self.limit:
            what = f"{self.level} bytes are held at once behind {node.op.name}, and the call may hold {self.limit}"
            raise MemoryLimitError(what, node.span, "allow more, or give smaller batches")

    def gave(self, node: Node, result: Any) -> None:
        """Note that a result of a node is held no longer."""
        if _counts(node):
            self.level -= getattr(result, "nbytes", 0)


def _counts(node: Node) -> bool:
    return bool(node.op.traits & Trait.APART) or node.op.control is not None
