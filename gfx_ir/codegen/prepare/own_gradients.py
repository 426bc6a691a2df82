"""Functions that bring their own gradient: their regions become functions of the module, wrapped as the target asks."""

from __future__ import annotations

from ...control import Form
from ...graph import Graph, Node
from ...naming import snake
from ...program import Program
from ..copying import copy_graph, splice
from .base import Emission, Lowering
from .calls import OWN
from .structure import structure


class OwnGradients(Lowering):
    """Functions that bring their own gradient are calls of functions of the module."""

    name = "own_gradients"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Put a call in the place of each such function, or what it computes where the target knows no gradients."""
        entry, functions, style = program.entry, program.functions, emission.style
        known: dict[str, tuple[str, str]] = {}
        todo = [entry, *functions.values()]
        while todo:
            graph = todo.pop()
            nodes = [node for node in graph.walk() if node.op.form is Form.OWN_GRADIENT]
            if nodes and style.gradients:
                todo += [made for node in nodes[:1] for made in _called(node, functions, known)]
            elif nodes:
                forward = nodes[0].regions[0]
                forward.result = forward.result[: nodes[0].arg("count")]
                splice(forward, nodes[0], nodes[0].arg("inputs"), "")
            if nodes:
                todo.append(graph)


def _called(node: Node, functions: dict[str, Graph], known: dict[str, tuple[str, str]]) -> list[Graph]:
    """Replace a node by a call; the functions that are new."""
    inputs, name, mode, count = node.args
    forward, rule = map(copy_graph, node.regions)
    outs = forward.result[0] if count == 1 else forward.result[:count]
    if mode == "vjp":
        forward.result = (outs, forward.result[count:])
    else:
        forward.result = outs
        rule.result = rule.result if count == 1 else (rule.result[:count], rule.result[count:])
    key = f"{name} {mode} {structure(forward)} {structure(rule)}"
    made = []
    if key not in known:
        names = []
        for graph, suffix in ((forward, "forward"), (rule, "backward" if mode == "vjp" else "tangent")):
            graph.name = f"{snake(name)}_{suffix}"
            names.append(_free(graph.name, functions))
            functions[names[-1]] = graph
            made.append(graph)
        known[key] = (names[0], names[1])
    owner = node.graph
    assert owner is not None
    call = Node(OWN, (*known[key], name, mode, count, inputs), ("tensor",) * count, node.span)
    owner.insert(call, node)
    for old, new in zip(node.values, call.values):
        new.name, new.type = old.name, old.type
        old.replace_by(new)
    owner.erase(node)
    return made


def _free(text: str, taken: dict[str, Graph]) -> str:
    count = 1
    while (f"{text}_{count}" if count > 1 else text) in taken:
        count += 1
    return f"{text}_{count}" if count > 1 else text
