"""Checks what every pass must leave true of a graph: the list, the chains, the ops, the regions, the calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from typing import Any, NoReturn

from .control import calls_function, is_call, is_host, is_output, is_parameter, is_placeholder
from .errors import GfxError, VerifyError
from .graph import UNBOUND, Graph, Node, Value
from .naming import is_name
from .op import HOST_KINDS
from .pause import collection_paused
from .program import Program
from .records import RESULT, held_at, items, root_of
from .regions import join_path
from .static import misfit
from .text import default_kinds
from .trees import leaves
from .types import LogicalTensor

_KINDS = frozenset((*HOST_KINDS, "tensor"))
_TEXT = re.compile(r"[\w ,.>+-]*")
_ON_DEVICE = frozenset(("tensor", "optional", "any", "list"))


@collection_paused()
def verify(what: Program | Graph) -> None:
    """Raise VerifyError, which names node, op and line, where a graph or program breaks a rule of the IR. Linear."""
    if isinstance(what, Graph):
        _verify_graph(what, None)
        return
    for key, graph in what.functions.items():
        if type(key) is not str:
            raise VerifyError(f"a function is named by a text, not by {key!r}")
        _verify_graph(graph, what)
    if all(what.entry is not graph for graph in what.functions.values()):
        _verify_graph(what.entry, what)
    _verify_signature(what)
    _verify_calls(what)
    _verify_records(what)
    if what.params:
        _verify_parameters(what)


def _verify_records(program: Program) -> None:
    result = program.entry.result
    if program.writes:
        if type(result) is not tuple or len(result) != 2:
            raise VerifyError("what a program writes stands behind its result, and this one's is no pair of both")
        result = result[0]
    trees = {RESULT: result} | {parameter.name: parameter.tree for parameter in program.signature}
    for path, record in program.records.items():
        root = root_of(path)
        try:
            held = held_at(trees[root], path, root)
        except LookupError:
            raise VerifyError(f"there is no {path!r}, which a record is to stand for") from None
        fits = type(held) is tuple and len(held) == len(record.fields)
        named = tuple([key for key in held if root == RESULT or key in record.fields]) if type(held) is dict else ()
        if not fits and named != record.fields:
            raise VerifyError(f"the fields of the record {record.name!r} are not those of {path!r}")
    for place, written in program.shared.items():
        if not set(written) <= set(program.writes) or not _leads_to_a_part(result, place):
            raise VerifyError(f"{place} is no place in the result, which is to share what is written as {written}")


def _leads_to_a_part(tree: Any, place: Any) -> bool:
    for at in place:
        if type(tree) is Value and tree.kind == "any":  # which parts it has hangs on a test
            return True
        held = items(tree) if type(tree) in (tuple, list, dict) else []
        if type(at) is not int or not 0 <= at < len(held):
            return False
        tree = held[at]
    return type(tree) is Value


# ---------------------------------------------------------------------- graphs
def _verify_graph(graph: Graph, program: Program | None) -> None:
    if graph.owner is not None:
        raise VerifyError(f"graph {graph.name!r} is a region of {graph.owner!r}, so nothing else may hold it")
    stack: list[Graph] = [graph]
    checks = []
    while stack:
        current = stack.pop()
        checks.append(_Check(current, program))
        checks[-1].run()
        for node in current:
            for region in node.regions:
                if region.owner is not node:
                    what = f"region {region.name!r} of {node.op.name} belongs to {region.owner!r}"
                    raise VerifyError(what, node.span)
                stack.append(region)
    for check in checks:
        check.chains()


class _Check:
    """The checks of one graph, without its regions' insides."""

    def __init__(self, graph: Graph, program: Program | None) -> None:
        self.graph, self.program = graph, program
        self.defined: set[Value] = set()
        self.uses: dict[Value, dict[Node, int]] = {}
        self.effects: set[Node] = set()
        self.earlier: set[Node] = set()
        self.ids: set[int] = set()

    def fail(self, node: Node, what: str, hint: str = "") -> NoReturn:
        """An error at a node."""
        names = ", ".join(v.name or "unnamed" for v in node.values)
        label = f"node {names!r} ({node.op.name})" if names else f"node {node.op.name}"
        raise VerifyError(f"{label} of graph {self.graph.name!r}: {what}", node.span, hint)

    def run(self) -> None:
        """All checks but that of the uses, one walk."""
        graph = self.graph
        ends = [(p, is_placeholder) for p in graph.placeholders] + [
            (p, is_parameter) for p in graph.parameters.values()
        ]
        for value, is_such in ends:
            if not is_such(value.node) or value.node.graph is not graph or value.node.values != (value,):
                self.fail(value.node, f"it is no {is_such.__name__.removeprefix('is_')} of this graph")
            self._define(value.node, named=is_such is is_placeholder)
        for path, value in graph.parameters.items():
            if value.node.args != (path,):
                self.fail(value.node, f"it stands under the path {path!r}")
        for node in self._list():
            self._node(node)
        output = graph.output
        if not is_output(output) or output.graph is not graph or len(output.args) != 1:
            self.fail(output, "it is no output of this graph")
        self._take(output)

    def _list(self) -> Iterator[Node]:
        previous, count = None, 0
        for node in self.graph:
            if node.graph is not self.graph:
                self.fail(node, "it stands in the list of a graph that it does not belong to")
            if node.prev is not previous:
                self.fail(node, "the list is not linked back as it is linked forth")
            count += 1
            if count > self.graph.count:
                break
            previous = node
            yield node
        if self.graph.last is not previous or count != self.graph.count:
            what = f"its list ends elsewhere, or holds {count} nodes and not {self.graph.count}"
            raise VerifyError(f"graph {self.graph.name!r}: {what}")

    def _take(self, node: Node) -> None:
        for leaf in leaves(node.args):
            if type(leaf) is Value:
                if leaf not in self.defined:
                    self._undefined(node, leaf)
                users = self.uses.setdefault(leaf, {})
                users[node] = users.get(node, 0) + 1
            elif leaf is UNBOUND:
                self.fail(node, "an input is not bound", "bind it: node.inputs[i].bind(value)")

    def _undefined(self, node: Node, value: Value) -> NoReturn:
        if value.node.graph is self.graph:
            self.fail(node, f"it takes {value!r} before that is defined")
        if value.node.graph is None:
            self.fail(node, f"it takes {value!r}, which belongs to no graph")
        hint = "regions are closed: what one takes from outside is an operand of its node"
        self.fail(node, f"it takes {value!r}, which belongs to graph {value.node.graph.name!r}", hint)

    def _define(self, node: Node, named: bool) -> None:
        for at, value in enumerate(node.values, 1):
            if value.node is not node or value.index != at:
                self.fail(node, f"its value {at} says it is value {value.index} of {value.node!r}")
            if value.kind not in _KINDS:
                self.fail(node, f"there is no kind {value.kind!r} of values")
            if not _fits(value):
                self.fail(node, f"a value of kind {value.kind!r} cannot be of the type {value.type!r}")
            if named and value.name and not is_name(value.name):
                self.fail(node, f"{value.name!r} is no name")
            self.defined.add(value)
            self._identify(node, value.id)

    def _identify(self, node: Node, id_: int) -> None:
        if id_ in self.ids:
            self.fail(node, f"its id, or that of a value of it, is {id_}, which another one of its graph has")
        self.ids.add(id_)

    def _node(self, node: Node) -> None:
        op = node.op
        self._identify(node, node.id)
        if len(node.args) != len(op.params):
            self.fail(node, f"it has {len(node.args)} arguments for {', '.join(op.params)}")
        if len(node.regions) != len(op.regions):
            self.fail(node, f"it has {len(node.regions)} regions, and its op {len(op.regions)}")
        self._take(node)
        if node.after is not None and node.after not in self.effects:
            self.fail(node, f"it stands after {node.after!r}, which is no effect before it in this graph")
        for other in node.waits:
            if other not in self.earlier:
                self.fail(node, f"it waits for {other!r}, which does not stand before it in this graph")
        self.earlier.add(node)
        if op.effect:
            self.effects.add(node)
        self._define(node, named=True)
        if op.control is not None:
            op.control.verify(node, partial(self.fail, node), self.program)
        if not op.regions and not calls_function(node):
            self._texts(node)
            if wrong := misfit(op, node.args):
                self.fail(node, wrong)
            self._kinds(node)

    def _texts(self, node: Node) -> None:
        """Rows may print a text argument within an expression (`finfo(x).eps`), so it must not be able to be code."""
        for param, arg in zip(node.op.params, node.args):
            for leaf in () if param in node.op.free_text or type(arg) is Value else leaves(arg):
                if type(leaf) is str and not _TEXT.fullmatch(leaf):
                    self.fail(node, f"its {param} cannot be the text {leaf!r}")

    def _kinds(self, node: Node) -> None:
        try:
            count = len(node.op.output_kinds(node.args))
        except GfxError:
            return  # how many there are hangs on shapes that are not known
        if count != len(node.values):
            self.fail(node, f"it has {len(node.values)} values, and its op gives {count}")
        for value, kind in zip(node.values, default_kinds(node.op, node.args, count)):
            on_device = {value.kind in _ON_DEVICE, kind in _ON_DEVICE}
            if len(on_device) == 2 and "any" not in (value.kind, kind) and not is_host(node):
                self.fail(node, f"its value {value.index} is of kind {value.kind!r}, and its op gives {kind!r}")

    def chains(self) -> None:
        """Check that uses are what takes a value, once everything that could is known to stand in its graph."""
        for value in self.defined:
            if value.uses != self.uses.get(value, {}):
                self.fail(value.node, f"the uses of {value!r} are not what takes it: {value.uses}")


