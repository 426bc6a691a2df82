"""Divisions of open sizes: of what each has to be a multiple, for all in an expression to leave no rest."""

from __future__ import annotations

import ast
from collections import Counter
from math import gcd, lcm


def steps(size: ast.expr) -> dict[str, int]:
    """What each name in a size is divided by, in all: of `floordiv(6*k*d, 4*d)` k, by 2."""
    found: dict[str, int] = {}
    for part in ast.iter_child_nodes(size):
        for name, step in steps(part).items() if isinstance(part, ast.expr) else ():
            found[name] = lcm(step, found.get(name, 1))
    match size:
        case ast.Call(func=ast.Name(id="floordiv" | "mod"), args=[whole, divisor]):
            for name, step in _step(whole, divisor).items():
                found[name] = found.get(name, 1) * step
    return {name: step for name, step in found.items() if step > 1}


def _step(whole: ast.expr, divisor: ast.expr) -> dict[str, int]:
    """The one name that a division is of, and by how much it divides that."""
    product, by = _factors(whole), _factors(divisor)
    if by is None or by[0] == 0:
        return {}
    times, others = product or (_times(whole), Counter(_names(whole)))
    if by[1] and (product is None or by[1] - others):
        return {}
    left = set(others - by[1])
    return dict.fromkeys(left, abs(by[0]) // gcd(by[0], times)) if len(left) == 1 else {}


def _factors(size: ast.expr) -> tuple[int, Counter[str]] | None:
    """A product, as a number and names with their exponents; None: it is a sum, or has other calls in it."""
    match size:
        case ast.Constant(value=int() as value):
            return value, Counter()
        case ast.Name(id=name):
            return 1, Counter([name])
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            found = _factors(inner)
            return None if found is None else (-found[0], found[1])
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            parts = _factors(left), _factors(right)
            return (
                None if parts[0] is None or parts[1] is None else (parts[0][0] * parts[1][0], parts[0][1] + parts[1][1])
            )
        case ast.BinOp(left=ast.Name(id=name), op=ast.Pow(), right=ast.Constant(value=int() as exponent)):
            return 1, Counter({name: exponent})
    return None


def _times(size: ast.expr) -> int:
    """A number that surely divides a size."""
    match size:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(operand=inner):
            return _times(inner)
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return _times(left) * _times(right)
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub(), right=right):
            return gcd(_times(left), _times(right))
    return 1


def _names(size: ast.expr) -> set[str]:
    calls = {node.func.id for node in ast.walk(size) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return {node.id for node in ast.walk(size) if isinstance(node, ast.Name)} - calls
