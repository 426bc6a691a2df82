"""Divergence: the first block, and in it the first line, whose value is another one on the target than where it was captured."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.control import is_call
from gfx_ir.graph import Graph, Node
from gfx_ir.interpreter import Interpreter
from gfx_ir.loading import to_host
from gfx_ir.program import Program
from gfx_ir.records import mapped
from gfx_ir.regions import join_path
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves

from ..frameworks.params import moved
from .differences import Difference, compare, copied
from .interpreted import arguments


@dataclass(frozen=True)
class Statistics:
    """Of an array: dtype, shape, and of its finite numbers the smallest, largest, mean and standard deviation; how many are not finite."""

    dtype: str
    shape: tuple[int, ...]
    low: float
    high: float
    mean: float
    deviation: float
    not_finite: int

    @classmethod
    def of(cls, x: np.ndarray) -> Statistics:
        """Complex numbers by their magnitudes."""
        wide = np.abs(x) if x.dtype.kind == "c" else x.astype(np.float64)
        finite = wide[np.isfinite(wide)]
        low, high, mean, deviation = (
            (finite.min(), finite.max(), finite.mean(), finite.std()) if finite.size else (np.nan,) * 4
        )
        parts = (float(low), float(high), float(mean), float(deviation))
        return cls(str(x.dtype), x.shape, *parts, int(wide.size - finite.size))

    def __str__(self) -> str:
        text = f"{self.dtype}{list(self.shape)} from {self.low:.4g} to {self.high:.4g}, mean {self.mean:.4g}, deviation {self.deviation:.4g}"
        return text + (f", {self.not_finite} not finite" if self.not_finite else "")


@dataclass(frozen=True)
class Block:
    """A call of a function of the program: the path of its parameters ("": it has none of its own), its name, the line that calls it,
    and how far its results are apart."""

    path: str
    name: str
    place: str
    max_abs: float
    max_rel: float
    reason: str


@dataclass(frozen=True)
class Divergence:
    """The first value that differs: the block it is computed in, the op, the author's line, its statistics on both sides (by name)."""

    path: str
    name: str
    op: str
    place: str
    text: str
    difference: Difference
    statistics: Mapping[str, Statistics]

    def __str__(self) -> str:
        block = f"{self.path} ({self.name})" if self.path else self.name
        width = max(map(len, self.statistics))
        lines = [
            f"first block that differs: {block}, op {self.op}",
            f"  {self.place}: {self.text}",
            f"  {self.difference}",
        ]
        return "\n".join([*lines, *(f"  {name:{width}}  {found}" for name, found in self.statistics.items())])


@dataclass(frozen=True)
class _Seen:
    node: Node
    prefix: str
    function: str
    arrays: list[np.ndarray]
    told: Node
    """What has the author's line: the node, or the call of a framework's layer, whose own line is that of the first such call."""


class _Recorder(Interpreter):
    """Keeps what each node gave, in the order in which they ran; copies of a program have the ids of its nodes."""

    def __init__(self, owner: Backend, program: Program, params: Mapping[str, Any]) -> None:
        super().__init__(owner, program, params)
        self.seen: dict[tuple, _Seen] = {}
        self._times: Counter[tuple] = Counter()
        self._names = {graph: graph.name for graph in program.graphs}
        self._inside = [program.entry.name]
        self._call: Node | None = None
        calls = [node for graph in program.graphs for node in graph.walk() if is_call(node)]
        self._lines = {(str(call.args[0]), _place(call)) for call in calls}

    def graph(self, graph: Graph, *args: Any, **kwargs: Any) -> Any:
        self._inside.append(self._names.get(graph, self._inside[-1]))  # a region is within its function
        try:
            return super().graph(graph, *args, **kwargs)
        finally:
            self._inside.pop()

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        call = self._call
        told = call if call is not None and (self._inside[-1], _place(node)) in self._lines else node
        self._call = told if is_call(node) else call
        try:
            out = super().node(node, args, prefix)
        finally:
            self._call = call
        arrays = [np.array(to_host(leaf)) for leaf in leaves(out) if self.backend.is_tensor(leaf)]
        key = (node.id, prefix)
        self._times[key] += 1
        self.seen[*key, self._times[key]] = _Seen(node, prefix, self._inside[-1], arrays, told)
        return out


def divergence(
    program: Program,
    given: Mapping[str, Any],
    params: Mapping[str, Any],
    own: Backend,
    target: Backend,
    tolerance: float | None,
) -> tuple[tuple[Block, ...], Divergence | None]:
    """The blocks in the order in which they end, and the first value that differs. `params`: by path, those that the target has.

    Runs the program node by node on both frameworks, and holds every value that either gives in the host's memory."""
    ours, theirs = _record(program, own, given, {}), _record(program, target, given, params)
    blocks: list[Block] = []
    first = None
    for key, seen in ours.items():
        other = theirs.get(key)
        differences = list(_compared(seen, other, target, tolerance)) if other is not None else []
        worst = max(differences, key=lambda found: (not found.equal, found.max_rel), default=None)
        if worst is None or other is None:
            continue
        node = seen.node
        if is_call(node):
            path = join_path(seen.prefix, node.args[1])
            blocks.append(Block(path, str(node.args[0]), _place(seen.told), worst.max_abs, worst.max_rel, worst.reason))
        if first is None and not worst.equal:
            at = differences.index(worst)
            sides = {own.name: seen.arrays[at], target.name: other.arrays[at]}
            if own is target:
                sides = {"here": seen.arrays[at], "there": other.arrays[at]}
            first = Divergence(
                seen.prefix, seen.function, node.op.name, _place(seen.told),
                seen.told.span.text if seen.told.span is not None else "", worst,
                {side: Statistics.of(x) for side, x in sides.items()},
            )  # fmt: skip
    return tuple(blocks), first


def _record(program: Program, owner: Backend, given: Mapping[str, Any], held: Mapping[str, Any]) -> dict[tuple, _Seen]:
    program = Executor(owner).under_own_rules(program)
    there = mapped(lambda leaf: copied(moved(leaf, owner)), dict(given))
    params = {path: copied(moved(held.get(path, x), owner)) for path, x in program.params.items()}
    run = _Recorder(owner, program, params)
    run.graph(program.entry, arguments(program, there), "")
    return run.seen


def _compared(ours: _Seen, theirs: _Seen, target: Backend, tolerance: float | None) -> Iterator[Difference]:
    for value, want, have in zip(ours.node.values, ours.arrays, theirs.arrays):
        yield compare(value.name or f"%{value.index}", want, have, target, tolerance)


def _place(node: Node) -> str:
    return f"{Path(node.span.file).name}:{node.span.line}" if node.span is not None else ""