def _fits(value: Value) -> bool:
    """Whether a value may have the type that it is told: arrays have one of a tensor, open or none."""
    if value.type is None or value.kind == "any":
        return True
    return isinstance(value.type, LogicalTensor) == (value.kind in _ON_DEVICE)


# ---------------------------------------------------------------------- programs
def _verify_signature(program: Program) -> None:
    placeholders, seen = set(program.entry.placeholders), set()
    for parameter in program.signature:
        for leaf in leaves(parameter.tree):
            if type(leaf) is Value and (leaf not in placeholders or leaf in seen):
                what = f"holds {leaf!r}, which is no placeholder of the entry, or is held twice"
                raise VerifyError(f"argument {parameter.name!r} {what}")
            if type(leaf) is Value:
                seen.add(leaf)
    for lost in program.entry.placeholders if program.signature else ():
        if lost not in seen and lost.kind != "key":
            raise VerifyError(f"placeholder {lost!r} of the entry stands in no argument")


def callees(graph: Graph) -> list[Node]:
    """The call nodes of a graph, those of its regions too."""
    return [node for node in graph.walk() if is_call(node)]


def called(program: Program, graph: Graph) -> list[Graph]:
    """The functions that a graph calls, once for each call."""
    return [callee for node in callees(graph) if (callee := program.callee(node.args[0])) is not None]


