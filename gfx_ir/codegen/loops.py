"""Loops as Python writes them: `while`, `for`, `break`, lists that are stacked."""

from __future__ import annotations

import ast
from typing import Any

from ..control import is_for
from ..graph import Node, Value
from ..types import LogicalTensor
from .branches import Branches
from .constants import call, name, names_in
from .copying import outputs_of
from .guards import guarded
from .liveness import loop_results, placeholders
from .logic import negate
from .nesting import Nested
from .returns import only_returned
from .walrus import kept_by_test


class Loops(Branches):
    """Loops in Python's own spelling."""

    def python_loop(self, node: Node) -> Nested:
        """A loop whose carried values are variables."""
        carried = self._carried(node)
        chosen = self._name_carried(node, carried)
        self.assign([(chosen[at], self._init(node, at)) for at in carried], node.span)
        lists = self._lists(node, chosen)
        for at in carried:
            self.scope.forget(chosen[at])
        for region in node.regions:
            phis = placeholders(node, region)[1]
            for at in carried:
                self.bind(phis[at], chosen[at])
            if self._drops_flag(node):
                self.bound[phis[node.arg("exit")]] = ast.Constant(False)
            self.unset.update(phis[at] for at in self.plan.liveness.carried(node) if phis[at] not in self.bound)
        results = loop_results(node)
        for at in carried:
            self.want(results[at], chosen[at], node.regions[-1])
        if is_for(node):
            yield self._for(node, carried, chosen, lists)
        else:
            yield self._while(node, carried, chosen)
        for at in carried:
            if self.plan.liveness.used(node.values[at]):
                self.rebind(node.values[at], chosen[at])
        self._stack(node, lists)

    # ------------------------------------------------------------------ carried values
    def _drops_flag(self, node: Node) -> bool:
        """Whether `break` says all that the flag says: it starts false and nothing behind the loop asks for it."""
        flag = node.arg("exit")
        return (
            flag is not None
            and self.plan.resolve(node.arg("init")[flag]) is False
            and (node in self.plan.returning or not self.plan.liveness.used(node.values[flag]))
        )

    def _carried(self, node: Node) -> list[int]:
        dropped = node.arg("exit") if self._drops_flag(node) else None
        kept = [at for at in self.plan.liveness.carried(node) if at != dropped]
        test = self.plan.returning.get(node)
        return kept if test is None else [at for at in kept if not only_returned(self.plan, node, test, at)]

    def _return_from(self, loop: Node, test: Node, results: list[Any]) -> bool:
        """Return the first side of the test behind the loop, with what this trip would leave it."""
        liveness, graph = self.plan.liveness, test.graph
        assert graph is not None
        liveness.stand(loop.values, results)
        liveness.stand(test.values, outputs_of(test.regions[0].result, len(test.values)))
        self.return_(graph.result)
        liveness.stand_no_more((*loop.values, *test.values))
        return True

    def _return_where(self, leaves: ast.expr, loop: Node, test: Node, results: list[Any]) -> None:
        """The same in the trips that end the loop, before this trip's variables change."""
        outer, self.out = self.out, []
        self._return_from(loop, test, results)
        returned, self.out = self.out, outer
        self.put(ast.If(leaves, returned, []))

    def _name_carried(self, node: Node, carried: list[int]) -> dict[int, str]:
        """One name for a carried value from before the loop until behind it."""
        graph, number = self.place(node)
        chosen: dict[int, str] = {}
        phis = placeholders(node, node.regions[-1])[1]
        results = loop_results(node)
        for at in carried:
            init = self.plan.resolve(node.arg("init")[at])
            result = self.plan.resolve(results[at])
            read = self.bound.get(init) if type(init) is Value else None
            hints = [
                self.prefer.get(node.values[at]),
                phis[at].name,
                node.values[at].name,
                read.id if isinstance(read, ast.Name) else None,
                result.name if type(result) is Value else None,
                "done" if at == node.arg("exit") else "value",
            ]
            chosen[at] = self.scope.pick(hints, graph, 2 * number, list(chosen.values()))
        return chosen

    def _init(self, node: Node, at: int) -> ast.expr:
        return self.tree(node.arg("init")[at])

    def trip_result(self, node: Node, at: int) -> ast.expr:
        """What a trip leaves in a carried value."""
        return self.tree(loop_results(node)[at])

    # ------------------------------------------------------------------ while
    def _while(self, node: Node, carried: list[int], chosen: dict[int, str]) -> Nested:
        test, body = node.regions
        self._keep(node, chosen)
        head: list[ast.expr] = []

        def leave() -> bool:
            condition = self.test(outputs_of(test.result, 1)[0])
            head.append(condition)
            if condition_is_true(condition):
                return False
            self.put(ast.If(negate(condition), [ast.Break()], []))
            return False

        before, _ = yield self.block(test, leave)
        flag = node.arg("exit")
        if flag is not None and flag in carried and self.plan.resolve(node.arg("init")[flag]) is not False:
            before.insert(0, ast.If(name(chosen[flag]), [ast.Break()], []))
        inside, _ = yield self.block(body, lambda: self._next(node, carried, chosen, {}))
        inside = guarded(inside)
        if len(head) == 1 and len(before) == (0 if condition_is_true(head[0]) else 1):
            self.put(ast.While(head[0], inside or [ast.Pass()], []), node.span)
        else:
            self.put(ast.While(ast.Constant(True), before + inside, []), node.span)

    def _keep(self, node: Node, chosen: dict[int, str]) -> None:
        """Let the test name what the body would compute again."""
        found = kept_by_test(self.plan, node)
        if found is None:
            return
        asked, again = found
        graph, number = self.place(node)
        text = self.scope.pick([asked.name], graph, 2 * number, list(chosen.values()))
        self.bound[asked] = ast.NamedExpr(ast.Name(text, ast.Store()), self.build(asked.node))
        self.bind(again, text)
        self.told.add(again.node)

    # ------------------------------------------------------------------ for
    def _for(self, node: Node, carried: list[int], chosen: dict[int, str], lists: dict[int, str]) -> Nested:
        graph, number = self.place(node)
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        targets: list[str] = []
        taken = [*chosen.values(), *lists.values()]
        for item, over in zip(items, node.args[0]):
            if self.plan.liveness.used(item):
                hints = [item.name, "i" if type(over) is tuple else "row"]
                text = self.scope.pick(hints, graph, 2 * number, taken + targets)
                self.rebind(item, text)
            else:
                text = "_"
            targets.append(text)
        target, source = self._head(node, targets)
        inside, _ = yield self.block(body, lambda: self._next(node, carried, chosen, lists))
        flag = node.arg("exit")
        if flag is not None and flag in carried and self.plan.resolve(node.arg("init")[flag]) is not False:
            inside.insert(0, ast.If(name(chosen[flag]), [ast.Break()], []))
        self.put(ast.For(target, source, guarded(inside) or [ast.Pass()], []), node.span)

    def _head(self, node: Node, targets: list[str]) -> tuple[ast.expr, ast.expr]:
        """Target and source of a `for`."""
        over = list(node.args[0])
        stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
        if len(over) == 1:
            return stored[0], self._items(over[0])
        if not any(self._counts(over[0], rows) for rows in over[1:]):
            return ast.Tuple(stored, ast.Store()), call("zip", *[self._items(part) for part in over])
        first = [] if over[0][1] == 0 else [self.tree(over[0][1])]
        if len(over) == 2:
            return ast.Tuple(stored, ast.Store()), call("enumerate", self._items(over[1]), *first)
        zipped = call("zip", *[self._items(part) for part in over[1:]])
        rows = ast.Tuple(stored[1:], ast.Store())
        return ast.Tuple([stored[0], rows], ast.Store()), call("enumerate", zipped, *first)

    def _counts(self, numbers: Any, rows: Any) -> bool:
        """Whether the first of two things that a loop goes over is a range, and counts the rows of the second."""
        if type(numbers) is not tuple or type(rows) is tuple or type(numbers[1]) is not int or numbers[3] != 1:
            return False
        stop = self._length_of(numbers)
        if type(stop) is not Value:
            known = self.plan.resolve(rows).type
            dims = known.dims if isinstance(known, LogicalTensor) else None
            return dims is not None and dims[:1] == (stop,)
        if stop.node.op.name != "size":
            return False
        return stop.node.args[1] == 0 and self.plan.resolve(stop.node.args[0]) is self.plan.resolve(rows)

    def _length_of(self, numbers: Any) -> Any:
        """How many numbers a range from a fixed one on has, where nothing has to be computed for it."""
        start, stop = numbers[1], self.plan.resolve(numbers[2])
        if type(stop) is int or start == 0:
            return stop - start if start else stop
        if type(stop) is Value and stop.node.op.name == "host" and stop.node.args[0] == "+":
            rest = [arg for arg in stop.node.args[1] if type(arg) is not int or arg != start]
            return self.plan.resolve(rest[0]) if len(rest) == 1 else None
        return None

    def _items(self, over: Any) -> ast.expr:
        if type(over) is not tuple:
            return self.tree(over)
        _, start, stop, step = over
        if step != 1:
            return call("range", self.tree(start), self.tree(stop), self.tree(step))
        return call("range", self.tree(stop)) if start == 0 else call("range", self.tree(start), self.tree(stop))

    # ------------------------------------------------------------------ ends
    def _next(self, node: Node, carried: list[int], chosen: dict[int, str], lists: dict[int, str]) -> bool:
        """The end of a trip: append, assign, break."""
        results = loop_results(node)
        for at, text in lists.items():
            self.put(ast.Expr(call(ast.Attribute(name(text), "append", ast.Load()), self._array_of(results[at]))))
        flag = node.arg("exit")
        leaves = False if flag is None else self.plan.resolve(results[flag])
        dynamic = None
        if type(leaves) is Value and not (self._drops_flag(node) and leaves in placeholders(node, node.regions[-1])[1]):
            dynamic = self.test(leaves)
        test = self.plan.returning.get(node)
        if test is not None and leaves is True:
            return self._return_from(node, test, results)
        if test is not None and dynamic is not None:
            self._return_where(dynamic, node, test, results)
            dynamic = None
        starts_false = flag is not None and self.plan.resolve(node.arg("init")[flag]) is False
        kept = [at for at in carried if not (at == flag and leaves is False and starts_false)]
        pairs = [(chosen[at], self.trip_result(node, at)) for at in kept]
        changed = {text for text, value in pairs if not (isinstance(value, ast.Name) and value.id == text)}
        if dynamic is not None and flag not in carried:
            if changed & names_in(dynamic):
                graph = node.regions[-1]
                done = self.scope.pick(
                    ["done"], graph, 2 * self.plan.positions.index[graph.output] - 1, list(chosen.values())
                )
                pairs.append((done, dynamic))
                dynamic = name(done)
        elif dynamic is not None:
            dynamic = name(chosen[flag])
        self.assign(pairs)
        if leaves is True:
            self.put(ast.Break())
            return True
        if dynamic is not None:
            self.put(ast.If(dynamic, [ast.Break()], []))
        return False

    # ------------------------------------------------------------------ stacked results
    def _lists(self, node: Node, chosen: dict[int, str]) -> dict[int, str]:
        """The list of each stacked result that is needed, in the order in which a trip appends; one that is not begun is empty."""
        graph, number = self.place(node)
        lists: dict[int, str] = {}
        for value in node.values[len(node.arg("init")) :]:
            if value.index - 1 in lists or not self.plan.liveness.used(value):
                continue
            filled = self._filled(value)
            begun = None if filled is None or filled.args[0] is None else self.leaf(filled.args[0])
            if isinstance(begun, ast.Name):
                text = begun.id
            else:
                hints = [self.prefer.get(value), value.name, "outs"]
                text = self.scope.pick(hints, graph, 2 * number, [*chosen.values(), *lists.values()])
                self.put(ast.Assign([ast.Name(text, ast.Store())], ast.List([], ast.Load())))
                self.scope.hold(text, value)
            lists.update((row.index - 1, text) for row in ((value,) if filled is None else filled.args[1]))
        return lists

    def _filled(self, value: Value) -> Node | None:
        """The list that the stacked result is a part of."""
        user = self.plan.users[value][0]
        return user if user.op.name == "filled_list" else None

    def _stack(self, node: Node, lists: dict[int, str]) -> None:
        """The lists as tensors: in the place of their only use, else under the same name."""
        for at, text in lists.items():
            value = node.values[at]
            users = self.plan.users[value]
            if self._filled(value) is not None:
                self.bound[value] = name(text)
            elif len(users) == 1 and users[0].graph is node.graph:
                self.bound[value] = self.stacked(value, name(text))
            else:
                self.put(ast.Assign([ast.Name(text, ast.Store())], self.stacked(value, name(text))))
                self.bound[value] = name(text)


def condition_is_true(test: ast.expr) -> bool:
    """Whether a test is the constant True."""
    return isinstance(test, ast.Constant) and test.value is True
