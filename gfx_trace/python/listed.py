"""Lists that staged loops fill with tensors of several shapes: values of kind "list" in the graph."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from gfx_ir import ops
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.op import active

from ..heap.aliases import doubt, mutable
from ..interfaces import Capturing
from ..values.proxy import Proxy, Unusable, weak_kind


class ListedItems(Unusable):
    """What stands in a list for all that a staged loop put into it, where the items may have several shapes. Joined or stacked they are
    one tensor; their number is known, and the list can be returned. `rows` holds them, as a value of kind "list"."""

    __slots__ = ("rows",)

    def __init__(self, rows: Proxy) -> None:
        self.rows = rows
        active.builder.record.filled = True
        super().__init__(
            UnsupportedConstruct(
                "GFX cannot use a list in this way that a loop filled with tensors of several shapes", None, _INSTEAD
            )
        )

    def refused(self, tracer: Capturing, what: str, instead: str) -> Exception:
        """The error for what cannot be done to the list, a verb with what belongs to it."""
        return tracer.error(f"GFX cannot {what} a list that a loop filled with tensors of several shapes", instead)

    def cut(self, tracer: Capturing, part: slice) -> ListedItems:
        """These items from one place to another."""
        ends = slice(*map(tracer.unwrap, (part.start, part.stop, part.step)))
        made = Proxy(ops.seq_slice(self.rows.read(), ends), self.rows.backend)
        doubt(made, [self.rows], "a list that a loop filled holds it")
        return ListedItems(made)

    def length(self, tracer: Capturing) -> Any:
        """How many there are."""
        return tracer.wrap(tracer.host("len", self.rows.read()), self.rows.backend)

    def item(self, tracer: Capturing, at: Any) -> Any:
        """The item at a place, a whole number."""
        if weak_kind(at) != "int":
            raise self.error
        found = tracer.wrap(ops.seq_at(self.rows.read(), tracer.unwrap(at)), self.rows.backend)
        if mutable(found):
            doubt(found, [self.rows], "a list that a loop filled holds it")
        return found

    def joined(self, tracer: Capturing, name: str, rest: tuple, kwargs: dict) -> Any:
        """The items as one tensor: what the function `name` makes of them, `rest` and `kwargs`."""
        op = _JOINING.get(name.rpartition(".")[2])
        axis = kwargs.get("dim", kwargs.get("axis", rest[0] if rest else 0))
        if op is None or type(axis) is not int or set(kwargs) - {"dim", "axis"} or len(rest) > 1:
            raise self.refused(tracer, f"apply {name} in this way to", _INSTEAD)
        return tracer.wrap(op(self.rows.read(), axis=axis), self.rows.backend)


def merged(tracer: Capturing, parts: Sequence[Any], backend: Any) -> ListedItems:
    """One list of what is in several parts, each a list (a Proxy of a value of that kind) or a tensor of its own."""
    if len(parts) == 1 and parts[0].value.kind == "list":
        return ListedItems(parts[0])
    made = Proxy(
        functools.reduce(
            ops.seq_concat, [tracer.local(x.read()) if x.value.kind == "list" else (x.read(),) for x in parts]
        ),
        backend,
    )
    doubt(made, [x for x in parts if mutable(x)], "a list that a loop filled holds it")
    return ListedItems(made)


_INSTEAD = "join the items (cat, stack along an axis), or return the list; or give the argument's shape at capture"
_JOINING = {"stack": ops.stack, **dict.fromkeys(("cat", "concat", "concatenate"), ops.concat)}
