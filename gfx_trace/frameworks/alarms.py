"""Settings under which computing raises, calls or tells: a graph only computes, so captured code that makes one is refused."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Callable
from typing import Any

from gfx_ir.errors import GfxError
from gfx_ir.probing import own_attribute

from ..interfaces import Capturing

_HINT = "test the numbers themselves, as in `if np.any(x == 0):`, or capture what it is around"


class Watched:
    """Stands for a manager of a library in a `with`: refused where it makes such a setting."""

    def __init__(self, tracer: Capturing, made: Any) -> None:
        self.tracer, self.made = tracer, made

    def __enter__(self) -> Any:
        before = alarm(self.tracer)
        found = self.made.__enter__()
        set_here = alarm(self.tracer)
        if found is not None and isinstance(self.made, warnings.catch_warnings) and self._warned():
            set_here = "warnings are collected"
        if set_here and set_here != before:
            self.made.__exit__(None, None, None)
            raise _refusal(self.tracer, set_here)
        return found

    def _warned(self) -> bool:
        return self.tracer.backend is not None and self.tracer.backend.warns

    def __exit__(self, *error: Any) -> Any:
        return self.made.__exit__(*error)


def alarm(tracer: Capturing) -> str:
    """What the framework of the captured code does now besides computing; "" is nothing."""
    return "" if tracer.backend is None else tracer.backend.alarm()


def setting(tracer: Capturing, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """A call of a function that changes settings, tried first."""
    before = alarm(tracer)
    with contextlib.nullcontext() if tracer.backend is None else tracer.backend.settings():
        f(*args, **kwargs)
        set_here = alarm(tracer)
    if set_here and set_here != before:
        raise _refusal(tracer, set_here)
    return f(*args, **kwargs)


def decorated(tracer: Capturing, owner: Any) -> None:
    """Before what a library's manager decorates is entered: raises where it makes such a setting."""
    if isinstance(owner, contextlib.ContextDecorator) or not (callable(owner) and _manages(owner)):
        return
    before, set_here = alarm(tracer), owner(lambda: alarm(tracer))()
    if set_here and set_here != before:
        raise _refusal(tracer, set_here)


def entering(tracer: Capturing, f: Callable[..., Any], args: tuple, run: Callable[[], Any]) -> Any:
    """run(), a native call of f: raises where it enters a manager that makes such a setting (`stack.enter_context(manager)`)."""
    for x in (own_attribute(f, "__self__"), *args):
        if _manages(x):
            break
    else:
        return run()
    before, result, set_here = alarm(tracer), run(), alarm(tracer)
    if set_here and set_here != before:
        if own_attribute(f, "__name__") == "__enter__":  # nobody leaves what was entered by name
            (args[0] if args else own_attribute(f, "__self__")).__exit__(None, None, None)
        raise _refusal(tracer, set_here)
    return result


def _manages(x: Any) -> bool:
    return hasattr(type(x), "__enter__")


def _refusal(tracer: Capturing, told: str) -> GfxError:
    return tracer.error(f"GFX cannot convert code under a setting by which {told}: a graph only computes", _HINT)
