"""Host computation in Python's own words."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Any

from ..control import host_operator
from ..errors import GfxError
from ..graph import Value
from ..op import Trait
from ..python_numbers import FUNCTIONS, MEMBERS
from .constants import call, name
from .leaves import Leaves
from .logic import boolean, negate
from .told import NUMBERS

_BINARY: dict[str, type[ast.operator]] = {
    "+": ast.Add, "-": ast.Sub, "*": ast.Mult, "/": ast.Div, "//": ast.FloorDiv, "%": ast.Mod, "**": ast.Pow,
    "<<": ast.LShift, ">>": ast.RShift, "&": ast.BitAnd, "|": ast.BitOr, "^": ast.BitXor,
}  # fmt: skip
_COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt, "<=": ast.LtE, ">": ast.Gt, ">=": ast.GtE, "==": ast.Eq, "!=": ast.NotEq, "is": ast.Is, "in": ast.In,
}  # fmt: skip
_BOOLEAN: dict[str, type[ast.boolop]] = {"and": ast.And, "or": ast.Or}
_FUNCTIONS = frozenset(
    ("abs", "int", "float", "bool", "str", "min", "max", "round", "len", "list", "tuple", "sum", "sorted", "all", "any")
)
_KINDS = {"int": "iu", "float": "f"}


def host_expression(writer: Leaves, operator: str, args: Sequence[Any]) -> ast.expr:
    """Python's operator on host values."""
    if operator == "getitem":
        return ast.Subscript(writer.tree(args[0]), writer.index(args[1]), ast.Load())
    if operator == "splice":
        return ast.Tuple([_part(writer, arg) for arg in args], ast.Load())
    if operator == "format":
        return ast.JoinedStr([_piece(writer, arg) for arg in args])
    if operator == "+" and 0 in [arg for arg in args if type(arg) is int]:
        given = [arg for arg in args if getattr(arg, "kind", "") in ("int", "float")]  # 0 + True is 1
        if given:
            return writer.tree(given[0])
    items = [writer.tree(arg) for arg in args]
    if operator in NUMBERS and type(args[0]) is Value and args[0].is_tensor:
        return _number(writer, operator, args[0])
    if operator in _BINARY and len(items) == 2:
        return ast.BinOp(items[0], _BINARY[operator](), items[1])
    if operator in _COMPARE:
        return ast.Compare(items[0], [_COMPARE[operator]()], items[1:])
    if operator in _BOOLEAN:
        return boolean(_BOOLEAN[operator], items)
    if operator == "not":
        return (
            negate(items[0])
            if not _is_not(items[0]) or _gives_bool(writer, args[0])
            else call("bool", negate(items[0]))
        )
    if operator == "~":
        return ast.UnaryOp(ast.Invert(), items[0])
    if operator in ("neg", "-"):
        return ast.UnaryOp(ast.USub(), items[0])
    if operator in _FUNCTIONS:
        return call(operator, *items)
    if operator.startswith("math.") and operator[5:].isidentifier():
        return ast.Call(ast.Attribute(name(writer.module.use("math")), operator[5:], ast.Load()), items, [])
    if operator in MEMBERS:
        member = ast.Attribute(items[0], operator, ast.Load())
        return ast.Call(member, [], []) if FUNCTIONS[operator].spelling.endswith("()") else member
    owner, _, method = operator.partition(".")
    if owner in ("str", "tuple") and method.isidentifier():
        return ast.Call(ast.Attribute(items[0], method, ast.Load()), items[1:], [])
    raise GfxError(f"there is no spelling of the host operator {operator!r}")


def _is_not(item: ast.expr) -> bool:
    return isinstance(item, ast.UnaryOp) and isinstance(item.op, ast.Not)


def _gives_bool(writer: Leaves, value: Any) -> bool:
    """Whether what a `not` is taken of is a boolean itself."""
    node = writer.resolve(value).node
    inner = node.args[1][0] if host_operator(node) == "not" else None
    return type(inner) is not Value or inner.kind == "bool" or inner.is_tensor


def _number(writer: Leaves, operator: str, value: Value) -> ast.expr:
    """The number of Python's that a tensor holds. Compiled code hands the array over, and what shows it takes the number of it; an array
    that Python has there, as NumPy's, is asked for it."""
    hosted = writer.resolve(value).node in writer.module.hosted
    if (writer.module.style.control.compiled and not hosted) or (
        not writer.module.style.control.of_tensors and writer.plan.facts.is_number(writer.resolve(value))
    ):
        return writer.leaf(value)
    found = writer.resolve(value)
    cast = found.node.op.traits & Trait.CASTS and found.node in writer.plan.inside
    if cast and found.node.arg("dtype").kind in _KINDS.get(operator, ""):
        value = found.node.args[0]  # which the call casts
    made = writer.leaf(value)
    return call(operator, made) if operator != "item" else ast.Call(ast.Attribute(made, "item", ast.Load()), [], [])


def _piece(writer: Leaves, arg: Any) -> ast.expr:
    """A piece of a text: as it is, or a value in braces."""
    if isinstance(arg, str):
        return ast.Constant(arg)
    value, conversion, spec = arg if type(arg) is tuple else (arg, "", "")
    letter = ord(conversion) if conversion else -1
    if writer.module.style.control.compiled and getattr(value, "kind", "") == "shape":
        return ast.FormattedValue(call("str", writer.tree(value)), -1)  # a shape is known where the rest is compiled
    return ast.FormattedValue(writer.tree(value), letter, ast.JoinedStr([ast.Constant(spec)]) if spec else None)


def _part(writer: Leaves, arg: Any) -> ast.expr:
    """An element of a spliced shape: a shape gives its sizes."""
    if type(arg) is Value and writer.resolve(arg).kind == "shape":
        return ast.Starred(writer.leaf(arg), ast.Load())
    if type(arg) in (tuple, list):
        return ast.Starred(writer.tree(arg), ast.Load())
    return writer.leaf(arg)
