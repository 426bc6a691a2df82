"""Libraries that are built on a framework: a call into one that cannot be entered goes through the framework's own tracer, as a whole.

That holds for frameworks whose arrays nothing writes (JAX): there a call is told by what it takes and gives. The call is the outermost
one, which the user's code makes; what is made beneath it may hold what only it knows (a scope, a stack of frames). Of a target that makes
such a call, or uses what a library made otherwise than it can be captured, the whole goes there first: so runs what jax.jit compiles.
"""

from __future__ import annotations

import functools
import io
import types
from collections.abc import Callable
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any, TypeVar

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.errors import GfxError, MissingOp, UnsupportedConstruct
from gfx_ir.probing import own_attribute
from gfx_ir.source import Span
from gfx_ir.types import LogicalTensor

from ..heap.framework_state import drawn, states
from ..interfaces import Capturing
from ..python.attempts import attempt
from ..values.called import called_name
from ..values.flavour import builds_on
from ..values.raised import Raised
from .making import whole

T = TypeVar("T")


@dataclass
class Route:
    """What goes through a framework's own tracer: the `whole` target; or, call by call, what cannot be entered (`each`); else nothing.
    `met`: whether a library was called."""

    whole: bool = False
    each: bool = False
    met: bool = False


class NotEntered(UnsupportedConstruct):
    """A call of a library that cannot be entered, where that is a reason to take another route."""


class Routes:
    """The captures of one target: each takes the first route on which nothing is refused. Behind one that went through the framework's
    own tracer, the same again."""

    def __init__(self) -> None:
        self._taken: Route | None = None

    def routed(self, work: Callable[[Route], T]) -> T:
        """What work(route) gives."""
        if self._taken is not None:
            return work(Route(self._taken.whole, self._taken.each))
        route = Route()
        try:
            found = work(route)
        except Exception as error:
            if not route.met:
                raise
            refused = error
            self._taken, found = _other(work, refused)
        return found


def _other(work: Callable[[Route], T], refused: Exception) -> tuple[Route, T]:
    """The route of a target that cannot be entered as it is, and what work(route) gives."""
    route = Route(whole=True)
    try:
        return route, work(route)
    except MissingOp as error:  # the framework's own tracer took all of it apart: this is what is missing
        lacking: Exception | None = error
    except Exception:  # of whatever kind: the error that tells of the author's code is the other one
        lacking = None
    if not isinstance(refused, NotEntered):
        raise refused
    route = Route(each=True)
    try:
        return route, work(route)
    except _Neither as error:
        raise lacking or error from None


class _Neither(UnsupportedConstruct):
    """A call that cannot be entered, and that the framework's own tracer does not take apart."""

    def __init__(self, owner: Backend, f: Any, refused: Exception, error: Exception, span: Span | None) -> None:
        inner = f" ({refused.span.place()})" if isinstance(refused, GfxError) and refused.span is not None else ""
        why, also = _why(refused), _why(error)
        hint = f"{owner.name.upper()}'s own tracer takes such a call apart, but not this one{f': {also}' if also != why else ''}"
        super().__init__(f"GFX cannot enter this call of {called_name(f)}: {why}{inner}", span, hint)
        self.within = own_attribute(error, "within")


