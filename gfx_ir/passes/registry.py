"""PassRegistry: passes by their names. Those of others come in by the entry-point group `gfx.passes`."""

from __future__ import annotations

import ast
import threading
from collections.abc import Callable
from importlib import metadata
from typing import Any

from ..attributes import Attribute
from ..errors import ArgumentError
from ..source import declared_at
from .base import Pass

GROUP = "gfx.passes"


class Entry:
    """One registered pass. What it requires may be said where it is registered, too."""

    def __init__(self, name: str, make: Callable[..., Pass]) -> None:
        self.name, self.make, self.at = name, make, declared_at()
        self.needs: tuple[str, ...] = ()
        self.requires: tuple[Attribute, ...] = ()
        self.takes: tuple[str, ...] | None = None

    def require_pass_attr(self, name: str) -> Entry:
        """The pass does not run before this attribute of its own is set."""
        self.needs += (name,)
        return self

    def require_graph_attr(self, key: Attribute) -> Entry:
        """The pass does not run on a program whose entry lacks this attribute."""
        self.requires += (key,)
        return self

    def takes_only(self, *names: str) -> Entry:
        """The pass has these attributes, and those that it requires, and does not run with others."""
        self.takes = names
        return self

    def get(self, **attributes: Any) -> Pass:
        """A new instance of the pass."""
        made = self.make(**attributes)
        made.needs, made.requires = made.needs + self.needs, made.requires + self.requires
        made.takes = made.takes if self.takes is None else self.takes
        return made


class PassRegistry:
    """A table of passes: `register` adds one, `get` makes a new instance. Safe to share between threads."""

    def __init__(self, group: str = GROUP) -> None:
        """`group`: the entry points of other packages' passes."""
        self.group = group
        self._entries: dict[str, Entry] = {}
        self._lock = threading.Lock()
        self._loaded = False

    def register(self, make: Callable[..., Pass], name: str | None = None) -> Entry:
        """Add a pass (a subclass of Pass, or a function that makes one). Raises ValueError where the name is taken."""
        name = str(name or getattr(make, "name", ""))
        if not name.isidentifier():
            raise ValueError(f"{make!r} has no name to be registered under: {name!r}")
        with self._lock:
            entry = Entry(name, make)
            if (known := self._entries.setdefault(name, entry)) is not entry:
                raise ValueError(f"pass {name!r} is already registered: at {known.at}, and at {entry.at}")
        return entry

    def get(self, name: str, **attributes: Any) -> Pass:
        """A new instance of the pass of that name, with these attributes. Raises ArgumentError where there is none."""
        if name not in self._entries:
            self._load_others()
        entry = self._entries.get(name)
        if entry is None:
            raise ArgumentError(f"there is no pass {name!r}", hint=f"there are: {', '.join(self.names())}")
        return entry.get(**attributes)

    def read(self, text: str) -> list[Pass]:
        """Passes as they are written: `constants, inline(limit=20)`. Raises ArgumentError where the text is none of that."""
        hint = "write names with commas between them, and attributes as constants: constants, inline(limit=20)"
        try:
            found = ast.parse(f"passes({text})", mode="eval").body
            if not isinstance(found, ast.Call) or not isinstance(found.func, ast.Name) or found.keywords:
                raise ValueError(text)
            named = [_named(item) for item in found.args]
        except (SyntaxError, ValueError) as error:
            raise ArgumentError(f"{text!r} is no list of passes", hint=hint) from error
        return [self.get(name, **attributes) for name, attributes in named]

    def names(self) -> list[str]:
        """Every name, those of other packages too."""
        self._load_others()
        return sorted(self._entries)

    def _load_others(self) -> None:
        """Let each entry point (a function that takes the registry) register its passes; once."""
        with self._lock:
            loaded, self._loaded = self._loaded, True
        if not loaded:
            for point in metadata.entry_points(group=self.group):
                point.load()(self)


def _named(item: ast.expr) -> tuple[str, dict[str, Any]]:
    """Name and attributes of a pass that is written as a name or a call. Raises ValueError where it is neither."""
    call = item if isinstance(item, ast.Call) else ast.Call(item, [], [])
    if not isinstance(call.func, ast.Name) or call.args or None in [keyword.arg for keyword in call.keywords]:
        raise ValueError(ast.dump(item))
    return call.func.id, {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}


PASSES = PassRegistry()
"""The passes of GFX, and those of the packages that are installed with it."""
