"""Functional loops over rows: `lax.scan`, and a `while_loop` with an index where a loop can end early."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..graph import Node, Value
from .constants import name, names_in
from .functional import Functional
from .liveness import loop_results, placeholders


class Rows(Functional):
    """`for` over tensors and uneven ranges in a functional target."""

    def _scan(self, node: Node, carried: list[int]) -> ast.expr:
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        results = loop_results(node)
        stacked = [v.index - 1 for v in node.values[len(node.arg("init")) :] if self.plan.liveness.used(v)]

        def enter() -> list[str]:
            arguments = self._enter_body(node, carried, self._hints(node, carried)) if carried else ["_"]
            if len(items) == 1:
                row = self._argument(items[0], "row", arguments)
                return [*arguments, row if row not in arguments else "_row"]
            held = [*arguments, *(found.id for s in self.out for found in ast.walk(s) if isinstance(found, ast.Name))]
            targets: list[str] = []
            for item in items:
                targets.append(self._argument(item, "i" if item.kind == "int" else "row", [*held, *targets, "items"]))
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            self.put(ast.Assign([ast.Tuple(stored, ast.Store())], name("items")))
            return [*arguments, "items"]

        def finish() -> bool:
            kept = [self.trip_result(node, at) for at in carried]
            carry = kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load()) if kept else ast.Constant(None)
            rows = self.tree(self._give([results[at] for at in stacked])) if stacked else ast.Constant(None)
            self.put(ast.Return(ast.Tuple([carry, rows], ast.Load())))
            return True

        step = self.function(body, "step", set(), enter, finish)
        over: list[ast.expr] = [self._over(part) for part in node.args[0]]
        source = over[0] if len(over) == 1 else ast.Tuple(over, ast.Load())
        init = self._inits(node, carried) if carried else ast.Constant(None)
        if carried and self._unsettled(node):
            if isinstance(source, ast.Call):
                graph, number = self.place(self.plan.positions.statement(node))
                text = self.scope.pick(["rows"], graph, 2 * number - 1, {step.id} if isinstance(step, ast.Name) else ())
                self.put(ast.Assign([ast.Name(text, ast.Store())], source))
                source = name(text)
            init = self._settled(node, init, step, source)
        return ast.Call(self.higher("scan"), [step, init, source], [])

    def scan_targets(self, node: Node) -> list[Any]:
        """What the call of scan gives: the carried values, then the stacked ones, each as one or as a tuple."""
        carried: list[Any] = [node.values[at] for at in self.plan.liveness.carried(node)]
        stacked: list[Any] = [v for v in node.values[len(node.arg("init")) :] if self.plan.liveness.used(v)]
        return [self._give(carried) if carried else None, self._give(stacked) if stacked else None]

    def _over(self, part: Any) -> ast.expr:
        if type(part) is not tuple:
            return self.tree(part)
        _, start, stop, step = part
        bounds = [stop] if start == 0 and step == 1 else [start, stop] if step == 1 else [start, stop, step]
        arange = ast.Attribute(self.module.free(name(self.module.style.module)), "arange", ast.Load())
        return ast.Call(arange, [self.tree(bound) for bound in bounds], [])

    # ------------------------------------------------------------------ with an early end
    def _while_over(self, node: Node, carried: list[int]) -> ast.expr:
        """A loop over rows that can end early: the index is carried along."""
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        hints = self._hints(node, carried)
        flag = node.arg("exit")
        avoid: set[str] = set()
        counter = self._counter(node, items, hints)
        phis = [None, *placeholders(node, body)[1]]

        def enter(test: bool) -> list[str]:
            self.read_dtypes(node, carried)
            used = [phis[at + 1] if not test else None for at in carried]
            targets = [counter]
            for value, at, hint in zip(used, carried, hints):
                if test:
                    targets.append((hint or "done") if at == flag else "_")
                else:
                    targets.append(self._argument(value, hint, targets))
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            carry = self._carry_name([*targets, *self.closure(node.regions).closed])
            self.put(ast.Assign([ast.Tuple(stored, ast.Store())], name(carry)))
            if not test:
                self.scope.closed |= {counter}
                self._want_results(node, carried)
                self._bind_items(node, items, counter, targets)
            return [carry]

        condition = self._index_test(node, counter, hints[carried.index(flag)] or "done", avoid, enter)

        def finish() -> bool:
            results = [self.trip_result(node, at) for at in carried]
            following = ast.BinOp(name(counter), ast.Add(), ast.Constant(1))
            self.put(ast.Return(ast.Tuple([following, *results], ast.Load())))
            return True

        step = self.function(body, "body", avoid, lambda: enter(False), finish)
        inits = ast.Tuple([ast.Constant(0), *[self._init(node, at) for at in carried]], ast.Load())
        return ast.Call(self.higher("while_loop"), [condition, step, self._settled(node, inits, step)], [])

    def _counter(self, node: Node, items: Sequence[Value], hints: Sequence[str | None]) -> str:
        closed = self.closure(node.regions).closed | set(hints)
        wanted = [item.name for item, over in zip(items, node.args[0]) if type(over) is tuple and item.name]
        return next(text for text in (*wanted, "i", "j", "k", "at", "index_", "counter") if text not in closed)

    def _index_test(self, node: Node, counter: str, done: str, avoid: set[str], enter: Any) -> ast.expr:
        """The function that asks whether there is another row, and no end yet."""
        outer, self.out = self.out, []
        arguments = enter(True)
        over = node.args[0]
        lengths = [self._length(part) for part in over if not any(self._counts(part, rows) for rows in over)]
        asked: ast.expr = ast.UnaryOp(ast.Invert(), name(done))
        for length in reversed(lengths[:1] if len({ast.dump(found) for found in lengths}) == 1 else lengths):
            asked = ast.BinOp(ast.Compare(name(counter), [ast.Lt()], [length]), ast.BitAnd(), asked)
        body, self.out = [*self.out, ast.Return(asked)], outer
        graph, number = self.place(self.plan.positions.statement(node))
        read = names_in(*lengths)
        text = self.scope.pick(["cond"], graph, 2 * number - 1, avoid | read)
        avoid.add(text)
        signature = ast.arguments([], [ast.arg(arg) for arg in arguments], None, [], [], None, [])
        self.put(ast.FunctionDef(text, signature, body, [], None))
        return name(text)

    def _length(self, over: Any) -> ast.expr:
        """How many trips an iterable is good for; none where it is negative."""
        if type(over) is not tuple:
            return ast.Subscript(ast.Attribute(self.tree(over), "shape", ast.Load()), ast.Constant(0), ast.Load())
        _, start, stop, step = over
        if start == 0 and step == 1:
            return self.tree(stop)
        first, last, by = (self.tree(part) for part in (start, stop, step))
        if step == 1:
            return ast.BinOp(last, ast.Sub(), first)
        return ast.UnaryOp(ast.USub(), ast.BinOp(ast.BinOp(first, ast.Sub(), last), ast.FloorDiv(), by))

    def _row(self, source: ast.expr, counter: str) -> ast.expr:
        """A row of a tensor."""
        return ast.Subscript(source, name(counter), ast.Load())

    def _bind_items(self, node: Node, items: Sequence[Value], counter: str, targets: Sequence[str]) -> None:
        """The rows of this trip, as the first statements of the body."""
        for item, over in zip(items, node.args[0]):
            if not self.plan.liveness.used(item):
                continue
            if type(over) is tuple and over[1] == 0 and over[3] == 1:
                self.bind(item, counter)
                continue
            if type(over) is tuple:
                scaled = name(counter) if over[3] == 1 else ast.BinOp(name(counter), ast.Mult(), self.tree(over[3]))
                source: ast.expr = ast.BinOp(self.tree(over[1]), ast.Add(), scaled)
            else:
                source = self._row(self.tree(over), counter)
            graph = item.node.graph
            assert graph is not None
            users = self.plan.users[item]
            only = users[0] if len(users) == 1 else None
            if only is not None and only.graph is graph and not only.regions and only.op.name != "output":
                self.bound[item] = source
                continue
            text = self.scope.pick([item.name, "row"], graph, 0, targets)
            self.put(ast.Assign([ast.Name(text, ast.Store())], source))
            self.bind(item, text)
