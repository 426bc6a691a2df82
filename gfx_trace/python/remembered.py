"""Memoisation: what the first call leaves for every later one to find, as a key of a dictionary, an attribute or a hook."""

from __future__ import annotations

import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import CaptureError, UnsupportedConstruct
from gfx_ir.probing import is_module
from gfx_ir.source import Span
from gfx_ir.types import LogicalTensor

from ..heap.contents import unchanged
from ..heap.reached import parts_of
from ..heap.slots import Slot
from ..rewrite import is_converted
from ..values.proxy import Unusable, is_open
from .sequences import OpenList

_CODE = (type, types.ModuleType)
_ORDINARY = frozenset(("attribute", "item", "contents", "cell", "global"))
"""Kinds of slots of ordinary objects."""


class Filled(Unusable):
    """Stands for what a call before left: code that reads it is refused."""


class Recalled(Filled):
    """Stands for a tensor that a call before left, of this type: code that reads it gets a parameter of this name."""

    __slots__ = ("name", "type", "owner")

    def __init__(self, error: CaptureError, name: str, type_: LogicalTensor, owner: Backend | None) -> None:
        super().__init__(error)
        self.name, self.type, self.owner = name, type_, owner


class Left:
    """What a capture writes to ordinary objects, as its code has left it. `asked`: the refusals of what a later call may find otherwise
    than the first; `set_up`: slots that no state of the program is for; `states`: ids of those whose arrays are parameters, which a later
    call finds as such; `ran`: where functions ran that may write, and are not entered."""

    def __init__(
        self, slots: Sequence[Slot], asked: Sequence[UnsupportedConstruct], set_up: Sequence[Slot], states: Collection[tuple],
        ran: Iterable[Span],
    ) -> None:  # fmt: skip
        self.refusal = asked[0] if asked else None
        self._slots, self._set_up, self._ran = slots, set_up, ran
        self._written = [
            (slot, slot.get()) for slot in slots if asked and slot.kind in _ORDINARY and slot.id not in states
        ]

    @contextmanager
    def found(self, recalled: Mapping[tuple, Any]) -> Iterator[None]:
        """The objects hold it, as they do for a later call; what hangs on the first call's data cannot be read, but for what is recalled
        (or an array that stands for it), by slot."""
        assert self.refusal is not None
        try:
            for slot, value in self._written:
                on_data = slot.kind != "contents" and hangs_on_data(value)
                slot.set(recalled.get(slot.id, Filled(self.refusal)) if on_data else value)
            yield
        finally:
            for slot, _ in reversed(self._written):
                slot.set(slot.old)

    def again(self, later: Left) -> bool:
        """Whether a later call sets something up again."""
        wrote = {slot.id for slot in later._slots}
        ran = {span.place() for span in later._ran}
        return any(slot.id in wrote or (slot.span is not None and slot.span.place() in ran) for slot in self._set_up)

    def settle(self) -> None:
        """Later calls are the same: what the first sets up is all that is kept, unless it is code of this capture."""
        self._slots = self._set_up = self._ran = ()
        values = [] if any(map(_made_here, (value for _, value in self._written))) else self._written
        self._written = [(slot, value) for slot, value in values if not hangs_on_data(value)]

    def set_up(self) -> None:
        """Leave it in the objects that are as they were, as a first call does."""
        for slot, value in self._written:
            now = slot.get()
            if now is slot.old or (slot.kind == "contents" and unchanged(slot.old, now)):
                slot.set(value)


def inside(x: Any) -> Iterator[Any]:
    """An object and what it holds, at whatever depth; what a module holds is written by itself."""
    waiting, seen = [x], set()
    while waiting:
        item = waiting.pop()
        if id(item) in seen or isinstance(item, _CODE) or is_module(item):
            continue
        seen.add(id(item))
        yield item
        if isinstance(item, types.FunctionType):
            waiting += [*(item.__closure__ or ()), *(item.__defaults__ or ()), *(item.__kwdefaults__ or {}).values()]
        else:
            waiting += parts_of(item)


def hangs_on_data(x: Any) -> bool:
    """Whether an object holds what a capture stands for, or tensors."""
    kinds = (OpenList, Unusable)
    return any(is_open(item) or isinstance(item, kinds) or hasattr(type(item), "__array__") for item in inside(x))


def _made_here(x: Any) -> bool:
    """Whether an object holds a function that captured code has made."""
    return any(isinstance(item, types.FunctionType) and is_converted(item.__code__) for item in inside(x))
