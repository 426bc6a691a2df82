"""Blocks: runs of nodes that compute the same, and the functions that stand for them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field

from ..control import is_call, is_parameter
from ..graph import Graph, Node, Value, values_in
from ..op import lookup
from ..program import Program
from ..regions import with_regions
from .fingerprint import fingerprint
from .outline import free_function_name, function_of, take_over

_NOWHERE = "\0"
"""A path that no parameter stands under: all are handed over."""


@dataclass
class Block:
    """One run: where its parameters stand, and what it takes from outside, by first use."""

    nodes: list[Node]
    path: str
    inputs: list[Value]


@dataclass
class Outlined:
    """The functions that were made, and the nodes that are in them or gone."""

    made: list[Graph] = field(default_factory=list)
    covered: list[Node] = field(default_factory=list)


class Blocks:
    """The functions of a program so far, by what they compute and give."""

    def __init__(self, program: Program, least: int) -> None:
        self.program, self.least, self.changed = program, least, False
        self.known: dict[Hashable, str] = {}

    def outline(self, graph: Graph, runs: list[list[Node]]) -> Outlined:
        """Put calls in the place of those runs of a graph that compute the same; parameters are handed over where they stand
        under no path of the run's own."""
        done = Outlined()
        left = self._by_content(graph, runs, done)
        length = _common(left) if len(left) > 1 else 0
        if length >= self.least:
            self._by_content(graph, [nodes[:length] for nodes in left], done)
        return done

    def _by_content(self, graph: Graph, runs: list[list[Node]], done: Outlined) -> list[list[Node]]:
        left = self._alike(graph, runs, _own_path, done)
        return self._alike(graph, left, lambda nodes: _NOWHERE, done)

    def _alike(
        self, graph: Graph, runs: list[list[Node]], path_of: Callable[[list[Node]], str], done: Outlined
    ) -> list[list[Node]]:
        """Outline by equal contents; the runs that are left."""
        groups: dict[Hashable, list[Block]] = {}
        for nodes in runs:
            path = path_of(nodes)
            content, needed = fingerprint(nodes, (), path)
            block = Block(nodes, "" if path == _NOWHERE else path, list(needed))
            types = tuple([(value.kind, str(value.type)) for value in needed])
            groups.setdefault((content, types), []).append(block)
        left: list[list[Node]] = []
        for key, blocks in groups.items():
            if len(blocks) > 1:
                done.made += self._function(graph, key, blocks)
                done.covered += [node for block in blocks for node in block.nodes]
            else:
                left.append(blocks[0].nodes)
        return left

    def _function(self, graph: Graph, content: Hashable, blocks: list[Block]) -> list[Graph]:
        """Calls of one function in the place of equal blocks; the function, where it is a new one."""
        self.changed = True
        given = sorted({place for block in blocks for place in _given(block.nodes)})
        key, made = (content, tuple(given)), list[Graph]()
        for block in blocks:
            outputs = [block.nodes[at].values[index] for at, index in given]
            name = self.known.get(key)
            new = name is None
            name = name or free_function_name(self.program, _title(block.nodes))
            kinds = tuple([value.kind for value in outputs])
            call = Node(lookup("call"), (name, block.path, tuple(block.inputs)), kinds, block.nodes[0].span)
            graph.insert(call, block.nodes[0])
            take_over(call, outputs)
            if new:
                self.known[key] = name
                inputs = {value: value.name or "x" for value in block.inputs}
                result = outputs[0] if len(outputs) == 1 else tuple(outputs)
                made.append(function_of(Graph(name), block.nodes, inputs, block.path, result))
                self.program.functions[name] = made[-1]
            else:
                graph.discard(block.nodes[0], block.nodes[-1])
        return made


def _common(runs: list[list[Node]]) -> int:
    """How many nodes the first two of some runs have in common, from the first on."""
    first, second = [fingerprint(nodes, (), _NOWHERE)[0][0] for nodes in runs[:2]]
    return next((at for at, (a, b) in enumerate(zip(first, second)) if a != b), len(first))


def _given(nodes: list[Node]) -> list[tuple[int, int]]:
    """Which values of a run are taken outside of it."""
    inside = set(nodes)
    return [
        (at, index)
        for at, node in enumerate(nodes)
        for index, value in enumerate(node.values)
        if not inside.issuperset(value.uses)
    ]


def _own_path(nodes: list[Node]) -> str:
    """The longest path that all parameters of some nodes stand under."""
    common: list[str] | None = None
    inner = [node for graph in with_regions(region for node in nodes for region in node.regions) for node in graph]
    for node in (*nodes, *inner):
        found = [v.node.args[0].split(".")[:-1] for v in values_in(node.args) if is_parameter(v.node)]
        found += [node.args[1].split(".")] if is_call(node) and node.args[1] else []
        for parts in found:
            same = len(parts) if common is None else 0
            while common is not None and same < min(len(parts), len(common)) and parts[same] == common[same]:
                same += 1
            common = parts[:same]
    return ".".join(common or ())


def _title(nodes: list[Node]) -> str:
    """The name of the author's function or module that all the nodes come from."""
    scopes = {node.span.scope if node.span is not None else None for node in nodes}
    scope = scopes.pop()
    return "block" if scopes or scope is None or scope.kind == "entry" else scope.title
