"""Tests as Python writes them: `if`, `elif`, early returns, `a if t else b`, `and`, `or`."""

from __future__ import annotations

import ast
from typing import Any

from ...graph import UNBOUND, Graph, Node, Value
from ...regions import outputs_of
from ..constants import call
from ..logic import boolean, negate
from ..nesting import Nested
from ..statements import Statements, stands
from ..writer import Finish


class Tests:
    """Tests of one function in Python's own spelling."""

    def __init__(self, writer: Statements) -> None:
        self.writer, self.plan = writer, writer.plan

    def branch(self, node: Node, finish: Finish) -> Nested:
        """Write both sides of a test, each ended by `finish`: it finds the outputs replaced by what that side gives."""
        test = self.writer.test(node.args[0])
        sides: list[tuple[list[ast.stmt], bool]] = []
        for region in node.regions:
            given = outputs_of(region.result, len(node.values))
            for output, leaf in zip(node.values, given):
                self.want(leaf, self.writer.prefer.get(output), region)
            sides.append((yield self.writer.block(region, finish, stands(node, region))))
        return self.put_if(test, *sides[0], *sides[1], node)

    def want(self, leaf: Any, text: str | None, region: Graph) -> None:
        """Let a value that is made in the region get this name if it can."""
        value = self.writer.resolve(leaf)
        if text is not None and type(value) is Value and value.node.graph is region:
            self.writer.prefer[value] = text

    def put_if(
        self, test: ast.expr, then: list[ast.stmt], then_ends: bool, other: list[ast.stmt], other_ends: bool, node: Node
    ) -> bool:
        """Write an `if`; a side that leaves the block needs no `else` behind it."""
        if not then and not other:
            return False
        if not then:
            test, then, then_ends, other, other_ends = negate(test), other, other_ends, then, then_ends
        if other_ends and not then_ends and other:
            test, then, then_ends, other, other_ends = negate(test), other, other_ends, then, then_ends
        if then_ends:
            self.writer.put(ast.If(test, then, []), node.span)
            self.writer.out.extend(other)
        else:
            self.writer.put(ast.If(test, then, other), node.span)
        return then_ends and other_ends

    def statement(self, node: Node) -> Nested:
        """A test in the middle of a block: both sides assign its outputs."""
        graph, at = self.writer.place(node)
        outputs = [value for value in node.values if self.plan.liveness.used(value)]
        chosen: list[str] = []
        wanted = [self.writer.prefer.get(value) for value in outputs]
        for value in outputs:
            chosen.append(self._name_output(node, value, graph, 2 * at + 1, chosen))
        for value, text in zip(outputs, chosen):
            self.writer.prefer[value] = text

        def finish() -> bool:
            pairs = []
            for value, text, around in zip(outputs, chosen, wanted):
                leaf = self.writer.resolve(value)
                if self._is_set(leaf):
                    pairs.append((text, self.writer.tree(leaf)))
                elif around not in (None, text):  # it is handed on under that name, which nothing reads
                    pairs.append((text, ast.Constant(None)))
            self.writer.assign(pairs)
            return False

        ended = yield self.branch(node, finish)
        for value, text in zip(outputs, chosen):
            self.writer.rebind(value, text)
        return ended

    def _is_set(self, leaf: Any) -> bool:
        """Whether a leaf is anything yet: where it is not, nothing reads what a test makes of it."""
        return leaf is not UNBOUND and not (type(leaf) is Value and leaf in self.writer.unset)

    def _name_output(self, node: Node, value: Value, graph: Graph, tick: int, avoid: list[str]) -> str:
        """What to call an output: as preferred, as its author did, or as a side that passes a value on calls it."""
        hints = [self.writer.prefer.get(value), value.name]
        for region in node.regions:
            given = self.writer.resolve(outputs_of(region.result, len(node.values))[value.index - 1])
            if type(given) is Value:
                read = self.writer.bound.get(given)
                hints.append(read.id if isinstance(read, ast.Name) else given.name)
        for hint in hints:
            if hint and hint not in avoid and self.writer.scope.free(hint, graph, tick):
                return hint
        return self.writer.scope.pick([*[hint for hint in hints[1:] if hint], "result"], graph, tick, avoid)

    # ------------------------------------------------------------------ expressions
    def ternary(self, node: Node, asked: bool = False) -> ast.expr:
        """`a if t else b`, or `a and b`, `a or b` where that is what it says; `asked`: it is only asked for its truth."""
        operand = self.writer.test if asked else self.writer.leaf
        at = next(value.index - 1 for value in node.values if self.plan.liveness.used(value))
        test = self.writer.resolve(node.args[0])
        then, other = (self.writer.resolve(outputs_of(region.result, len(node.values))[at]) for region in node.regions)
        facts = self.plan.facts
        if facts.is_boolean(test) and (other is test or then is test):
            kind, beside = (ast.And, then) if other is test else (ast.Or, other)
            return boolean(kind, [operand(test), operand(beside)])
        if facts.is_boolean(test) and (asked or facts.is_number(test) or not any(map(self._is_number, (then, other)))):
            if type(then) is type(other) is bool and then is not other:
                return self.writer.test(test, then is True) if asked else self.writer.truth(test, then is True)
            if other is False and type(then) is Value:
                return boolean(ast.And, [self.writer.test(test), operand(then)])
            if then is True and type(other) is Value:
                return boolean(ast.Or, [self.writer.test(test), operand(other)])
        written, chosen, otherwise = self.writer.test(test), self.writer.leaf(then), self.writer.leaf(other)
        return _smaller(written, chosen, otherwise) or ast.IfExp(written, chosen, otherwise)

    def _is_number(self, side: Any) -> bool:
        """Whether a side computes a boolean of Python's: a tensor in place of the other side is none."""
        return type(side) is Value and self.plan.facts.is_number(side)


def _smaller(test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr | None:
    """`b if b < a else a`, or `b if a > b else a`, is what Python's min(a, b) gives."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or type(test.ops[0]) not in (ast.Lt, ast.Gt):
        return None
    sides = [ast.dump(test.left), ast.dump(test.comparators[0])]
    for given, less in ((then, other), ast.Lt), ((other, then), ast.Gt):
        if sides == [ast.dump(side) for side in given]:
            return call("min" if type(test.ops[0]) is less else "max", other, then)
    return None
