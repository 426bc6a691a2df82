"""Planner: decides which nodes of a function are statements, which stand inside others, and which tests end a block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control import is_for, is_given, is_loop, is_output, is_repeat, is_test
from ..graph import Graph, Node, Value
from ..infer.elements import declared
from ..op import Trait
from ..regions import outputs_of
from ..template import Template
from ..trees import leaves
from .agreement import BOTH
from .liveness import begins, changes_places, counted, loop_results, pair, placeholders, single
from .nesting import Nested, run
from .plan import Plan, Test
from .prepare.filled import BEGIN
from .returns import returning_loop
from .told import is_text
from .widths import DEPTH, WIDTH, Widths

_TERNARY = 70


class Planner:
    """Fills a plan."""

    def __init__(
        self, plan: Plan, flat: Test, template: Callable[[Node, bool], Template | None], ordered: bool
    ) -> None:
        """`flat`: whether a call returns the tuple of its values; `template`: the spelling, in place or not; `ordered`: whether
        draws of random numbers are."""
        self.plan, self.flat, self.ordered = plan, flat, ordered
        self.functional, self.effectful = plan.functional, plan.effectful
        self.liveness, self.agreement, self.writes = plan.liveness, plan.agreement, plan.writes
        self.resolve, self.users = plan.resolve, plan.users
        self.order, self.inside, self.always, self.ternary = plan.order, plan.inside, plan.always, plan.ternary
        self.of_tensors, self.deferred = plan.control.of_tensors, plan.control.compiled
        spelled = lambda node: template(node, node in plan.in_place)
        self._widths = Widths(spelled, self.resolve, lambda leaf: plan.seen(self.resolve(leaf)))
        self._sizes: dict[Node, tuple[int, int]] = {}
        self._heads: set[Graph] = set()
        run(self._plan(plan.graph))
        self._arrange(plan.graph, True, None)
        for value in list(self.users):
            plan.positions.record(value)
        self._read_by_loops()

    # ------------------------------------------------------------------ statements
    def _plan(self, graph: Graph) -> Nested:
        live = [node for node in graph if node in self.liveness.live]
        for node in live:
            for region in node.regions:
                if self._begins_head(node, region):
                    self._heads.add(region)
                yield self._plan(region)
            self._decide(node)
        self._decide(graph.output)
        self.order[graph] = [node for node in live if node not in self.inside and node not in self.always]

    def _arrange(self, graph: Graph, returns: bool, flag: int | None) -> None:
        """Number the statements. `returns`: the graph ends a function; `flag`: which of its results ends a loop."""
        todo = [(graph, returns, flag)]
        while todo:
            graph, returns, flag = todo.pop()
            tail = self._tail(graph, returns, flag)
            if tail is not None:
                self.plan.tails[graph] = tail
                self._keep_before(graph)
            live = [node for node in graph if node in self.liveness.live]
            order = [n for n in live if n not in self.inside and n not in self.always and n is not tail]
            self.order[graph] = order = [*order, tail] if tail is not None else order
            self.plan.positions.number(graph, order)
            for node in live:
                loop = is_loop(node)
                for region in node.regions:
                    if node is tail:
                        todo.append((region, returns, self._flag_of(node, graph, flag)))
                    elif loop and not self.functional(node):
                        todo.append((region, False, node.arg("exit") if region is node.regions[-1] else None))
                    else:
                        todo.append((region, self.functional(node), None))

    def _flag_of(self, node: Node, graph: Graph, flag: int | None) -> int | None:
        """Which output of a test is the flag that the graph gives as result `flag`."""
        if flag is None or type(graph.result) not in (tuple, list):
            return None
        value = self.resolve(graph.result[flag])
        return value.index - 1 if type(value) is Value and value.node is node else None

    def _decide(self, node: Node) -> None:
        """Which of its arguments stand inside `node`, so that it is neither too deep nor too wide."""
        if (node.op.traits & Trait.ASKS and len(node.values) == 1 and self._anywhere(node)) or (
            self.deferred and self._only_told(node)
        ):
            self.always.add(node)
            self._sizes[node] = (1, 12)
            return
        width, repeated = self._widths.node(node)
        found = [value for value in self._arguments(node) if value not in repeated and self._fits(value, node)]
        found.sort(key=lambda value: self._sizes[value.node][1])
        depth, width, inside = 0, 0 if is_text(node) else width, [region.output for region in node.regions]
        for value in found:
            inner_depth, inner_width = self._sizes[value.node]
            told = node.op.effect and is_text(value.node)  # which may not be needed at all
            if not is_output(node) and not told and (inner_depth >= DEPTH or width + inner_width > WIDTH):
                continue
            if is_output(node) and inner_depth > DEPTH:
                continue
            self.inside.add(value.node)
            inside.append(value.node)
            depth, width = max(depth, inner_depth), width + inner_width - self._widths.leaf(value)
        self.writes.reads(node, inside)
        if is_output(node):
            self._decide_whole(node)
        elif is_test(node):
            loop = returning_loop(self.plan, node)
            if loop is not None:
                self.plan.returning[loop] = node
                self.plan.returned.add(node)
            elif self._is_ternary(node):
                self.ternary.add(node)
            if not any(self.order[region] for region in node.regions):
                width += sum(self._side_width(region) for region in node.regions)
        self._sizes[node] = (depth + 1, width)

    def _arguments(self, node: Node) -> list[Value]:
        """Values that the node itself takes; those of its regions are theirs."""
        if is_test(node):
            trees: Any = node.args[0]
        elif is_loop(node):
            init = [node.arg("init")[at] for at in self.liveness.carried(node)]
            trees = (init, node.args[0] if is_for(node) else ())
        else:
            trees = node.args
        found = dict.fromkeys(self.resolve(leaf) for leaf in leaves(trees) if type(leaf) is Value)
        return [value for value in found if type(value) is Value]

    def _fits(self, value: Value, user: Node) -> bool:
        """Whether the value may be written in the place where `user` takes it."""
        node = value.node
        if self._users(value, user) != [user] or node.graph is not user.graph or node not in self.liveness.live:
            return False
        if is_repeat(user) and (value, user) in self.liveness.late:
            return False
        if self.writes.apart(value, user):
            return False
        if len(node.values) != 1 or self.effectful(node) or node in self.always or is_given(node):
            return False
        if is_test(node) or is_loop(node):
            if self.functional(node):
                return single(node) and (not value.name or is_output(user))
            return node in self.ternary and not value.name
        if self._ends_nested(user) or node.graph in self._heads:
            return True
        if is_repeat(node) or node.op is BEGIN:
            return False
        if self.ordered and any(leaf.kind == "key" for leaf in leaves(node.args) if type(leaf) is Value):
            return False
        return (
            not value.name
            or (self.functional(user) and begins(value, user))
            or changes_places(value, user, self.liveness)
        )

    def _users(self, value: Value, user: Node) -> list[Node]:
        """The nodes that take a value. `a and b` of `user`, where a is the test and the result, says it once."""
        found = self.users.get(value, [])
        if len(found) < 2 or not self._gives_its_test(user) or self.resolve(user.args[0]) is not value:
            return found
        sides = [region.output for region in user.regions]
        return [node for node in found if node not in sides] if self._is_ternary(user) else found

    def _gives_its_test(self, node: Node) -> bool:
        """Whether a test gives what it asks, on one side."""
        if not is_test(node):
            return False
        test = self.resolve(node.args[0])
        given = [leaf for region in node.regions for leaf in outputs_of(region.result, len(node.values))]
        return type(test) is Value and any(type(leaf) is Value and self.resolve(leaf) is test for leaf in given)

    def _ends_nested(self, user: Node) -> bool:
        """Whether `user` is the end of a nested function, which returns expressions rather than variables."""
        owner = user.graph.owner if is_output(user) and user.graph is not None else None
        return owner is not None and self.functional(owner)

    def _begins_head(self, node: Node, region: Graph) -> bool:
        """Whether the region belongs to the test of a plain `while`, which is best an expression."""
        if is_test(node):
            return node.graph in self._heads
        plain = is_loop(node) and not is_for(node) and not self.functional(node)
        return plain and region is node.regions[0]

    def _only_told(self, node: Node) -> bool:
        """Whether a node makes a text that nothing but effects and texts take, and that has a name, several uses or another graph's."""
        users = self.users.get(node.values[0], []) if is_text(node) else []
        apart = bool(node.values[0].name) or self._anywhere(node) if users else False
        return apart and all(user.op.effect or is_text(user) for user in users)

    def _anywhere(self, node: Node) -> bool:
        """Whether a cheap query is written at each use: unnamed, and used more than once or in another graph."""
        value = node.values[0]
        users = self.users.get(value, [])
        if value.name or not users:
            return False
        return len(users) > 1 or users[0].graph is not node.graph

    def _decide_whole(self, output: Node) -> None:
        """A result that is all the values of one call or functional node, in order, is returned as that call."""
        graph = output.graph
        assert graph is not None
        result = output.args[0]
        if type(result) is not tuple or len(result) < 2:
            return
        owner = graph.owner
        if owner is not None and not (self.functional(owner) and (not is_for(owner) or counted(owner))):
            return
        if owner is not None and is_loop(owner) and graph is owner.regions[-1] and self._casts(owner):
            return
        values = [self.resolve(leaf) if type(leaf) is Value else leaf for leaf in result]
        node = values[0].node if type(values[0]) is Value else None
        if node is None or node.graph is not graph or list(node.values) != values or self.effectful(node):
            return
        if self.of_tensors and any(inner is not None and is_for(inner) for inner in (owner, node)):
            return  # a counter is given beside
        control = is_test(node) or is_loop(node)
        if not (self.functional(node) and pair(node) if control else self.flat(node)):
            return
        if all(self.users.get(v) == [output] and (control or not v.name) for v in node.values):
            self.inside.add(node)
            self.plan.whole[graph] = node

    def _casts(self, loop: Node) -> bool:
        """Whether what a trip leaves is cast, value by value."""
        return not self.of_tensors and any(self._cast(loop, at) is not None for at in self.liveness.carried(loop))

    def _cast(self, loop: Node, at: int) -> str | None:
        return self.agreement.cast(loop, at, self.resolve(loop_results(loop)[at]))

    def _read_by_loops(self) -> None:
        """What functions of a loop read without an argument that says so: the flag that ends it, and the dtype of what is carried."""
        for loop in [node for node in self.liveness.live if is_loop(node) and self.functional(node)]:
            phis = [placeholders(loop, region)[1] for region in loop.regions]
            if not is_for(loop) and loop.arg("exit") is not None:
                self.users.setdefault(phis[0][loop.arg("exit")], [])
            for at in self.liveness.carried(loop) if self.deferred else ():
                if declared(loop.values[at]) is None and self._cast(loop, at) in ("", BOTH):
                    self.users.setdefault(phis[-1][at], [])
                    output = loop.regions[-1].output
                    self.plan.positions.last[loop.regions[-1]][phis[-1][at]] = 2 * self.plan.positions.index[output]

    # ------------------------------------------------------------------ tests
    def _is_ternary(self, node: Node) -> bool:
        """Whether a test is written `a if t else b`: one output, and nothing on either side that its author named."""
        outputs = [value for value in node.values if self.liveness.used(value)]
        if self.functional(node) or len(outputs) != 1 or self.effectful(node):
            return False
        at = outputs[0].index - 1
        results = [outputs_of(region.result, len(node.values))[at] for region in node.regions]
        for region, result in zip(node.regions, results):
            if self.order[region] or type(result) in (tuple, list, dict):
                return False
            value = self.resolve(result)
            if type(value) is Value and value.node.graph is region and value.name:
                return False
            if type(value) is not Value and repr(value) == "UNBOUND":
                return False
        chained = any(isinstance(result, bool) for result in results) or self._gives_its_test(node)
        # `and`, `or`: these read well if long
        limit = WIDTH if chained else _TERNARY
        return sum(self._side_width(region) for region in node.regions) + self._widths.leaf(node.args[0]) < limit

    def _side_width(self, region: Graph) -> int:
        return self._sizes[region.output][1] if region.output in self._sizes else 8

    def _tail(self, graph: Graph, returns: bool, flag: int | None) -> Node | None:
        """A test that ends the graph: it can stand last, and its sides return, or end the loop, by themselves.

        What both sides give to a variable of the author's is returned behind the test.
        """
        live = [node for node in graph if node in self.liveness.live]
        for node in reversed(live):
            if is_test(node) and not self.functional(node) and node not in self.inside and node not in self.ternary:
                outputs = [value for value in node.values if self.liveness.used(value)]
                if any(user is not graph.output for value in outputs for user in self.users[value]):
                    return None
                if self._flag_of(node, graph, flag) is not None:
                    return node
                fits = returns and not any(value.name for value in outputs)
                return node if fits and (outputs or node is live[-1]) else None
            if self.effectful(node) or is_test(node) or is_loop(node):
                return None
        return None

    def _keep_before(self, graph: Graph) -> None:
        """Wide expressions of the result are computed before its last test, not written on both sides."""
        for value in self._arguments(graph.output):
            node = value.node
            if node in self.inside and node.graph is graph and self._sizes[node][1] > 30:
                self.inside.discard(node)
