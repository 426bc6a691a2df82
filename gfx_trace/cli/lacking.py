"""What a program needs and backends lack: its ops without a row somewhere, and the calls that no op stands for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from gfx_ir.backend import Backend
from gfx_ir.control import is_holder
from gfx_ir.graph import Node
from gfx_ir.op import OpDef
from gfx_ir.program import Program


@dataclass
class Need:
    """An op of a program, or a call without one: the cell of each backend ("yes", or why not), the places in the user's code."""

    name: str
    family: str
    cells: list[str]
    places: list[str] = field(default_factory=list)

    @property
    def covered(self) -> bool:
        """Whether every backend has it."""
        return all(cell.startswith(("yes", "in code")) for cell in self.cells)


def covered(owner: Backend, op: OpDef) -> str:
    """Whether a backend has an op, and if not why."""
    if op.family == "control":
        return "in code"
    row = owner.rows.get(op.name)
    if row is not None and row.missing:
        return row.missing
    return ("yes" if op.name in owner.templates else "yes, by its body") if owner.supports(op) else "no row"


def needs(program: Program, backends: Sequence[Backend]) -> list[Need]:
    """What the program is made of, in the order of its code, each once."""
    found: dict[tuple[str, ...], Need] = {}
    for graph in program.graphs:
        for node in graph.walk():
            need = _need(node, backends)
            place = node.span.place() if node.span is not None else ""
            kept = found.setdefault((need.name, *need.cells), need)
            if place and place not in kept.places:
                kept.places.append(place)
    return list(found.values())


def _need(node: Node, backends: Sequence[Backend]) -> Need:
    if not is_holder(node):
        return Need(node.op.name, node.op.family, [covered(owner, node.op) for owner in backends])
    framework, target = node.args[:2]
    cells = ["yes, as it is" if owner.name == framework else node.arg("why") or "no op" for owner in backends]
    return Need(target, "call of its framework", cells)
