"""min() and max() of captured values."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from gfx_ir import ops

from ..heap.aliases import doubt, mutable
from ..interfaces import Capturing
from ..values.number_rows import folded as folded_rows
from ..values.number_rows import rows_kind
from ..values.proxy import HostProxy, Proxy, is_open, weak_kind, widest
from .checks import checked
from .compared import Compared, gfx_compared
from .faults import cannot, is_iterable
from .listed import ListedItems
from .open_iterables import Combined, OpenRange, whole_list
from .rows import StackedRows, kind_of_items, listed_items
from .sequences import folded, is_shape, open_tuple


def minmax(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """min(…) or max(…)."""
    args = (tracer.iteration.drained(args[0]),) if len(args) == 1 else args
    if len(args) == 1 and is_shape(open_tuple(args[0])) and not kwargs:
        return folded(tracer, f.__name__, open_tuple(args[0]))
    key = kwargs.get("key")
    if len(args) == 1 and set(kwargs) <= {"key", "default"} and _is_open_list(tracer, args[0], key):
        whole = _whole(args[0])
        assert whole is not None
        found = partial(_of_list, tracer, f, whole, key)
        some = whole.length(tracer) > 0
        return tracer.truths.ifexp(some, found, lambda: kwargs["default"]) if "default" in kwargs else found()
    if len(args) == 1:
        args = (tracer.overloading.iterable(args[0]),)
        if type(args[0]) is HostProxy and is_iterable(args[0]):
            tracer.python.number(args[0], f"{f.__name__}()")
        if type(args[0]) is HostProxy:
            raise cannot(tracer, args[0], "{} is not iterable")
    items = list(args[0]) if len(args) == 1 and (key is not None or not is_open(args[0])) else list(args)
    if key is not None and items:
        return _by_key(tracer, f, items, key)
    if len(args) == 1 and isinstance(args[0], Proxy):
        rows = args[0]
        of_one_axis(tracer, rows, f.__name__)
        if "default" not in kwargs:
            return _best(f, rows)
        some = tracer.host_values.length(rows) > 0
        return tracer.truths.ifexp(some, lambda: _best(f, rows), lambda: kwargs["default"])
    own = any(tracer.overloading.overloads(type(item)) or type(gfx_compared(item)) is Compared for item in items)
    if not own and not any(map(is_open, items)):
        return tracer.native_methods.run(items, lambda: f(*args, **kwargs))
    best = items[0]
    for item in items[1:]:
        if own or any(isinstance(v, Proxy) for v in (best, item)):
            best = _better(tracer, f, best, item)
        else:
            best = tracer.wrap(tracer.host(f.__name__, tracer.unwrap(best), tracer.unwrap(item)))
    return best


def _is_open_list(tracer: Capturing, x: Any, key: Any) -> bool:
    """Whether x stands for a list of open length, or, where each item has a key, for rows of which the number is open."""
    rows = type(x) is Proxy and key is not None and type(tracer.host_values.length(x)) is not int
    return type(x) in (ListedItems, Combined, OpenRange) or rows


def by_open_keys(
    tracer: Capturing, items: Any, key: Any, reverse: Any, asked: list[Any] | None = None
) -> list[Any] | None:
    """sorted(items, key=key, reverse=reverse), whose keys are only known when the code runs; None where no value holds the items.
    `asked`: the keys, where each item is known."""
    whole = _whole(tracer.iteration.drained(items))
    if whole is None or type(reverse) is not bool:
        return None
    keys = None
    if key is not None:
        of_each = asked
        if of_each is None:
            of_each = tracer.loops.kept(lambda item: tracer.calls.call(key, (item,), {}), lambda item: True, whole)
        if kind_of_items(of_each) is None:
            return None
        keys = listed_items(of_each).rows.read()
    made = Proxy(ops.seq_sorted(whole.rows.read(), keys, reverse), whole.rows.backend)
    doubt(made, [whole.rows], "a list that a loop filled holds it")
    return [ListedItems(made, whole.kind)]


def _whole(items: Any) -> ListedItems | None:
    """Items as one list; None where no value holds them."""
    if type(items) is ListedItems:
        return items
    items = whole_list(items) if type(items) in (Combined, OpenRange) or is_shape(items) else items
    held = [StackedRows(items, rows_kind(items))] if type(items) is Proxy else items
    return listed_items(held) if type(held) in (list, tuple) and kind_of_items(held) is not None else None


def _of_list(tracer: Capturing, f: Any, items: ListedItems, key: Any) -> Any:
    """The first of the items of a list of open length that is least (greatest), or whose key is."""
    checked(tracer, items.length(tracer) > 0, f"{f.__name__}() arg is an empty sequence", "ValueError")
    first, others = items.item(tracer, 0), items.cut(tracer, slice(1, None))

    def step(best: Any, item: Any) -> Any:
        return tracer.truths.ifexp(_before(tracer, f, item, best), lambda: item, lambda: best)

    def step_by_key(best: tuple, item: Any) -> Any:
        ranked = item, tracer.calls.call(key, (item,), {})
        return tracer.truths.ifexp(_before(tracer, f, ranked[1], best[1]), lambda: ranked, lambda: best)

    if key is None:
        return tracer.loops.fold(others, step, first, "best")
    return tracer.loops.fold(others, step_by_key, (first, tracer.calls.call(key, (first,), {})), "best")[0]


def of_one_axis(tracer: Capturing, x: Proxy, name: str) -> None:
    """Python goes over the first axis: of more than one, its items are no numbers, and have no truth."""
    found = getattr(getattr(x.read(), "type", None), "rank", None)
    if found is not None and found > 1:
        raise tracer.error(
            f"GFX cannot convert this {name}() of a tensor of {found} axes: its rows have no order and no truth",
            f"write x.{name}(), or {name}(x.flatten())",
        )
    if found is None:
        tracer.assumed.rank(x.read(), 1)


def _by_key(tracer: Capturing, f: Any, items: list[Any], key: Any) -> Any:
    """The first of the items whose key is least (greatest)."""
    best, rank = items[0], tracer.calls.call(key, (items[0],), {})
    for item in items[1:]:
        found = tracer.calls.call(key, (item,), {})
        less = _before(tracer, f, found, rank)
        then, otherwise = (item, found), (best, rank)
        best, rank = tracer.truths.ifexp(less, lambda then=then: then, lambda otherwise=otherwise: otherwise)
    return best


def _best(f: Any, x: Proxy) -> Proxy:
    """The least (greatest) of a tensor's items: a NaN is neither, unless it comes first and all others are no less."""
    value = x.read()
    known = getattr(value.type, "dtype", None)
    items = (
        value if known is not None and known.kind in "iu" else ops.where(ops.isnan(value), ops.getitem(value, 0), value)
    )
    best = folded_rows(x, Proxy(getattr(ops, f.__name__)(items, 0, one=True), x.backend))
    doubt(best, [x] if mutable(x) else [], f"{f.__name__}() gives one of its argument's items")
    return best


