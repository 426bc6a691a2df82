"""Context managers of the user's own: what they do on the way in and out is captured as a call of it would be."""

from __future__ import annotations

import ast
import contextlib
import dis
from types import FunctionType
from typing import Any

from gfx_ir.errors import CaptureError, GfxError
from gfx_ir.probing import closed_over, own_attribute

from ..frameworks.alarms import Watched, decorated
from ..frameworks.grad_managers import chosen, standing_for
from ..interfaces import Capturing
from ..python.faults import cannot
from ..rewrite import definition
from ..rewrite.flow import TRY, yields
from ..rewrite.packages import enterable
from ..values.gated import Gated
from ..values.proxy import is_open
from ..values.raised import Raised, gfx_handlers


class Entered:
    """Stands for a manager in a `with`: both of its methods go through the call hook, and what it may take counts as caught."""

    def __init__(self, tracer: Capturing, made: Any, takes: Any) -> None:
        self.tracer, self.made, self.site = tracer, made, tracer.site
        self.taking = gfx_handlers(lambda: takes) if takes else None

    def __enter__(self) -> Any:
        enter = type(self.made).__enter__
        for method in (enter, type(self.made).__exit__):  # what it sets up stands: it may not be tried first
            if isinstance(method, FunctionType):
                self.tracer.functions.expand(method)
        found = self.tracer.calls.call(enter, (self.made,), {})
        if self.taking:
            self.taking.__enter__()
        return found

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> Any:
        leave = type(self.made).__exit__
        if self.taking:
            self.taking.__exit__(kind, error, traceback)
        if isinstance(error, (GfxError, Raised)):  # a refusal, or the end of a region: not for the manager to take
            with contextlib.suppress(GfxError):
                leave(self.made, kind, error, traceback)
            return False
        self.tracer.site = self.site
        taken = self.tracer.calls.call(leave, (self.made, kind, error, traceback), {})
        if isinstance(error, Exception) and self.tracer.stack and not taken:  # what was kept for it goes on as before
            raise self.tracer.raising.error(error, None)
        return taken


class Managers:
    """The part of the Tracer that enters context managers."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def manager(self, made: Any) -> Any:
        """What a `with` enters in place of `made`: the thing itself, where there is neither source to enter nor anything taken."""
        if isinstance(made, (Entered, Watched)):
            return made
        if type(made) is Gated:
            found = chosen(self.tracer, made)
            if found is None:
                what = "GFX cannot convert this `with`: an open test decides which context manager it enters"
                raise self.tracer.error(what, "write a `with` on each side of the test")
            return found
        standing = standing_for(self.tracer, made)
        if standing is not None:
            return standing
        if type(made) is contextlib._GeneratorContextManager and enterable(made.func):  # made where nothing is captured
            return self._of_generator(made.func, made.args, made.kwds)
        if is_open(made):
            raise cannot(self.tracer, made, "{} does not support the context manager protocol")
        if isinstance(made, contextlib.suppress):
            return Entered(self.tracer, made, vars(made)["_exceptions"])
        enter, leave = (getattr(type(made), name, None) for name in ("__enter__", "__exit__"))
        if enter is None or leave is None:
            return made
        if not (enterable(enter) or enterable(leave)):
            return Watched(self.tracer, made)
        return Entered(self.tracer, made, (Exception,) if _may_take(leave) else ())

    def managed(self, f: FunctionType, args: tuple, kwargs: dict) -> Any:
        """What a call of a library's wrapper around a function gives: of one that a manager decorates, the function's result, with
        the manager entered; under `@contextmanager` a manager, its generator entered. NotImplemented: f is no such wrapper."""
        inner: Any = own_attribute(f, "__wrapped__")
        if not isinstance(inner, FunctionType):
            return NotImplemented
        held = closed_over(f)
        for owner in (own_attribute(item, "__self__", item) for item in held):
            standing = standing_for(self.tracer, owner)
            if standing is not None:
                return standing.calling(inner, args, kwargs)
            decorated(self.tracer, owner)
        if f.__globals__ is not vars(contextlib):
            return NotImplemented
        decorator = next((item for item in held if isinstance(item, contextlib.ContextDecorator)), None)
        if decorator is not None:
            with self.manager(self.tracer.calls.call(decorator._recreate_cm, (), {})):
                return self.tracer.calls.call(inner, args, kwargs)
        return self._of_generator(inner, args, kwargs) if enterable(inner) else NotImplemented

    def _of_generator(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """The manager that a generator function makes, which is entered."""
        made = contextlib.contextmanager(self.tracer.calls.call)(f, args, kwargs)
        return Entered(self.tracer, made, (Exception,)) if _takes_at_yield(f) else made


def _may_take(leave: Any) -> bool:
    """Whether an `__exit__` may give something true, by which an exception ends there."""
    if not isinstance(leave, FunctionType):
        return False
    steps = list(dis.get_instructions(leave))
    given = [step if step.opname == "RETURN_CONST" else before for before, step in zip([None, *steps], steps)
             if step.opname.startswith("RETURN_") and step.opname != "RETURN_GENERATOR"]  # fmt: skip
    return any(step is None or step.opname not in ("LOAD_CONST", "RETURN_CONST") or step.argval for step in given)


def _takes_at_yield(f: FunctionType) -> bool:
    """Whether an except clause of a generator may take what is raised where it waits."""
    try:
        node = definition(f).node
    except CaptureError:
        return True
    return any(isinstance(n, TRY) and n.handlers and any(map(yields, n.body)) for n in ast.walk(node))
