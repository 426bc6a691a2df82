"""The end of a region by a raise, and the except clauses around one."""

from __future__ import annotations

import builtins
import sys
from collections.abc import Callable
from typing import Any

from gfx_ir.errors import GfxError
from gfx_ir.op import active
from gfx_ir.ops.effect import EXCEPTIONS

from .gated import gate_of
from .here import here

INSTEAD_OF_CATCHING = "test before the `try`, or let the exception leave the function; where the test asks for a size, give the argument's shape"
"""What to do where an except clause may take what is raised when the code runs."""
INSTEAD_OF_WAITING = (
    "test before the `try`, or let the exception leave the function; where shapes decide, give them at capture"
)
"""What to do where an except clause may take what a framework raises when the code runs."""
OF_FIXED_PARTS = (LookupError, ValueError, ArithmeticError, StopIteration, StopAsyncIteration)
"""What code in C raises for what it knows: a captured value that it asked would have raised an error of ours."""


class Raised(BaseException):
    """A rewritten `raise` was reached under an open test: the region ends here."""

    def __init__(self, error: BaseException, span: Any, args: tuple, around: int) -> None:
        """`args`: what the exception was made with, as ops take it; `around`: so many try statements may still take it."""
        self.error, self.span, self.around = error, span, around
        self.told = args if len(args) > 1 or (args and type(args[0]) is tuple) else args[0] if args else ""


def error_text(cls: type[BaseException], known: dict[str, type]) -> str:
    """What a check calls an exception class, which is noted in `known` if it is the author's own.

    One that takes its arguments in a way of its own is noted as a class derived from it, which takes what was made of them.
    """
    base = next((c for c in cls.__mro__ if c.__module__ == "builtins" and c.__name__ in EXCEPTIONS), RuntimeError)
    if cls is base or cls.__new__ is not base.__new__ or hasattr(builtins, cls.__name__):
        return base.__name__
    found = known.get(cls.__name__)
    if found is None:
        found = known[cls.__name__] = cls if cls.__init__ is base.__init__ else _made(cls, base)
    return f"{base.__name__}.{cls.__name__}" if cls in (found, found.__base__) else base.__name__


def _made(cls: type, base: type) -> type:
    """A class derived from an exception class, which takes its arguments as the builtin does."""
    kept = {name: getattr(cls, name) for name in ("__module__", "__qualname__", "__doc__")}
    return type(cls.__name__, (cls,), {**kept, "__init__": base.__init__})


class gfx_handlers:
    """Around the body of a `try` with `except` clauses; `kinds()`: what they catch; `clauses`: functions of those that end with a
    raise in any case, None for others. `depth`: how many regions were there."""

    def __init__(self, kinds: Callable[[], Any], clauses: tuple[Callable[[Any], None] | None, ...] = ()) -> None:
        self.kinds, self.clauses, self.depth = kinds, clauses, 0

    def __enter__(self) -> None:
        self.depth = len(active.builder.stack)
        active.builder.raising.handlers.append(self)

    def clause(self, error: BaseException) -> Callable[[Any], None] | None:
        """The function of the clause that takes an error."""
        return next((f for kind, f in zip(self.kinds(), self.clauses) if isinstance(error, kind)), None)

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        tracer = active.builder
        tracer.raising.handlers.pop()
        if (
            error is not None
            and error is tracer.regions.escaped
            and not isinstance(error, GfxError)
            and isinstance(error, self.kinds())
        ):
            what = f"GFX cannot convert this try: {kind.__name__} is raised under a traced test, and an except clause may catch it"
            raise tracer.error(what, INSTEAD_OF_CATCHING) from error


def gfx_raise(error: Any, cause: Any = None) -> BaseException:
    """The exception that `raise error from cause` raises; under an open test, the end of a region. Of several, each on its way."""
    tracer = here()
    chosen = next((x for x in (error, cause) if gate_of(x) is not None), None)
    if chosen is None:
        return tracer.raising.error(error, cause)

    def raises(side: Any) -> None:
        raise gfx_raise(*(side if x is chosen else x for x in (error, cause)))

    tracer.gates.resolve(chosen, raises, value=False)
    raise AssertionError("a test that raises on both sides ends what it stands in")


def gfx_raise_again() -> None:
    """Before a bare `raise`: under an open test it is the end of a region."""
    error = sys.exception()
    if isinstance(error, Exception) and not isinstance(error, GfxError):
        found = here().raising.error(error, None)
        if found is not error:
            raise found
