"""Arguments of a call, as a lift takes them."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value

from .proxy import Proxy

_SINGLE = frozenset((Proxy, int, float, bool, str, type(None)))


def single_values(args: tuple) -> list[Any] | None:
    """Arguments as a lift takes them, where each is a tensor, a number, a text or None that no test decides; None for any others."""
    if not _SINGLE.issuperset(map(type, args)):
        return None
    values = []
    for x in args:
        if x.__class__ is Proxy:
            x = x.value if x.base is None else x.read()
            if x.__class__ is Value and x.kind == "optional":
                return None
        values.append(x)
    return values
