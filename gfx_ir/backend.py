"""Backend: a framework as three things: a Frontend (lifts), a Target (spellings of ops, source) and a Device (where it runs)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from types import FunctionType
from typing import Any

from .additions import Spelled, spelled
from .errors import BackendError
from .frontend import Frontend
from .op import OpDef
from .printed import printed_helpers, same_code
from .public import named
from .row import Lift, OpenParts, OpenRows, Row, Written
from .target import Target

__all__ = ["Backend", "Frontend", "Lift", "OpenParts", "OpenRows", "Row", "Target", "Written"]


class Backend(Frontend, Target):
    """Subclassed by each framework, one instance registered under its name. One row tells what comes in and what is printed."""

    def __init__(self, rows: Iterable[Row], namespace: Mapping[str, Any], roots: Mapping[str, Any]) -> None:
        """`namespace`: what names in templates mean; `roots`: what the first part of a lift's name means."""
        Frontend.__init__(self, roots)
        Target.__init__(self, namespace)
        for row in rows:
            self._add(row)
        self.printed = printed_helpers(self.namespace, self.templates)

    def _add(self, row: Row) -> None:
        self.spell_row(row)
        self.lift_row(row)

    def device(self, which: Any = "") -> Any:
        """The Device of that place: a text as in "cuda:0" ("": where new arrays are), or what the framework calls it. Raises
        BackendError where there is none."""
        raise BackendError(f"backend {self.name!r} has no devices", hint="run the source that it is written as")

    def higher_order(self, fn: Any) -> str | None:
        """The name of a function of functions that GFX printed, where it stands for one of the framework's."""
        name = fn.__name__ if type(fn) is FunctionType and self.style is not None else ""
        found = self.style.helpers.get(name) if name and name in self.style.transforms else None
        return name if found is not None and same_code(found.__code__, fn.__code__) else None

    def transformation(self, fn: Any, args: tuple, kwargs: dict) -> tuple[str, dict[str, Any], bool] | None:
        """The function of functions that made fn, or that fn is: its name in torch.func, its arguments as they are called there, and
        whether it calls at once, here with args and kwargs. None: none that is known."""
        return None

    # ------------------------------------------------------------------ ops that users add
    def spelled(self, op: OpDef) -> Spelled | None:
        """The row of an op that a user added, None where it has none here. Raises ArgumentError."""
        given, imports = op.added.get(self.name), self.style.imports if self.style is not None else {}
        return None if given is None else spelled(given, op.params, self.namespace, imports, partial(named, self))

    def take(self, op: OpDef, made: Spelled) -> None:
        """Take in an op that a user added."""
        self.namespace.update(made.names)
        self._add(Row(op.name, made.text, keep=op.params))
        if made.function is not None:
            self.functions[made.function] = Lift(op.name, op, copies="maybe")
        own = {name: item for name, item in made.names.items() if item is made.function}
        self.printed.update(printed_helpers(own, {op.name: self.templates[op.name]}))
        if made.imports and self.style is not None:
            importing = lambda style: replace(style, imports={**made.imports, **style.imports})
            self.style = importing(self.style)
            self.modes = {key: importing(mode) for key, mode in self.modes.items()}
