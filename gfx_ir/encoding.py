"""A Program as plain JSON data: what `save` writes and `decoding` reads.

Graphs stand in one table and refer to each other by position, so that depth costs no recursion; values are numbered
within their graph: placeholders, parameters, then the values of the nodes. What JSON lacks is a list with a tag first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from .described import Described
from .dtypes import DType
from .errors import FormatError
from .graph import UNBOUND, Graph, Node, Value
from .host import Dim, Expr, HostCall
from .program import Program
from .source import Scope, Span
from .types import LogicalTensor

FORMAT, VERSION = "gfx", 3
KINDS_OF_ATTRIBUTES: Mapping[str, type] = {kind.__name__: kind for kind in (bool, int, float, str, tuple, list, dict)}


def encode(program: Program) -> dict[str, Any]:
    """The program without the data of its params. Raises FormatError, with the line, for what a file cannot hold."""
    coder = _Encoder()
    for graph in program.functions.values():
        coder.add(graph)
    entry = coder.add(program.entry)
    coder.run()
    tree = coder.trees[entry].tree
    return {
        "format": FORMAT,
        "version": VERSION,
        "entry": entry,
        "functions": [[key, coder.numbers[graph]] for key, graph in program.functions.items()],
        "promotion": program.promotion,
        "flavour": program.flavour,
        "level": program.level,
        "writes": list(program.writes),
        "records": [[path, record.name, list(record.fields)] for path, record in program.records.items()],
        "shared": [[list(place), list(paths)] for place, paths in program.shared.items()],
        "signature": [[p.name, tree(p.tree), tree(p.default), p.kind, p.annotation] for p in program.signature],
        "guards": [[g.kind, g.subject, tree(g.value), coder.places.span(g.span)] for g in program.guards],
        "graphs": coder.graphs,
        "scopes": coder.places.scopes,
        "spans": coder.places.spans,
    }


class _Trees:
    """Encodes trees over the values of one graph."""

    def __init__(self, graphs: dict[Graph, int]) -> None:
        self.values: dict[Value, int] = {}
        self.graphs = graphs

    def number(self, values: Any) -> None:
        """Number some more values."""
        for value in values:
            self.values[value] = len(self.values)

    def tree(self, tree: Any) -> Any:
        """A tree as JSON data."""
        kind = type(tree)
        if tree is None or kind in (bool, int, str):
            return tree
        if kind is Value and tree in self.values:
            return ["%", self.values[tree]]
        if kind is float:
            return tree if math.isfinite(tree) else ["float", str(tree)]
        if kind in (tuple, list):
            return [kind.__name__, *map(self.tree, tree)]
        if kind is dict:
            return ["dict", *([self.tree(k), self.tree(v)] for k, v in tree.items())]
        if kind is slice:
            return ["slice", self.tree(tree.start), self.tree(tree.stop), self.tree(tree.step)]
        return self._leaf(tree, kind)

    def _leaf(self, leaf: Any, kind: type) -> Any:
        if kind is DType:
            return ["dtype", leaf.name]
        if kind is LogicalTensor:
            dims = None if leaf.dims is None else list(map(size, leaf.dims))
            strides = None if leaf.strides is None else list(leaf.strides)
            return ["tensor", leaf.dtype and leaf.dtype.name, dims, strides, str(leaf.layout), leaf.weak, leaf.id]
        if kind in (Dim, Expr):
            return size(leaf)
        if kind is Described:
            return ["described", leaf.text, leaf.whole]
        if kind is complex:
            return ["complex", self.tree(leaf.real), self.tree(leaf.imag)]
        if leaf is ...:
            return ["..."]
        if leaf is UNBOUND:
            return ["unbound"]
        if kind is Graph and leaf in self.graphs:
            return ["graph", self.graphs[leaf]]
        raise FormatError(f"a file cannot hold {leaf!r}")


def size(e: Any) -> Any:
    """A size expression as JSON data."""
    if isinstance(e, Dim):
        return ["dim", e.name, e.min, e.max]
    if isinstance(e, HostCall):
        return [e.fn, *map(size, e.args)]
    if isinstance(e, Expr):
        return ["sum", *([factor, *([size(atom), power] for atom, power in monomial)] for monomial, factor in e.terms)]
    return e


class _Places:
    """Tables of spans and of the calls that they belong to; what a scope refers to stands before it."""

    def __init__(self) -> None:
        self.spans: list[Any] = []
        self.scopes: list[Any] = []
        self._spans: dict[int, int] = {}
        self._scopes: dict[int, int] = {}
        self._alive: list[Any] = []

    def span(self, span: Span | None) -> int | None:
        """Position of a span in the table."""
        if span is None:
            return None
        found = self._spans.get(id(span))
        if found is None:
            if span.scope is not None:
                self._scope(span.scope)
            found = self._put_span(span)
        return found

    def _put_span(self, span: Span) -> int:
        found = self._spans.get(id(span))
        if found is None:
            scope = None if span.scope is None else self._scopes[id(span.scope)]
            found = self._spans[id(span)] = len(self.spans)
            self.spans.append([span.file, span.line, span.name, scope])
            self._alive.append(span)
        return found

    def _scope(self, scope: Scope) -> None:
        stack = [scope]
        while stack:
            top = stack[-1]
            needed = [s for s in (top.parent, top.site.scope if top.site is not None else None) if s is not None]
            missing = [s for s in needed if id(s) not in self._scopes]
            if missing and id(top) not in self._scopes:
                stack.extend(missing)
                continue
            stack.pop()
            if id(top) not in self._scopes:
                parent = None if top.parent is None else self._scopes[id(top.parent)]
                site = None if top.site is None else self._put_span(top.site)
                self._scopes[id(top)] = len(self.scopes)
                self.scopes.append([top.name, top.kind, top.path, top.doc, parent, site])
                self._alive.append(top)


class _Encoder:
    """The table of graphs, filled one after the other."""

    def __init__(self) -> None:
        self.numbers: dict[Graph, int] = {}
        self.order: list[Graph] = []
        self.graphs: list[Any] = []
        self.trees: dict[int, _Trees] = {}
        self.places = _Places()

    def add(self, graph: Graph) -> int:
        """Position of a graph in the table."""
        if graph not in self.numbers:
            self.numbers[graph] = len(self.order)
            self.order.append(graph)
        return self.numbers[graph]

    def run(self) -> None:
        """Encode every graph; the list grows by their regions."""
        for at, graph in enumerate(self.order):
            self.trees[at] = _Trees(self.numbers)
            self.graphs.append(self._graph(graph, self.trees[at]))

    def _graph(self, graph: Graph, trees: _Trees) -> dict[str, Any]:
        trees.number(graph.placeholders)
        trees.number(graph.parameters.values())
        ends = [[*self._value(v, trees), self.places.span(v.node.span), v.node.id] for v in graph.placeholders]
        parameters = [[path, *self._value(v, trees), v.node.id] for path, v in graph.parameters.items()]
        positions: dict[Node | None, int | None] = {None: None}
        nodes = []
        for node in graph:
            try:
                nodes.append(self._node(node, trees, positions))
            except FormatError as error:
                hint = "pass it as an argument, or make it part of the parameters"
                raise FormatError(f"{node.op.name} in {graph.name!r}: {error.what}", node.span, hint) from None
        return {
            "name": graph.name,
            "doc": graph.doc,
            "placeholders": ends,
            "parameters": parameters,
            "nodes": nodes,
            "result": trees.tree(graph.result),
            "attributes": self._attributes(graph, trees),
        }

    def _attributes(self, graph: Graph, trees: _Trees) -> list[Any]:
        """What the graph owns; what it was lent stays with its owner."""
        found = []
        for key, value in graph.own_attributes.items():
            try:
                kind = KINDS_OF_ATTRIBUTES[key.type.__name__]
                found.append([key.name, key.type.__name__, key.derived, trees.tree(value)])
            except (FormatError, KeyError):
                kind = None
            if kind is not key.type:
                what = (
                    f"attribute {key.name!r} of graph {graph.name!r} is a {key.type.__name__}, which a file cannot hold"
                )
                raise FormatError(what, hint="keep it as a tree of values and constants, or lend it: set_not_owned")
        return found

    def _node(self, node: Node, trees: _Trees, positions: dict[Node | None, int | None]) -> list[Any]:
        args = [trees.tree(arg) for arg in node.args]
        values = [self._value(v, trees) for v in node.values]
        regions = [self.add(region) for region in node.regions]
        if node.after not in positions:
            raise FormatError("it stands after an effect of another graph")
        after: Any = positions[node.after]
        if node.waits:  # a list, of which the first is the effect before it
            if any(other not in positions for other in node.waits):
                raise FormatError("it waits for a node that does not stand before it in its graph")
            after = [after, *map(positions.__getitem__, node.waits)]
        positions[node] = len(positions) - 1
        trees.number(node.values)
        place = self.places.span(node.span)
        return [node.op.name, args, values, regions, after, place, node.in_place, node.id, node.device]

    def _value(self, value: Value, trees: _Trees) -> list[Any]:
        return [value.name, value.kind, trees.tree(value.type), value.id]
