"""Effects on the world."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.ops.effect import error_names

from ._lift import expect, refuse


def _debug_print(fmt: str, *args: Any, ordered: bool = False, **kwargs: Any) -> Any:
    """jax.debug.print of a format whose fields are plain: `{}` in turn, or `{name}`."""
    kwargs.pop("partitioned", None)
    expect("jax.debug.print", "ordered", ordered, False, True)
    items, rest, values = [], fmt, list(args)
    while "{" in rest:
        text, _, rest = rest.partition("{")
        field, _, rest = rest.partition("}")
        if text.strip():
            items.append(text.strip())
        if field and field not in kwargs:
            refuse("jax.debug.print", fmt=fmt)
        items.append(kwargs[field] if field else values.pop(0))
    if rest.strip():
        items.append(rest.strip())
    ops.print(tuple(items))


def _print_spelling(args: SimpleNamespace) -> str:
    return f'jax.debug.print("{" ".join(["{}"] * len(args.args))}", *args)'


ROWS = (
    Row("print", _print_spelling, {"jax.debug.print": _debug_print}),
    Row("check", lambda a: f"check(pred, message, {error_names(a.error)[0]})"),
)
