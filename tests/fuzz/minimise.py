"""Smaller programs that fail in the same way: statements are deleted, blocks taken out, expressions replaced by parts of them."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Iterator

BLOCKS = ("body", "orelse", "finalbody")


def minimised(text: str, fails: Callable[[str], bool], seconds: float = 60.0) -> str:
    """The smallest program found in time for which `fails` still holds."""
    end = time.monotonic() + seconds
    best, again = ast.unparse(ast.parse(text)), True
    if not fails(best):
        return text
    while again:
        again = False
        for change in (_without_statements, _unwrapped, _simpler_expressions):
            at = 0
            while time.monotonic() < end:
                smaller = _nth(change, best, at)
                if smaller is None:
                    break
                if len(smaller) < len(best) and fails(smaller):
                    best, again = smaller, True
                else:
                    at += 1
    return best


def _nth(change: Callable[[ast.Module], Iterator[None]], text: str, at: int) -> str | None:
    """The program after one change, by its number; None behind the last."""
    tree = ast.parse(text)
    for number, _ in enumerate(change(tree)):
        if number == at:
            if not any(isinstance(s, ast.FunctionDef) and s.name == "f" for s in tree.body):
                return text
            try:
                made = ast.unparse(ast.fix_missing_locations(tree))
                compile(made, "<smaller>", "exec")
            except (SyntaxError, ValueError):
                return text
            return made
    return None


def _lists(tree: ast.Module) -> Iterator[tuple[ast.AST, str, list]]:
    for node in ast.walk(tree):
        for field in BLOCKS:
            stmts = getattr(node, field, None)
            if isinstance(stmts, list) and stmts:
                yield node, field, stmts


def _without_statements(tree: ast.Module) -> Iterator[None]:
    """Without one run of statements: long runs first, the last first."""
    for node, field, stmts in list(_lists(tree)):
        for size in (8, 4, 2, 1):
            if size > len(stmts):
                continue
            for start in reversed(range(0, len(stmts) - size + 1, size)):
                rest = stmts[:start] + stmts[start + size :]
                setattr(node, field, rest if rest or field == "orelse" else [ast.Pass()])
                yield
                setattr(node, field, stmts)


def _unwrapped(tree: ast.Module) -> Iterator[None]:
    """With the body of a statement in its place."""
    for node, field, stmts in list(_lists(tree)):
        for at, inner in enumerate(stmts):
            for part in BLOCKS:
                held = getattr(inner, part, None)
                if held and not isinstance(inner, ast.FunctionDef):
                    setattr(node, field, [*stmts[:at], *held, *stmts[at + 1 :]])
                    yield
                    setattr(node, field, stmts)


def _simpler_expressions(tree: ast.Module) -> Iterator[None]:
    """With a part of an expression, or a plain number, in its place."""
    signatures = {id(part) for node in ast.walk(tree) if isinstance(node, ast.arguments) for part in ast.walk(node)}
    for node in list(ast.walk(tree)):
        for field, value in list(ast.iter_fields(node)):
            if id(node) in signatures or (isinstance(node, ast.Call) and field == "func"):
                continue  # these say what kind of values come in, and what is called
            if isinstance(value, ast.expr) and isinstance(getattr(value, "ctx", ast.Load()), ast.Load):
                for other in _parts(value):
                    setattr(node, field, other)
                    yield
                    setattr(node, field, value)
            elif isinstance(value, list) and value and all(isinstance(item, ast.expr) for item in value):
                for at, item in enumerate(value):
                    for other in [*_parts(item), None]:
                        changed = [*value[:at], *([other] if other is not None else []), *value[at + 1 :]]
                        setattr(node, field, changed)
                        yield
                        setattr(node, field, value)


def _parts(value: ast.expr) -> list[ast.expr]:
    found = [copy.deepcopy(child) for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
    if not isinstance(value, (ast.Constant, ast.Name)):
        found += [ast.Constant(1), ast.Constant(0.5), ast.Constant(True)]
    return found
