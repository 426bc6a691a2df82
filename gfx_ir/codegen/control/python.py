"""Control flow as Python runs it: plain `if`, `while` and `for`."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...control import is_loop, is_test
from ...graph import Node, Value
from ..liveness import loop_results
from ..nesting import Nested
from ..statements import Statements
from ..writer import ControlWriter, Finish
from .loops import Loops
from .repeats import Repeats
from .tests import Tests


class PythonControl(ControlWriter):
    """Python's own statements."""

    def __init__(self, writer: Statements) -> None:
        self.writer, self.plan, self.module = writer, writer.plan, writer.module
        self.tests = Tests(writer)
        self.loops = Loops(writer, self, self.tests)
        self.repeats = Repeats(writer)

    def statement(self, node: Node) -> Nested:
        if node in self.plan.ternary:
            self.assign_outputs(node, [v for v in node.values if self.plan.liveness.used(v)])
        elif is_test(node):
            return (yield self.tests.statement(node))
        elif is_loop(node):
            yield self.loops.statement(node)
        else:
            self.repeats.statement(node)
        return False

    def expression(self, node: Node) -> ast.expr:
        return self.ternary(node)

    def ternary(self, node: Node, asked: bool = False) -> ast.expr:
        return self.tests.ternary(node, asked)

    def branch(self, node: Node, finish: Finish) -> Nested:
        return (yield self.tests.branch(node, finish))

    def init(self, node: Node, at: int) -> ast.expr:
        return self.writer.tree(node.arg("init")[at])

    def trip_result(self, node: Node, at: int) -> ast.expr:
        return self.writer.tree(loop_results(node)[at])

    def assign_outputs(self, node: Node, values: Sequence[Value | None]) -> None:
        """The values that a test or loop gives, as an expression, by one assignment."""
        expression = self.expression(node)
        graph, at = self.writer.place(node)
        if any(value is not None and self.plan.liveness.used(value) for value in values):
            self.writer.targets(values, expression, graph, 2 * at + 1, node.span)
        else:
            self.writer.put(ast.Expr(expression), node.span)
