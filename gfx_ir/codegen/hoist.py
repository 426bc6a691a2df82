"""Prefixes of parameter paths that a function reads often get a name: `mlp = params["mlp"]`."""

from __future__ import annotations

import ast
from collections import Counter

from .constants import name
from .identifiers import usable

_OFTEN = 3
Path = tuple


def hoist(body: list[ast.stmt], root: ast.expr, taken: set[str]) -> list[ast.stmt]:
    """The statements with their most used common prefixes assigned first."""
    assert isinstance(root, ast.Name)
    found: dict[int, Path] = {}
    for statement in body:
        _paths(statement, root.id, found)
    counts = Counter(path[:length] for path in found.values() for length in range(1, len(path)))
    chosen: dict[Path, str] = {}
    if len(found) >= _OFTEN and all(path[0] == root.id for path in found.values()):
        names = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Name)]
        if sum(node.id == root.id for node in names) == len(found):  # all that is read: the name is free for it
            chosen[root.id,] = root.id
    for path, count in sorted(counts.items(), key=lambda item: (-len(item[0]), repr(item[0]))):
        if path in chosen:
            continue
        nested = sum(counts[other] for other in chosen if other[: len(path)] == path)
        text = path[-1]
        if count - nested < _OFTEN or not isinstance(text, str) or not usable(text) or text in taken:
            continue
        chosen[path] = text
        taken.add(text)
    if not chosen:
        return body
    rewriter = _Rewrite(root.id, chosen)
    written = [rewriter.visit(statement) for statement in body]
    heads: list[ast.stmt] = []
    for path, text in sorted(chosen.items(), key=lambda item: len(item[0])):
        shorter = {other: found for other, found in chosen.items() if other != path}
        source = _Rewrite(root.id, shorter).visit(_access(root.id, path))
        heads.append(ast.Assign([ast.Name(text, ast.Store())], source))
    return heads + written


def _access(root: str, path: Path) -> ast.expr:
    out: ast.expr = name(root)
    for part in path:
        out = ast.Subscript(out, ast.Constant(part), ast.Load())
    return out


def _path(node: ast.AST, root: str) -> Path | None:
    parts: list = []
    while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        parts.append(node.slice.value)
        node = node.value
    return tuple(reversed(parts)) if isinstance(node, ast.Name) and node.id == root else None


def _paths(tree: ast.AST, root: str, found: dict[int, Path]) -> None:
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        path = _path(node, root) if isinstance(node, ast.Subscript) else None
        if path:
            found[len(found)] = path
        else:
            stack.extend(ast.iter_child_nodes(node))


class _Rewrite(ast.NodeTransformer):
    def __init__(self, root: str, chosen: dict[Path, str]) -> None:
        self.root, self.chosen = root, chosen

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        path = _path(node, self.root)
        if path is None:
            self.generic_visit(node)
            return node
        for length in range(len(path), 0, -1):
            text = self.chosen.get(path[:length])
            if text is not None:
                out: ast.expr = name(text)
                for part in path[length:]:
                    out = ast.Subscript(out, ast.Constant(part), ast.Load())
                return out
        return node
