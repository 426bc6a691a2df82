"""Calls of what function transformations make of functions of the module: derivatives, batches, scans."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ..graph import Node
from ..ops._transform import several
from . import constants
from .constants import name, names_in
from .leaves import Leaves


def transformed(leaves: Leaves, node: Node) -> ast.expr:
    """A call of what a transformation makes of a function of the module, in which all but the inputs is fixed."""
    key, kind, inputs, operands, given, _ = node.args
    function: ast.expr = name(leaves.module.titles.function(key))
    params = leaves.module.summary.needs_params(leaves.module.functions[key])
    fixed, together = [leaves.tree(leaf) for leaf in operands], kind == "associative_scan" and len(inputs) > 1
    behind = fixed if not several(kind) and not params else []  # what the function is given that is made, too
    fixed = [] if behind else fixed
    if fixed or params or together:
        sought = ("left", "right") if kind == "associative_scan" else ("x",)
        texts = _apart(len(inputs) if len(sought) == 1 else 2, names_in(*fixed) | {"params"}, sought)
        own = [ast.Starred(name(text), ast.Load()) if together else name(text) for text in texts]
        taken = [*([leaves.path("")] if params else []), *own, *fixed]
        signature = ast.arguments([], [ast.arg(text) for text in texts], None, [], [], None, [])
        function = ast.Lambda(signature, ast.Call(function, taken, []))
    make = leaves.module.free(constants.parse(leaves.module.style.transforms[kind]))
    if kind == "jvp":
        made = ast.Call(make, [function, leaves.tree(inputs), leaves.tree(given)], [])
        return ast.Subscript(made, ast.Constant(1), ast.Load())
    if kind == "associative_scan":
        elements = leaves.tree(inputs if together else inputs[0])
        return ast.Call(make, [function, elements], [ast.keyword("axis", leaves.tree(given[0]))] if given[0] else [])
    each = not several(kind) and len(inputs) > 1
    at = [ast.keyword("argnums", leaves.tree(tuple(range(len(inputs)))))] if each else []
    return ast.Call(ast.Call(make, [function], at), [*(leaves.tree(leaf) for leaf in inputs), *behind], [])


def _apart(count: int, read: set[str], sought: Sequence[str]) -> list[str]:
    """Names of the arguments of a function of one expression, these first: none that it reads from around it."""
    texts: list[str] = []
    for text in (*sought, *(f"x{at}" for at in range(1, count + len(read) + 1))):
        if text not in read and len(texts) < count:
            texts.append(text)
    return texts
