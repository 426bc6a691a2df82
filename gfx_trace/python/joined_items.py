"""Lists of open length where a framework's function takes them: joined to one tensor, made an array, or as the positions of an index."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import dtypes, ops
from gfx_ir.backend import Backend
from gfx_ir.control import is_given
from gfx_ir.lifting.rows import joined, stacked

from ..interfaces import Capturing
from ..values.either import roots
from ..values.number_rows import WIDE, rows_kind, wide
from ..values.proxy import Proxy
from .listed import JOINING, ListedItems
from .rows import holds_rows, rows_of


def joined_rows(
    tracer: Capturing,
    name: str,
    rows: Any,
    rest: tuple,
    kwargs: dict,
    again: Callable[[tuple], Any],
    owner: Backend | None,
) -> Any:
    """A call (`again` makes it) on what `rows_of` gives for a list, and `rest`. Joined its rows are one tensor already; any other call
    gets a list of them. `owner`: whose function it is."""
    last = name.rpartition(".")[2]
    if type(rows) is ListedItems and not (rows.kind in WIDE and last in _ARRAYS):
        join = lambda: rows.joined(tracer, name, rest, kwargs)
        if last not in _ARRAYS:
            return join()
        return tracer.truths.ifexp(
            rows.length(tracer) > 0, join, lambda: again(([], *rest))
        )  # of none there is one, too
    if type(rows) is ListedItems:
        made = _tensor_of(tracer, rows, _usual(tracer, rows.kind, owner))
        return again((made, *rest)) if rest or kwargs else made
    if kind := rows_kind(rows):
        if isinstance(tracer.host_values.length(rows), int):
            return again((list(rows), *rest))
        own = owner is not None and owner.numbers  # functions of NumPy's make an array of a list themselves
        if last in _ARRAYS or (own and last not in _SIDES and last not in JOINING):
            return again(
                (tracer.wrap(ops.astype(rows.read(), _usual(tracer, kind, owner)), owner or rows.backend), *rest)
            )
        raise tracer.error(
            f"GFX cannot apply {name} to a list of numbers that a loop filled, whose length is open", "append tensors"
        )
    seen = rows.backend is not None and rows.backend.views and _is_callers(rows)
    one = Proxy(ops.copy(rows.read()) if seen else rows.read(), rows.backend)  # a tensor of its own
    axis = kwargs.get("dim", kwargs.get("axis", rest[0] if rest else 0))
    plain = type(axis) is int and not set(kwargs) - {"dim", "axis"} and len(rest) < 2
    if last in ("array", "asarray"):
        return again((one, *rest))
    if plain and last == "stack":
        return one if axis == 0 else tracer.wrap(stacked(one.read(), axis), rows.backend)
    if plain and last in ("cat", "concat", "concatenate"):
        return tracer.wrap(joined(one.read(), axis), rows.backend)
    if isinstance(tracer.host_values.length(rows), int):
        return again((list(rows), *rest))
    axes = tracer.record.rank_of(rows.value)
    if last in _SIDES and axes in (2, 3) and not rest and not kwargs:
        op, axis = _SIDES[last][axes - 2]
        return tracer.wrap(op(one.read(), axis), rows.backend)
    raise tracer.error(
        f"GFX cannot apply {name} to the rows of one tensor: how many there are is open", "stack them first"
    )


_ARRAYS = frozenset(("array", "asarray", "tensor", "as_tensor"))
"""Functions that make an array of a list."""
_SIDES = {
    "vstack": ((stacked, 0), (joined, 0)),
    "hstack": ((joined, 0), (joined, 1)),
    "column_stack": ((stacked, 1), (joined, 1)),
}
"""What functions that join vectors otherwise than matrices do with vectors, and with matrices."""


def _tensor_of(tracer: Capturing, items: ListedItems, dtype: dtypes.DType) -> Proxy:
    """The numbers of a list as a tensor."""
    found: Proxy = tracer.wrap(ops.seq_array(items.rows.read(), dtype), items.rows.backend)
    return found


def numbers_in(tracer: Capturing, items: list) -> Proxy | None:
    """The numbers of a list of which it is open how many there are, as a tensor that is as wide as they are; None for any other list."""
    rows = rows_of(items) if holds_rows(items) else None
    if type(rows) is ListedItems:
        return _tensor_of(tracer, rows, wide(rows.kind)) if rows.kind in WIDE else None
    if type(rows) is not Proxy or (kind := rows_kind(rows)) not in WIDE:
        return None
    return tracer.wrap(ops.astype(rows.read(), wide(kind)), rows.backend)


def _usual(tracer: Capturing, kind: str, owner: Backend | None) -> dtypes.DType:
    """The dtype that a function gives a list of numbers of this kind."""
    return dtypes.default(kind[0], tracer.operands.rules(owner)) if kind != "bool" else dtypes.bool_


def as_positions(tracer: Capturing, index: Any) -> Any:
    """An index of a tensor: a list of whole numbers of which it is open how many there are is a tensor of them."""
    if type(index) is not list or not holds_rows(index):
        return index
    rows = rows_of(index)
    if type(rows) is ListedItems and rows.kind == "int":
        return _tensor_of(tracer, rows, wide(rows.kind))
    if type(rows) is not Proxy or rows_kind(rows) != "int":
        raise tracer.error(
            "GFX cannot index by this list: its length is open", "take a list of whole numbers, or a tensor"
        )
    return rows


def _is_callers(rows: Proxy) -> bool:
    """Whether a tensor lies in memory that the caller has."""
    return any(is_given(root.read().node) for root in roots(rows))
