"""Runs of calls to one graph with parameters P.0, P.1, … become one `repeat_calls` node: a loop over the list P. So do those with
parameters P.block_0, P.block_1, …: a loop over the numbers of these names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import partial
from typing import Any

from ...control import Form, is_call
from ...graph import Graph, Node, Value
from ...op import OpDef
from ...program import Program
from ...regions import join_path, with_regions
from .base import Emission, Lowering, order

# `thread`: pairs (position of an argument, position of the output that it takes from the trip before); `stem`: what the names of the
# parameters at `path` begin with, before their number; "" of a list.
REPEAT = OpDef(
    "repeat_calls(callee, path, start, stop, args, thread, stem)", kinds=lambda args: ("tensor",), form=Form.REPEAT
)


_NUMBERED = re.compile(r"(.*?)(0|[1-9]\d*)")


class Reroll(Lowering):
    """A run of calls of one function over a list of parameters is a loop over that list."""

    name = "reroll"
    preserves = ()

    def lower(self, program: Program, emission: Emission) -> None:
        """Replace the runs in all graphs and their regions."""
        names = {graph: key for key, graph in program.functions.items()}
        taking = set[str]()
        for graph in order(program):
            key = names.get(graph, "")
            if _takes_parameters(graph, taking):
                taking.add(key)
            prefix = emission.instances.get(key, "")
            for inner in with_regions((graph,)):
                _reroll(inner, partial(_is_list, emission, prefix), taking)


def _takes_parameters(graph: Graph, taking: Collection[str]) -> bool:
    """Whether a function takes parameters, or calls one of those that do."""
    inner = list(with_regions((graph,)))
    calls = [node.args[0] for region in inner for node in region if is_call(node)]
    return any(region.parameters for region in inner) or not set(calls).isdisjoint(taking)


def _is_list(emission: Emission, prefix: str, path: str) -> bool:
    """Whether the parameters at a path are a list, of a function whose first call has this prefix."""
    return emission.lists.length(join_path(prefix, path)) is not None


def _reroll(graph: Graph, is_list: Callable[[str], bool], taking: Collection[str]) -> None:
    run: list[Node] = []
    thread: dict[int, int] = {}
    for node in list(graph):
        if not is_call(node) or node.args[0] not in taking:  # which have no list of parameters to go over
            continue
        place = _split(node.args[1])
        known = place is not None and (place[1] or is_list(place[0]))
        joined = _joins(run, node, thread) if run and known else None
        if joined is None:
            _close(run, thread)
            run, thread = [node], {}
        else:
            run.append(node)
            thread = joined
    _close(run, thread)


def _split(prefix: str) -> tuple[str, str, int] | None:
    """(path, stem, number) of a path that ends in a number; the stem is "" of a position in a list."""
    path, _, last = (prefix or "").rpartition(".")
    found = _NUMBERED.fullmatch(last)
    return (path, found[1], int(found[2])) if found is not None else None


def _joins(run: list[Node], node: Node, thread: dict[int, int]) -> dict[int, int] | None:
    """The thread of the run with `node` behind it, None where it does not belong to it."""
    last = run[-1]
    before, here = _split(last.args[1]), _split(node.args[1])
    same = last.args[0] == node.args[0] and len(last.args[2]) == len(node.args[2])
    if not same or before is None or here is None or here != (*before[:2], before[2] + 1):
        return None
    found: dict[int, int] = {}
    for at, (old, new) in enumerate(zip(last.args[2], node.args[2])):
        if type(new) is Value and new.node is last:
            found[at] = new.index - 1
        elif not _same(old, new):
            return None
    if not found or (len(run) > 1 and found != thread):
        return None
    taken = set(found.values())
    for value in last.values:
        if value.uses and (value.index - 1 not in taken or set(value.uses) != {node}):
            return None
        if value.uses.get(node, 0) > list(found.values()).count(value.index - 1):
            return None
    return found


def _same(a: Any, b: Any) -> bool:
    if type(a) is Value or type(b) is Value:
        return a is b
    if type(a) is type(b) and isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    return type(a) is type(b) and a == b


def _close(run: list[Node], thread: dict[int, int]) -> None:
    if len(run) < 2:
        return
    first, last = run[0], run[-1]
    path, stem, start = _split(first.args[1]) or ("", "", 0)
    args = (first.args[0], path, start, start + len(run), first.args[2], tuple(sorted(thread.items())), stem)
    made = Node(REPEAT, args, tuple(value.kind for value in last.values), first.span)
    graph = first.graph
    assert graph is not None
    graph.insert(made, first)
    for old, new in zip(last.values, made.values):
        new.name, new.type = old.name, old.type
        new.name = old.name or run[0].values[old.index - 1].name
        old.replace_by(new)
    for node in reversed(run):
        graph.erase(node)
