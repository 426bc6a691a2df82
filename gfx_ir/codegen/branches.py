"""Tests as Python writes them: `if`, `elif`, early returns, `a if t else b`, `and`, `or`."""

from __future__ import annotations

import ast
from typing import Any

from ..graph import UNBOUND, Graph, Node, Value
from .constants import call
from .copying import outputs_of
from .logic import boolean, negate
from .nesting import Nested
from .statements import Finish, Statements


class Branches(Statements):
    """Tests in Python's own spelling."""

    def branch(self, node: Node, finish: Finish) -> Nested:
        """Write both sides of a test, each ended by `finish`: it finds the outputs replaced by what that side gives."""
        test = self.test(node.args[0])
        liveness = self.plan.liveness
        sides: list[tuple[list[ast.stmt], bool]] = []
        for region in node.regions:
            given = outputs_of(region.result, len(node.values))
            for output, leaf in zip(node.values, given):
                self.want(leaf, self.prefer.get(output), region)
            liveness.stand(node.values, given)
            sides.append((yield self.block(region, finish)))
        liveness.stand_no_more(node.values)  # what is asked of it from here on is asked of both sides
        return self.put_if(test, *sides[0], *sides[1], node)

    def want(self, leaf: Any, text: str | None, region: Graph) -> None:
        """Let a value that is made in the region get this name if it can."""
        value = self.plan.resolve(leaf)
        if text is not None and type(value) is Value and value.node.graph is region:
            self.prefer[value] = text

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
            self.put(ast.If(test, then, []), node.span)
            self.out.extend(other)
        else:
            self.put(ast.If(test, then, other), node.span)
        return then_ends and other_ends

    def if_statement(self, node: Node) -> Nested:
        """A test in the middle of a block: both sides assign its outputs."""
        graph, at = self.place(node)
        outputs = [value for value in node.values if self.plan.liveness.used(value)]
        chosen: list[str] = []
        wanted = [self.prefer.get(value) for value in outputs]
        for value in outputs:
            chosen.append(self._name_output(node, value, graph, 2 * at + 1, chosen))
        for value, text in zip(outputs, chosen):
            self.prefer[value] = text

        def finish() -> bool:
            pairs = []
            for value, text, around in zip(outputs, chosen, wanted):
                leaf = self.plan.resolve(value)
                if self._is_set(leaf):
                    pairs.append((text, self.tree(leaf)))
                elif around not in (None, text):  # it is handed on under that name, which nothing reads
                    pairs.append((text, ast.Constant(None)))
            self.assign(pairs)
            return False

        ended = yield self.branch(node, finish)
        for value, text in zip(outputs, chosen):
            self.rebind(value, text)
        return ended

    def _is_set(self, leaf: Any) -> bool:
        """Whether a leaf is anything yet: where it is not, nothing reads what a test makes of it."""
        return leaf is not UNBOUND and not (type(leaf) is Value and leaf in self.unset)

    def _name_output(self, node: Node, value: Value, graph: Graph, tick: int, avoid: list[str]) -> str:
        """What to call an output: as preferred, as its author did, or as a side that passes a value on calls it."""
        hints = [self.prefer.get(value), value.name]
        for region in node.regions:
            given = self.plan.resolve(outputs_of(region.result, len(node.values))[value.index - 1])
            if type(given) is Value:
                read = self.bound.get(given)
                hints.append(read.id if isinstance(read, ast.Name) else given.name)
        for hint in hints:
            if hint and hint not in avoid and self.scope.free(hint, graph, tick):
                return hint
        return self.scope.pick([*[hint for hint in hints[1:] if hint], "result"], graph, tick, avoid)

    # ------------------------------------------------------------------ expressions
    def ternary(self, node: Node, asked: bool = False) -> ast.expr:
        """`a if t else b`, or `a and b`, `a or b` where that is what it says; `asked`: it is only asked for its truth."""
        operand = self.test if asked else self.leaf
        at = next(value.index - 1 for value in node.values if self.plan.liveness.used(value))
        test = self.plan.resolve(node.args[0])
        then, other = (self.plan.resolve(outputs_of(region.result, len(node.values))[at]) for region in node.regions)
        facts = self.plan.facts
        if facts.is_boolean(test) and (asked or facts.is_number(test) or not any(map(self._is_number, (then, other)))):
            if type(then) is type(other) is bool and then is not other:
                return self.test(test, then is True) if asked else self.truth(test, then is True)
            beside = other if then is True else then if other is False else None  # one of Python's booleans
            if beside is test:
                return self.test(test) if asked else ast.IfExp(self.test(test), self.leaf(then), self.leaf(other))
            if other is False and type(then) is Value:
                return boolean(ast.And, [self.test(test), operand(then)])
            if then is True and type(other) is Value:
                return boolean(ast.Or, [self.test(test), operand(other)])
        written, chosen, otherwise = self.test(test), self.leaf(then), self.leaf(other)
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
