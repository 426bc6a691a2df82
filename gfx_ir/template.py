"""How a row spells an op: a Python expression over the op's argument names.

The same template is printed into emitted source and compiled to run the op, so the two cannot drift apart. A keyword that
passes an argument on by its bare name is left out where the argument has the op's default (`keep` names those to write
all the same, because the target's own default differs), and where it has the value that the target takes by itself
(`own`).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, Union

Spelling = Union[str, Callable[[SimpleNamespace], str]]
Own = Mapping[str, Union[Any, Callable[[SimpleNamespace], Any]]]
"""What a target takes for a keyword that is left out: a value, or a function of the bound arguments."""


class Template:
    """A spelling: an expression, or a function from the bound arguments (as attributes) to an expression, "" for none."""

    __slots__ = ("spelling", "params", "defaults", "keep", "own", "_trees", "_functions", "_columns")

    def __init__(
        self,
        spelling: Spelling,
        params: Sequence[str],
        defaults: Mapping[str, Any],
        keep: Sequence[str] = (),
        own: Own | None = None,
    ) -> None:
        self.spelling, self.params, self.defaults, self.keep = spelling, tuple(params), dict(defaults), frozenset(keep)
        self.own = dict(own or {})
        self._trees: dict[tuple, ast.expr] = {}
        self._functions: dict[tuple, Callable[..., Any]] = {}
        self._columns: dict[tuple, tuple[int, Counter[str]]] = {}

    def _text(self, args: Sequence[Any]) -> str:
        spelling = self.spelling
        return spelling if isinstance(spelling, str) else spelling(SimpleNamespace(**dict(zip(self.params, args))))

    def spells(self, args: Sequence[Any]) -> bool:
        """Whether there is an expression for these arguments; where there is none, the op's body serves."""
        return self._text(args) != ""

    def _key(self, args: Sequence[Any]) -> tuple:
        text = self._text(args)
        dropped = tuple(
            name
            for name, value in zip(self.params, args)
            if name in self.defaults and name not in self.keep and _is_default(value, self.defaults[name])
        )
        return (text, (*dropped, *self._own(args))) if self.own else (text, dropped)

    def _own(self, args: Sequence[Any]) -> list[str]:
        """Arguments that are what the target takes on its own."""
        named = SimpleNamespace(**dict(zip(self.params, args)))
        own = {name: value(named) if callable(value) else value for name, value in self.own.items()}
        return [name for name, value in own.items() if value is not None and _is_default(getattr(named, name), value)]

    def tree(self, args: Sequence[Any]) -> ast.expr:
        """The expression for these arguments; argument names stand in it as ast.Name. Not to be changed in place."""
        key = self._key(args)
        found = self._trees.get(key)
        if found is None:
            found = self._trees[key] = _elide(ast.parse(key[0], mode="eval").body, set(key[1]))
        return found

    def columns(self, args: Sequence[Any]) -> tuple[int, Counter[str]]:
        """How wide the expression for these arguments is without them, and how often each of them stands in it."""
        key = self._key(args)
        found = self._columns.get(key)
        if found is None:
            tree = self.tree(args)
            names = Counter(n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id in self.params)
            width = len(ast.unparse(tree)) - sum(len(name) * count for name, count in names.items())
            found = self._columns[key] = width, names
        return found

    def function(self, args: Sequence[Any], namespace: Mapping[str, Any]) -> Callable[..., Any]:
        """The expression as a function of the op's arguments, in order; names other than these come from `namespace`."""
        key = self._key(args)
        found = self._functions.get(key)
        if found is None:
            signature = ast.arguments([], [ast.arg(p) for p in self.params], None, [], [], None, [])
            code = ast.fix_missing_locations(ast.Expression(ast.Lambda(signature, self.tree(args))))
            found = self._functions[key] = eval(compile(code, "<row>", "eval"), dict(namespace))
        return found


def _is_default(value: Any, default: Any) -> bool:
    return value is default or (type(value) is type(default) and bool(value == default))


class _Elide(ast.NodeTransformer):
    def __init__(self, dropped: set[str]) -> None:
        self.dropped = dropped

    def visit_Call(self, node: ast.Call) -> ast.Call:
        self.generic_visit(node)
        node.keywords = [
            k for k in node.keywords if not (isinstance(k.value, ast.Name) and k.value.id in self.dropped and k.arg)
        ]
        return node


def _elide(tree: ast.expr, dropped: set[str]) -> ast.expr:
    return _Elide(dropped).visit(tree)
