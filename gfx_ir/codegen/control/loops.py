"""Loops as Python writes them: `while`, `for`, `break`, lists that are stacked."""

from __future__ import annotations

import ast
from typing import Any

from ...control import is_for
from ...graph import Node, Value
from ...regions import outputs_of
from ..constants import call, name, names_in
from ..guards import guarded
from ..iterables import counts_rows
from ..liveness import loop_results, placeholders
from ..logic import negate
from ..nesting import Nested
from ..prepare.filled import FILLED
from ..returns import only_returned
from ..statements import Statements, stands
from ..walrus import kept_by_test
from ..writer import ControlWriter
from .stacks import Stacks, rows_of
from .tests import Tests


class Loops:
    """Loops of one function in Python's own spelling."""

    def __init__(self, writer: Statements, control: ControlWriter, tests: Tests) -> None:
        """`control` says what a loop starts from and what a trip leaves."""
        self.writer, self.plan, self.control, self.tests = writer, writer.plan, control, tests
        self.stacks = Stacks(writer)
        self._false: dict[Node, int] = {}  # by loops whose flag begins as false: how often its variable had been given

    def statement(self, node: Node) -> Nested:
        """A loop whose carried values are variables."""
        carried = self._carried(node)
        chosen = self._name_carried(node, carried)
        self.writer.assign([(chosen[at], self.control.init(node, at)) for at in carried], node.span)
        lists = self._lists(node, chosen)
        for at in carried:
            self.writer.scope.forget(chosen[at])
        for region in node.regions:
            phis = placeholders(node, region)[1]
            for at in carried:
                self.writer.bind(phis[at], chosen[at])
            if self._drops_flag(node):
                self.writer.bound[phis[node.arg("exit")]] = ast.Constant(False)
            self.writer.unset.update(
                phis[at] for at in self.plan.liveness.carried(node) if phis[at] not in self.writer.bound
            )
        results, flag = loop_results(node), node.arg("exit")
        if flag in carried and self.writer.resolve(node.arg("init")[flag]) is False:
            self._false[node] = self.writer.scope.given(chosen[flag])
        for at in carried:
            self.tests.want(results[at], chosen[at], node.regions[-1])
        if is_for(node):
            yield self._for(node, carried, chosen, lists)
        else:
            yield self._while(node, carried, chosen)
        for at in carried:
            if self.plan.liveness.used(node.values[at]):
                self.writer.rebind(node.values[at], chosen[at])
        self._stack(node, lists)

    # ------------------------------------------------------------------ carried values
    def _drops_flag(self, node: Node) -> bool:
        """Whether `break` says all that the flag says: it starts false and nothing behind the loop asks for it."""
        flag = node.arg("exit")
        return (
            flag is not None
            and self.writer.resolve(node.arg("init")[flag]) is False
            and (node in self.plan.returning or not self.plan.liveness.used(node.values[flag]))
        )

    def _carried(self, node: Node) -> list[int]:
        dropped = node.arg("exit") if self._drops_flag(node) else None
        kept = [at for at in self.plan.liveness.carried(node) if at != dropped]
        test = self.plan.returning.get(node)
        return kept if test is None else [at for at in kept if not only_returned(self.plan, node, test, at)]

    def _return_from(self, loop: Node, test: Node, results: tuple) -> bool:
        """Return the first side of the test behind the loop, with what this trip would leave it."""
        assert test.graph is not None
        around = self.writer.standing
        self.writer.standing = {**around, **dict(zip(loop.values, results)), **stands(test, test.regions[0])}
        self.writer.return_(test.graph.result)
        self.writer.standing = around
        return True

    def _return_where(self, leaves: ast.expr, loop: Node, test: Node, results: tuple) -> None:
        """The same in the trips that end the loop, before this trip's variables change."""
        outer, self.writer.out = self.writer.out, []
        self._return_from(loop, test, results)
        returned, self.writer.out = self.writer.out, outer
        self.writer.put(ast.If(leaves, returned, []))

    def _name_carried(self, node: Node, carried: list[int]) -> dict[int, str]:
        """One name for a carried value from before the loop until behind it."""
        graph, number = self.writer.place(node)
        chosen: dict[int, str] = {}
        phis = placeholders(node, node.regions[-1])[1]
        results = loop_results(node)
        for at in carried:
            init = self.writer.resolve(node.arg("init")[at])
            result = self.writer.resolve(results[at])
            read = self.writer.bound.get(init) if type(init) is Value else None
            hints = [
                self.writer.prefer.get(node.values[at]),
                phis[at].name,
                node.values[at].name,
                read.id if isinstance(read, ast.Name) else None,
                result.name if type(result) is Value else None,
                "done" if at == node.arg("exit") else "value",
            ]
            chosen[at] = self.writer.scope.pick(hints, graph, 2 * number, list(chosen.values()))
        return chosen

    # ------------------------------------------------------------------ while
    def _while(self, node: Node, carried: list[int], chosen: dict[int, str]) -> Nested:
        test, body = node.regions
        self._keep(node, chosen)
        head: list[ast.expr] = []

        def leave() -> bool:
            condition = self.writer.test(outputs_of(test.result, 1)[0])
            head.append(condition)
            if condition_is_true(condition):
                return False
            self.writer.put(ast.If(negate(condition), [ast.Break()], []))
            return False

        before, _ = yield self.writer.block(test, leave)
        flag = node.arg("exit")
        if flag is not None and flag in carried and self.writer.resolve(node.arg("init")[flag]) is not False:
            before.insert(0, ast.If(name(chosen[flag]), [ast.Break()], []))
        inside, _ = yield self.writer.block(body, lambda: self._next(node, carried, chosen, {}))
        inside = guarded(inside)
        if len(head) == 1 and len(before) == (0 if condition_is_true(head[0]) else 1):
            self.writer.put(ast.While(head[0], inside or [ast.Pass()], []), node.span)
        else:
            self.writer.put(ast.While(ast.Constant(True), before + inside, []), node.span)

    def _keep(self, node: Node, chosen: dict[int, str]) -> None:
        """Let the test name what the body would compute again."""
        found = kept_by_test(self.plan, node)
        if found is None:
            return
        asked, again = found
        graph, number = self.writer.place(node)
        text = self.writer.scope.pick([asked.name], graph, 2 * number, list(chosen.values()))
        self.writer.bound[asked] = ast.NamedExpr(ast.Name(text, ast.Store()), self.writer.build(asked.node))
        self.writer.bind(again, text)
        self.writer.told.add(again.node)

    # ------------------------------------------------------------------ for
    def _for(self, node: Node, carried: list[int], chosen: dict[int, str], lists: dict[int, str]) -> Nested:
        graph, number = self.writer.place(node)
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        targets: list[str] = []
        taken = [*chosen.values(), *lists.values()]
        counted = self.stacks.counted(node)
        for at, (item, over) in enumerate(zip(items, node.args[0])):
            if at in counted:
                continue
            if self.plan.liveness.used(item):
                hints = [item.name, "i" if type(over) is tuple else "row"]
                text = self.writer.scope.pick(hints, graph, 2 * number, taken + targets)
                self.writer.rebind(item, text)
            else:
                text = "_"
            targets.append(text)
        rest = [part for at, part in enumerate(node.args[0]) if at not in counted]
        if counted:
            trips = rows_of(next(iter(counted.values())))
            if not rest or type(rest[0]) is not tuple or rest[0][1:] != (0, trips, 1):
                rest, targets = [("range", 0, trips, 1), *rest], ["_", *targets]
            if targets[0] == "_":
                targets[0] = self.writer.scope.pick(["i"], graph, 2 * number, taken + targets)
            self.stacks.bind_rows(items, counted, targets[0])
        target, source = self._head(rest, targets)
        inside, _ = yield self.writer.block(body, lambda: self._next(node, carried, chosen, lists))
        flag = node.arg("exit")
        if flag is not None and flag in carried and self.writer.resolve(node.arg("init")[flag]) is not False:
            inside.insert(0, ast.If(name(chosen[flag]), [ast.Break()], []))
        self.writer.put(ast.For(target, source, guarded(inside) or [ast.Pass()], []), node.span)

    def _head(self, over: list[Any], targets: list[str]) -> tuple[ast.expr, ast.expr]:
        """Target and source of a `for`."""
        stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
        if len(over) == 1:
            return stored[0], self._items(over[0])
        if not any(counts_rows(self.writer.resolve, over[0], rows) for rows in over[1:]):
            return ast.Tuple(stored, ast.Store()), call("zip", *[self._items(part) for part in over])
        first = [] if over[0][1] == 0 else [self.writer.tree(over[0][1])]
        if len(over) == 2:
            return ast.Tuple(stored, ast.Store()), call("enumerate", self._items(over[1]), *first)
        zipped = call("zip", *[self._items(part) for part in over[1:]])
        rows = ast.Tuple(stored[1:], ast.Store())
        return ast.Tuple([stored[0], rows], ast.Store()), call("enumerate", zipped, *first)

    def _items(self, over: Any) -> ast.expr:
        if type(over) is not tuple:
            return self.writer.tree(over)
        _, start, stop, step = over
        if step != 1:
            return call("range", self.writer.tree(start), self.writer.tree(stop), self.writer.tree(step))
        return (
            call("range", self.writer.tree(stop))
            if start == 0
            else call("range", self.writer.tree(start), self.writer.tree(stop))
        )

    # ------------------------------------------------------------------ ends
    def _next(self, node: Node, carried: list[int], chosen: dict[int, str], lists: dict[int, str]) -> bool:
        """The end of a trip: append, assign, break."""
        results = loop_results(node)
        for at, text in lists.items():
            rows = node.values[at].is_tensor  # in a list that is none, numbers are Python's
            item = self.writer.array_of(results[at]) if rows else self.writer.tree(results[at])
            self.writer.put(ast.Expr(call(ast.Attribute(name(text), "append", ast.Load()), item)))
        flag = node.arg("exit")
        leaves = False if flag is None else self.writer.resolve(results[flag])
        dynamic = None
        if type(leaves) is Value and not (self._drops_flag(node) and leaves in placeholders(node, node.regions[-1])[1]):
            dynamic = self.writer.test(leaves)
        test = self.plan.returning.get(node)
        if test is not None and leaves is True:
            return self._return_from(node, test, results)
        if test is not None and dynamic is not None:
            self._return_where(dynamic, node, test, results)
            dynamic = None
        is_false = (
            leaves is False and flag in carried and self._false.get(node) == self.writer.scope.given(chosen[flag])
        )
        kept = [at for at in carried if not (at == flag and is_false)]
        pairs = [(chosen[at], self.control.trip_result(node, at)) for at in kept]
        changed = {text for text, value in pairs if not (isinstance(value, ast.Name) and value.id == text)}
        if dynamic is not None and flag not in carried:
            if changed & names_in(dynamic):
                graph = node.regions[-1]
                done = self.writer.scope.pick(
                    ["done"], graph, 2 * self.plan.positions.index[graph.output] - 1, list(chosen.values())
                )
                pairs.append((done, dynamic))
                dynamic = name(done)
        elif dynamic is not None:
            dynamic = name(chosen[flag])
        self.writer.assign(pairs)
        if leaves is True:
            self.writer.put(ast.Break())
            return True
        if dynamic is not None:
            self.writer.put(ast.If(dynamic, [ast.Break()], []))
        return False

    # ------------------------------------------------------------------ stacked results
    def _lists(self, node: Node, chosen: dict[int, str]) -> dict[int, str]:
        """The list of each stacked result that is needed, in the order in which a trip appends; one that is not begun is empty."""
        graph, number = self.writer.place(node)
        lists: dict[int, str] = {}
        for value in node.values[len(node.arg("init")) :]:
            if value.index - 1 in lists or not self.plan.liveness.used(value):
                continue
            filled = self._filled(value)
            begun = None if filled is None or filled.args[0] is None else self.writer.leaf(filled.args[0])
            if isinstance(begun, ast.Name):
                text = begun.id
            else:
                hints = [self.writer.prefer.get(value), value.name, "outs"]
                text = self.writer.scope.pick(hints, graph, 2 * number, [*chosen.values(), *lists.values()])
                self.writer.put(ast.Assign([ast.Name(text, ast.Store())], ast.List([], ast.Load())))
                self.writer.scope.hold(text, value)
            lists.update((row.index - 1, text) for row in ((value,) if filled is None else filled.args[1]))
        return lists

    def _filled(self, value: Value) -> Node | None:
        """The list that the stacked result is a part of."""
        user = self.plan.users[value][0]
        return user if user.op is FILLED else None

    def _stack(self, node: Node, lists: dict[int, str]) -> None:
        """The lists as tensors: in the place of their only use, else under the same name."""
        for at, text in lists.items():
            value = node.values[at]
            users = self.plan.users[value]
            if self._filled(value) is not None:
                self.writer.bound[value] = name(text)
            elif not value.is_tensor or (len(users) == 1 and users[0].graph is node.graph):
                self.writer.bound[value] = self.writer.stacked(value, name(text))
            else:
                self.writer.put(ast.Assign([ast.Name(text, ast.Store())], self.writer.stacked(value, name(text))))
                self.writer.bound[value] = name(text)


def condition_is_true(test: ast.expr) -> bool:
    """Whether a test is the constant True."""
    return isinstance(test, ast.Constant) and test.value is True
