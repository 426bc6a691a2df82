"""Host values between partitions: sizes and what follows from them go along with the nodes that give or take them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from ..dependence import needs
from ..graph import Graph, Node, Value, map_values
from ..runtime.device import Device
from .supports import Supports, neutral


def settle(graph: Graph, supports: Supports, devices: Mapping[str, Device]) -> None:
    """Place the neutral nodes of a graph: on the device of what they ask; else, as they hang on arguments alone, on that of each
    node that takes them, a copy for each device. What the graph itself or an unplaced node takes stays unplaced, too."""
    found = [node for node in graph if not node.device and neutral(node)]
    if not found:
        return
    for node in found:
        for other in needs(node):
            device = devices.get(other.device)
            if device is not None and supports.node(node, device).answer:
                node.device = device.name
                break
    for node in reversed(found):
        if not node.device:
            _sink(graph, node, supports, devices)


def _sink(graph: Graph, node: Node, supports: Supports, devices: Mapping[str, Device]) -> None:
    users: dict[str, list[Node]] = {}
    for user in dict.fromkeys(user for value in node.values for user in value.uses):
        device = devices.get(user.device) if user.graph is graph else None
        takes = device is not None and supports.node(node, device).answer
        users.setdefault(user.device if takes else "", []).append(user)
    names = [name for name in users if name]
    if not users.get("") and len(names) == 1:
        node.device = names[0]
        return
    for name in names:
        made = graph.insert(Node(node.op, node.args, tuple([value.kind for value in node.values]), node.span), node)
        made.device = name
        twins = dict(zip(node.values, made.values))
        for old, new in twins.items():
            new.name, new.type = old.name, old.type
        for user in users[name]:
            user.set_args(map_values(partial(_twin, twins), user.args))
    if not users.get(""):
        graph.erase(node)


def _twin(twins: Mapping[Value, Value], value: Value) -> Value:
    return twins.get(value, value)
