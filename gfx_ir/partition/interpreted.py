"""A partition node by node: what devices do that compile nothing, and what is done where a device cannot compile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from ..control import is_call
from ..copies import copy_program
from ..graph import Node, Value
from ..interpreter import Interpreter
from ..passes.cluster import cluster
from ..program import Program
from ..regions import outputs_of
from ..runtime.call import current
from ..runtime.device import Claim, Device, Executable
from ..runtime.dispatch import Dispatch
from ..runtime.executor import Executor
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .assign import matches


def interpreted(program: Program, device: Device, why: str = "", on_fault: str = "raise") -> Executable:
    """The entry of a program, run on a device; patterns that it claims as one."""
    fused = _Fused(program, device) if device.claims else None
    dispatch = Dispatch(device, on_fault)
    own = Executor(dispatch).under_own_rules(fused.program if fused is not None else program)

    def run(args: Sequence[Any], params: Mapping[str, Any], buffers: Sequence[Any] | None) -> Sequence[Any]:
        machine = _Machine(dispatch, own, params, fused.calls if fused is not None else {})
        return list(leaves(machine.graph(own.entry, args, "")))

    return Executable(run, handle=dispatch, how="node by node" + (f": {why}" if why else ""))


class _Fused:
    """A copy of a program in which a call stands for each match of a claimed pattern."""

    def __init__(self, program: Program, device: Device) -> None:
        self.program = copy_program(program)
        self.calls: dict[str, tuple[Claim, Any]] = {}
        for claim in sorted(device.claims, key=lambda claim: -claim.priority):
            for match in matches(self.program, claim):
                graph = match.nodes[0].graph
                if graph is not self.program.entry or any(node.graph is not graph for node in match.nodes):
                    continue
                name = f"claimed_{len(self.calls)}"
                arguments = dict(match.arguments)
                if claim.condition is not None and not claim.condition(SimpleNamespace(**tree_map(_type, arguments))):
                    continue
                call = cluster(self.program, graph, match.nodes, name)
                given = {value: at for at, value in enumerate(call.args[2])}
                self.calls[name] = claim, tree_map(partial(_place, given), arguments)


def _type(leaf: Any) -> Any:
    return (leaf.type or LogicalTensor()) if type(leaf) is Value else leaf


class _Place:
    """Where among the arguments of a call one of the pattern's stands."""

    def __init__(self, at: int) -> None:
        self.at = at


def _place(given: Mapping[Any, int], leaf: Any) -> Any:
    return _Place(given[leaf]) if type(leaf) is Value else leaf


class _Machine(Interpreter):
    """An interpreter that runs claimed patterns as one."""

    def __init__(
        self, backend: Any, program: Program, params: Mapping[str, Any], calls: Mapping[str, tuple[Claim, Any]]
    ) -> None:
        super().__init__(backend, program, params)
        self.calls = calls

    def node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        call = current.get()
        if call is None:
            return self._node(node, args, prefix)
        call.at(node)
        if call.profile is None or not call.profile.nodes or node.regions:
            return self._node(node, args, prefix)
        place = node.span.place() if node.span is not None else ""
        with call.profile.timed(node.op.name, "node", self.backend.name, place):
            return self._node(node, args, prefix)

    def _node(self, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        found = self.calls.get(node.args[0]) if self.calls and is_call(node) else None
        if found is None:
            return super().node(node, args, prefix)
        claim, arguments = found
        given = tree_map(lambda leaf: args[2][leaf.at] if type(leaf) is _Place else leaf, arguments)
        return outputs_of(claim.eval(**given), len(node.values), node.span)
