"""Python's builtins on captured values."""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import itertools
import math
import operator
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.python_numbers import FUNCTIONS, OPEN
from gfx_ir.trees import leaves

from ..control.endless import endless
from ..heap.makers import COMBINED
from ..heap.slots import stored_attribute
from ..interfaces import Capturing
from ..objects.deciding_items import any_all
from ..objects.iterating_calls import (
    chained,
    combine,
    container,
    filtered,
    iterator,
    mapped,
    next_item,
    reduced,
)
from ..objects.special_methods import FUNCTIONS as SPECIAL_FUNCTIONS
from ..python.arity import fits
from ..python.best import by_open_keys, minmax
from ..python.classes import attribute_name, has_attribute, is_instance, type_of
from ..python.faults import no_operator
from ..python.identity import identity
from ..python.listed import ListedItems
from ..python.open_iterables import OpenRange, is_open_iterable
from ..python.plain import cast, on_math, on_pow, on_round
from ..python.rows import Lazy, rows_of
from ..python.sequences import folded, is_shape, joined, open_tuple
from ..python.sizes import holds_open_sizes
from ..python.texts import formatted, str_or_repr
from ..python.told import value_of
from ..values.gated import Gated, usable
from ..values.number_rows import rows_kind
from ..values.proxy import Proxy, is_open
from ..values.raised import gfx_handlers
from .effects import WRITING_FUNCTIONS
from .whole_numbers import index, open_range, range_length

Handler = Callable[[Capturing, Any, tuple, dict], Any]


