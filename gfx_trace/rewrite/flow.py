"""Where statements may go: jumps out of them, whether control reaches their end, and whether they yield."""

from __future__ import annotations

import ast

TRY = (ast.Try, ast.TryStar)
LOOPS = (ast.While, ast.For)
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
NONE: frozenset[str] = frozenset()


def jumps(s: ast.stmt) -> frozenset[str]:
    """The kinds of jump that leave a statement: return, break, continue."""
    found = s.__dict__.get("jumps")
    if found is None:
        found = s.jumps = _jumps(s)
    return found


def _jumps(s: ast.stmt) -> frozenset[str]:
    if isinstance(s, ast.Return):
        return frozenset(("return",))
    if isinstance(s, ast.Break):
        return frozenset(("break",))
    if isinstance(s, ast.Continue):
        return frozenset(("continue",))
    if isinstance(s, (ast.While, ast.For)):
        inner = NONE.union(*map(jumps, s.body)) & {"return"}
        return inner.union(*map(jumps, s.orelse))
    if isinstance(s, (ast.If, ast.With, *TRY)):
        return NONE.union(*(jumps(x) for part in parts(s) for x in part))
    return NONE


def parts(s: ast.stmt) -> list[list]:
    """The blocks of a compound statement."""
    if isinstance(s, TRY):
        return [s.body, *(h.body for h in s.handlers), s.orelse, s.finalbody]
    return [s.body, s.orelse] if isinstance(s, (ast.If, ast.While, ast.For)) else [s.body]


def falls(s: ast.stmt | list) -> bool:
    """May control reach the end of a statement or block? That of a `with` always: its manager may take what is raised in it."""
    if s.__class__ is list:
        return all(falls(x) for x in s)
    found = s.__dict__.get("falls")
    if found is None:
        found = s.falls = _falls(s)
    return found


def _falls(s: ast.stmt) -> bool:
    if isinstance(s, (ast.Return, ast.Raise, ast.Break, ast.Continue)):
        return False
    if isinstance(s, ast.If):
        return falls(s.body) or falls(s.orelse)
    if isinstance(s, TRY):
        ends = (falls(s.body) and falls(s.orelse)) or any(falls(h.body) for h in s.handlers)
        return ends and falls(s.finalbody)
    if isinstance(s, ast.While) and isinstance(s.test, ast.Constant) and s.test.value:
        return bool(s.__dict__.get("stop")) or any("break" in jumps(x) for x in s.body)
    if isinstance(s, (ast.While, ast.For)) and s.orelse and not any("break" in jumps(x) for x in s.body):
        return falls(s.orelse)
    return True


def yields(node: ast.AST) -> bool:
    """Is there a yield in it (not in a function of its own)?"""
    found = node.__dict__.get("yields")
    if found is None:
        found = isinstance(node, (ast.Yield, ast.YieldFrom))
        if not found and not isinstance(node, SCOPES):
            found = any(yields(c) for c in ast.iter_child_nodes(node))
        if isinstance(node, ast.stmt):
            node.yields = found
    return found


def forget(s: ast.stmt) -> ast.stmt:
    """Drop what was known of a statement, after its blocks were replaced."""
    for key in ("jumps", "falls"):
        s.__dict__.pop(key, None)
    return s
