"""Tuples and lists of known length that hold open whole numbers, as shapes of known rank do."""

from __future__ import annotations

import math
from typing import Any

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy
from .sequences import is_whole, joined


def holds_open_sizes(x: Any) -> bool:
    """Whether x is a tuple or list of known length of whole numbers of which some are open."""
    return (
        type(x) in (tuple, list)
        and HostProxy in map(type, x)
        and all(is_whole(item) and type(item) is not Proxy for item in x)
    )


def method_of_sizes(tracer: Capturing, x: Any, name: str) -> Any:
    """A method of a tuple or list of open whole numbers that compares or combines what is in it; None where it has none."""
    if name not in ("index", "count", "numel"):
        return None
    if name == "numel" and type(x) is tuple and all(type(item) is int for item in x):
        return lambda: math.prod(x)
    if not holds_open_sizes(x):
        return None
    return getattr(HostProxy(joined(tracer, x).value, tracer.backend), name)
