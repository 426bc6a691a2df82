"""The end of a region by a raise."""

from __future__ import annotations

import builtins
from typing import Any

from gfx_ir.ops.effect import EXCEPTIONS


class Raised(BaseException):
    """A rewritten `raise` was reached under an open test: the region ends here."""

    def __init__(self, error: BaseException, span: Any) -> None:
        self.error, self.span = error, span

    @property
    def told(self) -> Any:
        """What the exception was made with: its message, or the tuple of several arguments."""
        args = self.error.args
        return args if len(args) > 1 or (args and type(args[0]) is tuple) else args[0] if args else ""


def error_text(cls: type[BaseException], known: dict[str, type]) -> str:
    """What a check calls an exception class, which is noted in `known` if it is the author's own.

    One that takes its arguments in a way of its own is raised as the builtin that it derives from.
    """
    base = next((c for c in cls.__mro__ if c.__module__ == "builtins" and c.__name__ in EXCEPTIONS), RuntimeError)
    plain = cls.__init__ is base.__init__ and cls.__new__ is base.__new__
    if cls is base or not plain or hasattr(builtins, cls.__name__) or known.setdefault(cls.__name__, cls) is not cls:
        return base.__name__
    return f"{base.__name__}.{cls.__name__}"
