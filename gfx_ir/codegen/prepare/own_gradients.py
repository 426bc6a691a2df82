"""Functions that bring their own gradient or are transformed: their regions become functions of the module, wrapped as the target asks."""

from __future__ import annotations

from ...control import Form, is_call
from ...copies import copy_graph
from ...edited import take_place
from ...errors import MissingOp
from ...graph import Graph, Node
from ...naming import snake
from ...passes.moves import splice
from ...program import Program
from .base import Emission, Lowering
from .calls import OWN, TRANSFORMED
from .structure import structure


class OwnGradients(Lowering):
    """Functions that bring their own gradient are calls of functions of the module."""

    name = "own_gradients"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Put a call in the place of each such function, or what it computes where the target knows no gradients."""
        entry, functions, style = program.entry, program.functions, emission.style
        known: dict[str, tuple[str, str]] = {}
        todo = [("", entry), *functions.items()]
        while todo:
            key, graph = todo.pop()
            nodes = [node for node in graph.walk() if node.op.form is Form.TRANSFORM]
            made = [_transformed(node, functions, emission) for node in nodes]
            nodes = [node for node in graph.walk() if node.op.form is Form.OWN_GRADIENT]
            if nodes and style.gradients:
                made += _called(nodes[0], functions, known)
            elif nodes:
                forward = nodes[0].regions[0]
                forward.result = forward.result[: nodes[0].arg("count")]
                splice(forward, nodes[0], nodes[0].arg("inputs"), "")
            for name in made:  # its parameters are those of the function that it was a part of
                emission.instances.setdefault(name, emission.instances.get(key, ""))
            todo += [*((key, graph) for _ in nodes[:1]), *((name, functions[name]) for name in made)]


def _called(node: Node, functions: dict[str, Graph], known: dict[str, tuple[str, str]]) -> list[str]:
    """Replace a node by a call; the names of the functions that are new."""
    inputs, name, mode, count = node.args
    forward, rule = (copy_graph(region, fresh=True) for region in node.regions)
    outs = forward.result[0] if count == 1 else forward.result[:count]
    if mode == "vjp":
        forward.result = (outs, forward.result[count:])
    else:
        forward.result = outs
        rule.result = rule.result if count == 1 else (rule.result[:count], rule.result[count:])
    key = f"{name} {mode} {structure(forward)} {structure(rule)}"
    names: list[str] = []
    if key not in known:
        for graph, suffix in ((forward, "forward"), (rule, "backward" if mode == "vjp" else "tangent")):
            graph.name = f"{snake(name)}_{suffix}"
            names.append(_free(graph.name, functions))
            functions[names[-1]] = graph
        known[key] = (names[0], names[1])
    _replace(node, Node(OWN, (*known[key], name, mode, count, inputs), ("tensor",) * count, node.span))
    return names


def _transformed(node: Node, functions: dict[str, Graph], emission: Emission) -> str:
    """Replace a transformation of a region by that of a function, which is new: its name. Raises MissingOp where the target has none."""
    kind = node.args[0]
    if kind not in emission.style.transforms:
        what = f"{emission.style.name} source has no transformation {kind!r} of functions"
        raise MissingOp(what, node.span, "emit it as jax or torch source, which derive and batch functions")
    graph = copy_graph(node.regions[0], fresh=True)
    if len(graph.result) == 1:
        (graph.result,) = graph.result
    key = _only_call(graph) or _free(snake(graph.name or kind), functions)
    if key not in functions:
        graph.name, functions[key] = key, graph
    _replace(node, Node(TRANSFORMED, (key, *node.args, len(node.values)), None, node.span))
    return key


def _only_call(graph: Graph) -> str:
    """The function of the program that a graph calls and does nothing else; "" where there is none."""
    nodes = list(graph)
    if len(nodes) != 1 or not is_call(nodes[0]):
        return ""
    (node,) = nodes
    result = node.values[0] if len(node.values) == 1 else tuple(node.values)
    same = node.args[1] == "" and node.args[2] == tuple(graph.placeholders) and graph.result == result
    return node.args[0] if same and not graph.parameters else ""


def _replace(node: Node, call: Node) -> None:
    """Put a call in the place of a node."""
    owner = node.graph
    assert owner is not None
    owner.insert(call, node)
    take_place(call.values, node.values)
    owner.erase(node)


def _free(text: str, taken: dict[str, Graph]) -> str:
    count = 1
    while (f"{text}_{count}" if count > 1 else text) in taken:
        count += 1
    return f"{text}_{count}" if count > 1 else text