class Libraries:
    """The calls of one capture into such libraries."""

    def __init__(self, tracer: Capturing, recorded: Callable[..., Any]) -> None:
        self._tracer, self._record = tracer, recorded
        self._within = False  # one of these calls
        self._told = io.StringIO()  # what such a call prints while it is traced
        self._sized = False  # whether all sizes there are fixed
        self.route = Route(each=True)

    def builds(self, f: Any) -> bool:
        """Whether a callable is of such a library."""
        return self._owner(f) is not None

    def meets(self, *objects: Any) -> None:
        """Note that one of these objects, which captured code uses as it cannot be captured, is of such a library, if it is."""
        self.route.met |= any(map(self.builds, objects))

    def leaves(self) -> None:
        """Note that what cannot be given to the framework's own tracer by itself may be part of the whole target there, as an open size,
        or what a loop gives."""
        self.route.met = True

    def begins(self, types_: list[LogicalTensor]) -> None:
        """A run of such a call begins, on arrays of these types: the first, or one that takes the place of the last."""
        self._told.seek(0)
        self._told.truncate()
        self._sized = all(isinstance(size, int) for type_ in types_ for size in type_.dims or ())

    def target(self, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any]) -> Any:
        """The call of the target, which work() enters."""
        library, owner = self._owner(f), self._tracer.backend
        if library is not None and not self.route.whole:
            return self._tried(library, f, args, kwargs, work)
        if not self.route.whole or owner is None or owner.views:
            return work()
        self._within = True
        return self._made(owner, f, args, kwargs)

    def call(self, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any], alike: bool = False) -> Any:
        """A call of f, which work() enters, or runs as it is; `alike`: code in Python that cannot be entered is as a library's."""
        owner = None if self._within else self._owner(f)
        if owner is None and alike and not self._within and self._tracer.backend is not None:
            owner = None if self._tracer.backend.views else self._tracer.backend
        if owner is None:
            return work()
        self.route.met = True
        if self.route.whole:  # of a target that the framework itself has wrapped, or that is of none
            self._within = True
            try:
                return self._made(owner, f, args, kwargs)
            finally:
                self._within = False
        return self._tried(owner, f, args, kwargs, work)

    def _tried(self, owner: Backend, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any]) -> Any:
        """A call of f, which work() enters; where that is refused, as the framework's own tracer has it."""
        tracer, site = self._tracer, self._tracer.site
        self._within, refusals, shown = True, tracer.python.refusals, tracer.python.shown_values
        try:
            if (why := owner.not_entered.get(called_name(f))) is not None:
                raise MissingOp(why)
            return attempt(tracer, lambda mark: whole(mark, work()))
        except Raised:
            raise
        except Exception as error:
            tracer.site, tracer.python.refusals, tracer.python.shown_values = site, refusals, shown
            if self.route.met and not self.route.each:
                raise NotEntered(
                    f"GFX cannot enter this call of {called_name(f)}", tracer.place(), _why(error)
                ) from error
            return self._recorded(owner, f, args, kwargs, error)
        finally:
            self._within = False

    def _recorded(self, owner: Backend, f: Any, args: tuple, kwargs: dict, refused: Exception) -> Any:
        """The call as the framework's own tracer has it. Raises what refused it where that cannot take it either."""
        tracer, site = self._tracer, self._tracer.site
        try:
            return self._made(owner, f, args, kwargs)
        except Exception as error:
            tracer.site = site
            if type(error) is type(refused) and not isinstance(error, GfxError):
                raise refused from None  # it is what the code raises
            raise _Neither(owner, f, refused, error, tracer.place()) from None

    def _made(self, owner: Backend, f: Any, args: tuple, kwargs: dict) -> Any:
        """The call as the framework's own tracer has it."""
        tracer, roots = self._tracer, (f, args, kwargs)
        work = functools.partial(self._record, tracer, owner, f, args, kwargs, free=True)
        watched = functools.partial(tracer.effects.watched, work, roots, (), {}, deep=-1)
        before = states(roots)
        with redirect_stdout(self._told):
            made = attempt(tracer, lambda mark: whole(mark, watched()))
        self._print(owner, f, self._told.getvalue())
        generator = drawn(before)
        if generator is not None:
            raise tracer.objects.outside_generator(type(generator).__name__)
        return made

    def _print(self, owner: Backend, f: Any, told: str) -> None:
        """What the call printed while it was traced is printed by each call, where it is the same in each."""
        if told and (not self._sized or owner.shows_traced(told)):
            what = f"GFX cannot capture this call of {called_name(f)}: it prints, once, while {owner.name.upper()} traces it"
            raise self._tracer.error(what, "jax.debug.print prints at each call; or print what the call gives")
        for line in told.splitlines(keepends=True):
            ops.print((line.removesuffix("\n"),), line[len(line.removesuffix("\n")) :], "stdout")

    def _owner(self, f: Any) -> Backend | None:
        """The framework that the library of a callable is built on."""
        if self._tracer.backend is None or self._tracer.backend.views:
            return None
        module = f.__globals__.get("__name__", "") if isinstance(f, types.FunctionType) else type(f).__module__
        owner = builds_on(module)
        return owner if owner is self._tracer.backend else None


def _why(error: Exception) -> str:
    """What an error says, in a clause."""
    if not isinstance(error, GfxError):
        return f"{type(error).__name__}: {error}".partition("\n")[0]
    why = own_attribute(error, "why")
    return error.what.removeprefix("GFX ") if why is None else f"{why}; {error.hint}"
