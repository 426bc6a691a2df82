"""Loops with a bound as loops of so many trips, each under a test: these have a reverse mode in a functional target.

A trip behind the end of the loop leaves what is carried as it is, so the test stays false. `lax.cond` keeps such a trip from
computing at all: a choice between values that are computed in any case would give gradients that are no numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.codegen.copying import Values, copy_nodes, substitute
from gfx_ir.codegen.liveness import placeholders
from gfx_ir.codegen.prepare.base import HANDED, Emission, Lowering, facts_of
from gfx_ir.codegen.prepare.simplify import simplify
from gfx_ir.control import is_data_for, is_data_while
from gfx_ir.copies import copy_graph
from gfx_ir.edited import put
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.facts import Facts
from gfx_ir.op import lookup
from gfx_ir.passes.effects import Effects
from gfx_ir.program import Program
from gfx_ir.regions import outputs_of
from gfx_ir.trees import leaves, tree_map

from .bounds import as_long, ends_soon, trips_of

Tested = Callable[[Graph, list[Value], Values], Any]


def bound_loops(graph: Graph, max_trips: int | None, facts: Facts, effects: Effects) -> bool:
    """Rewrite the loops whose bound is known in the graph and its regions, and the others too where there is `max_trips`,
    which is checked when the source runs. Whether there was any."""
    done = False
    for node in reversed(list(graph.walk())):
        if any(region.parameters for region in node.regions) or not node.values:
            continue
        if is_data_while(node) and not effects.graph(node.regions[0]):
            done |= _while(node, max_trips, facts)
        elif (
            is_data_for(node)
            and len(node.values) == len(node.arg("init"))
            and (max_trips is not None or ends_soon(node, facts))
        ):
            done |= _for(node, max_trips, facts)
    return done


class Bounded(Lowering):
    """Loops with a bound are loops of so many trips."""

    name = "bounded"
    requires = (HANDED,)
    preserves = ()

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite the loops whose bound is known in the graph and its regions, and the others too where there is `max_trips`,
        which is checked when the source runs. Whether there was any."""
        if bound_loops(graph, emission.max_trips, facts_of(graph, program), Effects(program)):
            simplify(graph, emission.style.control.higher_order, facts_of(graph, program))


def _while(node: Node, max_trips: int | None, facts: Facts) -> bool:
    flag = node.arg("exit")
    known = trips_of(node, facts) if flag is None or max_trips is not None else None
    if known is None and max_trips is None:
        return False
    test = node.regions[0]
    boolean = facts.is_boolean(_asked(test))
    if known is None:
        _promise(node, lambda before: _going_on(node, before, boolean), max_trips)
    else:
        known[1].replace_by(True)

    def tested(body: Graph, carried: list[Value], values: Values) -> Any:
        values.update(zip(test.placeholders, [*carried, *body.placeholders[1 + len(carried) :]]))
        copy_nodes(test, body, None, values)
        asked = substitute(_asked(test), values)
        return asked if flag is None else _unless(body, carried[flag], asked, boolean)

    trips = max_trips if known is None else known[0]
    _replace(node, (("range", 0, trips, 1),), tested, [], facts)
    return True


def _going_on(node: Node, before: Node | None, boolean: bool) -> Any:
    """Whether the loop would go on from what it ends with."""
    graph, test, flag = node.graph, node.regions[0], node.arg("exit")
    assert graph is not None
    values: Values = dict(zip(test.placeholders, [*node.values, *node.arg("operands")]))
    copy_nodes(test, graph, before, values)
    asked = substitute(_asked(test), values)
    return asked if flag is None else _unless(graph, node.values[flag], asked, boolean, before)


def _asked(test: Graph) -> Any:
    """What the region of a test asks for its truth."""
    return test.result[0] if type(test.result) in (tuple, list) else test.result


def _for(node: Node, max_trips: int | None, facts: Facts) -> bool:
    """A loop that can end early, or goes over a range that data ends."""
    flag, items = node.arg("exit"), node.args[0]
    open_range = len(items) == 1 and type(items[0]) is tuple and any(_is_data(bound) for bound in items[0][1:3])
    if (flag is None and not open_range) or (open_range and items[0][3] != 1) or not as_long(items):
        return False
    extra = [bound for bound in items[0][1:3] if type(bound) is Value] if open_range else []
    if open_range:
        start, stop = items[0][1:3]
        _promise(node, lambda before: _longer(node, before, start, stop, max_trips), max_trips)

    def tested(body: Graph, carried: list[Value], values: Values) -> Any:
        asked: Any = True
        if open_range:
            inner = dict(zip(extra, body.placeholders[len(body.placeholders) - len(extra) :]))
            first, last = substitute(items[0][1:3], inner)
            index: Any = body.placeholders[0]
            if not (type(first) is int and first == 0):
                index = put(body, None, "add", first, index)
                index.name = node.regions[0].placeholders[0].name
            values[node.regions[0].placeholders[0]] = index
            asked = put(body, None, "less", index, last)
        return asked if flag is None else _unless(body, carried[flag], asked, True)

    _replace(node, (("range", 0, max_trips, 1),) if open_range else items, tested, extra, facts)
    return True


def _is_data(bound: Any) -> bool:
    return type(bound) is Value and bound.is_tensor


def _longer(node: Node, before: Node | None, start: Any, stop: Any, max_trips: int | None) -> Value:
    assert node.graph is not None
    count = stop if type(start) is int and start == 0 else put(node.graph, before, "subtract", stop, start)
    return put(node.graph, before, "greater", count, max_trips)