def _len(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    if type(args[0]) is Lazy:
        return len(args[0].steps())  # type: ignore[arg-type]  # an error of Python's
    items = rows_of(args[0])
    return range_length(tracer, items) if type(items) is OpenRange else tracer.host_values.length(items)


def _callable(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """callable(x): no array, number or None is."""
    return not is_open(args[0]) and f(args[0])


def _super(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """What shows an object as one of a base class does is told by them alone."""
    return super(*args)


def _id(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """id(x), of what a test chose that of either."""
    if type(args[0]) is Gated:
        return tracer.gates.resolve(args[0], lambda side: _id(tracer, f, (side,), {}))
    return identity(tracer, args[0]) if type(args[0]) is Proxy else id(args[0])


def _sorted(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """sorted(items, key=…): by keys that are fixed."""
    items, key = args[0], kwargs.get("key")
    if holds_open_sizes(items):
        items = joined(tracer, items)
    if is_shape(items) and key is None:
        found = folded(tracer, "sorted", items)
        return found[::-1] if kwargs.get("reverse", False) else found
    known = not (is_open(items) or is_open_iterable(items))
    rows = list(items) if known else []
    asked = rows if key is None else [tracer.calls.call(key, (item,), {}) for item in rows]
    keys = _deciding(tracer, asked) if known else None
    if keys is None:
        taken, told = (rows, asked) if known else (items, None)
        found = by_open_keys(tracer, taken, key, kwargs.get("reverse", False), told)
        if found is not None:
            return tracer.journal.made.note(found)
        hint = "sort the tensor with its framework's sort or argsort, or sort by keys that are fixed at capture"
        what = "GFX cannot convert this call of sorted(): its keys are only known when the emitted code runs"
        raise tracer.error(what, hint)
    by = lambda: sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(kwargs.get("reverse", False)))
    order = tracer.native_methods.run(keys, by)
    return tracer.journal.made.note([rows[at] for at in order])


def _deciding(tracer: Capturing, keys: list[Any]) -> list[Any] | None:
    """Keys that are fixed, and sort as these do: Python compares tuples and lists up to the first place where two differ, and looks at nothing
    behind it. None where what decides is open."""
    if not any(map(is_open, leaves(keys))):
        return keys
    if len({type(key) for key in keys}) > 1 or type(keys[0]) not in (tuple, list):
        return None
    fixed = min(next((at for at, part in enumerate(key) if any(map(is_open, leaves(part)))), len(key)) for key in keys)
    heads = [key[:fixed] for key in keys]
    differ = lambda: all(a != b for a, b in itertools.combinations(heads, 2))
    return heads if tracer.native_methods.run(heads, differ) else None


def _sum(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    if is_shape(args[0]):
        start = args[1] if len(args) > 1 else kwargs.get("start", 0)
        found = folded(tracer, "sum", args[0])
        return found if type(start) is int and start == 0 else start + found
    total = args[1] if len(args) > 1 else kwargs.get("start", 0)
    narrow = _narrow(tracer, args[0], type(total) is int)
    if (
        type(args[0]) in (ListedItems, OpenRange)
        or rows_kind(args[0])
        or (narrow is not None and type(total) is not int)
    ):
        add = lambda found, item: total_of(tracer, found, [item])
        return tracer.loops.fold(args[0], add, total, "total")
    if isinstance(args[0], Proxy):
        rows = args[0].read()
        reduced = ops.sum(rows, 0) if narrow is None else ops.sum(rows, 0, dtype=narrow)
        operand = None if type(total) is int and total == 0 else tracer.operands.operand(total)
        if operand is NotImplemented:
            return tracer.operands.no_operand("+", args[0], total)
        return tracer.wrap(reduced if operand is None else ops.add(reduced, operand), args[0].backend)
    items = list(map(tracer.arrays.in_graph, args[0]))
    own = any(type(x) in COMBINED or tracer.overloading.overloads(type(x)) for x in (total, *items))
    return total_of(tracer, total, items) if own or any(map(is_open, items)) else sum(items, total)


def _narrow(tracer: Capturing, rows: Any, from_int: bool) -> DType | None:
    """The dtype of an array's rows where a reduction gives wider numbers than + does; that of booleans is that of `from_int` + row."""
    value = rows.read() if type(rows) is Proxy else None
    found = tracer.record.dtype(value) if type(value) is Value else None
    kinds = "iu" if from_int else "biu"
    return found if found is not None and found.kind in kinds and found.itemsize < 8 else None


def total_of(tracer: Capturing, total: Any, items: list[Any]) -> Any:
    """total + item + …"""
    if type(total) is int and total == 0 and type(items[0]) is Proxy and not _may_be_boolean(tracer, items[0]):
        first, *items = items
        total = first if first.weak else Proxy(first.read(), first.backend)  # 0 + x is a tensor of its own
    for item in items:
        total = tracer.truths.placed(
            operator.add, tracer.overloading.as_operand(total, True), tracer.overloading.as_operand(item, True)
        )
    return total


def _may_be_boolean(tracer: Capturing, x: Proxy) -> bool:
    """Whether 0 + x may have another dtype than x."""
    value = x.read()
    if x.weak:
        return x.weak in ("bool", OPEN)
    element = getattr(getattr(value, "type", None), "dtype", None)
    return tracer.record.is_boolean(value) if element is None else element.kind == "b"


def _abs(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    return abs(args[0])


def _getattr(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    attribute_name(tracer, args[1])
    if len(args) == 2:
        return tracer.objects.getattr(*args)
    if tracer.effects.unsure and type(found := stored_attribute(args[0], args[1])) is Gated:
        return tracer.gates.if_there(found, lambda side: side, lambda: args[2])
    try:
        with gfx_handlers(lambda: (AttributeError,)):
            return tracer.objects.getattr(args[0], args[1])
    except AttributeError:
        return args[2]


def _setattr(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    return tracer.objects.setattr(*args)


def _delattr(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    return tracer.objects.delete_attribute(*args)


def _print(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    if (sys.stdout, sys.stderr) != tracer.python.streams:
        what = "GFX cannot convert this print: the code has put another stream in the place of sys.stdout or sys.stderr"
        raise tracer.error(what, "make the text with an f-string")
    options = {"sep": None, "end": None, "flush": False, "file": None, **kwargs}
    if options["file"] not in (None, sys.stdout, sys.stderr) or is_open(options["sep"]) or is_open(options["end"]):
        raise tracer.error(f"GFX cannot convert print with {', '.join(kwargs)}", "print to sys.stdout or sys.stderr")
    if options["sep"] not in (None, " "):
        args = (tracer.texts.joined_text(options["sep"], args),)
    end = "\n" if options["end"] is None else options["end"]
    stream = "stderr" if options["file"] is sys.stderr else "stdout"
    ops.print(tuple([_printed(tracer, a) for a in args]), end, stream)


def _printed(tracer: Capturing, x: Any) -> Any:
    """What is printed, as the op takes it: an array, a number or a text."""
    if type(x) is Proxy:
        return value_of(tracer, x)
    found = None if isinstance(x, (tuple, list, dict)) else tracer.unwrap(x)
    if type(found) in (Value, str, int, float, bool) and getattr(found, "kind", "") != "shape":
        return found
    return tracer.unwrap(tracer.texts.text(((x, "s", ""),)))


def _written_first(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function in C that writes to the list that it gets first, item by item: what stands in it for several is none."""
    usable(*args[0])
    tracer.effects.writes(args[0])
    return tracer.native_methods.run((*args[0], *args[1:]), lambda: f(*args, **kwargs))


def _meaning(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """operator.setitem(x, 0, y), operator.iadd(x, y) and their like."""
    return SPECIAL_FUNCTIONS[f](tracer, *args)


def _prod(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """math.prod(numbers, start=1)."""
    numbers = open_tuple(args[0])
    if type(numbers) in (list, tuple):
        numbers = list(map(tracer.arrays.in_graph, numbers))
        args = (numbers, *args[1:])
    if not is_shape(numbers):
        inner = (*args[0], *args) if type(args[0]) in (list, tuple) else args
        return tracer.native_methods.run(inner, lambda: tracer.truths.placed(f, *args, **kwargs))
    found = folded(tracer, "math.prod", numbers)
    return kwargs["start"] * found if "start" in kwargs else found


def _divmod(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    if not any(map(is_open, args)):
        return tracer.native_methods.run(args, lambda: f(*args, **kwargs))
    for x in args:
        if (
            type(x) is Proxy
            and not x.weak
            and x.backend is not None
            and not hasattr(x.backend.tensor_types[0], "__divmod__")
        ):
            return no_operator(tracer, "divmod()", *args)
    return tracer.truths.placed(operator.floordiv, *args), tracer.truths.placed(operator.mod, *args)


def _set_plain(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """object.__setattr__(o, name, value), as frozen classes set their own attributes; object.__delattr__(o, name)."""
    tracer.journal.record(args[0], args[1], "attribute", args[1], tracer.span())
    return f(*args, **kwargs)


def _locals(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    raise tracer.error(f"GFX cannot convert {f.__name__}(): a rewritten function has no frame of its own")


KEEPS, COUNTS, READS, CONSUMES, LAZY, WRITES = "keeps", "counts", "reads", "consumes", "lazy", "writes"


_ASKING = frozenset((COUNTS, READS, CONSUMES, LAZY))
"""Effects of those that find out which keys a dictionary has."""


@dataclass(frozen=True)
class Builtin:
    """How a builtin is captured, and its effect on what it is given: it *keeps* it, *counts* or *reads* what is in it, *consumes* all items of an
    iterable, is *lazy* (takes items one by one, some of them, or when it is asked for its own), or *writes* to it."""

    handler: Handler
    effect: str

    def __call__(self, tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
        if not fits(f, args, kwargs):
            return f(*args, **kwargs)  # it raises Python's TypeError
        if self.effect in _ASKING:
            for x in args:
                tracer.effects.sure_of_keys(x, ordered=self.effect != COUNTS)
        if self.effect == CONSUMES and args:
            args = (tracer.iteration.drained(args[0]), *args[1:])
        return self.handler(tracer, f, args, kwargs)


def _rows(effect: str, handlers: dict[Any, Handler]) -> dict[Any, Builtin]:
    return {f: Builtin(handler, effect) for f, handler in handlers.items()}


_MATH = {getattr(math, name[5:]): on_math for name in FUNCTIONS if name.startswith("math.")}
_HEAP = (heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop)
BUILTINS: dict[Any, Builtin] = {
    **_rows(COUNTS, {len: _len, bool: cast}),
    **_rows(READS, {
        int: cast, float: cast, abs: _abs, format: formatted, ascii: str_or_repr, str: str_or_repr,
        repr: str_or_repr, print: _print, range: open_range, operator.index: index, round: on_round, pow: on_pow, divmod: _divmod, **_MATH,
    }),
    **_rows(KEEPS, {
        isinstance: is_instance, type: type_of, hasattr: has_attribute, getattr: _getattr, id: _id, callable: _callable, super: _super,
        **dict.fromkeys(SPECIAL_FUNCTIONS.keys() - WRITING_FUNCTIONS, _meaning),
        **dict.fromkeys((builtins.locals, builtins.eval, builtins.exec), _locals),
    }),
    **_rows(CONSUMES, {tuple: container, list: container, sorted: _sorted, sum: _sum, math.prod: _prod}),
    **_rows(LAZY, {
        next: next_item, iter: iterator, zip: combine, enumerate: combine, reversed: combine, map: mapped, filter: filtered,
        functools.reduce: reduced, any: any_all, all: any_all, min: minmax, max: minmax, itertools.chain.from_iterable: chained,
        itertools.count: endless, itertools.repeat: endless,
    }),
    **_rows(WRITES, {
        setattr: _setattr, delattr: _delattr, object.__setattr__: _set_plain, object.__delattr__: _set_plain,
        **dict.fromkeys(SPECIAL_FUNCTIONS.keys() & WRITING_FUNCTIONS, _meaning),
        **dict.fromkeys((*_HEAP, bisect.insort_left, bisect.insort_right), _written_first),
    }),
}  # fmt: skip
CALLING = frozenset((map, functools.reduce))
"""Those that call their first argument."""
