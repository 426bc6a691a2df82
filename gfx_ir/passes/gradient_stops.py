"""Gradient stops: few of them, where they stop most. What computes without gradients stops them where its results are taken."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..control import Form
from ..dependence import pinned
from ..edited import put
from ..graph import Graph, Node, Value, values_in
from ..infer.flow import Flow
from ..infer.gradients import GradientFlow, differentiated, is_exact, marks, stops
from ..program import Program
from ..regions import with_regions
from ..source import Scope, Span
from ..traits import Trait
from ..types import LogicalTensor
from .base import ALL, Context, Pass


class GradientStops(Pass):
    """Drops stops of gradients that nothing asks for or that come to an end in any case, and lets one of a result stand for those of
    what it is computed of."""

    name = "gradient_stops"
    preserves = ALL

    def run(self, program: Program, context: Context) -> bool:
        return fewer_stops(program.entry, program.functions)


def fewer_stops(entry: Graph, functions: Mapping[str, Graph]) -> bool:
    """Whether a program had more stops of gradients than it needs, which it has no longer."""
    graphs = with_regions((entry, *functions.values()))
    fixed = {graph: pinned(graph) for graph in graphs if any(marks(node.op) for node in graph)}
    found = [node for graph in fixed for node in graph if marks(node.op) and node not in fixed[graph]]
    if not found:
        return False
    flow = Flow((entry,), functions)
    changed = _drop_unasked(found, GradientFlow(flow))
    changed |= _drop_still([node for node in found if node.graph is not None], GradientFlow(flow))
    stopped = dict.fromkeys(node.graph for node in found if node.graph is not None and stops(node.op))
    if stopped:
        gradients = GradientFlow(flow)
        for graph in stopped:
            changed |= Sinking(graph, gradients).run()
    return changed


def _drop_unasked(found: list[Node], gradients: GradientFlow) -> bool:
    """Drop stops whose gradient no result asks for."""
    gone = [node for node in found if stops(node.op) and not gradients.asked(node.value)]
    for node in gone:
        _replace(node, node.args[0])
    return bool(gone)


def _drop_still(found: list[Node], gradients: GradientFlow) -> bool:
    """Drop stops of what no gradient flows through, and writes into it that keep the gradient that it has not."""
    still = [node for node in found if not gradients.moves(node.args[0])]
    for node in still:
        if stops(node.op):
            _replace(node, node.args[0])
        elif (kept := node.args[1]) and _alike(node.args[0], kept):
            assert node.graph is not None
            _replace(node, _stopped(kept, node.graph, node, node.span) if gradients.moves(kept) else kept)
    return any(node.graph is None for node in still)


def _alike(old: Value, new: Value) -> bool:
    """Whether two values are known to have one type."""
    return isinstance(new.type, LogicalTensor) and new.type.dims is not None and new.type == old.type


def _replace(node: Node, value: Value) -> None:
    graph = node.graph
    assert graph is not None
    if value.name is None:
        value.name = node.value.name
    node.value.replace_by(value)
    graph.erase(node)


def _stopped(value: Value, graph: Graph, before: Node | None, span: Span | None) -> Value:
    """The value without its gradient, made before a node."""
    made = put(graph, before, "stop_gradient", value, span=span)
    made.type = value.type
    return made


_APART = Trait.GRADIENT | Trait.UNDERIVED
"""What takes values without their gradients, whatever follows."""


class Sinking:
    """Lets the stops of what some nodes of a graph take come behind these nodes, where fewer do there.

    A *group* of nodes takes nothing through which a gradient flows but stopped values; `ends` are what it gives to others.
    """

    def __init__(self, graph: Graph, gradients: GradientFlow) -> None:
        self.graph, self.gradients = graph, gradients
        self.group: dict[Node, list[Node]] = {}  # of a node those of its group, stops that it takes among them
        self.fixed = pinned(graph)
        self.places = {node: at for at, node in enumerate(graph)}
        self.last: dict[Scope, Node] = {}

    def run(self) -> bool:
        """Whether any did."""
        for node in self.graph:
            self._join(node)
        groups = {id(group): group for group in self.group.values()}
        return any(list(map(self._sink, groups.values())))

    def _join(self, node: Node) -> None:
        """Put a node in the group of what it takes, which is one then."""
        if node.op.form is not Form.PLAIN or node.op.effect or node.op.traits & _APART or node in self.fixed:
            return
        taken = differentiated(node)
        if any(map(self.gradients.moves, taken)):
            return
        before = [x.node for x in taken if self._is_source(x) or (x.node in self.group and not is_exact(x))]
        if not before:
            return
        groups = {id(group): group for group in (self.group.get(each) or [each] for each in dict.fromkeys(before))}
        joined = max(groups.values(), key=len)
        for group in groups.values():
            if group is not joined:
                joined += group
                self.group.update(dict.fromkeys(group, joined))
        joined.append(node)
        self.group.update(dict.fromkeys((joined[0], node), joined))

    def _is_source(self, value: Value) -> bool:
        return stops(value.node.op) and value.node.graph is self.graph and value.node not in self.fixed

    def _sink(self, group: list[Node]) -> bool:
        inside = set(group)
        lifted = [node for node in group if stops(node.op) and inside.issuperset(node.value.uses)]
        sources = {node.value for node in group if stops(node.op)}
        plain = sorted((node for node in group if not stops(node.op)), key=self.places.__getitem__)
        bare, ends = set(sources), dict[Value, Scope | None]()
        for node in plain:
            if not any(x in bare and (x in sources or self._reads_bare(node, x, ends)) for x in differentiated(node)):
                continue
            for value in node.values:
                if not is_exact(value):
                    bare.add(value)
                    outside = [user for user in value.uses if user not in inside and value in differentiated(user)]
                    if outside:
                        ends[value] = self._left(value, outside)
        if len(ends) >= len(lifted):
            return False
        for node in plain:
            for x in dict.fromkeys(values_in(node.args)):
                if x in sources:
                    node.replace_input(x, x.node.args[0])
        for value, scope in ends.items():
            self._end(value, scope)
        for source in sources:
            if not source.uses:
                self.graph.erase(source.node)
        return True

    def _reads_bare(self, node: Node, value: Value, ends: dict[Value, Scope | None]) -> bool:
        """Whether a node of the group stands before the stop of an end that it takes."""
        scope = ends.get(value)
        return value not in ends or (scope is not None and scope in _around(node))

    def _left(self, value: Value, users: list[Node]) -> Scope | None:
        """The outermost call that a value is made in and none of its users stands in: behind it, it is stopped."""
        around = set(_around(self.graph.owner)) if self.graph.owner is not None else set[Scope]()
        around.update(scope for user in users for scope in _around(user))
        left = None
        for scope in _around(value.node):
            if scope in around or scope.site is None:
                break
            left = scope
        return left

    def _end(self, value: Value, scope: Scope | None) -> None:
        """Stop the gradient of what the group gives, behind the call that it leaves."""
        last, span = value.node, value.node.span
        if scope is not None:
            span, last = scope.site, self._last_of(scope, last)
        behind = [user for user in value.uses if scope is None or scope not in set(_around(user))]
        made = _stopped(value, self.graph, last.next, span)
        for user in behind:
            user.replace_input(value, made)
        made.name, value.name = value.name, None

    def _last_of(self, scope: Scope, node: Node) -> Node:
        """The last node of a call in which a node stands."""
        last = self.last.get(scope, node)
        while last.next is not None and scope in _around(last.next):
            last = last.next
        self.last[scope] = last
        return last


def _around(node: Node) -> Iterator[Scope]:
    """The calls that a node stands in, from the innermost out."""
    scope = node.span.scope if node.span is not None else None
    while scope is not None and scope.kind != "entry":
        yield scope
        scope = scope.parent
