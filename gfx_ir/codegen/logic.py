"""Expressions of truth: `and`, `or`, `not`, flat and without a `not` that an opposite says."""

from __future__ import annotations

import ast
from collections.abc import Sequence

_OPPOSITE: dict[type, type[ast.cmpop]] = {
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


def boolean(kind: type[ast.boolop], items: Sequence[ast.expr]) -> ast.BoolOp:
    """`a and b and c`, flat."""
    flat: list[ast.expr] = []
    for item in items:
        flat.extend(item.values if isinstance(item, ast.BoolOp) and type(item.op) is kind else [item])
    return ast.BoolOp(kind(), flat)


def flat(left: ast.expr, sign: type[ast.operator], right: ast.expr) -> ast.expr:
    """`a & b & c` rather than `a & (b & c)`."""
    if isinstance(right, ast.BinOp) and type(right.op) is sign:
        return ast.BinOp(flat(left, sign, right.left), sign(), right.right)
    return ast.BinOp(left, sign(), right)


def negate(test: ast.expr) -> ast.expr:
    """`not test`; comparisons that have an opposite for every operand are turned round."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and type(test.ops[0]) in _OPPOSITE and _is_plain(test):
        return ast.Compare(test.left, [_OPPOSITE[type(test.ops[0])]()], test.comparators)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if isinstance(test, ast.Constant) and isinstance(test.value, bool):
        return ast.Constant(not test.value)
    return ast.UnaryOp(ast.Not(), test)


def _is_plain(test: ast.Compare) -> bool:
    """`==` is only turned round for sizes and the like: an array's `!=` is not its `not ==`."""
    return not isinstance(test.ops[0], (ast.Eq, ast.NotEq)) or any(
        isinstance(c, ast.Constant) for c in test.comparators
    )
