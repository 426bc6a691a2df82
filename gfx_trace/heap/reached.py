"""What a call can reach and write: the objects that others refer to, what they hold, and which of it was written since.

A view of a buffer stands for the buffer: what is written through it is written there.
"""

from __future__ import annotations

import datetime
import decimal
import enum
import fractions
import gc
import operator
import pathlib
import re
import struct
import types
import weakref
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gfx_ir.probing import cell_content, closed_over, is_module

from ..rewrite.packages import framework, users
from ..values.gated import Gated
from ..values.proxy import HostProxy, Proxy, Undefined, Unusable
from .contents import WITHOUT_PARTS, attributes_of, children, contents_of, has_attributes, row_of, unchanged
from .slots import MISSING, Slot

DEEP = 4
_CODE = (
    types.FunctionType, types.BuiltinFunctionType, types.MethodDescriptorType, types.WrapperDescriptorType, types.ModuleType, type,
    types.CodeType, property, classmethod, staticmethod, types.MethodWrapperType, types.GetSetDescriptorType, types.MemberDescriptorType,
)  # fmt: skip
IMMUTABLE: tuple[type, ...] = (
    *_CODE, str, int, float, complex, bytes, type(None), range, slice, type(Ellipsis), type(NotImplemented), tuple, frozenset,
    re.Pattern, re.Match, datetime.date, datetime.time, datetime.timedelta, datetime.tzinfo, decimal.Decimal, fractions.Fraction,
    np.generic, np.dtype, enum.Enum, pathlib.PurePath, operator.itemgetter, operator.attrgetter, operator.methodcaller,
    types.MappingProxyType, type({}.keys()), type({}.values()), type({}.items()), weakref.ref, super, types.GenericAlias,
    types.UnionType, types.FrameType, types.TracebackType, BaseException, Proxy, HostProxy, Unusable, Undefined, Gated,
)  # fmt: skip


def reached_from(roots: tuple, deep: int = DEEP) -> list[Any]:
    """The objects that can be reached from others, down to a depth (-1: all)."""
    level, found = list(roots), {id(root): root for root in roots}
    while level and deep:
        deep -= 1
        level = [inner for held in level for inner in parts_of(held) if id(inner) not in found]
        found.update((id(inner), inner) for inner in level)
    return list(found.values())


def holds_nothing(x: Any) -> bool:
    """Whether what a call gives surely holds nothing that the call made: a constant, or a function that closes over nothing."""
    if type(x) is types.FunctionType and x.__closure__ is None and not x.__dict__:
        return WITHOUT_PARTS.issuperset(map(type, (*(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values())))
    return type(x) in WITHOUT_PARTS


def reaches(roots: tuple, x: Any) -> bool:
    """Whether an object can be reached from others, down to a depth."""
    return any(found is x for found in reached_from(roots))


_MADE: tuple[dict, ...] = ({}, OrderedDict())
VIEWS = frozenset(type(view) for made in _MADE for view in (made.keys(), made.values(), made.items()))
"""What shows a dictionary as it is when it is asked."""


def held_by_objects(roots: Iterable[Any]) -> list[Any]:
    """What stands in objects and containers that can be written, and in what they hold; a module's tensors are none of it."""
    objects = [x for x in reached_from(tuple(roots)) if has_state(x)]
    return reached_from(tuple(objects))[len(objects) :]


def shown_by(x: Any) -> Any:
    """What a view of a buffer or dictionary shows; anything else as it is."""
    if type(x) in VIEWS:
        return gc.get_referents(x)[0]
    return x.obj if type(x) is memoryview else x


def lends(x: Any) -> bool:
    """Whether others may write to an object's memory."""
    try:
        return not memoryview(x).readonly
    except TypeError:
        return False


def has_state(held: Any) -> bool:
    """Whether something holds what can be written, and Python can read it."""
    kind = type(held)
    if kind is memoryview:
        return False  # what it shows has
    if kind is types.CellType or row_of(kind) is not None:
        return True
    if isinstance(held, IMMUTABLE) or is_module(held) or framework(kind.__module__):
        return False
    return has_attributes(held) or bool(_slots(kind))


def parts_of(held: Any) -> list[Any]:
    """What can be reached from an object at once."""
    kind = type(held)
    if kind in WITHOUT_PARTS:
        return []
    if kind is types.FunctionType:
        return _of_function(held)
    if kind is types.MethodType:
        return [held.__self__, held.__func__]
    shown = shown_by(held)
    if shown is not held:
        return [shown]
    if isinstance(held, weakref.ref):
        return [weakref.ref.__call__(held)]
    if kind is types.CellType:
        return list(state_of(held)[1].values())
    if isinstance(held, types.BuiltinFunctionType):
        return [] if isinstance(held.__self__, (types.ModuleType, type)) else [held.__self__]
    if isinstance(held, (tuple, frozenset)) or has_state(held):
        return children(held)
    if isinstance(held, IMMUTABLE) or is_module(held) or framework(kind.__module__):
        return []
    return gc.get_referents(held)


def _of_function(f: types.FunctionType) -> list[Any]:
    """What a function that is run as it stands can write: what it closes over, its defaults, the globals that it names. One of a
    library's writes nothing of its own that counts, but may call what it closes over."""
    if not users(f.__globals__):
        own = framework(f.__globals__.get("__name__", ""))
        return [] if own else closed_over(f)
    named = [f.__globals__[name] for name in f.__code__.co_names if name in f.__globals__]
    return [*(f.__closure__ or ()), *(f.__defaults__ or ()), *(f.__kwdefaults__ or {}).values(), *named]


def state_of(held: Any) -> tuple[Any, dict[str, Any]]:
    """(content, attributes) of an object."""
    kind = type(held)
    if kind is types.CellType:
        found = cell_content(held, MISSING)
        return None, {} if found is MISSING else {"": found}
    content = contents_of(held) if row_of(kind) is not None else None
    attributes = dict(attributes_of(held))
    attributes.update((name, getattr(held, name, MISSING)) for name in _slots(kind))
    return content, attributes


def changes(held: Any, state: tuple[Any, dict[str, Any]]) -> Iterator[Slot]:
    """The slots of an object that were written since."""
    (content, before), (now, after) = state, state_of(held)
    if content is not None and not unchanged(content, now):
        yield Slot(held, None, "contents", "a container", content)
    kind = "cell" if type(held) is types.CellType else "attribute"
    for name in {**before, **after}:
        old = before.get(name, MISSING)
        if old is not after.get(name, MISSING):
            yield Slot(held, name or None, kind, name or "a variable", old)


def _slots(kind: type) -> list[str]:
    """The names of attributes that objects of a class hold without a dictionary."""
    found = (vars(base).get("__slots__", ()) for base in kind.__mro__)
    names = [name for names in found for name in ((names,) if isinstance(names, str) else names)]
    return [name for name in names if name not in ("__dict__", "__weakref__")]


def unexplained(kind: type) -> bool:
    """Whether objects of a class are larger than what it adds to its base, as Python tells it."""
    base = kind.__base__
    if base is None or row_of(kind) is not None:
        return False
    own = vars(kind).get("__slots__", ())
    words = len([name for name in ((own,) if isinstance(own, str) else own) if name not in ("__dict__", "__weakref__")])
    words += (kind.__dictoffset__ != base.__dictoffset__) + (kind.__weakrefoffset__ != base.__weakrefoffset__)
    return kind.__basicsize__ - base.__basicsize__ > words * struct.calcsize("P")
