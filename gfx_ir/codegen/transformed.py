"""Calls of what function transformations make of functions of the module: derivatives, batches, scans."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..graph import Node
from ..ops._transform import SCAN
from . import constants
from .constants import name, names_in
from .leaves import Leaves


def transformed(leaves: Leaves, node: Node) -> ast.expr:
    """A call of what a transformation makes of a function of the module, in which all but the arguments `at` are fixed."""
    key, prefix, args, kind, at, given, _ = node.args
    moved = set(at)
    function: ast.expr = name(leaves.module.titles.function(key))
    params = [leaves.path(prefix)] if leaves.module.summary.needs_params(leaves.module.functions[key]) else []
    taken = [leaves.tree(arg) for arg in args]
    fixed, together = [x for i, x in enumerate(taken) if i not in moved], kind == SCAN and len(at) > 2
    if fixed or params or together:
        sought = ("left", "right") if kind == SCAN else ("x",)
        texts = _apart(len(at) if kind != SCAN else 2, names_in(*fixed, *params) | {"params"}, sought)
        own = iter([ast.Starred(name(text), ast.Load()) if together else name(text) for text in texts])
        inner = [*own, *fixed] if together else [next(own) if i in moved else x for i, x in enumerate(taken)]
        signature = ast.arguments([], [ast.arg(text) for text in texts], None, [], [], None, [])
        function = ast.Lambda(signature, ast.Call(function, [*params, *inner], []))
    make = leaves.module.free(constants.parse(leaves.module.style.transforms[kind]))
    inputs = tuple([args[i] for i in at])
    if kind == "jvp":
        made = ast.Call(make, [function, leaves.tree(inputs), leaves.tree(given)], [])
        return ast.Subscript(made, ast.Constant(1), ast.Load())
    if kind == SCAN:
        elements = leaves.tree(inputs[: len(at) // 2] if together else inputs[0])
        return ast.Call(make, [function, elements], [ast.keyword("axis", leaves.tree(given[0]))] if given[0] else [])
    return ast.Call(ast.Call(make, [function], []), [leaves.tree(x) for x in inputs], [])


def _apart(count: int, read: set[str], sought: Sequence[str]) -> list[str]:
    """Names of the arguments of a function of one expression, these first: none that it reads from around it."""
    texts: list[str] = []
    for text in (*sought, *(f"x{at}" for at in range(1, count + len(read) + 1))):
        if text not in read and len(texts) < count:
            texts.append(text)
    return texts
