"""Trees of arguments: a function that every caller gives leaves of subtrees of an argument, or of parameters, takes those subtrees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..control import is_parameter
from ..graph import Graph, Node, Value
from ..passes.subtrees import Path, callers_first, in_one_subtree
from ..program import Parameter
from ..trees import paths


@dataclass(eq=False)
class Taken:
    """A subtree that a function takes under a name: the places of its leaves in it, by their numbers among the placeholders."""

    name: str
    leaves: dict[int, Path]

    def tree(self, found: Sequence[Any]) -> dict[Any, Any]:
        """The subtree of something for each placeholder."""
        out: dict[Any, Any] = {}
        for at, path in self.leaves.items():
            inner = out
            for key in path[:-1]:
                inner = inner.setdefault(key, {})
            inner[path[-1]] = found[at]
        return out


class ArgumentTrees:
    """What the functions of a module take of the trees that its entry is given."""

    def __init__(self, entry: Graph, functions: Mapping[str, Graph], signature: Sequence[Parameter]) -> None:
        self._of: dict[Graph, list[Taken]] = {}
        self._places: dict[Value, tuple[Parameter | Taken, Path]] = {}
        self._collections: dict[Any, Taken] = {}
        for parameter in signature:
            for path, leaf in paths(parameter.tree) if parameter.kind not in ("args", "kwargs") else ():
                if path and type(leaf) is Value:
                    self._places[leaf] = parameter, path
        for callee, calls in callers_first(entry, functions):
            self._take(callee, calls)

    def arguments(self, graph: Graph) -> list[Taken | int]:
        """What a function takes, in the order of its placeholders: subtrees, and the numbers of those that are part of none."""
        found: dict[Taken | int, int] = {taken: min(taken.leaves) for taken in self._of.get(graph, ())}
        parts = {at for taken in self._of.get(graph, ()) for at in taken.leaves}
        found.update((at, at) for at in range(len(graph.placeholders)) if at not in parts)
        return sorted(found, key=found.__getitem__)

    def _take(self, callee: Graph, calls: Sequence[Node]) -> None:
        rows = [[self._place(x) for x in node.args[2]] for node in calls]
        groups: dict[tuple, list[int]] = {}
        for at, found in enumerate(zip(*rows)):
            if all(place is not None for place in found):
                groups.setdefault(tuple(id(root) for root, _ in found), []).append(at)  # type: ignore[misc]
        for parts in groups.values():
            self._subtrees(callee, rows, parts, rows[0][parts[0]][0].name)  # type: ignore[index]

    def _subtrees(
        self, callee: Graph, rows: Sequence[Sequence[Any]], parts: list[int], name: str, depth: int = 0
    ) -> None:
        """Take leaves of one tree as one subtree, if they stand alike in one at every call; else those apart that stand under other keys,
        as weights and statistics of a layer do."""
        given = [[row[at][1] for at in parts] for row in rows]
        below = in_one_subtree(given)
        if len(parts) > 1 and below is not None and _apart(below[0]):
            taken = Taken(name, dict(zip(parts, below[0])))
            self._of.setdefault(callee, []).append(taken)
            self._places.update((callee.placeholders[at], (taken, path)) for at, path in taken.leaves.items())
            return
        groups: dict[tuple, list[int]] = {}
        for at, found in zip(parts, zip(*given)):
            if all(len(path) > depth for path in found):
                groups.setdefault(tuple([path[depth] for path in found]), []).append(at)
        for keys, inner in groups.items():
            own = str(keys[0])
            named = own if len(set(keys)) == 1 and own.isidentifier() else name
            self._subtrees(callee, rows, inner, named, depth + 1)

    def _place(self, x: Any) -> tuple[Parameter | Taken, Path] | None:
        """The tree in which a leaf stands, and where: of parameters one of those under the first keys."""
        if type(x) is Value and is_parameter(x.node):
            first, *keys = [int(key) if key.isdigit() else key for key in x.node.args[0].split(".")]
            root = self._collections.setdefault(first, Taken(str(first), {}))
            return (root, tuple(keys)) if keys else None
        return self._places.get(x) if type(x) is Value else None


def _apart(told: Sequence[Path]) -> bool:
    """Whether each leaf is at one place, and none is a part of another."""
    found = set(told)
    return len(found) == len(told) and not any(path[:count] in found for path in told for count in range(len(path)))
