"""Construction: what a call of a class makes, its own `__new__` and `__init__` entered, so that what they compute is recorded."""

from __future__ import annotations

import functools
import types
from typing import Any

from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..objects.attributes import own_function
from ..rewrite.packages import enterable
from ..values.proxy import is_open
from .native import run_native
from .records import generated, initialise, initialised


def construct(tracer: Capturing, cls: type, args: tuple, kwargs: dict) -> Any:
    """Make an object; its own __init__ is entered, so that what it computes is recorded."""
    init = cls.__init__
    if isinstance(init, types.FunctionType) and issubclass(cls, BaseException):
        return _construct_error(tracer, cls, init, args, kwargs)
    own = own_function(cls.__new__) is not None or own_function(init) is not None or generated(init)
    if own and type(cls).__call__ is type.__call__ and not issubclass(cls, BaseException):
        return made_of(tracer, cls, args, kwargs)
    by = own_function(type(cls).__call__) if own else None
    work = functools.partial(run_native, tracer, cls, args, kwargs)
    if by is not None and tracer.backend is not None and tracer.backend.views:
        work = functools.partial(tracer.calls.call, by, (cls, *args), kwargs)
    return tracer.libraries.call(cls, args, kwargs, work, alike=by is not None)


def made_of(tracer: Capturing, cls: Any, args: tuple, kwargs: dict) -> Any:
    """What a class of the user's own makes, its `__new__` and `__init__` entered."""
    new = cls.__new__
    if own_function(new) is not None:
        made = tracer.calls.call(new, (cls, *args), kwargs)
    else:
        made = _new(tracer, cls) if new is object.__new__ else run_native(tracer, new, (cls, *args), kwargs)
    init = type(made).__init__
    record = initialised(init, (made,)) if isinstance(made, cls) else None
    if record is not None:
        initialise(tracer, record, init, (made, *args), kwargs, new=True)
    elif isinstance(made, cls) and init is not object.__init__:
        tracer.calls.call(init, (made, *args), kwargs)
    return made


def _new(tracer: Capturing, cls: Any, *args: Any, **kwargs: Any) -> Any:
    return tracer.journal.made.note(cls.__new__(cls, *args, **kwargs))


def _construct_error(tracer: Capturing, cls: type, init: types.FunctionType, args: tuple, kwargs: dict) -> Any:
    """An exception; a class of the user's own may put captured data into its text."""
    if not enterable(init) or not any(map(is_open, leaves((args, kwargs)))):
        return run_native(tracer, cls, args, kwargs)
    made = _new(tracer, cls, *args, **kwargs)
    tracer.calls.call(init, (made, *args), kwargs)
    return made
