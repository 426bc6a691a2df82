"""Effects on the world."""

from __future__ import annotations

import string
import sys
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.op import active
from gfx_ir.ops.effect import error_names, print_options

from ..deferred import check_call, print_call
from ._lift import expect, refuse


def _debug_print(fmt: str, *args: Any, ordered: bool = False, **kwargs: Any) -> Any:
    """jax.debug.print of a format: `{}` in turn, `{0}` or `{name}`, each with a conversion and a format of its own."""
    kwargs.pop("partitioned", None)
    expect("jax.debug.print", "ordered", ordered, False, True)
    ops.print(_printed(fmt, args, kwargs))


def print_to(text: str, *values: Any, end: str = "\n", file: Any = None) -> None:
    """The helper of this name in emitted source."""
    ops.print(_printed(text, values, {}), end, "stderr" if file is sys.stderr else "stdout")


def _printed(fmt: str, args: tuple, kwargs: dict[str, Any]) -> tuple:
    """What Python's print is given for a format."""
    pieces: list[Any] = []
    values = iter(args)
    for literal, field, spec, conversion in string.Formatter().parse(fmt):
        pieces += [literal] if literal else []
        if field is None:
            continue
        if "{" in (spec or "") or not (field == "" or field.isdigit() or field in kwargs):
            refuse("jax.debug.print", fmt=fmt)
        value = kwargs[field] if field in kwargs else args[int(field)] if field else next(values)
        pieces.append((value, conversion or "", spec) if conversion or spec else value)
    return _items(pieces) or (active.builder.host("format", *pieces),)


def _items(pieces: list[Any]) -> tuple | None:
    """What print takes apart, where nothing but spaces stands between values and texts; None where that is not so."""
    items: list[Any] = []
    for at, piece in enumerate(pieces):
        if type(piece) is tuple:
            return None
        if type(piece) is not str:
            items.append(piece)
            continue
        inner = piece[1:] if at else piece
        inner = inner[:-1] if at + 1 < len(pieces) else inner
        if (at and piece[0] != " ") or (at + 1 < len(pieces) and piece[-1] != " "):
            return None
        items += [inner] if piece != " " else []
    touching = any(type(a) is not str and type(b) is not str for a, b in pairwise(pieces))
    return None if touching else tuple(items)


def _print_spelling(args: SimpleNamespace) -> str:
    """In the order of the code: callbacks without one come in any."""
    options = print_options(args)
    text = f'"{" ".join(["{}"] * len(args.args))}", *args'
    return f"print_to({text}{options})" if options else f"jax.debug.print({text}, ordered=True)"


ROWS = (
    Row("print", _print_spelling, {"jax.debug.print": _debug_print}, finish=print_call),
    Row("check", lambda a: f"check(pred, message, {error_names(a.error)[0]})", finish=check_call),
)
