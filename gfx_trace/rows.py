"""Lists that staged loops fill, and what users call a container."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.errors import UnsupportedConstruct

from .journal import Slot
from .proxy import Proxy, Unusable

if TYPE_CHECKING:
    from .tracer import Tracer


class StackedRows(Unusable):
    """What stands in a list that a staged loop filled: one tensor of rows. Whatever does not know it is refused."""

    __slots__ = ("rows",)

    def __init__(self, rows: Proxy) -> None:
        self.rows = rows
        hint = "stack it first, or loop over it"
        super().__init__(
            UnsupportedConstruct("GFX cannot use a list that a loop on tensor data filled in this way", None, hint)
        )


def rows_of(x: Any) -> Any:
    """The tensor of rows that stands for a list which a staged loop filled; anything else as it is."""
    return x[0].rows if type(x) is list and len(x) == 1 and type(x[0]) is StackedRows else x


def joined_rows(tracer: Tracer, name: str, args: tuple, kwargs: dict, again: Callable[[tuple], Any]) -> Any:
    """A call (`again` makes it) on a list that a staged loop filled. Joined its rows are one tensor already; any other call
    gets a list of them."""
    rows, last = args[0][0].rows, name.rpartition(".")[2]
    one = Proxy(rows.read(), rows.backend)  # a tensor of its own
    axis = kwargs.get("dim", kwargs.get("axis", args[1] if len(args) > 1 else 0))
    plain = type(axis) is int and not set(kwargs) - {"dim", "axis"} and len(args) < 3
    if last in ("array", "asarray"):
        return again((one, *args[1:]))
    if plain and last == "stack":
        return one if axis == 0 else tracer.wrap(ops.moveaxis(one.read(), 0, axis), rows.backend)
    if plain and axis == 0 and last in ("cat", "concat", "concatenate"):
        return tracer.wrap(ops.flatten(one.read(), 0, 1), rows.backend)
    if isinstance(tracer.length(rows), int):
        return again((list(rows), *args[1:]))
    raise tracer.error(f"GFX cannot apply {name} to a list that a loop filled, whose length is open", "stack it first")


def called(x: Any, frame: Any) -> str:
    """What the user calls an object: the variable that holds it, in the frame where it is used or in one that called it."""
    while frame is not None:
        found = next((name for name, held in frame.f_locals.items() if held is x and name.isidentifier()), None)
        if found is not None and not frame.f_globals.get("__name__", "").startswith("gfx_trace"):
            return found
        frame = frame.f_back
    return f"a {type(x).__name__}"


def length_error(slot: Slot, where: str, frame: Any) -> UnsupportedConstruct:
    """A list whose length would hang on data."""
    return UnsupportedConstruct(
        f"GFX cannot convert this append to {called(slot.object, frame)!r} {where}: its length would be open", slot.span,
        "write into a tensor of fixed length, or use where or a mask",
    )  # fmt: skip
