"""A row of the page: a function, what it shows, and arguments that it is captured with and run on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Construct:
    """`args`: data that the results are compared on; `typed`: the capture is given them, else nothing at all; `refused`: the
    capture is an error; `shown`: what the page prints besides `fn` (helpers, classes); `max_trips`: given to JAX."""

    title: str
    fn: Callable[..., Any]
    args: tuple = ()
    flavour: str = "torch"
    typed: bool = False
    refused: bool = False
    note: str = ""
    shown: tuple = ()
    max_trips: int | None = None


@dataclass
class Rows:
    """The rows of one chapter; called as a decorator it adds one."""

    rows: list[Construct] = field(default_factory=list)

    def __call__(self, title: str, *args: Any, **facts: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        def add(fn: Callable[..., Any]) -> Callable[..., Any]:
            self.rows.append(Construct(title, fn, args, **facts))
            return fn

        return add
