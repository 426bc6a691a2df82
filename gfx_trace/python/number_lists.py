"""Lists that stand as the rows of one tensor: made of one item, and, of Python's numbers, written at open places."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Value
from gfx_ir.op import Trait

from ..heap.aliases import doubt
from ..interfaces import Capturing
from ..values.number_rows import one_kind, wide
from ..values.proxy import Proxy, weak_kind
from .checks import check_place
from .rows import StackedRows, kind_of_item


def filled(tracer: Capturing, item: Any, count: Any) -> list[Any] | None:
    """[item] * count of an open count: the rows of one tensor; None where no tensor holds the item as a row."""
    kind = one_kind([item], kind_of_item)
    if not kind and (type(item) is not Proxy or weak_kind(item)):
        return None
    size = not_negative(tracer, tracer.unwrap(count))
    if kind:
        return [StackedRows(tracer.wrap(ops.full((size,), tracer.unwrap(item), wide(kind)), tracer.backend), kind)]
    rows = tracer.wrap(ops.repeat(ops.expand_dims(item.read(), 0), size, 0), item.backend)
    doubt(rows, [item], "a list holds it several times")
    return [StackedRows(rows)]


def not_negative(tracer: Capturing, count: Value) -> Value:
    """An open count as a size: of fewer than none, none."""
    if count.node.op.traits & Trait.LENGTH:
        return count
    found: Value = tracer.host("max", tracer.host("int", count) if count.kind == "bool" else count, 0)
    return found


def put_row(tracer: Capturing, items: list[Any], key: Any, item: Any) -> bool:
    """items[key] = item of a list that stands for the rows of one tensor; False where that does not hold the item."""
    if len(items) != 1 or type(items[0]) is not StackedRows or not items[0].kind or kind_of_item(item) != items[0].kind:
        return False
    rows = items[0].rows
    check_place(tracer, tracer.host_values.length(rows), key)
    tracer.journal.record(items, None, "contents", "a container", tracer.span())
    put = ops.index_put(rows.read(), tracer.unwrap(key), tracer.unwrap(item))
    items[:] = [StackedRows(tracer.wrap(put, rows.backend), items[0].kind)]
    return True
