"""What a function's syntax says of its variables, line by line: found in one walk, and asked at each of its places."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


def own(node: ast.AST) -> Iterator[ast.AST]:
    """What is in a node, without the functions and classes in it."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, SCOPES):
            yield from own(child)


def assigned(nodes: list) -> list[str]:
    """Names that some statements assign, in order."""
    found = [n for s in nodes for n in (s, *own(s)) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    return list(dict.fromkeys(n.id for n in found))


class ScopeNames:
    """The names of one function, lambda or class."""

    def __init__(self, scope: Any) -> None:
        self.globals: set[str] = set()
        self._first: dict[str, int] = {}  # the line of the first assignment; arguments have a value before any
        self._last: dict[str, int] = {}  # the line of the last read, be it by a function inside
        self._kinds: dict[str, list[tuple[int, type | None]]] = {}
        for node in own(scope):
            if isinstance(node, ast.Global):
                self.globals.update(node.names)
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                self._first[node.id] = min(node.lineno, self._first.get(node.id, node.lineno))
            elif isinstance(node, ast.Assign):
                kinds = plain_kinds([node])
                for name in assigned([node]):
                    self._kinds.setdefault(name, []).append((node.lineno, kinds.get(name)))
        for node in ast.walk(scope.args) if hasattr(scope, "args") else ():
            if isinstance(node, ast.arg):
                self._first[node.arg] = 0
        for node in ast.walk(scope):
            if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Load, ast.Del)):
                self._last[node.id] = max(node.lineno, self._last.get(node.id, 0))

    def before(self, name: str, line: int) -> bool:
        """Whether it has a value when a line begins: an argument, or assigned by an earlier line or a loop around it."""
        return name in self._first and self._first[name] < line

    def read_after(self, name: str, line: int) -> bool:
        """Whether anything behind a line reads it."""
        return self._last.get(name, 0) > line

    def kind(self, name: str, line: int) -> type | None:
        """What the last assignment before a line leaves it as, where that is None, a text or a function."""
        earlier = [found for found in self._kinds.get(name, ()) if found[0] < line]
        return max(reversed(earlier), key=lambda found: found[0])[1] if earlier else None


def plain_kinds(stmts: list) -> dict[str, type]:
    """Names that the statements of a block leave as None, a text or a function."""
    kinds: dict[str, type] = {}
    for s in stmts:
        for name in assigned([s]):
            kinds.pop(name, None)
        value = s.value if isinstance(s, ast.Assign) else None
        plain = isinstance(value, ast.Lambda) or (
            isinstance(value, ast.Constant) and isinstance(value.value, (str, type(None)))
        )
        if plain and isinstance(s.targets[0], ast.Name):
            kinds[s.targets[0].id] = type(value.value) if isinstance(value, ast.Constant) else types.FunctionType
    return kinds
