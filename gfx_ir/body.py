"""The body of a composite op as a Graph, with an ordered map of its inputs and outputs to inner nodes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from .build import Builder
from .edges import Input, Output
from .errors import GfxError, VerifyError
from .graph import Graph, Node, Value
from .rules import building
from .trees import leaves, tree_map


@dataclass(frozen=True)
class Body:
    """`operands` are the node's inputs that the placeholders of `graph` stand for, in order."""

    graph: Graph
    operands: tuple[Value, ...]

    @property
    def inputs(self) -> dict[str, list[Input]]:
        """For each input, in the order of the op's parameters, the inputs of inner nodes that take it."""
        return {
            p.name or "": [end for user in p.uses for end in user.inputs if end.value is p]
            for p in self.graph.placeholders
        }

    @property
    def outputs(self) -> list[Output | None]:
        """For each output, in order, the inner node's output that gives it; None for a constant or an input."""
        ends: list[Output | None] = []
        for leaf in leaves(self.graph.result):
            inner = type(leaf) is Value and leaf not in self.graph.placeholders
            ends.append(Output(leaf.node, leaf.index, leaf) if inner else None)
        return ends


class _Typing(Builder):
    """Types what it adds, as far as the types of the operands tell."""

    def typed(self, node: Node) -> bool:
        return all(type(leaf) is not Value or not leaf.is_tensor or leaf.type is not None for leaf in leaves(node.args))


def body_of(node: Node, promotion: str = "torch", typed: Callable[[Value], Any] = attrgetter("type")) -> Body:
    """The body of a composite for this node's constant arguments, each input as `typed` says. Raises VerifyError of a primitive."""
    body = node.op.body
    if body is None:
        raise VerifyError(f"{node.op.name} is a primitive and has no body", node.span)
    graph = Graph(node.op.name, node.op.doc.split("\n\n")[0])
    made: dict[Value, Value] = {}
    new = lambda name, value: graph.add_placeholder(name, value.kind, typed(value))
    args = [_bound(made, new, name, arg, set(node.op.params)) for name, arg in zip(node.op.params, node.args)]
    try:
        with building(_Typing(graph, promotion)):
            graph.result = body(*args)
    except GfxError as error:
        if error.span is None:
            error.span = node.span
        raise
    return Body(graph, tuple(made))


def _bound(made: dict[Value, Value], new: Callable[[str, Value], Value], name: str, arg: Any, taken: set[str]) -> Any:
    """The argument with a placeholder for each Value, named after the parameter; inside of a tree, as the user did."""
    count = itertools.count()

    def inner(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        if leaf not in made:
            hint = (
                name if arg is leaf else leaf.name if leaf.name and leaf.name not in taken else f"{name}_{next(count)}"
            )
            made[leaf] = new(hint, leaf)
        return made[leaf]

    return tree_map(inner, arg)
