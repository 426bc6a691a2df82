"""Arguments that a tracing compiler must be told to take as Python values."""

from __future__ import annotations

from typing import Any

from ..build import ASK_A_VALUE
from ..graph import Graph, Node, Value
from ..op import Trait
from ..trees import leaves, paths
from .control import LOOPS
from .liveness import loop_results
from .prepare import Prepared

HOST = ("int", "float", "bool", "str", "any", "dtype", "shape", "device")
# Parameters of ops that take a number which may be traced.
_TRACED = frozenset("x x1 x2 min max condition fill_value value init args data".split())


def static_arguments(prepared: Prepared) -> tuple[str, ...]:
    """Names of the arguments on which tests, shapes and the like hang that are open until the source runs."""
    names = {}
    for parameter in prepared.signature:
        for _, leaf in paths(parameter.tree):
            if type(leaf) is Value and leaf.kind in HOST:
                names[leaf] = parameter.name
    search = _Search(prepared, {value: frozenset((text,)) for value, text in names.items()})
    search.walk(prepared.entry)
    order = list(dict.fromkeys(names.values()))
    return tuple(text for text in order if text in search.found)


class _Search:
    """Follows arguments through host computation to where a Python value is needed."""

    def __init__(self, prepared: Prepared, origins: dict[Value, frozenset[str]]) -> None:
        self.prepared, self.origins = prepared, origins
        self.found: set[str] = set()

    def of(self, tree: Any) -> frozenset[str]:
        """The arguments that a tree hangs on."""
        return frozenset().union(*(self.origins.get(leaf, frozenset()) for leaf in leaves(tree) if type(leaf) is Value))

    def walk(self, graph: Graph) -> None:
        for node in graph:
            self._node(node)

    def _node(self, node: Node) -> None:
        op = node.op.name
        if op in ("host_if", "host_while", "host_for"):
            self._host_control(node)
        elif op in ("cond", "while", "for"):
            self._enter(node)
        elif op in ("call", "repeat_calls"):
            callee = self.prepared.functions[node.args[0]]
            for placeholder, arg in zip(callee.placeholders, node.arg("args")):
                self.origins[placeholder] = self.of(arg)
            self.walk(callee)
        elif op == "host":
            if node.args[0] in ASK_A_VALUE:
                self.found |= self.of(node.args[1])
            self._spread(node, node.args)
        elif not node.op.traits & Trait.ASKS:
            for text, arg in zip(node.op.params, node.args):
                if text not in _TRACED:
                    self.found |= self.of(arg)

    def _spread(self, node: Node, tree: Any) -> None:
        origins = self.of(tree)
        for value in node.values:
            self.origins[value] = origins

    def _host_control(self, node: Node) -> None:
        if node.op.name == "host_for":
            self.found |= self.of(node.args[0])
        elif node.op.name == "host_if":
            self.found |= self.of(node.args[0])
        self._enter(node)
        if node.op.name == "host_while":
            self.found |= self.of(node.regions[0].result)

    def _enter(self, node: Node) -> None:
        """What goes into regions: operands, and what a loop carries; what comes out hangs on all that any of it hangs on."""
        items = len(node.args[0]) if node.op.name in ("for", "host_for") else 0
        loop = node.op.name in LOOPS
        carried = [self.of(leaf) for leaf in node.arg("init")] if loop else []
        operands = [self.of(leaf) for leaf in (node.arg("operands") if loop else node.args[1])]
        while True:
            for region in node.regions:
                self.origins.update(zip(region.placeholders[items:], (*carried, *operands)))
                self.walk(region)
            left = [before | self.of(after) for before, after in zip(carried, loop_results(node) if loop else ())]
            if left == carried:
                break
            carried = left  # the next trip begins with what this one left
        results = frozenset().union(*carried, *(self.of(region.result) for region in node.regions))
        self.origins.update(dict.fromkeys(node.values, results))
