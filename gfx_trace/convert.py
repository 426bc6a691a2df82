"""Small conversions at the border of a capture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.trees import leaves

from .proxy import HostProxy, Proxy

if TYPE_CHECKING:
    from .tracer import Tracer


class Starred:
    """An open shape spread into a tuple: `(*shape[:-1], 8)`."""

    __slots__ = ("value",)

    def __init__(self, value: Value) -> None:
        self.value = value


def spliced(tracer: Tracer, items: Any) -> Any:
    """A tuple or list; with an open shape spread in it, the open shape that it makes."""
    if not any(type(item) is Starred for item in items):
        return items
    parts = tuple(item.value if type(item) is Starred else item for item in items)
    return tracer.host("splice", *parts)


def positions(tracer: Tracer, index: Any) -> Any:
    """An index as ops take it: a list with captured numbers is one tensor of positions."""
    if isinstance(index, tuple):
        return spliced(tracer, tuple(positions(tracer, item) for item in index))
    found = tracer.unwrap(index)
    parts = [part for part in leaves(index) if isinstance(part, (Proxy, HostProxy))] if type(index) is list else []
    numbers = all(type(part) is HostProxy or part.weak for part in parts)
    return ops.as_tensor(found) if parts and numbers else found


def constant_data(owner: Backend, x: Any) -> tuple[Any, DType]:
    """Nested tuples of an array's numbers, and its dtype."""

    def freeze(data: Any) -> Any:
        return tuple(map(freeze, data)) if isinstance(data, list) else data

    return freeze(owner.to_host(x).tolist()), owner.dtype_of(x)
