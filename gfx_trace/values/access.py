"""Access to the local variables of the captured code that a statement or an expression assigns."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple


class Access(NamedTuple):
    """`get` gives what they hold, `set` takes as many values, both in the order of `names`."""

    get: Callable[[], tuple]
    set: Callable[[tuple], None]
    names: tuple[str, ...]

    def beside(self, name: str, get: Callable[[], Any], set_: Callable[[Any], None]) -> Access:
        """The same with one more variable behind them, which these two read and write."""

        @wraps(self.get)
        def get_all() -> tuple:
            return (*self.get(), get())

        def set_all(values: tuple) -> None:
            self.set(values[:-1])
            set_(values[-1])

        return Access(get_all, set_all, (*self.names, name))


NOTHING = Access(lambda: (), lambda values: None, ())
"""That of code that assigns none."""
