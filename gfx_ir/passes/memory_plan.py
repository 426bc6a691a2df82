"""Memory plan: how many bytes a program holds at once, and where in one block of memory each value of its entry can lie."""

from __future__ import annotations

import bisect
import math
from typing import Any

from ..attributes import Attribute
from ..body import body_of
from ..graph import Node, Value
from ..infer import sites
from ..infer.walk import Site, Walk
from ..op import Trait
from ..program import Program
from ..trees import leaves
from ..types import LogicalTensor
from .base import ALL, Context, Pass, PassError

PEAK = Attribute("peak_bytes", int, derived=True)
"""The most bytes that values of a program hold at once, beside its arguments and parameters."""
OFFSETS = Attribute("memory_offsets", list, derived=True)
"""(value, first byte, bytes) of each value that a node of the entry makes; views of others are left out."""

ALIGNED, _WIDEST = 64, 16
_VIEWS = Trait.IN_ORDER | Trait.PERMUTES


class MemoryPlan(Pass):
    """Leaves PEAK and OFFSETS on the entry, which an edit makes stale. What is a view takes no memory of its own.

    It needs types of known sizes. What a primitive holds only while it computes is not counted.
    """

    name = "memory_plan"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        site = sites(program)
        program.entry.set(PEAK, _Peaks(program.promotion).of(site))
        program.entry.set(OFFSETS, _offsets(site))
        return False


class _Lives:
    """The values of one graph that take memory: how many bytes each, and from which node to which it is held."""

    def __init__(self, site: Site) -> None:
        self.nodes = list(site.graph or ())
        self.bytes: dict[Value, int] = {}
        self.made: dict[Value, int] = {}
        self.last: dict[Value, int] = {}
        roots: dict[Value, Value] = {}
        for at, node in enumerate(self.nodes):
            view = bool(node.op.traits & _VIEWS or node.op.put is not None) and type(node.args[0]) is Value
            for leaf in leaves(node.args):
                if type(leaf) is Value:
                    self.last[roots.get(leaf, leaf)] = at
            for value in node.values:
                roots[value] = roots.get(node.args[0], node.args[0]) if view else value
                if not view:
                    self.made[value] = self.last[value] = at
                    self.bytes[value] = _bytes(value, site.type(value))
        for leaf in leaves(site.graph.result if site.graph is not None else ()):
            if type(leaf) is Value:
                self.last[roots.get(leaf, leaf)] = len(self.nodes)


class _Peaks:
    """The peaks of sites, each found once."""

    def __init__(self, promotion: str) -> None:
        self.promotion = promotion
        self.known: dict[int, int] = {}

    def of(self, site: Site) -> int:
        """The most bytes that one run of a site's graph holds at once, beside what it is given."""
        found = self.known.get(id(site))
        if found is None:
            found = self.known[id(site)] = self._run(site)
        return found

    def _run(self, site: Site) -> int:
        lives, held, peak = _Lives(site), 0, 0
        ends: dict[int, int] = {}
        for value, at in lives.last.items():
            if value in lives.bytes:
                ends[at] = ends.get(at, 0) + lives.bytes[value]
        for at, node in enumerate(lives.nodes):
            made = sum(lives.bytes.get(value, 0) for value in node.values)
            peak = max(peak, held + self._inside(node, site, made))
            held += made - ends.get(at, 0)
        return peak

    def _inside(self, node: Node, site: Site, made: int) -> int:
        """The most bytes that a node holds while it runs, its values among them."""
        inner = max([self.of(child) for child in site.children.get(node, ())], default=0)
        control = node.op.control
        if control is not None and control.carried(node):
            return made + inner  # what the trip before gave is held while a trip runs
        if node.op.body is not None and _told(node, site):
            body = body_of(node, self.promotion, site.type).graph
            inner = self._run(Walk(None, self.promotion).run(body))
        return max(made, inner)


def _told(node: Node, site: Site) -> bool:
    """Whether the types of a node's arguments are known at this site."""
    types = [site.type(leaf) for leaf in leaves(node.args) if type(leaf) is Value and leaf.is_tensor]
    return all(isinstance(type_, LogicalTensor) and type_.known for type_ in types)


def _offsets(site: Site) -> list[tuple[Value, int, int]]:
    """First fit, in the order in which values are made."""
    lives = _Lives(site)
    ending: dict[int, list[Value]] = {}
    for value, at in lives.last.items():
        if lives.bytes.get(value):
            ending.setdefault(at, []).append(value)
    gaps: list[list[float]] = [[0, math.inf]]
    found: dict[Value, tuple[Value, int, int]] = {}
    for at, node in enumerate(lives.nodes):
        for value in node.values:
            if lives.bytes.get(value):
                found[value] = (value, _take(gaps, _aligned(lives.bytes[value])), lives.bytes[value])
        for value in ending.get(at, ()):
            _, start, size = found[value]
            _give_back(gaps, start, start + _aligned(size))
    return list(found.values())


def _aligned(size: int) -> int:
    return -(-size // ALIGNED) * ALIGNED


def _take(gaps: list[list[float]], size: int) -> int:
    """The first byte of the first gap of that size, which is smaller then."""
    at, gap = next((at, gap) for at, gap in enumerate(gaps) if gap[1] - gap[0] >= size)
    start = int(gap[0])
    gap[0] += size
    if gap[0] == gap[1]:
        del gaps[at]
    return start


def _give_back(gaps: list[list[float]], start: int, end: int) -> None:
    """Make a gap of what was taken, one with the gaps around it."""
    at = bisect.bisect(gaps, [start, end])
    if gaps[at][0] == end:
        end = gaps.pop(at)[1]  # type: ignore[assignment]
    if at and gaps[at - 1][1] == start:
        gaps[at - 1][1] = end
    else:
        gaps.insert(at, [start, end])


def _bytes(value: Value, type_: Any) -> int:
    """What a value takes; a number of unknown dtype at most as much as the widest."""
    if not value.is_tensor:
        return 0
    size = type_.size() if isinstance(type_, LogicalTensor) else None
    width = (
        type_.dtype.itemsize
        if isinstance(type_, LogicalTensor) and type_.dtype is not None
        else _WIDEST
        if size == 1
        else None
    )
    if width is None or not isinstance(size, int):
        what = f"the size of what {value.node.op.name} gives is not known"
        raise PassError(what, value.node.span, "bind the program to types of known sizes, and infer")
    return size * width
