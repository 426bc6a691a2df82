"""Described objects: constants that no literal stands for, by a text that is the same in every run, without an address."""

from __future__ import annotations

import enum
import re
import types
from dataclasses import dataclass, field
from typing import Any

from .probing import own_attribute

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_LONGEST = 80
_ABSENT = object()


@dataclass(frozen=True)
class Described:
    """An object that a capture took as given. `whole`: the text tells it from every other object; `held` is the object
    itself, in the process that met it: no file keeps it."""

    text: str
    whole: bool = False
    held: Any = field(default=_ABSENT, compare=False)

    def __repr__(self) -> str:
        return self.text

    def __deepcopy__(self, memo: dict) -> Described:
        return self

    def __reduce__(self) -> Any:
        return Described, (self.text, self.whole)

    @property
    def object(self) -> Any:
        """The object itself; where only its text is known, the description."""
        return self if self.held is _ABSENT else self.held

    @property
    def known(self) -> bool:
        """Whether it can be told from other objects."""
        return self.whole or self.held is not _ABSENT

    def stands_for(self, found: Any) -> bool:
        """Whether an object is the one that is meant, or equal to it."""
        if type(found) is Described:
            return found == self
        if self.held is _ABSENT:
            told = described(found)
            return self.whole and told.whole and told.text == self.text
        if found is self.held:
            return True
        try:
            return type(found) is type(self.held) and bool(found == self.held)
        except Exception:  # whatever the object's own comparison raises
            return False


def described(value: Any) -> Described:
    """The description of an object."""
    kind = type(value)
    if isinstance(value, enum.Enum):
        return Described(f"{kind.__qualname__}.{value.name}", True, value)
    if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        name = value.__qualname__
        module = "" if value.__module__ in (None, "builtins") else f"{value.__module__}."
        return Described(f"{module}{name}", "<" not in name, value)
    if isinstance(value, types.ModuleType):
        return Described(value.__name__, True, value)
    if own_attribute(value, "shape") is not None:  # an array tells only some of its content
        return Described(f"{_articled(kind)} of shape {tuple(value.shape)}", False, value)
    try:
        text = _sorted(value) if isinstance(value, (set, frozenset)) else repr(value)
    except Exception:  # whatever the object's own method raises
        text = "\n"
    told = _ADDRESS.sub("", text)
    if "\n" in told or len(told) > _LONGEST:
        return Described(_articled(kind), False, value)
    return Described(told, told == text and kind.__eq__ is not object.__eq__, value)


def another(text: Described) -> Described:
    """The description of an object that has the text of a different one."""
    return Described(f"another {text.text}", text.whole, text.held)


def _sorted(value: Any) -> str:
    """A set's text, in an order of its own."""
    return f"{type(value).__name__}({', '.join(sorted(map(repr, value)))})"


def _articled(kind: type) -> str:
    return f"{'an' if kind.__name__[:1].lower() in 'aeio' else 'a'} {kind.__qualname__}"
