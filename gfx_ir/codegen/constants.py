"""Constants of a graph as Python expressions. Only plain data gets through, so nothing in a graph can become code."""

from __future__ import annotations

import ast
import math
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import GfxError
from ..graph import UNBOUND
from .style import Style


def parse(text: str) -> ast.expr:
    """The expression that a style spells as text."""
    return ast.parse(text, mode="eval").body


def name(text: str) -> ast.Name:
    """A variable."""
    return ast.Name(text, ast.Load())


def names_in(*parts: ast.AST) -> set[str]:
    """The names of the variables in what was written."""
    return {found.id for part in parts for found in ast.walk(part) if isinstance(found, ast.Name)}


def number(value: complex) -> ast.expr:
    """A finite number; a negative one as minus its absolute value, so that precedence is kept."""
    if isinstance(value, complex):
        return call("complex", number(value.real), number(value.imag))
    if value < 0 or (value == 0 and math.copysign(1, value) < 0):
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    return ast.Constant(value)


def call(function: str | ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
    """A call."""
    target = parse(function) if isinstance(function, str) else function
    return ast.Call(target, list(args), [ast.keyword(key, value) for key, value in keywords.items()])


def leaf(value: Any, style: Style) -> ast.expr:
    """The expression of a constant leaf. Raises GfxError for what is no plain data."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is UNBOUND:
        return ast.Constant(None)
    if isinstance(value, DType):
        return parse(style.dtype(value.name))
    if value is None or value is Ellipsis or isinstance(value, (bool, str, bytes)):
        return ast.Constant(value)
    if isinstance(value, float) and not math.isfinite(value):
        text = style.nan if math.isnan(value) else style.inf if value > 0 else f"-{style.inf}"
        return parse('float("-inf")' if text == '-float("inf")' else text)
    if isinstance(value, (int, float, complex)):
        return number(value)
    raise GfxError(f"a constant of type {type(value).__name__} cannot be written as source: {value!r:.80}")
