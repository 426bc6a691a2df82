"""Ops that a target has no call for: their bodies, in place where they are one short expression, else as helpers."""

from __future__ import annotations

from typing import Any

from ...backend import Backend
from ...body import body_of
from ...control import is_call, is_holder
from ...edited import take_place
from ...errors import MissingOp, ShapeError, listed
from ...graph import Graph, Node, Value
from ...op import OpDef, lookup
from ...ops import _seen
from ...passes.moves import splice
from ...program import Program
from ...template import Template
from .base import Emission, Lowering, order
from .structure import structure


def template_of(backend: Backend, op: OpDef) -> Template | None:
    """How the target spells the op, None where it does not."""
    return backend.templates.get(op.name)


def _is_worded(op: OpDef) -> bool:
    """Whether the printer has words of its own for an op; for those that its own rewrites make, it has."""
    return op.control.worded if op.control is not None else op.eval is None and op.body is None


class Composites(Lowering):
    """Ops that the target does not spell are their bodies, in place or as functions. Raises MissingOp, naming every op that it lacks."""

    name = "composites"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Expand them in all functions, callees first; those that are one such op alone when it is known which have a helper."""
        expander = _Expander(emission.backend, program.functions, program.promotion)
        for graph in sorted(order(program), key=_is_one_op):
            expander.expand(graph)
        expander.check()


class _Expander:
    """Replaces composite nodes throughout a program; `functions` gets the helpers."""

    def __init__(self, backend: Backend, functions: dict[str, Graph], promotion: str) -> None:
        self.backend, self.functions, self.promotion = backend, functions, promotion
        self.missing: list[str] = []
        self._helpers: dict[Any, str] = {}

    def expand(self, graph: Graph) -> None:
        """Expand every composite in the graph and its regions that the target cannot print whole."""
        for node in list(graph.walk()):
            if is_holder(node) and node.args[0] != self.backend.name:
                self._lacks(node, node.args[1], f" ({node.arg('why')})" if node.arg("why") else "")
            template = template_of(self.backend, node.op)
            if _is_worded(node.op) or (template is not None and template.spells(node.args)):
                continue
            row = self.backend.rows.get(node.op.name)
            if node.op.body is None or (row is not None and row.missing):
                self._lacks(node, node.op.name, f": {row.missing}" if row is not None and row.missing else "")
                continue
            self._replace(node)

    def _lacks(self, node: Node, what: str, reason: str) -> None:
        place = f" [{node.span.place()}]" if node.span else ""
        self.missing.append(f"{what}{reason}{place}")

    def check(self) -> None:
        """Raise MissingOp, naming every op that the target lacks."""
        if self.missing:
            raise MissingOp(
                f"backend {self.backend.name!r} has no row for{listed(list(dict.fromkeys(self.missing)))}",
                hint="`gfx ops --missing` lists what each lacks; gfx.register adds an op",
            )

    def _replace(self, node: Node) -> None:
        body, args = _body(node, self.promotion)
        self.expand(body)
        owner = node.graph
        assert owner is not None
        text = structure(body), *map(_seen.extended, body.placeholders)
        name = self._helpers.get((node.op.name, text))
        if short(body) or (name is None and _is_one_op(owner)):
            splice(body, node, args, "")
            return
        if name is None:
            name = node.op.name
            count = 1
            while name in self.functions:
                count += 1
                name = f"{node.op.name}_{count}"
            self._helpers[node.op.name, text] = name
            body.name = node.op.name
            self.functions[name] = body
        kinds = tuple(value.kind for value in node.values)
        made = Node(lookup("call"), (name, "", tuple(args)), kinds, node.span)
        owner.insert(made, node)
        take_place(made.values, node.values)
        owner.erase(node)


def _is_one_op(graph: Graph) -> bool:
    """Whether a graph is a function that is one op and no more."""
    return len(graph) == 1 and graph.owner is None


def _body(node: Node, promotion: str) -> tuple[Graph, list[Value]]:
    """The body of a composite as a graph of its own, and the values that its placeholders stand for."""
    try:
        found = body_of(node, promotion)
    except TypeError as error:
        raise ShapeError(
            f"{node.op.name}: {error}", node.span, "give it arguments of the kinds that it takes"
        ) from error
    result = found.graph.result
    if type(result) is Value and result not in found.graph.placeholders and sum(result.uses.values()) == 1:
        result.name = None  # a helper returns its last expression
    return found.graph, list(found.operands)


def short(graph: Graph) -> bool:
    """Whether the graph is one short expression, in which every argument stands once at most."""
    if len(graph) > 3:
        return False
    for node in graph:
        if node.regions or node.op.effect or len(node.values) != 1 or is_call(node):
            return False
        if sum(node.value.uses.values()) != 1 or node.value.name:
            return False
    if type(graph.result) is not Value:
        return False
    return all(sum(p.uses.values()) <= 1 for p in graph.placeholders)
