"""Tests as calls of a function that takes both sides as functions; a choice between two values is the target's `where`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

from ...graph import Graph, Node, Value
from ...op import Trait
from ...reach import reached
from ...regions import outputs_of
from ..constants import name
from ..logic import flat
from ..statements import Statements
from .functions import SIDES, Functions

_LINE = 80  # columns of a test and its sides that stand on one line, with what is around them
Sides = Sequence[Sequence[Any]]
Give = Callable[[Graph, Sequence[Any], Sequence[Value]], bool]
"""Ends the function of a region: (region, its results, the values that these stand for)."""


class Choices:
    """Tests of one function that the target decides."""

    def __init__(
        self, writer: Statements, functions: Functions, give: Give, chooser: Callable[[Node, Sides, bool], ast.expr]
    ) -> None:
        """`chooser` gives the function of the target that takes a test and two functions, for what the sides give; it is told whether
        these just name two values."""
        self.writer, self.plan, self.module = writer, writer.plan, writer.module
        self.functions, self.give, self.chooser = functions, give, chooser

    def expression(self, node: Node) -> ast.expr:
        """A call with both sides as functions; a choice between two values that exist already is `where`, two booleans are `&`, `|`."""
        outputs = [value for value in node.values if self.plan.liveness.used(value)]
        given = [outputs_of(region.result, len(node.values)) for region in node.regions]
        sides = [[self.writer.resolve(side[value.index - 1]) for value in outputs] for side in given]
        test = self.writer.leaf(node.args[0])
        both = self._both(node, sides)
        if both is not None:
            return both
        chosen = len(outputs) == 1 and self._is_chosen([side[0] for side in sides], node.regions)
        if chosen and self.plan.agreement.alike(sides[0][0], sides[1][0]):  # `where` would broadcast others
            where = ast.Attribute(self.module.free(name(self.module.style.module)), "where", ast.Load())
            pair = [self.writer.tree(side[0]) for side in sides]
            if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Invert):
                test, pair = test.operand, pair[::-1]
            return ast.Call(where, [test, *pair], [])
        functions = self._sides(node, sides, outputs, test)
        return ast.Call(self.chooser(node, sides, chosen), [test, *functions], [])

    def _sides(
        self, node: Node, sides: Sequence[list[Any]], outputs: Sequence[Value], test: ast.expr
    ) -> list[ast.expr]:
        """The functions of a test. Beside one with a name, a lambda that would break the line has one too."""
        avoid: set[str] = set()
        functions, before = [], []
        for region, side, hint in zip(node.regions, sides, SIDES):

            def finish(region: Graph = region, side: list[Any] = side) -> bool:
                return self.give(region, side, outputs)

            before.append(len(self.writer.out))
            functions.append(self.functions.function(region, hint, avoid, list, finish))
        lambdas = [at for at, made in enumerate(functions) if isinstance(made, ast.Lambda)]
        if len(lambdas) == 1 and sum(len(ast.unparse(part)) for part in (test, *functions)) > _LINE:
            (at,) = lambdas
            made, region = functions[at], node.regions[at]
            assert isinstance(made, ast.Lambda)
            text = self.functions.name(SIDES[at], region, self.functions.closure([region]), avoid)
            self.writer.out.insert(before[at], ast.FunctionDef(text, made.args, [ast.Return(made.body)], [], None))
            functions[at] = name(text)
        return functions

    def _both(self, node: Node, sides: Sequence[Sequence[Any]]) -> ast.expr | None:
        """`a & b` or `a | b` of booleans, where the right one is an expression."""
        if len(sides[0]) != 1 or any(self.plan.order[region] for region in node.regions):
            return None
        test, is_boolean = self.writer.resolve(node.args[0]), self.plan.facts.is_boolean
        then, other = (self.writer.resolve(side[0]) for side in sides)
        for leaf, known, expected, sign in ((then, other, False, ast.BitAnd), (other, then, True, ast.BitOr)):
            if known is expected and type(leaf) is Value and is_boolean(test) and is_boolean(leaf):
                return flat(self.writer.leaf(test), sign, self.writer.leaf(leaf))
        return None

    def _is_chosen(self, leaves: Sequence[Any], regions: Sequence[Graph]) -> bool:
        """Whether a test only chooses between two values that exist already, or cost nothing."""
        return all(map(self._is_plain, leaves, regions)) or self._beside_number(leaves, regions)

    def _is_plain(self, leaf: Any, region: Graph) -> bool:
        """Whether a side just names a value from outside, or a number, and does nothing else."""
        value = self.writer.resolve(leaf)
        if self.plan.order[region]:
            return False
        if type(value) is Value:
            return value.node.graph is not region and value.kind in ("tensor", "int", "float", "bool")
        return isinstance(value, (bool, int, float))

    def _beside_number(self, sides: Sequence[Any], regions: Sequence[Graph]) -> bool:
        """Whether one side is a number, and the other a linear expression: computed in vain, it harms no gradient."""
        leaves = [self.writer.resolve(side) for side in sides]
        if any(self.plan.order[region] for region in regions) or not self.plan.agreement.sides_differ(*leaves):
            return False
        inside = lambda found: [
            x for x in map(self.writer.resolve, found) if type(x) is Value and x.node.graph in regions
        ]
        computed = reached(inside(leaves), lambda value: inside(read.value for read in value.node.inputs))
        return all(value.node.op.traits & Trait.AFFINE for value in computed)
