"""Regions as nested functions: lambdas, or functions that are written before the statement at hand."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from itertools import takewhile

from ...control import is_for, is_parameter
from ...graph import Graph, Value
from ..constants import names_in
from ..names import Scope
from ..nesting import run
from ..statements import Statements
from ..writer import Finish

SIDES = ("then", "otherwise")


class Functions:
    """Nested functions of one function, with what they close over."""

    def __init__(self, writer: Statements, signature: Callable[[Sequence[str]], ast.arguments]) -> None:
        """`signature` makes that of a function whose arguments have these names."""
        self.writer, self.plan, self.signature = writer, writer.plan, signature

    def closure(self, regions: Sequence[Graph]) -> Scope:
        """The scope of a nested function that holds these regions."""
        closed = {
            found for region in regions for value in self.plan.positions.captured(region) for found in self._read(value)
        }
        owner = regions[0].owner
        if owner is not None and is_for(owner) and owner.arg("exit") is not None:  # its items are read inside
            closed |= names_in(*map(self.writer.tree, owner.args[0]))
        return Scope(self.plan.positions, self.writer.scope.reserved, closed)

    def _read(self, value: Value) -> set[str]:
        """Names that reading a value from outside reads."""
        if value not in self.writer.bound and not is_parameter(value.node):
            return set()
        return names_in(self.writer.value(value))

    def function(
        self, region: Graph, hint: str, avoid: set[str], enter: Callable[[], list[str]], finish: Finish
    ) -> ast.expr:
        """A region as a lambda, or as a function written before the statement at hand; `enter` gives its arguments."""
        writer = self.writer
        outer = writer.scope, writer.out, writer.prefer
        writer.scope, writer.out, writer.prefer = self.closure([region]), [], {}
        arguments = enter()
        run(writer.fill_block(region, finish))
        inner, body = writer.scope, writer.out
        writer.scope, writer.out, writer.prefer = outer
        signature = self.signature(arguments)
        if len(body) == 1 and isinstance(body[0], ast.Return) and hint in SIDES and body[0].value is not None:
            return ast.Lambda(signature, body[0].value)
        text = self.name(hint, region, inner, avoid)
        avoid.add(text)
        self.writer.put(ast.FunctionDef(text, signature, body, [], None))
        return ast.Name(text, ast.Load())

    def name(self, hint: str, region: Graph, inner: Scope, avoid: set[str]) -> str:
        """A name for a nested function that hides nothing which is read later, or inside it."""
        assert region.owner is not None
        statement = self.plan.positions.statement(region.owner)
        graph, number = self.writer.place(statement)
        written = takewhile(
            lambda stmt: isinstance(stmt, ast.FunctionDef), reversed(self.writer.out)
        )  # and not called yet
        beside = {function.name for function in written if isinstance(function, ast.FunctionDef)}
        return self.writer.scope.pick([hint], graph, 2 * number - 1, avoid | beside | set(inner.closed))
