"""Functions that get copies of the containers and objects in their arguments, as jax.jit gives them: what they write to these is their own."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from gfx_ir.frontend import Frontend

from ..heap.reached import reached_from
from ..interfaces import Capturing
from ..values.proxy import Proxy


class Copying:
    """What a decorator made of a function in captured code."""

    def __init__(self, function: Callable[..., Any], backend: Frontend) -> None:
        functools.update_wrapper(self, function)
        self._function, self._backend = function, backend

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        found, rebuild = self._backend.flatten((args, kwargs))
        args, kwargs = rebuild(found)
        return self._function(*args, **kwargs)

    def called_in_capture(self, tracer: Capturing, args: tuple, kwargs: dict[str, Any]) -> Any:
        """Call the function with copies."""
        return tracer.calls.call(self._function, *_copied(tracer, self._backend, args, kwargs))


def handed_on(tracer: Capturing, f: Any, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    """The arguments that a wrapper in C gives to what it wraps: the caller's own, or copies of what they hold arrays in, where its
    framework takes them apart; the caller does not see what is written to these."""
    backend = taking_apart(tracer, f)
    return (args, kwargs) if backend is None else _copied(tracer, backend, args, kwargs)


def taking_apart(tracer: Capturing, f: Any) -> Any:
    """The framework whose wrapper, or decorator that makes such, takes its arguments apart; None: no framework's does."""
    return next((backend for backend in tracer.arrays.frameworks() if backend.gives_copies(f)), None)


def _copied(tracer: Capturing, backend: Frontend, args: tuple, kwargs: dict[str, Any]) -> tuple[tuple, dict[str, Any]]:
    given = {id(x) for x in reached_from((args, kwargs))}
    try:
        found, rebuild = backend.flatten((args, kwargs))
        plain = {id(x) for x in (*args, *kwargs.values())}
        copied = lambda x: x if id(x) in plain else tracer.journal.made.note(tracer.wrap(x.read(), x.backend))
        made: tuple[tuple, dict[str, Any]] = rebuild([copied(x) if type(x) is Proxy else x for x in found])
    except (TypeError, ValueError):  # keys that cannot be sorted: no tree of the framework's
        return args, kwargs
    for x in reached_from(made):
        if id(x) not in given:
            tracer.journal.made.note(x)
    return made
