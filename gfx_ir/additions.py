"""Ops that users add: how a function, a dotted name or an expression becomes a backend's row.

A module that a spelling names is imported as `from package import module`. A plain Python function is printed with the source.
"""

from __future__ import annotations

import ast
import builtins
import importlib
import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from .errors import ArgumentError


@dataclass(frozen=True)
class Spelled:
    """An expression over an op's arguments, what its other names mean, the imports that it needs, and the function that it calls."""

    text: str
    names: Mapping[str, Any] = field(default_factory=dict)
    imports: Mapping[str, str] = field(default_factory=dict)
    function: Any = None


def spelled(
    given: str | Callable[..., Any],
    params: Sequence[str],
    names: Mapping[str, Any],
    imports: Mapping[str, str],
    named: Callable[[Any], str],
) -> Spelled:
    """The row's spelling of what a user gave. `names` and `imports` are those that the backend has already; `named` gives
    the dotted name of a function of the framework's own, "" for any other.

    Raises ArgumentError for a function without a name, and for a name that is not there."""
    function = None if isinstance(given, str) else given
    text = given if isinstance(given, str) else named(given)
    if not text:
        return _of_function(given, params, names)
    if text not in params and all(part.isidentifier() for part in text.split(".")):
        text = f"{text}({', '.join(params)})"
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError:
        raise ArgumentError(f"{text!r} is no expression of Python", hint="write pkg.fn, or pkg.fn(x, n)") from None
    modules = _Modules(set(params) | set(names) | set(imports), imports)
    tree = ast.fix_missing_locations(modules.visit(tree))
    meaning = {**names, **modules.names}
    if function is None and isinstance(tree.body, ast.Call) and [_plain(arg) for arg in tree.body.args] == [*params]:
        function = _found(ast.unparse(tree.body.func), meaning)
    return Spelled(ast.unparse(tree), modules.names, modules.imports, function)


def _found(path: str, names: Mapping[str, Any]) -> Any:
    """The function that a dotted name stands for."""
    root, *rest = path.split(".")
    found = names.get(root, getattr(builtins, root, None))
    for part in rest:
        found = getattr(found, part, None)
    if not callable(found):
        raise ArgumentError(f"there is no function {path!r}")
    return found


def _plain(arg: ast.expr) -> str:
    return arg.id if isinstance(arg, ast.Name) else ""


def _of_function(function: Any, params: Sequence[str], names: Mapping[str, Any]) -> Spelled:
    """A Python function of the user's own, which is printed as it is."""
    name = getattr(function, "__name__", "")
    if not isinstance(function, FunctionType) or not name.isidentifier():
        hint = 'name it by a text, as in "package.module.function"'
        raise ArgumentError(f"{function!r} is neither a Python function nor one that its framework shows", hint=hint)
    if names.get(name, function) is not function:
        raise ArgumentError(f"the name {name!r} of a function means something else to the backend", hint="rename it")
    return Spelled(f"{name}({', '.join(params)})", {name: function}, {}, function)


class _Modules(ast.NodeTransformer):
    """Replaces dotted names of modules by the names that they are imported under."""

    def __init__(self, known: set[str], taken: Mapping[str, str]) -> None:
        self.known, self.taken = known, taken
        self.names: dict[str, Any] = {}
        self.imports: dict[str, str] = {}

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        parts = ast.unparse(node).split(".")
        if not all(part.isidentifier() for part in parts) or parts[0] in self.known:
            return self.generic_visit(node)
        found = next((n for n in range(len(parts) - 1, 0, -1) if _is_module(".".join(parts[:n]))), 0)
        if not found:
            raise ArgumentError(f"there is no module {parts[0]!r}", hint="install it, or name another function")
        return ast.parse(".".join([self._imported(".".join(parts[:found])), *parts[found:]]), mode="eval").body

    def visit_Name(self, node: ast.Name) -> ast.Name:
        if node.id not in self.known and not hasattr(builtins, node.id):
            raise ArgumentError(f"{node.id!r} is neither an argument nor a module", hint='write "package.function(x)"')
        return node

    def _imported(self, module: str) -> str:
        outer, _, alias = module.rpartition(".")
        line = f"from {outer} import {alias}" if outer else f"import {alias}"
        if self.taken.get(alias, line) != line or alias in self.known - set(self.taken):
            alias = module.replace(".", "_")
            line = f"import {module} as {alias}"
        self.names[alias], self.imports[alias] = importlib.import_module(module), line
        return alias


def _is_module(path: str) -> bool:
    try:
        return importlib.util.find_spec(path) is not None
    except (ModuleNotFoundError, ValueError):
        return False
