"""Memoisation: what the first call leaves for every later one to find, as a key of a dictionary, an attribute or a hook.

A capture stands for all calls where one that begins with what the first call has left gives the same graph, and leaves nothing more.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol, TypeVar

import numpy as np

from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.probing import is_module
from gfx_ir.source import Span

from ..heap.contents import unchanged
from ..heap.journal import Slot
from ..heap.reached import parts_of
from ..rewrite import is_converted
from ..values.proxy import Unusable, is_open
from .sequences import OpenList

_CODE = (type, types.ModuleType)
_ORDINARY = frozenset(("attribute", "item", "contents", "cell", "global"))
"""Kinds of slots of ordinary objects."""


class Left:
    """What a capture writes to ordinary objects, as its code has left it. `asked`: the refusals of what a later call may find otherwise
    than the first; `set_up`: slots that no state of the program is for; `ran`: where functions ran that may write, and are not entered."""

    def __init__(
        self, slots: Sequence[Slot], asked: Sequence[UnsupportedConstruct], set_up: Sequence[Slot], ran: Iterable[Span]
    ) -> None:
        self.refusal = asked[0] if asked else None
        self._slots, self._set_up, self._ran = slots, set_up, ran
        self._written = [(slot, slot.get()) for slot in slots if asked and slot.kind in _ORDINARY]

    @contextmanager
    def found(self) -> Iterator[None]:
        """The objects hold it, as they do for a later call; what hangs on the first call's data cannot be read."""
        assert self.refusal is not None
        try:
            for slot, value in self._written:
                slot.set(Filled(self.refusal) if slot.kind != "contents" and hangs_on_data(value) else value)
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


def _inside(x: Any) -> Iterator[Any]:
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
    return any(is_open(item) or isinstance(item, kinds) or hasattr(type(item), "__array__") for item in _inside(x))


def _made_here(x: Any) -> bool:
    """Whether an object holds a function that captured code has made."""
    return any(isinstance(item, types.FunctionType) and is_converted(item.__code__) for item in _inside(x))


class Filled(Unusable):
    """Stands for what a call before left: code that reads it is refused."""


class Capture(Protocol):
    """What a capture gives, as far as later calls are concerned."""

    program: Any
    left: Left


T = TypeVar("T", bound=Capture)


def as_later_calls(work: Callable[[], T]) -> T:
    """What work() gives, if later calls are the same, and set up nothing again. Raises the refusal of what they find otherwise."""
    first = work()
    refusal = first.left.refusal
    if refusal is None:
        first.left.settle()
        return first
    with first.left.found():
        try:
            later = work()
        except Exception as error:  # a later call may fail in Python, too
            raise refusal from (None if isinstance(error, GfxError) else error)
    if later.left.refusal is not None or first.left.again(later.left) or not _same(first.program, later.program):
        raise refusal
    first.left.settle()
    return first


def _same(a: Any, b: Any) -> bool:
    return str(a) == str(b) and _same_arrays(a.params, b.params)


def _same_arrays(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return a.keys() == b.keys() and all(x is b[name] or _equal(x, b[name]) for name, x in a.items())


def _equal(x: Any, y: Any) -> bool:
    return type(x) is type(y) is np.ndarray and x.dtype == y.dtype and np.array_equal(x, y)
