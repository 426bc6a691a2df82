"""Access to the local variables of the captured code that a statement or an expression assigns.

Names of the user's are identifiers. What is named otherwise is not: variables that the rewriter or the tracer adds beside the user's,
which must never be taken for them, and values that have no name of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, NamedTuple

from ..rewrite.names import own_name

A_VALUE = "a value"
"""What an error calls a value that no variable holds."""


def said(name: str) -> str:
    """How an error says it; what the rewriter keeps a returned value in has no name of the user's."""
    return repr(name) if name.isidentifier() else "what is returned" if name.startswith(own_name("")) else name


class Access(NamedTuple):
    """`get` gives what they hold, `set` takes as many values, both in the order of `names`. `even`: a trip of a loop leaves tensors
    of the shapes that it found, as JAX asks of its loops."""

    get: Callable[[], tuple]
    set: Callable[[tuple], None]
    names: tuple[str, ...]
    even: bool = False

    def beside(self, name: str, get: Callable[[], Any], set_: Callable[[Any], None]) -> Access:
        """The same with one more variable behind them, which these two read and write. It has this name if none of them has,
        else one that none has: what a loop carries is known by it."""

        @wraps(self.get)
        def get_all() -> tuple:
            return (*self.get(), get())

        def set_all(values: tuple) -> None:
            self.set(values[:-1])
            set_(values[-1])

        while name in self.names:
            name = own_name(name)
        return Access(get_all, set_all, (*self.names, name), self.even)


class Stop(NamedTuple):
    """What ends a loop from within: whether it does now, the flags that jumps set, and what holds the values that a return out of it
    gives, which is not read before."""

    test: Callable[[], Any]
    flags: tuple[str, ...]
    returned: tuple[str, ...]

    def __call__(self) -> Any:
        return self.test()


NOTHING = Access(lambda: (), lambda values: None, ())
"""That of code that assigns none."""
