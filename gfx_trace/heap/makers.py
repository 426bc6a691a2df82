"""Which calls and operators make objects, of those that capture does not enter: each time another one."""

from __future__ import annotations

import types
from collections.abc import Iterator
from operator import add
from typing import Any

from gfx_ir.probing import HEAP_TYPE, is_module, own_attribute

from ..rewrite.packages import users
from ..values.proxy import is_open
from .contents import FIXED, MUTABLE, children, has_attributes, row_of
from .reached import VIEWS, has_state, holds_nothing, reached_from

COMBINED = VIEWS | {list, dict, set}
"""Containers, and views of them, of which operators make others."""
_NEW = tuple(kind.__new__ for kind in (*MUTABLE, object, types.SimpleNamespace))
"""What makes another object each time. They are told by identity: the hash of a weak reference is that of a user's object."""
_IN_C = frozenset((sum.__module__, add.__module__))


def puts_together(*operands: Any) -> bool:
    """Whether an operator that gives a container has made it: it runs no code of a class of the user's."""
    return all(type(x) in COMBINED or type(x) in FIXED or is_open(x) for x in operands)


def made_by(f: Any, args: tuple, kwargs: dict, result: Any) -> Iterator[Any]:
    """What a call that is not entered makes: the object that it gives, and what this holds that the call was not given."""
    if (has_state(result) or is_module(result)) and _makes(f, args, result):
        yield result
    if not holds_nothing(result) and _is_librarys(f):
        found = [
            x for x in reached_from((result,)) if row_of(type(x)) is not None or (x is result and _is_users_own(x))
        ]
        given = reached_from((own_attribute(f, "__self__"), *args, *kwargs.values())) if found else []
        if is_module(result):  # as an item of a ModuleList is
            given += [inner for x in given if is_module(x) for _, inner in x.named_modules()]
        known = set(map(id, given))
        yield from (x for x in found if id(x) not in known)


def _is_users_own(x: Any) -> bool:
    """Whether an object is of a class of the user's."""
    return has_attributes(x) and users({"__name__": type(x).__module__})


def _is_librarys(f: Any) -> bool:
    """Whether a callable is of Python's own library or of a framework, or stands for one: what it gives is no state of its own."""
    kind = type(f)
    if kind is types.FunctionType:
        module = f.__globals__.get("__name__")
    elif isinstance(f, type) or not kind.__flags__ & HEAP_TYPE:
        module = own_attribute(f, "__module__")
    else:
        module = kind.__module__
    return bool(module) and module not in _IN_C and not users({"__name__": module})


def _makes(f: Any, args: tuple, result: Any) -> bool:
    """Whether what a call in C, or of a class, gives is an object that it made."""
    if isinstance(f, type):
        new = any(f.__new__ is known for known in _NEW) or (
            issubclass(f, BaseException) and isinstance(f.__new__, types.BuiltinFunctionType)
        )
        return new and type(f).__call__ is type.__call__ and type(result) is f
    if any(f is known for known in _NEW):
        return True
    if isinstance(f, types.BuiltinFunctionType) and f.__module__ in _IN_C and args:
        return puts_together(*args) and all(result is not x for x in reached_from(args))
    owner = own_attribute(f, "__self__")
    if isinstance(owner, type) or type(owner) in FIXED:  # as dict.fromkeys, or a text's split
        return owner is not None and row_of(owner if isinstance(owner, type) else type(result)) is not None
    row = row_of(type(owner))
    return row is not None and f.__name__ in row.reads and not any(result is x for x in (*children(owner), *args))
