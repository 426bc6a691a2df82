"""Roll: a run of calls of one function, each on what the one before gave, becomes a loop over their stacked parameters."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..control import is_call
from ..dependence import pinned
from ..dtypes import dtype
from ..edited import take_place
from ..graph import Graph, Node, Value
from ..infer import retype
from ..naming import identifier
from ..op import lookup
from ..program import Program
from ..regions import join_path
from ..trees import BRANCHES, leaves
from ..types import LogicalTensor
from .base import Context, Pass, with_regions
from .effects import Effects
from .inline import callees_first
from .moves import splice
from .params import data_of, like, prefixes_of, users_of_parameters
from .sweep import same_type


@dataclass
class Run:
    """Calls one after another. `thread` has, for each argument that the call before gives, which of its results that is."""

    calls: list[Node]
    thread: dict[int, int]


class Roll(Pass):
    """Makes a `for` of each run of at least `least` (3) equal blocks: what is traced and compiled is one block, not each.

    The parameters of the blocks are stacked, in the program's parameters too, so they have to be of one shape, and taken by
    their block alone. It needs types: bind and infer the program first.
    """

    name = "roll"

    def run(self, program: Program, context: Context) -> bool:
        rolling, least, changed = _Rolling(program), self.get("least", 3), False
        for graph in callees_first(program):
            for run in _runs(graph, least):
                for part in rolling.alike(graph, run):
                    changed |= len(part.calls) >= least and rolling.roll(graph, part)
        if changed:
            kept = set(callees_first(program))
            program.functions = {name: graph for name, graph in program.functions.items() if graph in kept}
            retype(program)
        return changed


def _runs(graph: Graph, least: int) -> list[Run]:
    """The runs of a graph, regions left out."""
    found: list[Run] = []
    run, fixed = Run([], {}), pinned(graph)
    for node in graph:
        if not is_call(node) or node in fixed:
            continue
        thread = _joins(run, node) if run.calls else None
        if thread is None:
            run = Run([node], {})
            found.append(run)
        else:
            run.calls.append(node)
            run.thread = thread
    return [run for run in found if len(run.calls) >= least]


def _joins(run: Run, node: Node) -> dict[int, int] | None:
    """The thread of the run with a call behind it; None where it does not belong to it."""
    last = run.calls[-1]
    if last.args[0] != node.args[0] or len(last.args[2]) != len(node.args[2]):
        return None
    thread: dict[int, int] = {}
    for at, (old, new) in enumerate(zip(last.args[2], node.args[2])):
        if type(new) is Value and new.node is last:
            thread[at] = new.index - 1
        elif type(new) is not type(old) or (new is not old if type(new) is Value else new != old):
            return None
    taken = Counter(thread.values())
    alone = all(value.uses.get(node, 0) == taken[at] and len(value.uses) <= 1 for at, value in enumerate(last.values))
    typed = all(same_type(last.args[2][at], node.args[2][at]) for at in thread)
    return thread if thread and alone and typed and (len(run.calls) == 1 or thread == run.thread) else None


class _Rolling:
    """The parameters of a program: where those of each graph stand, how many nodes take each, how many stand under each path."""

    def __init__(self, program: Program) -> None:
        self.program, self.effects = program, Effects(program)
        self.prefixes = prefixes_of(program)
        self.users, self.under = users_of_parameters(self.prefixes), Counter[str]()
        for path in program.params:
            self._count(path, 1)

    def _count(self, path: str, by: int) -> None:
        while path:
            path = path.rpartition(".")[0]
            self.under[path] += by

    def alike(self, graph: Graph, run: Run) -> list[Run]:
        """The parts of a run whose parameters have the same types."""
        callee = self.program.callee(run.calls[0].args[0])
        if callee is None or self.effects.graph(callee) or not _plain(run.calls[0]):
            return []
        paths = list(self._body(run, sorted(set(run.thread.values())))[0].parameters)
        prefixes = self.prefixes.get(graph, [])

        def types(call: Node) -> list[Any]:
            return [self._type(_path(prefix, call.args[1], path)) for path in paths for prefix in prefixes]

        return [Run(list(calls), run.thread) for _, calls in itertools.groupby(run.calls, types)]

    def _type(self, path: str) -> Any:
        data = data_of(self.program.params[path]) if path in self.program.params else None
        return None if data is None else (data.shape, data.dtype)

    def roll(self, graph: Graph, run: Run) -> bool:
        """Put a loop in the place of a run, where its blocks have parameters of their own."""
        first, last = run.calls[0], run.calls[-1]
        prefixes = self.prefixes.get(graph, [])
        carried = sorted(set(run.thread.values()))
        init = {result: first.args[2][at] for at, result in run.thread.items()}
        same = all(first.args[2][at] is init[result] for at, result in run.thread.items())
        if not prefixes or not same or any(v.uses and v.index - 1 not in carried for v in last.values):
            return False
        body, operands = self._body(run, carried)
        blocks = [call.args[1] for call in run.calls]
        if not body.parameters or not self._own(body, prefixes, blocks):
            return False
        stem = self._stem(list(body.parameters), prefixes, blocks)
        types = [self._stack(prefixes, blocks, stem, path) for path in body.parameters]
        items = tuple(
            [graph.add_parameter(join_path(stem, path), type_) for path, type_ in zip(body.parameters, types)]
        )
        _make_rows(body)
        args = (items, tuple([init[result] for result in carried]), operands, None)
        made = graph.insert(Node(lookup("for"), args, ("tensor",) * len(carried), first.span, (body,)), first)
        take_place(made.values, [last.values[result] for result in carried])
        for call in reversed(run.calls):
            graph.erase(call)
        return True

    def _body(self, run: Run, carried: list[int]) -> tuple[Graph, tuple]:
        """What a call of the run does, calls within it put in place, its parameters under their paths in the block; and the
        operands of the loop."""
        first, body, operands = run.calls[0], Graph("body"), []
        places = {result: body.add_placeholder(first.values[result].name or "") for result in carried}
        args: list[Any] = []
        for at, leaf in enumerate(first.args[2]):
            if at in run.thread:
                args.append(places[run.thread[at]])
            elif type(leaf) is Value:
                args.append(body.add_placeholder(leaf.name or "", leaf.kind, leaf.type))
                operands.append(leaf)
            else:
                args.append(leaf)
        kinds = tuple([value.kind for value in first.values])
        waiting = [body.append(Node(lookup("call"), (first.args[0], "", tuple(args)), kinds, first.span))]
        body.result = tuple([waiting[0].values[result] for result in carried])
        for node in waiting:
            before, after = node.prev, node.next
            callee = self.program.callee(node.args[0])
            assert callee is not None
            splice(callee, node, node.args[2], node.args[1])
            inner = body.first if before is None else before.next
            while inner is not None and inner is not after:
                waiting += [inner] if is_call(inner) else []
                inner = inner.next
        return body, tuple(operands)

    def _own(self, body: Graph, prefixes: list[str], blocks: list[str]) -> bool:
        """Whether the blocks have parameters of their own: data that nothing else takes and nobody writes."""
        if any(inner.parameters for inner in with_regions((body,))[1:]) or any(is_call(n) for n in body.walk()):
            return False
        params, writes = self.program.params, self.program.writes
        for path, value in body.parameters.items():
            found = [_path(prefix, block, path) for prefix in prefixes for block in blocks]
            if any(p not in params or p in writes or self.users[p] != len(value.uses) for p in found):
                return False
            if len(set(map(self._type, found))) > 1:  # one graph, called at several sizes
                return False
        return len(set(blocks)) == len(blocks)

    def _stem(self, paths: list[str], prefixes: list[str], blocks: list[str]) -> str:
        """The path of the stacked parameters: that of the blocks, where nothing else stands there."""
        stem = blocks[0].rpartition(".")[0]
        beside = [block.rpartition(".")[0] for block in blocks]
        if (
            stem
            and set(beside) == {stem}
            and all(self.under[join_path(p, stem)] == len(paths) * len(blocks) for p in prefixes)
        ):
            return stem
        ends = f"{blocks[0]}_to_{blocks[-1]}".replace(".", "_")
        while any(
            self.under[join_path(prefix, ends)] or join_path(prefix, ends) in self.program.params for prefix in prefixes
        ):
            ends += "_"
        return ends

    def _stack(self, prefixes: list[str], blocks: list[str], stem: str, path: str) -> LogicalTensor:
        """Stack one parameter of the blocks, wherever the graph is called; its type."""
        params = self.program.params
        for prefix in prefixes:
            old, new = [_path(prefix, block, path) for block in blocks], _path(prefix, stem, path)
            arrays = [params.pop(p) for p in old]
            data = np.stack([data_of(x) for x in arrays])
            params[new] = like(arrays[0], data)
            self.users[new] = 1
            for p in old:
                self._count(p, -1)
            self._count(new, 1)
        return LogicalTensor(dtype(data.dtype), data.shape)


def _plain(call: Node) -> bool:
    """Whether a call takes values and constants, and gives tensors."""
    trees = any(type(leaf) in BRANCHES and any(type(x) is Value for x in leaves(leaf)) for leaf in call.args[2])
    return not trees and all(value.is_tensor for value in call.values)


def _path(prefix: str, block: str, path: str) -> str:
    return join_path(prefix, join_path(block, path))


def _make_rows(body: Graph) -> None:
    """Let a body take its parameters as what a trip goes over."""
    rows = []
    for path, value in body.parameters.items():
        row = body.add_placeholder(identifier(path.replace(".", "_")), "tensor")
        value.replace_by(row)
        rows.append(row)
    body.parameters.clear()
    body.placeholders[:] = [*rows, *body.placeholders[: -len(rows)]]
    body.edited()
