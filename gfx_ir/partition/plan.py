"""Plan: a program cut into partitions, each an outlined Graph that a node with a device calls."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ..control import is_call, is_output
from ..copies import copy_program
from ..errors import ArgumentError
from ..graph import Graph, Node, values_in
from ..op import Trait
from ..passes.base import Context, Pass, every_graph
from ..passes.params import prefixes_of
from ..pause import collection_paused
from ..program import Program
from ..reach import needed_first
from ..regions import with_regions
from ..runtime.device import Device
from ..runtime.devices import REFERENCE, device
from ..tables import table, text_of
from ..verify import called
from .assign import Assign
from .effects import keep_order
from .grouping import grouped
from .neutral import settle
from .outlining import outlined
from .partition import Partition
from .policy import FUSION, Policy, policy_of
from .supports import Supports


class Plan(Sequence[Partition]):
    """The partitions, in the order of the program; `program` with their calls, `devices` by name, and what no device takes
    (`left`: an interpreter runs it), with the reason that each device gave."""

    def __init__(self, program: Program, devices: dict[str, Device], policy: Policy, calls: list[Node]) -> None:
        self.program, self.devices, self.policy = program, devices, policy
        prefixes = prefixes_of(program)
        self._partitions = [
            Partition(at, call.args[0], call.device, _own(program, program.functions[call.args[0]]), program.params,
                      prefixes.get(program.functions[call.args[0]], ()))
            for at, call in enumerate(calls)
        ]  # fmt: skip
        self.by_name = {partition.name: partition for partition in self._partitions}
        self.donated = {call.args[0]: _donated(call, self.by_name) for call in calls}
        """By partition the ids of its inputs that nobody else takes, whose memory its results may have."""

    def __len__(self) -> int:
        return len(self._partitions)

    def __getitem__(self, at: Any) -> Any:
        return self._partitions[at]

    def __iter__(self) -> Iterator[Partition]:
        return iter(self._partitions)

    @property
    def left(self) -> list[Node]:
        """The nodes that stand in no partition: tests and loops that no device takes whole, and what is known of shapes."""
        inside = {graph for one in self._partitions for graph in with_regions(one.program.graphs)}
        graphs = [graph for graph in every_graph(self.program) if graph not in inside]
        return [node for graph in graphs for node in graph if not is_call(node) or node.args[0] not in self.by_name]

    def table(self) -> Any:
        """As a rich table."""
        rows = []
        for partition in self._partitions:
            ops = [node.op.name for node in partition.ops]
            shown = ", ".join(ops[:6]) + (f" and {len(ops) - 6} more" if len(ops) > 6 else "")
            ends = [" ".join(map(_shown, side)) for side in (partition.inputs, partition.outputs)]
            rows.append((partition.name, partition.device, len(ops), shown, *ends, len(partition.prefixes)))
        title = f"{self.program.entry.name}: {len(self)} partitions, policy {self.policy}; {len(self.left)} nodes left to the interpreter"
        return table(("partition", "device", "ops", "what", "takes", "gives", "instances"), rows, title)

    def __rich__(self) -> Any:
        return self.table()

    def __str__(self) -> str:
        return text_of(self.table())


def _donated(call: Node, by_name: Mapping[str, Partition]) -> tuple[int, ...]:
    """What another partition of the same device computes, as memory of its own that nothing else it gives shares, for this one alone."""
    found = []
    for value in dict.fromkeys(values_in(call.args)):
        giver = by_name.get(value.node.args[0]) if value.node.device == call.device and is_call(value.node) else None
        if giver is None or list(value.uses.items()) != [(call, 1)]:
            continue
        inner = giver.results[value.index - 1]
        makers = (inner.node, *(user for user in inner.uses if not is_output(user)))
        if inner.is_tensor and all(node.op.traits & Trait.APART for node in makers):
            found.append(value.id)
    return tuple(found)


def _shown(tensor: Any) -> str:
    return f"%{tensor.id}:{tensor}" if tensor.dtype is not None or tensor.dims is not None else f"%{tensor.id}"


@collection_paused()
def partition(
    program: Program, backends: Sequence[str | Device] = ("torch", "jax", "numpy"), policy: Policy | str = FUSION, *,
    passes: Sequence[Pass] = (),
) -> Plan:  # fmt: skip
    """Cut a program, at any level, into partitions for these devices, the preferred first; the reference takes what they lack.

    `passes` may place nodes before (see `Place`); nodes that are placed stay there, the others go to the first device that takes
    them. The program itself is left as it is. Raises DeviceError for a device that there is not.
    """
    policy = policy_of(policy)
    found = [device(one) if isinstance(one, str) else one for one in backends]
    if not found:
        raise ArgumentError("a program is cut for one backend at least", hint='partition(program, ["torch"])')
    if all(one.name != REFERENCE for one in found):
        found.append(device(REFERENCE))
    out, context = copy_program(program), Context()
    for pass_ in passes:
        pass_.apply(out, context)
    Assign(devices=found).run(out, context)  # it leaves devices and nothing else: there is nothing to verify
    placed = {node.device for graph in every_graph(out) for node in graph if node.device}
    devices = {one.name: one for one in found}
    devices.update({name: device(name) for name in placed if name not in devices})
    keep_order(out)
    calls = _cut(out, devices, policy)
    return Plan(out, devices, policy, calls)


def _cut(program: Program, devices: dict[str, Device], policy: Policy) -> list[Node]:
    """Outline the groups of every graph that an interpreter runs: the entry, regions of nodes that no device takes, and functions
    whose calls none takes."""
    supports, calls, seen = Supports(program), [], set[Graph]()
    waiting = [program.entry]
    while waiting:
        graph = waiting.pop()
        if graph in seen:
            continue
        seen.add(graph)
        settle(graph, supports, devices)
        made = outlined(program, graph, grouped(graph, policy))
        calls += made
        for node in graph:
            if node.device:
                continue
            waiting += node.regions
            if is_call(node):
                callee = program.callee(node.args[0])
                waiting += [callee] if callee is not None else []
    return calls


def _own(program: Program, graph: Graph) -> Program:
    """The program of one function, with those that it calls."""
    keys = {function: name for name, function in program.functions.items()}
    functions = {keys[one]: one for one in needed_first(graph, partial(called, program)) if one is not graph}
    return Program(graph, functions, promotion=program.promotion, flavour=program.flavour, level=program.level)
