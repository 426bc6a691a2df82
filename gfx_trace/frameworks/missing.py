"""Calls without a row: the capture goes on behind them, so that all of them are named at once, and fails at its end."""

from __future__ import annotations

from typing import Any

from gfx_ir.errors import MissingOp, listed
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..values.proxy import Proxy, is_open

_HINT = "`gfx ops` lists what is covered; gfx.register adds an op"


def stand_in(tracer: Capturing, name: str, args: Any, reason: str = "") -> Any:
    """Note a call that has no row and cannot be kept as it is; what stands for its result until the capture fails: one of
    its arguments."""
    tracer.missing.setdefault(f"{name} ({reason})" if reason else name, tracer.span())
    found = next(leaf for leaf in leaves(args) if is_open(leaf))
    return Proxy(found.read(), found.backend) if isinstance(found, Proxy) else found


def refuse_missing(tracer: Capturing) -> None:
    """Raise MissingOp where the code made calls without a row. What else went wrong behind the first may follow from it."""
    if len(tracer.missing) == 1:
        ((name, span),) = tracer.missing.items()
        raise MissingOp(f"GFX has no row for {name}", span, _HINT) from None
    if tracer.missing:
        named = [f"{name} [{span.place()}]" if span is not None else name for name, span in tracer.missing.items()]
        raise MissingOp(f"GFX has no row for{listed(named)}", hint=_HINT) from None
