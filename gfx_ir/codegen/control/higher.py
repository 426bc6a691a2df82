"""Control flow by higher-order functions: a test or loop is a call that takes regions as nested functions."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ...control import is_for, is_loop, is_test
from ...dtypes import DType
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...infer.elements import declared
from ...python_numbers import is_number
from ...regions import outputs_of
from ..constants import name, parse
from ..liveness import counted, loop_results, placeholders
from ..nesting import Nested
from ..statements import Statements
from ..writer import Finish
from .choices import Choices, Sides
from .functions import Functions
from .items import Items
from .python import PythonControl

MAKE = {"i": int, "f": float, "c": complex}
"""What makes a number one of a kind."""


class HigherOrder(PythonControl):
    """What targets have in common that call functions of the program for tests and loops on data; those of host values, and
    loops that are unrolled, stay Python's. Subclasses give `loop` and what else differs."""

    higher_order = True

    def __init__(self, writer: Statements) -> None:
        super().__init__(writer)
        self.functions = Functions(writer, self.signature)
        self.choices = Choices(writer, self.functions, self.give, self.chooser)
        self.items = Items(writer, self.functions, self.row)
        self.stacks = self.loops.stacks

    # ------------------------------------------------------------------ what a target has
    def loop(self, node: Node) -> ast.expr:
        """A loop as a call; what it carries that is needed is one value or a tuple."""
        raise NotImplementedError

    def chooser(self, node: Node, sides: Sides, chosen: bool) -> ast.expr:
        """The function that takes a test and a function for each side."""
        return self.higher("cond")

    def give(self, region: Graph, results: Sequence[Any], values: Sequence[Value], whole: bool = False) -> bool:
        """End the function of a region by what stands for `values`: one or a tuple (`whole`: a tuple in any case)."""
        return self.writer.return_(tuple(results) if whole or len(results) != 1 else results[0])

    def signature(self, names: Sequence[str]) -> ast.arguments:
        """The signature of a nested function."""
        return ast.arguments([], [ast.arg(text) for text in names], None, [], [], None, [])

    def settled(self, node: Node, some: ast.expr, init: ast.expr, trip: ast.expr, *rows: ast.expr) -> ast.expr:
        """What a loop starts from, so that each trip leaves the same types; `some` says whether there is a trip."""
        return init

    def row(self, source: ast.expr, counter: str) -> ast.expr:
        """A row of a tensor."""
        return ast.Subscript(source, name(counter), ast.Load())

    # ------------------------------------------------------------------ nodes
    def statement(self, node: Node) -> Nested:
        self._check_lengths(node)
        if not self.module.functional(node):
            return (yield from super().statement(node))
        if is_test(node):
            self.assign_outputs(node, [v for v in node.values if self.plan.liveness.used(v)])
        elif is_for(node) and not counted(node) and node.arg("exit") is None:
            self._assign_scan(node)
        else:
            self.assign_outputs(node, self.loop_values(node))
        return False

    def expression(self, node: Node) -> ast.expr:
        self._check_lengths(node)
        if not self.module.functional(node):
            return super().expression(node)
        return self.choices.expression(node) if is_test(node) else self.loop(node)

    def _check_lengths(self, node: Node) -> None:
        """Raises UnsupportedConstruct where data decides how many items a list has."""
        if not self.module.functional(node):
            return
        carried = self.plan.liveness.carried(node) if is_loop(node) else ()
        for at, value in enumerate(node.values):
            if value.kind == "list" and (at in carried or self.plan.liveness.used(value)):
                what = f"data decides how many items {repr(value.name) if value.name else 'a list'} has"
                raise UnsupportedConstruct(
                    f"GFX cannot write this {'loop' if is_loop(node) else 'test'} as a function of {self.module.style.name}'s: {what}",
                    node.span, "write into a tensor of fixed length at the place that a counter says, or use where or a mask",
                )  # fmt: skip

    def higher(self, text: str) -> ast.expr:
        """A function of the target's module for control flow."""
        return self.of_module(text, self.module.style.prefix)

    def of_module(self, text: str, module: str = "") -> ast.expr:
        """A function of a module of the target's; of its main one unless told."""
        return ast.Attribute(self.module.free(name(module or self.module.style.module)), text, ast.Load())

    def loop_values(self, node: Node) -> list[Value | None]:
        """The values that the loop's call gives, in order (None: one that is not needed outside)."""
        carried = [node.values[at] for at in self.plan.liveness.carried(node)]
        return [*([None] if is_for(node) and node.arg("exit") is not None else []), *carried]

    def _assign_scan(self, node: Node) -> None:
        """`(a, b), outs = scan(…)`."""
        expression = self.expression(node)
        graph, at = self.writer.place(node)
        chosen: list[tuple[Value, str]] = []

        def target(tree: Any) -> ast.expr:
            if type(tree) is tuple:
                return ast.Tuple([target(item) for item in tree], ast.Store())
            text = "_"
            if tree is not None and self.plan.liveness.used(tree):
                text = self.writer.choose(tree, graph, 2 * at + 1, [text for _, text in chosen])
                chosen.append((tree, text))
            return ast.Name(text, ast.Store())

        self.writer.put(ast.Assign([target(tuple(self._scan_targets(node)))], expression), node.span)
        for value, text in chosen:
            self.writer.bind(value, text)

    def _scan_targets(self, node: Node) -> list[Any]:
        """What the call of scan gives: the carried values, then the stacked ones, each as one or as a tuple."""
        carried: list[Any] = [node.values[at] for at in self.plan.liveness.carried(node)]
        return [one_or_tuple(found) if found else None for found in (carried, self.stacked(node))]

    def stacked(self, node: Node) -> list[Value]:
        """The stacked results of a loop that are needed."""
        return [value for value in node.values[len(node.arg("init")) :] if self.plan.liveness.used(value)]

    # ------------------------------------------------------------------ numbers as arrays
    def typed(self, number: ast.expr, element: DType) -> ast.expr:
        """A number as an array of this dtype."""
        style = self.module.style
        made = parse(style.scalar.format(dtype=style.dtype(element.name), value="_"))
        assert isinstance(made, ast.Call)
        return ast.Call(self.module.free(made.func), [number], [])

    def of_kind(self, leaf: Any, kind: str | None) -> ast.expr:
        """A number as one of a higher kind."""
        if kind is None:
            return self.writer.tree(leaf)
        if is_number(leaf):
            return self.writer.tree(MAKE[kind](leaf))
        return ast.BinOp(self.writer.tree(leaf), ast.Mult(), ast.Constant(MAKE[kind](1)))

    # ------------------------------------------------------------------ the functions of a loop
    def phis(self, node: Node, region: Graph, carried: Sequence[int]) -> list[Value]:
        phis = placeholders(node, region)[1]
        return [phis[at] for at in carried]

    def enter(
        self, phis: Sequence[Value | None], names: Sequence[str | None], before: Sequence[Value | None] = ()
    ) -> list[str]:
        """Bind the arguments of a loop's function: those before, then the carried values as one or a tuple."""
        arguments: list[str] = []
        for value in before:
            arguments.append(self.argument(value, None, arguments))
        if len(phis) == 1:
            only = self.argument(phis[0], names[0], arguments)
            return [*arguments, only if only not in arguments else "_carry"]
        targets: list[str] = []
        for value, hint in zip(phis, names):
            targets.append(self.argument(value, hint, [*arguments, *targets]))
        carry = self.carry_name([*targets, *arguments])
        if any(text != "_" for text in targets):
            stored: list[ast.expr] = [ast.Name(text, ast.Store()) for text in targets]
            self.writer.put(ast.Assign([ast.Tuple(stored, ast.Store())], name(carry)))
        return [*arguments, carry]

    def carry_name(self, avoid: Sequence[str]) -> str:
        """What the tuple of carried values is called: nothing that the function reads or unpacks it to."""
        return next(
            text
            for text in ("carry", "state", "carried", "loop_state")
            if text not in (*avoid, *self.writer.scope.closed)
        )

    def argument(self, value: Value | None, hint: str | None, avoid: Sequence[str]) -> str:
        if value is None or not self.plan.liveness.used(value):
            return "_"
        graph = value.node.graph
        assert graph is not None
        fallback = {"int": "i"}.get(value.kind, "value")
        text = self.writer.scope.pick([value.name, hint, fallback], graph, 0, avoid)
        self.writer.bind(value, text)
        return text

    def init(self, node: Node, at: int) -> ast.expr:
        """What a value is before the loop; a number is typed where the loop is known to give an array, or another kind."""
        init = self.writer.resolve(node.arg("init")[at])
        element = declared(node.values[at])
        weak = (
            element is None or element.kind != "b" or not self.plan.facts.is_boolean(init)
        )  # True and False have one dtype
        if weak and element is not None and self.plan.facts.may_be_weak(init):
            return self.typed(self.writer.tree(init), element)
        return self.of_kind(init, self.plan.agreement.widened(node, at))

    def inits(self, node: Node, carried: Sequence[int]) -> ast.expr:
        items = [self.init(node, at) for at in carried]
        return items[0] if len(items) == 1 else ast.Tuple(items, ast.Load())

    def hints(self, node: Node, carried: Sequence[int]) -> list[str | None]:
        phis = placeholders(node, node.regions[-1])[1]
        return [phis[at].name or node.values[at].name or ("done" if at == node.arg("exit") else None) for at in carried]

    def want_results(self, node: Node, carried: Sequence[int]) -> None:
        """Results of the body get the names of the values that they carry on, where these are dead by then."""
        for at in carried:
            phi = placeholders(node, node.regions[-1])[1][at]
            read = self.writer.bound.get(phi)
            result = self.writer.resolve(loop_results(node)[at])
            if (
                isinstance(read, ast.Name)
                and type(result) is Value
                and result.node.graph is node.regions[-1]
                and result.name
            ):
                self.writer.prefer[result] = read.id

    def going_on(self, node: Node, done: str) -> ast.expr:
        """Whether no trip has ended a loop. `done`: the name of the flag that tells."""
        flag = name(done)
        inverted = self.plan.inverts(node.values[node.arg("exit")], True)
        return ast.UnaryOp(ast.Invert(), flag) if inverted else ast.Call(self.of_module("logical_not"), [flag], [])

    def while_loop(self, node: Node, carried: list[int]) -> ast.expr:
        test, body = node.regions
        hints = self.hints(node, carried)
        flag = node.arg("exit")
        avoid: set[str] = set()

        def ask() -> bool:
            asked = self.writer.tree(outputs_of(test.result, 1)[0])
            if flag is not None:
                done = self.going_on(node, flags[0])
                always = isinstance(asked, ast.Constant) and asked.value is True
                asked = done if always else ast.BinOp(asked, ast.BitAnd(), done)
            self.writer.put(ast.Return(asked))
            return True

        flags: list[str] = []
        condition = self.functions.function(
            test, "cond", avoid, lambda: self.enter_test(node, carried, hints, flags), ask
        )
        step = self.functions.function(
            body, "body", avoid, lambda: self.enter_body(node, carried, hints), self.finish(node, carried)
        )
        init = self.settled(node, condition, self.inits(node, carried), step)
        return ast.Call(self.higher("while_loop"), [condition, step, init], [])

    def enter_test(self, node: Node, carried: list[int], hints: list[str | None], flags: list[str]) -> list[str]:
        """Arguments of the test; the flag that ends the loop is among what it reads."""
        phis = self.phis(node, node.regions[0], carried)
        flag = node.arg("exit")
        arguments = self.enter(phis, hints)
        if flag is not None:
            read = self.writer.bound[phis[carried.index(flag)]]
            assert isinstance(read, ast.Name)
            flags.append(read.id)
        return arguments

    def enter_body(
        self, node: Node, carried: list[int], hints: list[str | None], before: Sequence[Value | None] = ()
    ) -> list[str]:
        arguments = self.enter(self.phis(node, node.regions[-1], carried), hints, before)
        self.want_results(node, carried)
        return arguments

    def finish(self, node: Node, carried: Sequence[int]) -> Finish:
        results, values = [loop_results(node)[at] for at in carried], [node.values[at] for at in carried]

        def finish() -> bool:
            return self.give(node.regions[-1], results, values)

        return finish


def one_or_tuple(items: Sequence[Any]) -> Any:
    """The only item, or the tuple of several."""
    return items[0] if len(items) == 1 else tuple(items)
