"""Parameters of functions, by name: of those that Python compiled they stand in the code, which is read much faster than a signature."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any


def parameter_names(fn: Callable[..., Any]) -> tuple[str, ...]:
    """The names of all parameters, as `inspect.signature` knows them, those that must be named before `*args`. Raises ValueError
    where a function tells none."""
    inner = inspect.unwrap(fn, stop=_tells_itself)
    if type(inner) is not FunctionType or _tells_itself(inner):
        return tuple(inspect.signature(fn).parameters)
    code = inner.__code__
    rest = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + rest]


def _tells_itself(fn: Any) -> bool:
    return hasattr(fn, "__signature__")
