"""Assign: each node is placed on the first device, in the order given, that takes it; what a device claims by pattern comes first."""

from __future__ import annotations

from ..attributes import Attribute
from ..graph import Node
from ..passes.base import ALL, Context, Pass, every_graph
from ..patterns import Match, find
from ..program import Program
from ..runtime.device import Claim, Device
from .supports import Supports, neutral

CLAIMS = Attribute("claims", list)
"""Of a graph: for each claimed pattern the ids of its nodes, which stay together."""


class Assign(Pass):
    """Leaves `node.device`, and CLAIMS on graphs. Attribute `devices`: Devices, the preferred first. Nodes that are placed stay."""

    name = "assign"
    needs = ("devices",)
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        devices: list[Device] = self.get("devices")
        supports, changed = Supports(program), False
        claimed = claim(program, devices)
        for graph in every_graph(program):
            groups, placed = [], False
            for node in graph:
                found = claimed.get(node)
                if found is not None:
                    node.device, placed = found[0].name, True
                    if found[1].root is node:
                        groups.append([other.id for other in found[1].nodes])
                elif not node.device and not neutral(node):
                    node.device = next((d.name for d in devices if supports.node(node, d).answer is not False), "")
                    placed |= bool(node.device)
            if groups:
                graph.set(CLAIMS, groups)
            if placed:
                graph.edited()
            changed |= placed
        return changed


def claim(program: Program, devices: list[Device]) -> dict[Node, tuple[Device, Match]]:
    """The nodes that devices claim by pattern: of overlapping matches the one of the highest priority, then the largest, then the
    first in order."""
    found = []
    for order, device in enumerate(devices):
        for one in device.claims:
            found += [
                (one.priority, len(m.nodes), -order, device, m) for m in matches(program, one) if _free(m, device)
            ]
    taken: dict[Node, tuple[Device, Match]] = {}
    for _, _, _, device, match in sorted(found, key=lambda row: row[:3], reverse=True):
        if not any(node in taken for node in match.nodes):
            taken.update(dict.fromkeys(match.nodes, (device, match)))
    return taken


def matches(program: Program, claim: Claim) -> list[Match]:
    """Where a claim's pattern stands."""
    return find(program, claim.pattern)


def _free(match: Match, device: Device) -> bool:
    """Whether none of its nodes is placed elsewhere."""
    return all(node.device in ("", device.name) for node in match.nodes)
