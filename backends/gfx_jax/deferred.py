"""Texts of compiled code: what stands in them is known only when it runs, so it is handed over beside a format."""

from __future__ import annotations

import ast
from collections.abc import Iterable


def print_call(made: ast.Call) -> ast.Call:
    """print(format, *items), with the texts among the items in the format."""
    _, *items = made.args
    if any(isinstance(item, ast.Starred) for item in items):
        return made
    text, values = _format(items, " ")
    return ast.Call(made.func, [ast.Constant(text), *values], made.keywords)


def check_call(made: ast.Call) -> ast.Call:
    """check(pred, message, error), the message `f"n = {n}"` as ["n = {}", n]."""
    pred, message, *rest = made.args
    if not isinstance(message, ast.JoinedStr):
        return made
    text, values = _format([message])
    return ast.Call(made.func, [pred, ast.List([ast.Constant(text), *values], ast.Load()), *rest], made.keywords)


def _format(items: Iterable[ast.expr], between: str = "") -> tuple[str, list[ast.expr]]:
    """A format, and what stands in it."""
    values: list[ast.expr] = []
    return between.join([_text(item, values) for item in items]), values


def _text(item: ast.expr, values: list[ast.expr]) -> str:
    if isinstance(item, ast.JoinedStr):
        return "".join(_text(piece, values) for piece in item.values)
    if isinstance(item, ast.Constant) and isinstance(item.value, str):
        return item.value.replace("{", "{{").replace("}", "}}")
    if not isinstance(item, ast.FormattedValue):
        values.append(item)
        return "{}"
    if isinstance(item.value, ast.JoinedStr) and item.format_spec is None and item.conversion != ord("r"):
        return _text(item.value, values)
    values.append(item.value)
    spec = _spec(item.format_spec)
    return "{" + (f"!{chr(item.conversion)}" if item.conversion > 0 else "") + (f":{spec}" if spec else "") + "}"


def _spec(spec: ast.expr | None) -> str:
    pieces = spec.values if isinstance(spec, ast.JoinedStr) else []
    return "".join(str(piece.value) for piece in pieces if isinstance(piece, ast.Constant))
