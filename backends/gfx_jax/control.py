"""Control flow of JAX: `lax.cond`, `lax.while_loop`, `lax.fori_loop`, `lax.scan`."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from gfx_ir.codegen.agreement import BOTH
from gfx_ir.codegen.constants import name, names_in
from gfx_ir.codegen.control.choices import Sides
from gfx_ir.codegen.control.higher import MAKE, HigherOrder, one_or_tuple
from gfx_ir.codegen.control.stacks import Tree
from gfx_ir.codegen.liveness import counted, loop_results, placeholders
from gfx_ir.codegen.writer import Finish
from gfx_ir.control import is_for
from gfx_ir.errors import MissingOp
from gfx_ir.graph import Node
from gfx_ir.infer.elements import declared


class LaxControl(HigherOrder):
    """Functions of `jax.lax`; what a loop carries has one dtype there, so numbers of a lower kind that a trip leaves are cast to it."""

    compiled = True

    # ------------------------------------------------------------------ tests
    def chooser(self, node: Node, sides: Sides, chosen: bool) -> ast.expr:
        agreement = self.plan.agreement
        agreement.check_axes(node, sides, self.module.style.name)
        differs = any(agreement.sides_differ(then, other) for then, other in zip(*sides))
        differs |= chosen and agreement.unrelated(sides[0][0], sides[1][0])
        return name(self.module.use("promoting_cond")) if differs else super().chooser(node, sides, chosen)

    def check(self, node: Node) -> ast.expr:
        if not self.module.backend.spells(node.op):
            raise MissingOp(f"backend {self.module.backend.name!r} has no row for a check on a tensor", node.span)
        return self.writer.template(node)

    # ------------------------------------------------------------------ loops
    def loop(self, node: Node) -> ast.expr:
        carried = self.plan.liveness.carried(node)
        if not is_for(node):
            return self.while_loop(node, carried)
        if counted(node):
            return self._fori_loop(node, carried)
        return self._scan(node, carried) if node.arg("exit") is None else self._while_over(node, carried)

    def _fori_loop(self, node: Node, carried: list[int]) -> ast.expr:
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        hints = self.hints(node, carried)
        step = self.functions.function(
            body, "body", set(), lambda: self.enter_body(node, carried, hints, items), self.finish(node, carried)
        )
        _, start, stop, _ = node.args[0][0]
        first, end = self.writer.tree(start), self.writer.tree(stop)
        trip = ast.Lambda(self.signature(["carry"]), ast.Call(step, [first, name("carry")], []))
        init = self.settled(node, ast.Compare(first, [ast.Lt()], [end]), self.inits(node, carried), trip)
        return ast.Call(self.higher("fori_loop"), [first, end, step, init], [])

    def settled(self, node: Node, some: ast.expr, init: ast.expr, trip: ast.expr, *rows: ast.expr) -> ast.expr:
        """What a loop starts from: where a number may become an array, or another kind of number late, as its trips say."""
        if not self._unsettled(node):
            return init
        told = any(map(self.plan.liveness.used, self.plan.agreement.growing(node)))
        asked = [ast.keyword("some", some)] if told else []
        return ast.Call(name(self.module.use("settled")), [trip, init, *rows], asked)

    def _unsettled(self, node: Node) -> bool:
        """Whether what is carried may become an array, or of another kind late."""
        agreement = self.plan.agreement
        if agreement.settles_late(node) or agreement.growing(node):
            return True
        return any(agreement.apart(node, at, self._left(node, at)) for at in self.plan.liveness.carried(node))

    def _scan(self, node: Node, carried: list[int]) -> ast.expr:
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        results = loop_results(node)
        stacked = [value.index - 1 for value in self.stacked(node)]

        over = self.stacks.trees(node)

        def bound(part: Tree | int, hint: str, avoid: Sequence[str]) -> str:
            if isinstance(part, Tree):
                return self.stacks.bind_tree(part, items, avoid)
            return self.argument(items[part], "i" if items[part].kind == "int" else hint, avoid)

        def enter() -> list[str]:
            arguments = self.enter_body(node, carried, self.hints(node, carried)) if carried else ["_"]
            if len(over) == 1:
                row = bound(over[0], "row", arguments)
                return [*arguments, row if row not in arguments else "_row"]
            held = [
                *arguments,
                *(found.id for s in self.writer.out for found in ast.walk(s) if isinstance(found, ast.Name)),
            ]
            targets: list[str] = []
            for part in over:
                targets.append(bound(part, "row", [*held, *targets, "items"]))
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            self.writer.put(ast.Assign([ast.Tuple(stored, ast.Store())], name("items")))
            return [*arguments, "items"]

        def finish() -> bool:
            kept = [self.trip_result(node, at) for at in carried]
            carry = kept[0] if len(kept) == 1 else ast.Tuple(kept, ast.Load()) if kept else ast.Constant(None)
            rows = self.writer.tree(one_or_tuple([results[at] for at in stacked])) if stacked else ast.Constant(None)
            self.writer.put(ast.Return(ast.Tuple([carry, rows], ast.Load())))
            return True

        step = self.functions.function(body, "step", set(), enter, finish)
        rows: list[ast.expr] = [
            self.writer.path(part.path) if isinstance(part, Tree) else self.items.over(node.args[0][part])
            for part in over
        ]
        source = rows[0] if len(rows) == 1 else ast.Tuple(rows, ast.Load())
        init = self.inits(node, carried) if carried else ast.Constant(None)
        if carried and self._unsettled(node):
            source = self._named(node, source, step) if isinstance(source, ast.Call) else source
            some = ast.Compare(self.items.lengths(node)[0], [ast.Gt()], [ast.Constant(0)])
            init = self.settled(node, some, init, step, source)
        return ast.Call(self.higher("scan"), [step, init, source], [])

    def _named(self, node: Node, source: ast.expr, step: ast.expr) -> ast.expr:
        """What a loop goes over, by a name: it is read twice."""
        graph, number = self.writer.place(self.plan.positions.statement(node))
        taken = {step.id} if isinstance(step, ast.Name) else ()
        text = self.writer.scope.pick(["rows"], graph, 2 * number - 1, taken)
        self.writer.put(ast.Assign([ast.Name(text, ast.Store())], source))
        return name(text)

    # ------------------------------------------------------------------ with an early end
    def _while_over(self, node: Node, carried: list[int]) -> ast.expr:
        """A loop over rows that can end early: the index is carried along."""
        body = node.regions[-1]
        items = placeholders(node, body)[0]
        hints = self.hints(node, carried)
        flag = node.arg("exit")
        avoid: set[str] = set()
        counter = self.items.counter(node, items, hints)
        phis = [None, *placeholders(node, body)[1]]

        def enter(test: bool) -> list[str]:
            used = [phis[at + 1] if not test else None for at in carried]
            targets = [counter]
            for value, at, hint in zip(used, carried, hints):
                if test:
                    targets.append((hint or "done") if at == flag else "_")
                else:
                    targets.append(self.argument(value, hint, targets))
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            carry = self.carry_name([*targets, *self.functions.closure(node.regions).closed])
            self.writer.put(ast.Assign([ast.Tuple(stored, ast.Store())], name(carry)))
            if not test:
                self.writer.scope.closed |= {counter}
                self.want_results(node, carried)
                self.items.bind_items(node, items, counter, targets)
            return [carry]

        condition = self._index_test(node, counter, hints[carried.index(flag)] or "done", avoid, enter)

        def finish() -> bool:
            results = [self.trip_result(node, at) for at in carried]
            following = ast.BinOp(name(counter), ast.Add(), ast.Constant(1))
            self.writer.put(ast.Return(ast.Tuple([following, *results], ast.Load())))
            return True

        step = self.functions.function(body, "body", avoid, lambda: enter(False), finish)
        inits = ast.Tuple([ast.Constant(0), *[self.init(node, at) for at in carried]], ast.Load())
        return ast.Call(self.higher("while_loop"), [condition, step, self.settled(node, condition, inits, step)], [])

    def _index_test(self, node: Node, counter: str, done: str, avoid: set[str], enter: Any) -> ast.expr:
        """The function that asks whether there is another row, and no end yet."""
        outer, self.writer.out = self.writer.out, []
        arguments = enter(True)
        lengths = self.items.lengths(node)
        asked = self.going_on(node, done)
        for length in reversed(lengths):
            asked = ast.BinOp(ast.Compare(name(counter), [ast.Lt()], [length]), ast.BitAnd(), asked)
        body, self.writer.out = [*self.writer.out, ast.Return(asked)], outer
        graph, number = self.writer.place(self.plan.positions.statement(node))
        text = self.writer.scope.pick(["cond"], graph, 2 * number - 1, avoid | names_in(*lengths))
        avoid.add(text)
        self.writer.put(ast.FunctionDef(text, self.signature(arguments), body, [], None))
        return name(text)

    # ------------------------------------------------------------------ numbers
    def _left(self, node: Node, at: int) -> Any:
        """What a trip leaves in a carried value."""
        return self.writer.resolve(loop_results(node)[at])

    def _narrower(self, node: Node, at: int) -> str | None:
        return self.plan.agreement.cast(node, at, self._left(node, at))

    def finish(self, node: Node, carried: Sequence[int]) -> Finish:
        plain = super().finish(node, carried)

        def finish() -> bool:
            if all(self._narrower(node, at) is None for at in carried):
                return plain()
            items = [self.trip_result(node, at) for at in carried]
            self.writer.put(ast.Return(items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())))
            return True

        return finish

    def trip_result(self, node: Node, at: int) -> ast.expr:
        """What a trip leaves in a carried value, in the dtype that the loop carries."""
        made = super().trip_result(node, at)
        kind, element = self._narrower(node, at), declared(node.values[at])
        if kind is None:
            return made
        if element is not None:
            loop, carried = self.plan.liveness.phis.get(self._left(node, at), (None, -1))
            is_cast = loop is node and carried >= 0 and declared(node.values[carried]) == element
            return made if is_cast else self.typed(made, element)
        if kind and kind != BOTH:
            return ast.BinOp(made, ast.Mult(), ast.Constant(MAKE[kind](1)))
        phi = placeholders(node, node.regions[-1])[1][at]
        carry = self.writer.value(phi)
        if kind == BOTH:  # what both promote to: `result_type` takes a traced number for an array
            if not self.plan.agreement.alike(self._left(node, at), phi):  # but not broadcast to both
                shape = ast.keyword("shape", ast.Tuple([], ast.Load()))
                carry = ast.Call(self.of_module("zeros_like"), [carry], [shape])
            return ast.Call(name(self.module.use("as_carried")), [carry, made], [])
        return ast.Call(self.of_module("asarray"), [made, ast.Attribute(carry, "dtype", ast.Load())], [])
