"""The numbered lists of the parameter tree, and where the parameters of each function stand in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...graph import Graph
from ...regions import join_path
from .calls import callees


class Lists:
    """The numbered lists of the parameter tree, by their dotted path: where all children are called by numbers, as `params.nest` has it."""

    def __init__(self, paths: Iterable[str]) -> None:
        children: dict[str, set[str]] = {}
        for path in paths:
            parts = path.split(".")
            for at, part in enumerate(parts):
                children.setdefault(".".join(parts[:at]), set()).add(part)
        self._lengths = {
            owner: max(map(int, names)) + 1 for owner, names in children.items() if all(map(str.isdecimal, names))
        }

    def length(self, path: str) -> int | None:
        """Length of the list at the path; None where there is none."""
        return self._lengths.get(path)


def instances_of(entry: Graph, functions: dict[str, Graph]) -> dict[str, str]:
    """The full path of the first call of each function."""
    found = {"": ""}
    todo = [("", entry)]
    while todo:
        key, graph = todo.pop()
        for node in callees(graph):
            if node.args[0] not in found:
                found[node.args[0]] = join_path(found[key], node.args[1])
                todo.append((node.args[0], functions[node.args[0]]))
    return found


def paths_of(entry: Graph, functions: dict[str, Graph], instances: dict[str, str]) -> Iterator[str]:
    """Full paths of parameters, as far as one instance of each function shows them."""
    for key, prefix in instances.items():
        graph = entry if key == "" else functions[key]
        for path in graph.parameters:
            yield join_path(prefix, path)
        for node in callees(graph):
            if node.args[1]:
                yield join_path(prefix, node.args[1])
            for path in functions[node.args[0]].parameters:
                yield join_path(prefix, join_path(node.args[1], path))
