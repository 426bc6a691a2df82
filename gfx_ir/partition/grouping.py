"""Grouping: nodes of one graph that are placed on one device become groups, so that no two groups need each other. Linear.

Each node has a stage: no earlier than those of what it needs, later where that is placed elsewhere. Nodes of one device and stage
are a group: whatever lies between two groups, or outside of all, makes the stage rise, so that no circle can close. Then nodes go
to the stage of those of their device that take them, where nothing else takes them before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..dependence import needs, waiters
from ..graph import Graph, Node
from .assign import CLAIMS
from .policy import Policy

_ROUNDS = 8
Needed = Mapping[Node, Sequence[Node]]
"""For each node of a graph, in its order, those that it depends on directly."""


@dataclass(eq=False)
class Group:
    """Nodes of one device, in the order of their graph."""

    device: str
    nodes: list[Node] = field(default_factory=list)


def grouped(graph: Graph, policy: Policy) -> list[Group | Node]:
    """The groups of a graph, and the nodes that are placed nowhere, in an order in which each stands behind what it needs."""
    atoms, needed = _atoms(graph), {node: needs(node) for node in graph}
    stage = _stages(graph, atoms, needed)
    found: dict[tuple[str, int], Group] = {}
    for node in graph:
        if node.device:
            key = node.device, stage[node]
            found.setdefault(key, Group(node.device)).nodes.append(node)
    pieces = [piece for group in found.values() for piece in _cut(group, atoms, policy)]
    return _ordered(graph, pieces, needed)


def _atoms(graph: Graph) -> dict[Node, list[Node]]:
    """The nodes of claimed patterns, which stay together: each with all of them, the last one last."""
    if not graph.has(CLAIMS):
        return {}
    by_id = {node.id: node for node in graph}
    found: dict[Node, list[Node]] = {}
    order = {node: at for at, node in enumerate(graph)}
    for ids in graph.get(CLAIMS):
        nodes = sorted((by_id[i] for i in ids if i in by_id), key=order.__getitem__)
        found.update((node, nodes) for node in nodes)
    return found


def _stages(graph: Graph, atoms: dict[Node, list[Node]], needed: Needed) -> dict[Node, int]:
    stage = _earliest(needed, atoms)
    waiting = waiters(graph)
    for node in reversed(list(graph)):
        users = [u for value in node.values for u in value.uses if u.graph is graph and u is not graph.output]
        users += waiting.get(node, ())
        if not node.device or not users or node in atoms or node.op.effect or any(not u.device for u in users):
            continue
        latest = min(stage[u] - (u.device != node.device) for u in users)
        if latest > stage[node] and any(u.device == node.device and stage[u] == latest for u in users):
            stage[node] = latest
    return stage


def _earliest(needed: Needed, atoms: dict[Node, list[Node]]) -> dict[Node, int]:
    """As soon as can be, the nodes of an atom together. Atoms that something outside stands within are none (`atoms` loses them)."""
    for _ in range(_ROUNDS):
        stage: dict[Node, int] = {}
        moved = _forward(needed, stage)
        for _ in range(_ROUNDS if atoms else 0):
            for atom in {id(found): found for found in atoms.values()}.values():
                stage.update(dict.fromkeys(atom, max(stage[node] for node in atom)))
            moved = _forward(needed, stage)
            if not moved:
                break
        if not moved or not atoms:
            return stage
        bad = [node for node in atoms if node in moved]
        for other in [other for node in bad for other in atoms.get(node, ())]:
            atoms.pop(other, None)
    atoms.clear()
    return _earliest(needed, atoms)


def _forward(needed: Needed, stage: dict[Node, int]) -> set[Node]:
    """Raise stages to what their needs ask for; the nodes that had a lower one."""
    moved = set()
    for node, others in needed.items():
        device, found = node.device, 0
        for other in others:
            after = stage[other] + (other.device != device or not device)
            if after > found:
                found = after
        before = stage.get(node)
        if before is None or found > before:
            stage[node] = found
            if before is not None:
                moved.add(node)
    return moved


def _cut(group: Group, atoms: dict[Node, list[Node]], policy: Policy) -> Iterable[Group]:
    """A group in pieces that the policy admits; claimed patterns whole."""
    if policy.max_ops is None:
        return [group]
    pieces, current = [], Group(group.device)
    held: set[Node] = set()
    for node in group.nodes:
        if node in held:
            continue
        atom = list(atoms.get(node, [node]))
        if current.nodes and len(current.nodes) + len(atom) > policy.max_ops:
            pieces.append(current)
            current = Group(group.device)
        current.nodes += atom
        held.update(atom)
    return [*pieces, current] if current.nodes else pieces


def _ordered(graph: Graph, groups: list[Group], needed: Needed) -> list[Group | Node]:
    """Depth first along what they need, in the order of the graph."""
    unit: dict[Node, Group | Node] = {node: group for group in groups for node in group.nodes}
    for node in graph:
        unit.setdefault(node, node)
    order: list[Group | Node] = []
    done: set[Group | Node] = set()
    for node in graph:
        if unit[node] in done:
            continue
        done.add(unit[node])
        stack = [(unit[node], iter(_before(unit[node], unit, needed)))]
        while stack:
            current, rest = stack[-1]
            step = next((other for other in rest if other not in done), None)
            if step is None:
                order.append(current)
                stack.pop()
            else:
                done.add(step)
                stack.append((step, iter(_before(step, unit, needed))))
    return order


def _before(piece: Group | Node, unit: dict[Node, Group | Node], needed: Needed) -> list[Group | Node]:
    nodes = piece.nodes if isinstance(piece, Group) else [piece]
    found = dict.fromkeys([unit[other] for node in nodes for other in needed[node]])
    found.pop(piece, None)
    return list(found)
