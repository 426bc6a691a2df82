"""Memoisation in a module's dictionary: what the first call remembers there is what every later call finds."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.trees import leaves

from .journal import Slot
from .proxy import Unusable, is_open
from .sequences import OpenList

_MOST = 16
_DEEP = 3
_CODE = (type, types.ModuleType, types.FunctionType)


class Remembered(UnsupportedConstruct):
    """A key that the first call writes to a dictionary of a module, with what it holds."""

    def __init__(self, slot: Slot, value: Any) -> None:
        super().__init__(
            f"GFX cannot convert this write: the key {slot.name!r} is not there in the first call, and is in the next",
            slot.span, "make it a tensor before the capture (a buffer), or return it instead",
        )  # fmt: skip
        self.slot, self.value = slot, value
        objects = [part for part in _parts(value, _DEEP) if hasattr(part, "__dict__") and not isinstance(part, _CODE)]
        self.attributes = [(part, dict(vars(part))) for part in objects]  # which leaving the capture takes back

    def keep(self) -> None:
        """Remember it, as the call itself would have."""
        for part, attributes in self.attributes:
            vars(part).update(attributes)
        self.slot.object[self.slot.key] = self.value

    @property
    def lasts(self) -> bool:
        """Whether later calls find just this: a fixed object in a dictionary that is a global of the module which writes it."""
        where = self.slot.span.file if self.slot.span is not None else None
        modules = [m for m in list(sys.modules.values()) if where is not None and getattr(m, "__file__", None) == where]
        held = any(value is self.slot.object for module in modules for value in list(vars(module).values()))
        return held and isinstance(self.slot.object, dict) and not any(map(_captured, _parts(self.value, _DEEP)))


def _parts(x: Any, depth: int) -> Iterator[Any]:
    """What an object holds, itself first, down to a depth."""
    for part in leaves(x):
        yield part
        if depth and hasattr(part, "__dict__") and not isinstance(part, _CODE):
            yield from _parts(list(vars(part).values()), depth - 1)


def _captured(part: Any) -> bool:
    return is_open(part) or type(part) is OpenList or hasattr(type(part), "__array__")


class Filled(Unusable):
    """Stands for what a call before left under a key: code that reads it is refused."""


class Capture(Protocol):
    """What a capture gives, as far as later calls are concerned."""

    program: Any

    @property
    def first(self) -> list[Remembered]:
        """Keys that were not there, in which it leaves a tensor."""


T = TypeVar("T", bound=Capture)


def as_later_calls(work: Callable[[], T]) -> T:
    """What work() gives once a first call has remembered what it does; where that does not settle, nothing is remembered."""
    done: list[Remembered] = []
    try:
        while True:
            try:
                return _whatever_was_there(work, work())
            except Remembered as error:
                if len(done) == _MOST or not error.lasts:
                    raise
                error.keep()
                done.append(error)
    except BaseException:
        for error in reversed(done):
            error.slot.object.pop(error.slot.key, None)
        raise


def _whatever_was_there(work: Callable[[], T], found: T) -> T:
    """A capture that is the same where the keys are there in which it leaves tensors. Raises Remembered where it is another one."""
    if not found.first:
        return found
    for error in found.first:
        error.slot.object[error.slot.key] = Filled(error)
    try:
        again = str(work().program)
    except GfxError:
        again = ""
    finally:
        for error in found.first:
            error.slot.object.pop(error.slot.key)
    if again != str(found.program):
        raise found.first[0]
    return found
