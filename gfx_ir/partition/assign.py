"""Assign: each node is placed on the first device, in the order given, that takes it; what a device claims by pattern comes first."""

from __future__ import annotations

from ..attributes import Attribute
from ..graph import Node
from ..passes.base import ALL, Context, Pass, every_graph
from ..patterns import Match, find
from ..program import Program
from ..runtime.device import Claim, Device
from ..runtime.devices import device
from .supports import Supports, neutral

CLAIMS = Attribute("claims", list)
"""Of a graph: for each claimed pattern the ids of its nodes, which stay together."""


class Assign(Pass):
    """Leaves `node.device`, and CLAIMS on graphs. Attribute `devices`: Devices or their names, the preferred first (else that of the
    program's own framework). Nodes that are placed stay."""

    name = "assign"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        devices = devices_of(self, program)
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


def devices_of(pass_: Pass, program: Program) -> list[Device]:
    """The devices that a pass is for."""
    given = pass_.get("devices", program.flavour)
    if isinstance(given, (str, Device)):
        given = (given,)
    return [device(one) if isinstance(one, str) else one for one in given]


def claim(program: Program, devices: list[Device]) -> dict[Node, tuple[Device, Match]]:
    """The nodes that devices claim by pattern: of overlapping matches the one of the highest priority, then the largest, then the
    first in order."""
    found = []
    for order, owner in enumerate(devices):
        for one in owner.claims:
            free = [match for match in matches(program, one) if _free(match, owner)]
            found += [(one.priority, len(match.nodes), -order, owner, match) for match in free]
    taken: dict[Node, tuple[Device, Match]] = {}
    for _, _, _, owner, match in sorted(found, key=lambda row: row[:3], reverse=True):
        if not any(node in taken for node in match.nodes):
            taken.update(dict.fromkeys(match.nodes, (owner, match)))
    return taken


def matches(program: Program, claim: Claim) -> list[Match]:
    """Where a claim's pattern stands."""
    return find(program, claim.pattern)


def _free(match: Match, owner: Device) -> bool:
    """Whether none of its nodes is placed elsewhere."""
    return all(node.device in ("", owner.name) for node in match.nodes)
