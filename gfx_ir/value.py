"""Value: an output of a node, with its def-use chain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .trees import BRANCHES, leaves

if TYPE_CHECKING:
    from .graph import Graph, Node


class Value:
    """An output of a node. `kind` is "tensor" or a host kind; `type` its LogicalTensor or host value, once known.

    `uses` counts, for each node that takes it, how often.
    """

    __slots__ = ("node", "index", "kind", "name", "type", "uses")

    def __init__(self, node: Node, index: int, kind: str, name: str | None = None, type: Any = None) -> None:
        self.node, self.index, self.kind, self.name, self.type = node, index, kind, name, type
        self.uses: dict[Node, int] = {}

    @property
    def graph(self) -> Graph | None:
        """The graph that it belongs to."""
        return self.node.graph

    @property
    def is_tensor(self) -> bool:
        """Whether it is data on a device when the emitted code runs (or None, for an optional one)."""
        return self.kind == "tensor" or self.kind == "optional"

    def users(self) -> list[Node]:
        """The nodes that take it."""
        return list(self.uses)

    def replace_by(self, other: Any) -> None:
        """Let every user take `other` (a Value or a constant) instead."""
        for node in self.users():
            node.replace_input(self, other)

    def __repr__(self) -> str:
        return f"<{self.kind} {self.name or f'%{self.index}'} of {self.node.op.name}>"


def add_uses(node: Node) -> None:
    """Count a node's uses of its inputs."""
    for arg in node.args:
        kind = type(arg)
        if kind is Value:
            uses = arg.uses
            uses[node] = uses[node] + 1 if node in uses else 1
        elif kind in BRANCHES:
            for leaf in leaves(arg):
                if type(leaf) is Value:
                    leaf.uses[node] = leaf.uses.get(node, 0) + 1


def drop_uses(node: Node) -> None:
    """Count them no longer."""
    for arg in node.args:
        kind = type(arg)
        if kind is Value:
            arg.uses.pop(node, None)
        elif kind in BRANCHES:
            for leaf in leaves(arg):
                if type(leaf) is Value:
                    leaf.uses.pop(node, None)
