"""Methods of lists that loops filled: what stands for many items keeps its place among those that are known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops

from ..interfaces import Capturing
from ..values.gated import GatedItems
from ..values.number_rows import one_kind
from ..values.proxy import weak_kind
from .listed import ListedItems
from .number_lists import put_row
from .rows import STANDING, StackedRows, behind, head, holds_rows, kind_of_item, listed, listed_items, stands_for

_AT = frozenset(("insert", "pop", "__delitem__", "__setitem__"))


def list_method(tracer: Capturing, items: list[Any], f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """A call of a list's own method that writes, where a staged loop may have filled the list; what it holds is recorded."""
    name = f.__name__
    if name == "sort":
        tracer.journal.record(items, None, "contents", "a container", tracer.span())
        items[:] = tracer.calls.call(sorted, (items,), kwargs)
        return None
    if _of_several(items) or (name in _AT and keeps_places(tracer, items)):
        return _listed_method(tracer, items, f, args, kwargs)
    filled = bool(items) and type(items[0]) is StackedRows
    if filled and name == "reverse" and len(items) == 1 and items[0].rows.read().node.graph is tracer.graph:
        tracer.journal.record(items, None, "contents", "a container", tracer.span())
        items[:] = [stands_for(tracer, ops.flip(items[0].rows.read(), 0), items[0].kind, items[:1])]
        return None
    if filled and name not in ("clear", "append", "extend"):
        listed(tracer, items, name)
        filled = False
    tracer.journal.record(items, None, "contents", "a container", tracer.span())
    result = f(*args, **kwargs)
    if filled and len(items) > 1 and items[0].rows.read().node.graph is tracer.graph:
        added, kind = items[1:], one_kind(items, kind_of_item)
        if kind is None:
            raise tracer.error(
                f"GFX cannot {name} this to a list that a loop filled: its items are the rows of one tensor",
                "keep what is of another kind in a list of its own",
            )
        items[:] = [behind(tracer, items[:1], stands_for(tracer, head(added), kind, added))]
    return result


def keeps_places(tracer: Capturing, items: Any) -> bool:
    """Whether a list or tuple holds what stands for items of which the number is open, so that these cannot be put in their places."""
    if not holds_rows(items) or type(items[0]) is not StackedRows or len(items) > 1:
        return _of_several(items)
    here = items[0].rows.read().node.graph is tracer.graph
    return not here or not isinstance(tracer.host_values.length(items[0].rows), int)


def _of_several(items: Any) -> bool:
    """Whether a list or tuple is of open length, and no tensor of rows."""
    return holds_rows(items) and any(type(x) is ListedItems or type(x) is GatedItems for x in items)


def _listed_method(tracer: Capturing, items: list[Any], f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """`list_method` where it is not known how many items there are: what stands for some of them keeps its place."""
    name = f.__name__
    if name in _AT and not (args and type(args[0]) is slice):
        at = args[0] if args else -1
        if not known_place(items, at, name == "insert"):
            if name == "__setitem__" and put_row(tracer, items, at, args[1]):
                return None
            return spliced_at(tracer, items, at, list(args[1:]), name)
    elif name == "reverse":
        tracer.journal.record(items, None, "contents", "a container", tracer.span())
        items[:] = [
            listed_items([x]).cut(tracer, slice(None, None, -1)) if type(x) in STANDING else x for x in items[::-1]
        ]
        return None
    elif name not in ("append", "extend", "clear", "copy"):
        raise next(x.error for x in items if type(x) in STANDING)
    tracer.journal.record(items, None, "contents", "a container", tracer.span())
    return f(*args, **kwargs)


def known_place(items: Any, key: Any, before: bool = False) -> bool:
    """Whether the place `key` of a list or tuple (the one `before` it) is known, though something in it stands for many items."""
    if type(key) is not int or not -len(items) <= key < len(items) + before:
        return False
    return STANDING.isdisjoint(
        map(type, items[:key] if key >= 0 and before else items[: key + 1] if key >= 0 else items[key:])
    )


def spliced_at(tracer: Capturing, items: list[Any], key: Any, new: list[Any], method: str) -> Any:
    """Put items `new` in the place of the item at a whole number, or before it to `insert`; what `pop` gives. Raises IndexError, when
    the code runs, where nothing is."""
    if weak_kind(key) != "int":
        raise next(x.error for x in items if type(x) in STANDING)
    before, whole, found = method == "insert", listed_items(items), None
    if not before:
        item = whole.item(tracer, key)  # which raises where nothing is
        found = item if method == "pop" else None
    tracer.journal.record(items, None, "contents", "a container", tracer.span())
    items[:] = [*_before(tracer, whole, key), *new, *_behind(tracer, whole, key, 0 if before else 1)]
    return found


def _before(tracer: Capturing, whole: ListedItems, key: Any) -> list[ListedItems]:
    """What stands before a place."""
    return [] if type(key) is int and key == 0 else [whole.cut(tracer, slice(None, key))]


def _behind(tracer: Capturing, whole: ListedItems, key: Any, count: int) -> list[ListedItems]:
    """What stands behind so many items from a place on, which may count from the end."""
    if type(key) is int:
        return [] if key + count == 0 and count else [whole.cut(tracer, slice(key + count, None))]
    rest = whole.cut(tracer, slice(key, None))
    return [rest.cut(tracer, slice(count, None)) if count else rest]


def known_item(items: Any, key: Any) -> Any:
    """items[key] of a list that grows: what this trip appended is known, by its place from the end."""
    if not known_place(items, key):
        raise items[0].error
    return items[key]
