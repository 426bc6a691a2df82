"""Arity: how many arguments builtins take. Python itself says what is wrong with a call that has others."""

from __future__ import annotations

import functools
import inspect
import math
from collections.abc import Callable
from typing import Any

_NONE, _SOME = False, True
_UNTOLD: dict[Any, tuple[float, float, bool]] = {
    getattr: (2, 3, _NONE), next: (1, 2, _NONE), iter: (1, 2, _NONE), map: (2, math.inf, _NONE), filter: (2, 2, _NONE),
    range: (1, 3, _NONE), functools.reduce: (2, 3, _NONE), math.log: (1, 2, _NONE), math.hypot: (0, math.inf, _NONE),
    bool: (0, 1, _NONE), min: (1, math.inf, _SOME), max: (1, math.inf, _SOME), zip: (0, math.inf, _SOME),
}  # fmt: skip
"""At least, at most, whether by name: of those that have no signature to be asked for."""


def fits(f: Callable[..., Any], args: tuple, kwargs: dict) -> bool:
    """Whether a builtin takes so many arguments, as far as that is told."""
    least, most, named = _arity(f)
    return len(args) <= most and (len(args) >= least or (named and bool(kwargs))) and (named or not kwargs)


@functools.cache
def _arity(f: Callable[..., Any]) -> tuple[float, float, bool]:
    if f in _UNTOLD:
        return _UNTOLD[f]
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return 0, math.inf, True
    placed = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    several = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    named = any(p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY, p.VAR_KEYWORD) for p in parameters)
    return sum(p.default is p.empty for p in placed), math.inf if several else len(placed), named
