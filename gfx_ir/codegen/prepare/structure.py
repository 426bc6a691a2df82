"""What a graph prints, as a text: equal for graphs that print alike."""

from __future__ import annotations

from typing import Any

from ...graph import Graph, Value
from ...trees import tree_map


def structure(graph: Graph) -> str:
    """A text that is equal for graphs that print alike."""
    names: dict[Value, str] = {}

    def write(leaf: Any) -> Any:
        return names.get(leaf, "?") if type(leaf) is Value else repr(leaf)

    def walk(inner: Graph) -> list[Any]:
        for value in (*inner.placeholders, *inner.parameters.values()):
            names[value] = f"%{len(names)}"
        lines: list[Any] = []
        for node in inner:
            lines.append((node.op.name, tree_map(write, node.args), [walk(region) for region in node.regions]))
            for value in node.values:
                names[value] = f"%{len(names)}"
        return [*lines, tree_map(write, inner.result)]

    return repr(walk(graph))
