"""Trees of arguments: a function that every caller gives leaves of subtrees of an argument, or of parameters, takes those subtrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..control import is_call, is_parameter
from ..graph import Graph, Node, Value
from ..passes.subtrees import Path, callers_first, in_one_subtree
from ..program import Parameter
from ..records import Field
from ..trees import paths
from .prepare.calls import derives


@dataclass(eq=False)
class Taken:
    """A subtree that a function takes under a name: the places of its leaves in it, by their numbers among the placeholders."""

    name: str
    leaves: dict[int, Path]

    def tree(self, found: Sequence[Any] | Mapping[int, Any]) -> dict[Any, Any]:
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
        # Of a tree all of which is known, by its id: how many leaves stand behind some keys.
        self._leaves: dict[int, Counter[Path]] = {}
        for parameter in signature:
            found = list(paths(parameter.tree)) if parameter.kind not in ("args", "kwargs") else []
            self._know(parameter, [path for path, _ in found])
            for path, leaf in found:
                if path and type(leaf) is Value:
                    self._places[leaf] = parameter, path
        for callee, calls in callers_first(entry, functions, lambda node: is_call(node) or derives(node)):
            self._take(callee, calls)

    def _know(self, root: Parameter | Taken, leaves: Iterable[Path]) -> None:
        self._leaves[id(root)] = Counter([path[:count] for path in leaves for count in range(len(path))])

    def arguments(self, graph: Graph) -> list[Taken | int]:
        """What a function takes, in the order of its placeholders: subtrees, and the numbers of those that are part of none."""
        found: dict[Taken | int, int] = {taken: min(taken.leaves) for taken in self._of.get(graph, ())}
        parts = {at for taken in self._of.get(graph, ()) for at in taken.leaves}
        found.update((at, at) for at in range(len(graph.placeholders)) if at not in parts)
        return sorted(found, key=found.__getitem__)

    def _take(self, callee: Graph, calls: Sequence[Node]) -> None:
        rows = [[self._place(x) for x in node.args[2]] for node in calls]
        derived = [set(node.args[4]) if derives(node) else set() for node in calls]
        groups: dict[tuple, list[int]] = {}
        for at, found in enumerate(zip(*rows)):
            if all(place is not None for place in found):
                whole = tuple([at in by for by in derived])
                groups.setdefault((whole, *(id(root) for root, _ in found)), []).append(at)  # type: ignore[misc]
        for (whole, *_), parts in groups.items():
            self._subtrees(callee, rows, parts, rows[0][parts[0]][0].name, whole)  # type: ignore[index]

    def _subtrees(
        self,
        callee: Graph,
        rows: Sequence[Sequence[Any]],
        parts: list[int],
        name: str,
        whole: Sequence[bool],
        depth: int = 0,
    ) -> None:
        """Take leaves of one tree as one subtree, if they stand alike in one at every call; else those apart that stand under other keys,
        as weights and statistics of a layer do. `whole`: at which calls what is derived by is a tree and nothing that it holds besides."""
        given = [[row[at][1] for at in parts] for row in rows]
        below = in_one_subtree(given)
        if len(parts) > 1 and below is not None and _apart(below[0]):
            stand = [(row[parts[0]][0], row[parts[0]][1][:count]) for row, count in zip(rows, below[1])]
            full = [self._leaves.get(id(root), {}).get(above) == len(parts) for root, above in stand]
            if all(found or not needed for found, needed in zip(full, whole)):
                taken = Taken((not depth and self._called(stand)) or name, dict(zip(parts, below[0])))
                self._of.setdefault(callee, []).append(taken)
                self._places.update((callee.placeholders[at], (taken, path)) for at, path in taken.leaves.items())
                if all(full):
                    self._know(taken, below[0])
                return
        groups: dict[tuple, list[int]] = {}
        for at, found in zip(parts, zip(*given)):
            if all(len(path) > depth for path in found):
                groups.setdefault(tuple([path[depth] for path in found]), []).append(at)
        for keys, inner in groups.items():
            own = str(keys[0])
            named = own if len(set(keys)) == 1 and own.isidentifier() else name
            self._subtrees(callee, rows, inner, named, whole, depth + 1)

    def _called(self, stand: Sequence[tuple[Any, Path]]) -> str:
        """The key of a subtree in the trees of arguments, where it is one name at every call; "" where there is none."""
        apart = [not any(root is collection for collection in self._collections.values()) for root, _ in stand]
        keys = {above[-1] if above and own else "" for (_, above), own in zip(stand, apart)}
        key = keys.pop() if len(keys) == 1 else ""
        return str(key) if type(key) in (str, Field) and str(key).isidentifier() else ""

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
