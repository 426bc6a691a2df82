"""Probing: what an object has, without asking code of its author's for it."""

from __future__ import annotations

from types import (
    BuiltinFunctionType,
    CellType,
    FunctionType,
    MethodDescriptorType,
    MethodWrapperType,
    WrapperDescriptorType,
)
from typing import Any

_PLAIN = frozenset(
    (type, FunctionType, BuiltinFunctionType, MethodWrapperType, MethodDescriptorType, WrapperDescriptorType)
)
"""Types of which `getattr` runs no code of an author's."""


def own_attribute(x: Any, name: str, otherwise: Any = None) -> Any:
    """An attribute that an object or its class has: a `__getattr__` of its author is not asked, which may raise what it likes."""
    kind = type(x)
    if kind in _PLAIN or (kind.__getattribute__ is object.__getattribute__ and not hasattr(kind, "__getattr__")):
        return getattr(x, name, otherwise)  # the same, without an error that is made and caught
    try:
        return type.__getattribute__(x, name) if isinstance(x, type) else object.__getattribute__(x, name)
    except AttributeError:
        return otherwise


def stated_name(f: Any, otherwise: Any = None, attribute: str = "__name__") -> Any:
    """What a callable is called; `otherwise` where it has no such attribute, or holds what is no text there."""
    found = own_attribute(f, attribute)
    return found if isinstance(found, str) else otherwise


HEAP_TYPE = 1 << 9
"""The flag of a class that is written in Python, Py_TPFLAGS_HEAPTYPE."""


def is_module(x: Any) -> bool:
    """Whether x is a module in torch's sense: it has parameters, children, and a forward. torch need not be imported to tell."""
    cls = type(x)
    return hasattr(cls, "named_modules") and hasattr(cls, "forward")


_UNSET = object()


def cell_content(cell: CellType, otherwise: Any = None) -> Any:
    """What a variable of an enclosing function holds; `otherwise` where it is set later."""
    try:
        return cell.cell_contents
    except ValueError:
        return otherwise


def closed_over(f: FunctionType) -> list[Any]:
    """What the variables of enclosing functions that a function reads hold, those that are set."""
    return [held for cell in f.__closure__ or () if (held := cell_content(cell, _UNSET)) is not _UNSET]
