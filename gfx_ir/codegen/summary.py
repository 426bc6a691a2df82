"""What is known of the functions of a module before any is written: what each takes, gives and does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..backend import Backend
from ..control import calls_function, is_repeat
from ..graph import Graph, Node, Value
from .in_place import carried_spare, gives_spare, spare
from .prepare.calls import TRANSFORMED


class Summary:
    """Answers for functions, each told after those that it calls, and for their nodes, those of regions too."""

    def __init__(self, order: Sequence[Graph], functions: Mapping[str, Graph], backend: Backend) -> None:
        """`order`: the functions, callees first; the last is the entry."""
        self._functions, self._backend = functions, backend
        self._params: set[Graph] = set()
        self._spare: set[Graph] = set()
        self._effects: set[Graph | Node] = set()
        for graph in order:
            self._read(graph)

    def _read(self, graph: Graph) -> None:
        called = []
        for node in graph.walk():
            if calls_function(node) or node.op is TRANSFORMED:
                called.append(self._functions[node.args[0]])
            if is_repeat(node):
                self._params.add(graph)
            if node.op.effect or (calls_function(node) and called[-1] in self._effects):
                self._act(node)
        if graph.parameters or not self._params.isdisjoint(called):
            self._params.add(graph)
        if gives_spare(graph, self.is_spare):
            self._spare.add(graph)

    def _act(self, node: Node | None) -> None:
        """Note that a node does something, and so what it stands in."""
        while node is not None and node not in self._effects:
            self._effects.add(node)
            assert node.graph is not None
            self._effects.add(node.graph)
            node = node.graph.owner

    def take_params(self, graph: Graph) -> None:
        """State that a function takes the parameter tree, whether it reads it or not."""
        self._params.add(graph)

    def needs_params(self, graph: Graph) -> bool:
        """Whether a function takes the parameter tree."""
        return graph in self._params

    def effectful(self, node: Node) -> bool:
        """Whether the node does more than give its values."""
        return node in self._effects

    def is_overwritten(self, value: Value) -> bool:
        """Whether nobody can tell that what its author wrote over a value is written over it."""
        return self.is_spare(value) or carried_spare(value, self.is_spare)

    def is_spare(self, value: Value) -> bool:
        """Whether a value is memory of its own, which nothing needs again."""
        return spare(value, self._backend, lambda callee: self._functions[callee] in self._spare)
