"""Stacked parameters that a loop goes over: read by a counter where the loop is Python's, as one tree where it is a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from ...control import is_parameter
from ...graph import Node, Value
from ...types import LogicalTensor
from ..constants import name
from ..iterables import counts_rows
from ..statements import Statements

_MANY = 4
"""From how many parameters on their rows are read by a counter: as many names in one line are hard to tell apart."""


class Tree(NamedTuple):
    """A subtree of parameters, all of whose leaves a loop goes over: by their places among the iterables, the paths within it."""

    path: str
    leaves: dict[int, str]


class Stacks:
    """The parameters that the loops of one function go over."""

    def __init__(self, writer: Statements) -> None:
        self.writer, self.plan, self.module = writer, writer.plan, writer.module

    def counted(self, node: Node) -> dict[int, Value]:
        """Many parameters of as many rows as the loop has trips, by their places among the iterables."""
        found, over = self._parameters(node), node.args[0]
        lengths = {rows_of(self.writer.resolve(part)) for part in over if type(part) is Value}
        ranges = [part for part in over if type(part) is not Value]
        if len(found) < _MANY or len(lengths) != 1 or None in lengths:
            return {}
        first = next(iter(found.values()))
        return found if all(counts_rows(self.writer.resolve, part, first) for part in ranges) else {}

    def bind_rows(self, items: Sequence[Value], counted: dict[int, Value], counter: str) -> None:
        """Read the items of a trip by its number."""
        for at, parameter in counted.items():
            if self.plan.liveness.used(items[at]):
                self.writer.bind(items[at], counter)
                row = ast.Subscript(self.writer.tree(parameter), name(counter), ast.Load())
                self.writer.bound[items[at]] = row

    def trees(self, node: Node) -> list[Tree | int]:
        """What a loop goes over: whole subtrees of parameters, and the places of all others."""
        paths = {at: parameter.node.args[0] for at, parameter in self._parameters(node).items()}
        prefix = self.module.prepared.instances.get(self.module.key(self.plan.graph), "")
        every = _inside(dict(zip(self.module.program.params, self.module.program.params)), prefix)
        taken: dict[int, Tree] = {}
        for at, path in paths.items():
            keys = path.split(".")
            for above in (".".join(keys[:count]) for count in range(len(keys))):
                own, whole = _inside(paths, above), _inside(every, above)
                if at not in taken and len(own) > 1 and sorted(own.values()) == sorted(whole.values()):
                    taken |= dict.fromkeys(sorted(own), Tree(above, own))
        first = {id(tree): at for at, tree in reversed(taken.items())}
        places = range(len(node.args[0]))
        return [taken.get(at, at) for at in places if at not in taken or first[id(taken[at])] == at]

    def bind_tree(self, tree: Tree, items: Sequence[Value], avoid: Iterable[str]) -> str:
        """A name for the tree of a trip, of which its items are read."""
        graph = items[0].node.graph
        assert graph is not None
        text = self.writer.scope.pick([self.module.titles.item(tree.path), "layer"], graph, 0, avoid)
        for at, path in tree.leaves.items():
            if self.plan.liveness.used(items[at]):
                self.writer.bind(items[at], text)
                self.writer.bound[items[at]] = self.writer.path(path, name(text), tree.path)
        return text

    def _parameters(self, node: Node) -> dict[int, Value]:
        """Which of the iterables are parameters, by their places."""
        found = {at: self.writer.resolve(part) for at, part in enumerate(node.args[0]) if type(part) is Value}
        return {at: part for at, part in found.items() if is_parameter(part.node)}


def rows_of(value: Value) -> int | None:
    """How many rows an array has; None where that is open."""
    dims = value.type.dims if isinstance(value.type, LogicalTensor) else None
    return dims[0] if dims and isinstance(dims[0], int) else None


def _inside(paths: dict[Any, str], above: str) -> dict[Any, str]:
    """Of the paths in the subtree at another one ("": the whole tree) the rest."""
    start = f"{above}." if above else ""
    return {key: path[len(start) :] for key, path in paths.items() if path.startswith(start)}