def _before(tracer: Capturing, f: Any, item: Any, best: Any) -> Any:
    """Whether an item is less (greater) than another one, by the author's own operators where they have such."""
    operands = map(gfx_compared, map(tracer.overloading.as_operand, (item, best)))
    return tracer.truths.placed(operator.gt if f is max else operator.lt, *operands)


def _better(tracer: Capturing, f: Any, best: Any, item: Any) -> Any:
    """The item, if it is less (greater) than the best: no minimum(), which hands a NaN on."""
    less = _before(tracer, f, item, best)
    if not _mixed(best, item) or (weak_kind(best) and weak_kind(item)):
        return tracer.truths.ifexp(less, lambda: item, lambda: best)
    chosen = ops.where(tracer.truths.truth(less), tracer.operands.operand(item), tracer.operands.operand(best))
    made = Proxy(chosen, tracer.backend, widest(weak_kind(best), weak_kind(item)))
    doubt(made, [v for v in (best, item) if mutable(v)], f"{f.__name__}() gives one of its arguments")
    return made


def _mixed(*items: Any) -> bool:
    """Whether the items have dtypes that are known to differ: the result is promoted then, as no graph holds either. Of floats of two
    widths that would be another number beside one of Python's, which takes their dtype."""
    types = [getattr(x.read().type, "dtype", None) for x in items if type(x) is Proxy]
    if all(found is not None and found.kind == "f" for found in types):
        return False
    whole = any(found is not None and found.kind in "iub" for found in types)
    return None not in types and (len(set(types)) > 1 or (whole and any(isinstance(x, float) for x in items)))
