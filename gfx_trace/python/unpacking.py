"""Unpacking: the items of what stands on the right of an assignment, for its targets."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import OpenParts
from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..values.gated import gate_of
from ..values.number_rows import number, rows_kind
from ..values.proxy import HostProxy, Proxy, is_open
from .checks import checked
from .listed import ListedItems
from .rows import StackedRows, listed_items, rows_of
from .sequences import Spread, Starred, is_shape, spread, star_at


class Unpacking:
    """`unpack(value, names)`; parts of a tensor are views of it."""

    def __init__(self, tracer: Capturing) -> None:
        self._tracer = tracer

    def __call__(self, value: Any, names: tuple) -> Any:
        """The items of value for the targets `names` (a str, or a tuple of such; one may be starred)."""
        at = star_at(names)
        starred = at is not None
        if type(value) is Spread and not starred:
            value = spread(self._tracer, value.items, len(names), names)
        if gate_of(value) is not None:
            return self._tracer.gates.resolve(value, lambda side: self(side, names))
        self._tracer.effects.sure_of_keys(value)
        value = rows_of(self._tracer.overloading.iterable(value))
        value = self._tracer.iteration.drained(value) if starred else self._tracer.iteration.some(value, len(names))
        items = self._items(value, names)
        if not any(isinstance(name, tuple) for name in names):
            self._name_all(items, names)
            return items
        if at is not None:
            more = len(items) - len(names) + 1
            names = (*names[:at], *names[at : at + 1] * more, *names[at + 1 :])
        if len(items) != len(names):
            return items  # Python says so
        return [self(item, name) if isinstance(name, tuple) else item for item, name in zip(items, names)]

    def _around(self, names: tuple, length: Any, item: Callable[[int], Any], cut: Callable[[slice], Any]) -> list[Any]:
        """The items of what is of open length for targets of which one may be starred. Raises ValueError, when the code runs, where
        there are too few, or too many."""
        at = star_at(names)
        if at is None:
            expected = f"values to unpack (expected {len(names)})"
            checked(self._tracer, length >= len(names), f"not enough {expected}", "ValueError")
            checked(self._tracer, length <= len(names), f"too many {expected}", "ValueError")
            return list(map(item, range(len(names))))
        behind = len(names) - at - 1
        few = f"not enough values to unpack (expected at least {at + behind})"
        checked(self._tracer, length >= at + behind, few, "ValueError")
        return [*map(item, range(at)), cut(slice(at or None, -behind or None)), *map(item, range(-behind, 0))]

    def _items(self, value: Any, names: tuple) -> Any:
        starred = star_at(names) is not None
        count = len(names)
        if type(value) is ListedItems:  # Python makes a list of the rest
            length, item, cut = value.length(self._tracer), value.item, value.cut
            return self._around(names, length, partial(item, self._tracer), partial(cut, self._tracer))
        if isinstance(value, HostProxy) and value.value.kind == "shape" and not starred:
            if value.value.node.op.asks == "shape":
                subject = value.value.node.args[0]
                if self._tracer.record.rank_of(subject) is None:
                    self._tracer.raising.let_out("unpacking", ValueError())
                sizes = _tuple(ops.sizes(subject, count))
                self._tracer.facts.ranked(subject, count)
                return [self._tracer.wrap(v, value.backend) for v in sizes]
            return [
                self._tracer.wrap(self._tracer.host("getitem", value.value, at), value.backend) for at in range(count)
            ]
        if is_shape(value):
            length = self._tracer.host_values.length(value)
            return self._around(names, length, value.__getitem__, lambda part: Starred(value[part].value))
        if isinstance(value, Proxy):
            if starred:
                known = self._tracer.host_values.length(value)
                if not isinstance(known, int):
                    return self._items(listed_items([StackedRows(value, rows_kind(value))]), names)
                return [value[at] for at in range(known)]
            known = self._tracer.host_values.length(value)
            if not isinstance(known, int):
                self._tracer.raising.let_out("unpacking", ValueError())
            elif known != count and self._tracer.raising.handlers:
                raise self._tracer.raising.error(ValueError(f"{known} values to unpack (expected {count})"), None)
            parts = _tuple(ops.unstack(value.read(), 0, count))
            wrapped = tuple(self._tracer.wrap(v, value.backend) for v in parts)
            if kind := rows_kind(value):
                return [number(kind, part) for part in wrapped]
            if value.backend is not None and value.backend.views:
                self._tracer.views.link_item(value, value.read(), wrapped, 1)
            return list(wrapped)
        if isinstance(value, OpenParts) and not starred:
            parts = self._tracer.wrap(_tuple(value.unpack(count)))
            value.made(parts)
            return list(parts)
        return list(map(self._tracer.arrays.in_graph, value))

    def _name_all(self, items: Any, names: tuple) -> None:
        if len(items) != len(names):
            return
        for item, name in zip(items, names):
            if is_open(item) and isinstance(item.value, Value) and item.value.name is None:
                item.value.name = name.removeprefix("*") if name != "_" else None


def _tuple(x: Any) -> tuple:
    return x if isinstance(x, tuple) else (x,)
