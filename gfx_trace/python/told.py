"""What a print, a text and an exception are told of captured values: Python's numbers as such, containers piece by piece."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.python_numbers import OPEN
from gfx_ir.trees import leaves, tree_map

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy, is_open
from .sequences import OpenList

_TOLD = frozenset((Value, DType, str, int, float, bool, complex, type(None)))
_BRACKETS: dict[type, tuple[str, str]] = {tuple: ("(", ")"), list: ("[", "]"), dict: ("{", "}")}


def number_of(tracer: Capturing, x: Any, text: bool = False) -> str:
    """What makes of a tensor the number that Python has there: "int", "float", "bool" or "item"; "" where it has a tensor.

    `text`: it stands in an f-string, which shows a tensor without axes as its number."""
    if type(x) is not Proxy:
        return ""
    if x.weak:
        return x.weak if x.weak not in ("complex", OPEN) else "item"
    if text or tracer.record.rank_of(x.read()) or not tracer.record.may_be_python(x, x.value):
        return ""
    what = "GFX cannot tell whether this is a tensor or a number, which Python shows otherwise"
    raise tracer.error(what, "make it a tensor, or a number, on both ways to this place")


def value_of(tracer: Capturing, x: Any, text: bool = False) -> Any:
    """An open value as what is told takes it."""
    value, number = x.read(), number_of(tracer, x, text)
    if number:
        return tracer.host(number, value)
    return tracer.host("tuple", value) if type(x) is HostProxy and x.taken else value


def told(tracer: Capturing, tree: Any) -> Any:
    """The arguments of an exception as ops take them; objects are told as texts."""
    found = tracer.unwrap(tree_map(lambda x: tracer.wrap(value_of(tracer, x)) if is_open(x) else x, tree))
    return tree_map(lambda x: x if type(x) in _TOLD else tracer.texts.shown(lambda: str(x), x), found)


def holds_open(x: Any) -> bool:
    """Whether x is open, or a container of Python's that holds something open."""
    return any(is_open(leaf) or type(leaf) is OpenList for leaf in leaves(x))


def contents(tracer: Capturing, x: Any) -> Iterator[Any]:
    """The pieces of a container's text: texts, and (value, conversion, format)."""
    if is_open(x) or type(x) not in _BRACKETS:
        yield x, "r", ""
        return
    opening, closing = ("torch.Size([", "])") if tracer.record.is_shape(x) else _BRACKETS[type(x)]
    yield opening
    for at, item in enumerate(x):
        yield ", " if at else ""
        if type(x) is dict:
            yield f"{item!r}: "
        yield from contents(tracer, x[item] if type(x) is dict else item)
    yield ("," if opening == "(" and len(x) == 1 else "") + closing
