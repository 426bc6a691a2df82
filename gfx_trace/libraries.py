"""Libraries that are built on a framework: a call into one that cannot be entered goes through the framework's own tracer, as a whole.

That holds for frameworks whose arrays nothing writes (JAX): there a call is told by what it takes and gives. The call is the outermost
one, which the user's code makes; what is made beneath it may hold what only it knows (a scope, a stack of frames).
"""

from __future__ import annotations

import functools
import types
from collections.abc import Callable
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import GfxError, UnsupportedConstruct
from gfx_ir.probing import own_attribute
from gfx_ir.source import Span

from .attempts import attempt
from .called import called_name
from .flavour import builds_on
from .interfaces import Capturing
from .making import whole
from .raised import Raised


class _Neither(UnsupportedConstruct):
    """A call that cannot be entered, and that the framework's own tracer does not take apart."""

    def __init__(self, owner: Backend, f: Any, refused: Exception, error: Exception, span: Span | None) -> None:
        inner = f" ({refused.span.place()})" if isinstance(refused, GfxError) and refused.span is not None else ""
        why, also = _why(refused), _why(error)
        hint = f"{owner.name.upper()}'s own tracer takes such a call apart, but not this one{f': {also}' if also != why else ''}"
        super().__init__(f"GFX cannot enter this call of {called_name(f)}: {why}{inner}", span, hint)


class Libraries:
    """The calls of one capture into such libraries."""

    def __init__(self, tracer: Capturing, recorded: Callable[..., Any]) -> None:
        self._tracer, self._record = tracer, recorded
        self._within = False  # one of these calls

    def builds(self, f: Any) -> bool:
        """Whether a callable is of such a library."""
        return self._owner(f) is not None

    def call(self, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any]) -> Any:
        """A call of f, which work() enters, or runs as it is."""
        owner = None if self._within else self._owner(f)
        if owner is None:
            return work()
        tracer, site = self._tracer, self._tracer.site
        self._within, refusals, shown = True, tracer.python.refusals, tracer.python.shown_values
        try:
            return attempt(tracer, lambda mark: whole(mark, work()))
        except Raised:
            raise
        except Exception as error:
            tracer.site, tracer.python.refusals, tracer.python.shown_values = site, refusals, shown
            return self._recorded(owner, f, args, kwargs, error)
        finally:
            self._within = False

    def _recorded(self, owner: Backend, f: Any, args: tuple, kwargs: dict, refused: Exception) -> Any:
        """The call as the framework's own tracer has it. Raises what refused it where that cannot take it either."""
        tracer, site = self._tracer, self._tracer.site
        work = functools.partial(self._record, tracer, owner, f, args, kwargs)
        try:
            return attempt(
                tracer, lambda mark: whole(mark, tracer.effects.watched(work, (f, args, kwargs), (), {}, deep=-1))
            )
        except Exception as error:
            tracer.site = site
            if type(error) is type(refused) and not isinstance(error, GfxError):
                raise refused from None  # it is what the code raises
            raise _Neither(owner, f, refused, error, tracer.place()) from None

    def _owner(self, f: Any) -> Backend | None:
        """The framework that the library of a callable is built on."""
        module = f.__globals__.get("__name__", "") if isinstance(f, types.FunctionType) else type(f).__module__
        owner = builds_on(module)
        return owner if owner is self._tracer.backend else None


def _why(error: Exception) -> str:
    """What an error says, in a clause."""
    if not isinstance(error, GfxError):
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    why = own_attribute(error, "why")
    return error.what.removeprefix("GFX ") if why is None else f"{why}; {error.hint}"