def _promise(node: Node, broken: Callable[[Node | None], Any], max_trips: int | None) -> None:
    """Check behind the loop that it took no more trips than were promised."""
    graph = node.graph
    assert graph is not None
    behind = node.next
    still = broken(behind)
    negated = still.node.op.sign == "not"
    holds = still.node.args[0] if negated else put(graph, behind, "logical_not", still)
    text = f"a loop takes more than the {max_trips} trips of max_trips"
    graph.insert(Node(lookup("check"), (holds, text, "RuntimeError"), (), node.span), behind)


def _replace(node: Node, items: tuple, tested: Tested, extra: list[Value], facts: Facts) -> None:
    """Put a loop over `items` in the place of one: each trip does what `node`'s does where the test of it holds."""
    graph, old = node.graph, node.regions[-1]
    assert graph is not None
    body = Graph(old.name, old.doc)
    count = len(node.arg("init"))
    rows, phis = placeholders(node, old)
    for value in rows if len(rows) == len(items) and is_data_for(node) else ():
        body.add_placeholder(value.name or "", value.kind, value.type)
    if len(body.placeholders) < len(items):
        body.add_placeholder("", "int")
    carried = [body.add_placeholder(phi.name or "", phi.kind, phi.type) for phi in phis]
    held = old.placeholders[len(rows) + count :]
    given = [body.add_placeholder(value.name or "", value.kind, value.type) for value in held]
    for value in extra:
        body.add_placeholder(value.name or "", value.kind, value.type)
    values: Values = dict(zip(old.placeholders, [*body.placeholders[: len(rows)], *carried, *given]))
    asked = tested(body, carried, values)
    for inner, was in zip(body.placeholders, [*([None] * len(items)), *phis, *held, *extra]):
        inner.name = was.name if was is not None else inner.name or None
    if asked is True:
        copy_nodes(old, body, None, values)
        body.result = tuple(substitute(outputs_of(old.result, count), values))
    else:
        body.result = tuple(_Trip(body, old, values, carried, asked).node.values)
    made = Node(
        lookup("for"), (items, node.arg("init"), (*node.arg("operands"), *extra), None),
        tuple(value.kind for value in node.values), node.span, (body,),
    )  # fmt: skip
    graph.insert(made, node)
    for value, new in zip(node.values, made.values):
        new.name, new.type = value.name, value.type
        facts.stands_for(new, value)
        value.replace_by(new)
    graph.erase(node)


class _Trip:
    """The test of a trip: one side is the old body, with what the test computed already taken from it."""

    def __init__(self, body: Graph, old: Graph, values: Values, carried: list[Value], asked: Any) -> None:
        self.body, self.outer = body, values
        self.then, self.other = Graph("then"), Graph("else")
        self.operands: list[Value] = []
        self.inner: Values = {}
        self.known = {_key(node.op, node.args): node for node in body if not node.regions and not node.op.effect}
        self.made: Values = {}
        for node in old:
            self._copy(node)
        self.then.result = tuple(self._leaf(leaf) for leaf in outputs_of(old.result, len(carried)))
        kept = [self._taken(value) for value in carried]
        held = [self.other.add_placeholder(v.name or "", v.kind, v.type) for v in self.operands]
        for inner, value in zip(held, self.operands):
            inner.name = value.name
        positions = [self.then.placeholders.index(value) for value in kept]
        self.other.result = tuple(held[at] for at in positions)
        kinds = tuple(value.kind for value in carried)
        self.node = Node(lookup("cond"), (asked, tuple(self.operands)), kinds, None, (self.then, self.other))
        body.append(self.node)
        for value, phi in zip(self.node.values, carried):
            value.name, value.type = phi.name, phi.type

    def _taken(self, value: Value) -> Value:
        """The placeholder for a value of the loop's body."""
        found = self.inner.get(value)
        if found is None:
            found = self.inner[value] = self.then.add_placeholder(value.name or "", value.kind, value.type)
            found.name = value.name
            self.operands.append(value)
        return found

    def _leaf(self, leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        outer = self.outer.get(leaf)
        return self.made[leaf] if outer is None else self._taken(outer) if type(outer) is Value else outer

    def _copy(self, node: Node) -> None:
        from_outside = all(leaf in self.outer for leaf in leaves(node.args) if type(leaf) is Value)
        same = self.known.get(_key(node.op, substitute(node.args, self.outer))) if from_outside else None
        if same is not None:
            for old, new in zip(node.values, same.values):
                self.outer[old] = new
                new.name = new.name or old.name
            return
        kinds = tuple(value.kind for value in node.values)
        regions = tuple(copy_graph(region, fresh=True) for region in node.regions)
        made = Node(node.op, tree_map(self._leaf, node.args), kinds, node.span, regions)
        self.then.append(made)
        for old, new in zip(node.values, made.values):
            new.name, new.type = old.name, old.type
            self.made[old] = new


def _key(op: Any, args: Any) -> str:
    """What nodes that compute the same have in common."""
    told = tree_map(lambda leaf: f"value {id(leaf)}" if type(leaf) is Value else f"{type(leaf)} {leaf!r}", args)
    return f"{op.name} {told!r}"


def _unless(graph: Graph, flag: Value, asked: Any, boolean: bool, before: Node | None = None) -> Any:
    """`asked and not flag`. `boolean`: whether that is one."""
    going = put(graph, before, "logical_not", flag)
    if asked is True:
        return going
    if boolean:
        return put(graph, before, "bitwise_and", asked, going)
    return put(graph, before, "logical_and", going, asked)