def _verify_calls(program: Program) -> None:
    """Depth-first over the calls, with a stack; a graph that is met again while it is open calls itself."""
    state: dict[Graph, str] = {}
    stack: list[tuple[Graph, Iterator[Node]]] = []

    def enter(graph: Graph, node: Node | None) -> None:
        if state.get(graph) == "open":
            raise VerifyError(f"function {graph.name!r} calls itself, by way of {node!r}", node.span if node else None)
        if graph not in state:
            state[graph] = "open"
            stack.append((graph, iter(callees(graph))))

    enter(program.entry, None)
    while stack:
        graph, calls = stack[-1]
        node = next(calls, None)
        if node is None:
            state[graph] = "done"
            stack.pop()
        else:
            found = program.callee(node.args[0])
            if found is not None:
                enter(found, node)


def _verify_parameters(program: Program) -> None:
    for graph, prefix in instances(program):
        for inner in (graph, *(region for node in graph.walk() for region in node.regions)):
            for path in inner.parameters:
                full = join_path(prefix, path)
                if full not in program.params:
                    raise VerifyError(f"graph {graph.name!r} takes parameter {full!r}, which the program lacks")


def instances(program: Program) -> list[tuple[Graph, str]]:
    """(graph, prefix) of the entry and of every distinct call: under `prefix` the callee finds its parameters."""
    found: dict[tuple[Graph, str], None] = {(program.entry, ""): None}
    stack = [(program.entry, "")]
    while stack:
        graph, prefix = stack.pop()
        for node in callees(graph):
            callee = program.callee(node.args[0])
            if callee is not None and (key := (callee, join_path(prefix, node.args[1]))) not in found:
                found[key] = None
                stack.append(key)
    return list(found)
