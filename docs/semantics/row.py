"""What a row of the page is: a function of PyTorch's, arguments, and how GFX keeps what it means."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Meaning:
    """`fn` on `args`; `naive` is what one would write in JAX, and gives something else; `note` says how the meaning is kept.

    `gradient`: it is the gradient that is compared. `typed`: captured for the arguments' types. `x64`: JAX is set to 64-bit
    types. `raises`: the targets in which it raises an error, as PyTorch does; `other`: those that give something else, of which
    the note tells.
    """

    title: str
    fn: Callable[..., Any]
    args: tuple
    note: str
    naive: Callable[..., Any] | None = None
    gradient: bool = False
    typed: bool = False
    x64: bool = False
    raises: tuple[str, ...] = ()
    other: tuple[str, ...] = ()


@dataclass
class Table:
    """Collects rows: a decorator puts a function among them."""

    rows: list[Meaning] = field(default_factory=list)

    def __call__(self, title: str, *args: Any, note: str, **flags: Any) -> Callable[[Any], Any]:
        """Put the function below on the page."""

        def add(fn: Any) -> Any:
            self.rows.append(Meaning(title, fn, args, note, **flags))
            return fn

        return add
