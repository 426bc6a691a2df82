"""Derivatives of functions of the module: how they are called, and what they give, in trees as the arguments that they derive by."""

from __future__ import annotations

import ast
from typing import Any

from ..graph import Node
from . import constants
from .argument_trees import Taken
from .context import Context
from .prepare.calls import VALUE_AND_GRAD

_VALUE_LAST = "grad_and_value"


def derivative(module: Context, node: Node, called: ast.Call) -> ast.Call:
    """A call of a derivative of a function, as the function is called."""
    kind, at, parts = node.args[3], set(node.args[4]), _arguments(module, node)
    leading = len(called.args) - len(parts)  # the parameters
    argnums = [leading + number for number, part in enumerate(parts) if _first(part) in at]
    keywords = []
    if argnums != [0]:
        found: list[ast.expr] = [ast.Constant(number) for number in argnums]
        keywords.append(ast.keyword("argnums", found[0] if len(found) == 1 else ast.Tuple(found, ast.Load())))
    if kind == VALUE_AND_GRAD and len(node.values) > len(at) + 1:
        keywords.append(ast.keyword("has_aux", ast.Constant(True)))
    path = module.style.transforms.get(kind) or module.style.transforms[_VALUE_LAST]
    return ast.Call(ast.Call(module.free(constants.parse(path)), [called.func], keywords), called.args, [])


def given_by(module: Context, node: Node) -> Any:
    """What a derivative gives: pairs and tuples that are taken apart, dictionaries that are read by their keys, of values."""
    kind, at = node.args[3], node.args[4]
    values = dict(zip(at, node.values))
    parts = [part for part in _arguments(module, node) if _first(part) in values]
    found = tuple([part.tree(values) if isinstance(part, Taken) else values[part] for part in parts])
    gradients = found[0] if len(found) == 1 else found
    if kind != VALUE_AND_GRAD:
        return gradients
    first, *others = node.values[len(at) :]
    results: Any = (first, others[0] if len(others) == 1 else tuple(others)) if others else first
    return (results, gradients) if kind in module.style.transforms else (gradients, results)


def _arguments(module: Context, node: Node) -> list[Taken | int]:
    return module.trees.arguments(module.functions[node.args[0]])


def _first(part: Taken | int) -> int:
    """The number of an argument, or of the first leaf of a tree; all of one are derived by, or none."""
    return next(iter(part.leaves)) if isinstance(part, Taken) else part
