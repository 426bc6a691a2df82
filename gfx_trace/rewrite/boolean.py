"""and, or, not, chains of comparisons, `is`, `in` and the ternary: operands that may not run become lambdas."""

from __future__ import annotations

import ast
import copy
from typing import ClassVar

from .calls import Calls
from .flow import yields
from .templates import at, const, hook, load, store


def only_truth(node: ast.expr) -> ast.expr:
    """Mark an expression of which only the truth is asked: Python asks each operand of its `and`, `or` and `not` once."""
    if isinstance(node, ast.BoolOp):
        node.only_truth = True  # type: ignore[attr-defined]
        for operand in node.values:
            only_truth(operand)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        only_truth(node.operand)
    return node


class Boolean(Calls):
    """Adds the tests to the expressions that `Calls` knows."""

    def stays_native(self, operands: list) -> str:
        """Why the operands cannot become functions: a yield, or a walrus inside a lambda or comprehension."""
        if self.is_generator and any(yields(o) for o in operands):
            return "yield"
        return "walrus" if self.shadow and any(map(self.holds_walrus, operands)) else ""

    def bool_op(self, node: ast.BoolOp) -> ast.expr:
        why = self.stays_native(node.values[1:])
        if why:
            *tests, last = map(self.expr, node.values)
            node.values = [hook("gfx_static", [t, const(why)], t) for t in tests] + [last]
            return node
        each = self.truth_of if node.__dict__.get("only_truth") else self.expr
        first = each(node.values[0])
        kept = set(self.defined)
        others = [self.deferred(lambda v=v: each(v), [v], v, "operand") for v in node.values[1:]]
        self.defined = kept
        left = self.left_by(node.values[1:], node)
        return hook("gfx_and" if isinstance(node.op, ast.And) else "gfx_or", [first, *others], node, left)

    def truth_of(self, node: ast.expr) -> ast.expr:
        """An operand of which only the truth is asked: what it is, where that is a truth."""
        told = isinstance(node, (ast.BoolOp, ast.Constant)) or (
            isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
        )
        return self.expr(node) if told else hook("gfx_truth", [self.expr(node)], node)

    def if_exp(self, node: ast.IfExp) -> ast.expr:
        why = self.stays_native([node.body, node.orelse])
        if why:
            node.test = hook("gfx_static", [self.expr(node.test), const(why)], node.test)
            node.body, node.orelse = self.expr(node.body), self.expr(node.orelse)
            return node
        test = self.expr(only_truth(node.test))
        sides, operands = [], [node.body, node.orelse]
        for side in operands:
            kept = set(self.defined)
            sides.append(self.later(side, "side"))
            self.defined = kept
        return hook("gfx_ifexp", [test, *sides], node, self.left_by(operands, node))

    def unary(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.expr(node.operand)
        if isinstance(node.op, ast.Not):
            return hook("gfx_not", [operand], node)
        node.operand = self.operand(operand)
        return node

    def compare(self, node: ast.Compare) -> ast.expr:
        if len(node.ops) == 1:
            return self.one(self.expr(node.left), node.ops[0], self.expr(node.comparators[0]), node)
        if self.stays_native(node.comparators[1:]):
            return self.inside(node)
        return self.chain(self.expr(node.left), node.ops, node.comparators, node)

    def chain(self, left: ast.expr, ops: list, rights: list, node: ast.Compare) -> ast.expr:
        """a < b < c: b is evaluated once, c only if a < b."""
        if len(ops) == 1:
            return self.one(left, ops[0], self.expr(rights[0]), node)
        middle = self.expr(rights[0])
        if isinstance(middle, (ast.Name, ast.Constant)):
            again = copy.copy(middle)
        else:
            name = self.fresh("middle")
            middle, again = at(ast.NamedExpr(store(name), middle), middle), at(load(name), middle)
        test = self.one(left, ops[0], middle, node)
        kept = set(self.defined)
        rest = self.deferred(lambda: self.chain(again, ops[1:], rights[1:], node), rights[1:], node, "operand")
        self.defined = kept
        return hook("gfx_and", [test, rest], node, self.left_by(rights[1:], node))

    def one(self, left: ast.expr, op: ast.cmpop, right: ast.expr, node: ast.Compare) -> ast.expr:
        kind = op.__class__
        if kind in (ast.Is, ast.IsNot, ast.In, ast.NotIn):
            test = hook("gfx_is" if kind in (ast.Is, ast.IsNot) else "gfx_in", [left, right], node)
            return test if kind in (ast.Is, ast.In) else hook("gfx_not", [test], node)
        return at(ast.Compare(self.compared(left), [op], [self.compared(right)]), node)

    def compared(self, node: ast.expr) -> ast.expr:
        """An operand of a comparison (rewritten): it may be a tuple or list of open numbers."""
        return node if isinstance(node, ast.Constant) else hook("gfx_compared", [self.operand(node)], node)

    table: ClassVar[dict] = {
        **Calls.table,
        ast.BoolOp: bool_op, ast.IfExp: if_exp, ast.UnaryOp: unary, ast.Compare: compare,
    }  # fmt: skip
