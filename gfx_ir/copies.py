"""Copies of graphs and programs that share nothing that can change."""

from __future__ import annotations

import copy
import dataclasses
from typing import Any

from .control import is_call
from .graph import Graph, Node, Value
from .ids import IDS
from .program import Program
from .trees import BRANCHES, tree_map


def copy_graph(graph: Graph, made: dict[Any, Any] | None = None, fresh: bool = False) -> Graph:
    """A copy, regions included. `made` is filled with what became of every old value, graph and node. `fresh`: with ids of its
    own, as it stands beside the original."""
    made = {} if made is None else made
    made[graph] = out = Graph(graph.name, graph.doc)
    stack = [(graph, out)]
    while stack:
        old, new = stack.pop()
        _ends(old, new, made)
        if not fresh:
            _same_ids([*old.placeholders, *old.parameters.values()], made)
            IDS.of_each(one for node in old for one in (node, *node.values))
        for node in old:
            regions = tuple([Graph(region.name, region.doc) for region in node.regions])
            again = twin(node, _args(node.args, made), regions)
            again.after, again.waits = made.get(node.after), tuple([made[other] for other in node.waits])
            made[node] = again
            for value, other in zip(node.values, again.values):
                other.name, other.type = value.name, value.type
                made[value] = other
                if not fresh:
                    other.id = value.id
            if not fresh:
                again.id = node.id
            new.append(again)
            made.update(zip(node.regions, regions))
            stack.extend(zip(node.regions, regions))
        new.result = _args(old.result, made)
        _attributes(old, new, made)
    return out


def twin(node: Node, args: tuple, regions: tuple[Graph, ...] = ()) -> Node:
    """The same op on other arguments, in no graph yet: on the same device, and in place as it is. Its values have no names yet."""
    made = Node(node.op, args, tuple([value.kind for value in node.values]), node.span, regions)
    made.in_place, made.device = node.in_place, node.device
    made.noted_as(node)
    return made


def _ends(old: Graph, new: Graph, made: dict[Any, Any]) -> None:
    for value in old.placeholders:
        made[value] = new.add_placeholder(value.name or "", value.kind, value.type, value.node.span)
        made[value].name = value.name
    for path, value in old.parameters.items():
        made[value] = new.add_parameter(path, value.type)
        made[value].name, made[value].kind = value.name, value.kind


def _same_ids(ends: list[Value], made: dict[Any, Any]) -> None:
    for value in ends:
        made[value].id, made[value].node.id = value.id, value.node.id


def _attributes(old: Graph, new: Graph, made: dict[Any, Any]) -> None:
    """Of what a graph owns a copy, whose values are those of the copy; what is another's is shared, unless it knows the old nodes."""
    for key, value in old.own_attributes.items():
        new.own_attributes[key] = _own(value, made)
    new.lent_attributes.update((key, x) for key, x in old.lent_attributes.items() if not key.of_nodes and not _knows(x))


def _knows(value: Any) -> bool:
    """Whether a tree of what is lent has a node, value or graph in it, which are those of what was copied."""
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        return any(map(_knows, (*value, *value.values()) if isinstance(value, dict) else value))
    return type(value) in (Value, Node, Graph)


def _own(value: Any, made: dict[Any, Any]) -> Any:
    if type(value) is dict:  # whose keys may be nodes, too
        return {_own(key, made): _own(item, made) for key, item in value.items()}
    if type(value) in (set, frozenset):
        return type(value)(_own(item, made) for item in value)
    if type(value) in BRANCHES:
        return tree_map(lambda leaf: _own(leaf, made), value)
    if type(value) in (Value, Node, Graph):
        return made.get(value, value)
    return copy.copy(value)


def _args(tree: Any, made: dict[Any, Any]) -> Any:
    """A tree with what became of the values and graphs in it. Most leaves are values, or stay."""
    kind = type(tree)
    if kind is Value or kind is Graph:
        return made.get(tree, tree)
    if kind is tuple:
        return tuple([_args(item, made) for item in tree])
    return tree_map(lambda leaf: _args(leaf, made), tree) if kind in BRANCHES else tree


def copy_program(program: Program) -> Program:
    """A copy; the arrays of the parameters are shared, their dictionary is not."""
    made: dict[Any, Any] = {}
    functions = {}
    for key, graph in program.functions.items():
        functions[key] = made[graph] if graph in made else copy_graph(graph, made)
    entry = made[program.entry] if program.entry in made else copy_graph(program.entry, made)
    for graph in (entry, *functions.values()):  # calls of functions that were copied later
        for node in graph.walk():
            if is_call(node):
                node.set_args(_args(node.args, made))
    signature = [dataclasses.replace(p, tree=_args(p.tree, made)) for p in program.signature]
    return Program(
        entry, functions, signature, dict(program.params), list(program.guards), program.promotion, program.flavour,
        list(program.writes), program.level, dict(program.records), dict(program.shared),
    )  # fmt: skip
