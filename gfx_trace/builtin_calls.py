"""Python's builtins on captured values."""

from __future__ import annotations

import bisect
import builtins
import functools
import heapq
import math
import operator
import sys
import types
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.graph import Value
from gfx_ir.op import active
from gfx_ir.python_numbers import FUNCTIONS, OPEN
from gfx_ir.trees import leaves

from .best import minmax, of_one_axis
from .classes import attribute_name, has_attribute, is_instance, type_of
from .faults import class_name, no_operator
from .plain import cast, on_math, on_pow, on_round
from .proxy import HostProxy, Proxy, is_open
from .rows import Generated, StackedRows, rows_of
from .sequences import OpenList, folded, holds_open_sizes, is_shape, is_whole, joined, open_tuple
from .special_methods import FUNCTIONS as SPECIAL_FUNCTIONS
from .texts import formatted, str_or_repr
from .told import is_size, value_of

if TYPE_CHECKING:
    from .tracer import Tracer

Handler = Callable[["Tracer", Any, tuple, dict], Any]


def _len(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    return tracer.length(rows_of(args[0]))


def _sorted(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """sorted(items, key=…): by keys that are fixed."""
    items, key = rows_of(tracer.iterable(args[0])), kwargs.get("key")
    if holds_open_sizes(items):
        items = joined(tracer, items)
    if is_shape(items) and key is None:
        found = folded(tracer, "sorted", items)
        return found[::-1] if kwargs.get("reverse", False) else found
    known = not (is_open(items) or _is_open_iterable(items))
    rows = list(items) if known else []
    keys = rows if key is None else [tracer.call(key, (item,), {}) for item in rows]
    if not known or any(map(is_open, leaves(keys))):
        hint = "sort the tensor with its framework's sort or argsort, or sort by keys that are fixed at capture"
        what = "GFX cannot convert this call of sorted(): its keys are only known when the emitted code runs"
        raise tracer.error(what, hint)
    order = sorted(range(len(keys)), key=keys.__getitem__, reverse=bool(kwargs.get("reverse", False)))
    return [rows[at] for at in order]


def _sum(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    args = (rows_of(tracer.iterable(args[0])), *args[1:])
    if is_shape(args[0]):
        start = args[1] if len(args) > 1 else kwargs.get("start", 0)
        found = folded(tracer, "sum", args[0])
        return found if type(start) is int and start == 0 else start + found
    total = args[1] if len(args) > 1 else kwargs.get("start", 0)
    if isinstance(args[0], Proxy):
        reduced = ops.sum(args[0].read(), 0)
        return tracer.wrap(reduced if total == 0 else ops.add(reduced, tracer.operand(total)), args[0].backend)
    items = list(args[0])
    own = any(tracer.overloads(type(item)) for item in items)
    return total_of(tracer, total, items) if own or any(map(is_open, items)) else sum(items, total)


def total_of(tracer: Tracer, total: Any, items: list[Any]) -> Any:
    """total + item + …"""
    if type(total) is int and total == 0 and type(items[0]) is Proxy and not _may_be_boolean(tracer, items[0]):
        first, *items = items
        total = Proxy(first.read(), first.backend, first.weak)  # 0 + x is a tensor of its own
    for item in items:
        total = tracer.placed(operator.add, tracer.as_operand(total), tracer.as_operand(item))
    return total


def _may_be_boolean(tracer: Tracer, x: Proxy) -> bool:
    """Whether 0 + x may have another dtype than x."""
    value = x.read()
    if x.weak:
        return x.weak in ("bool", OPEN)
    element = getattr(getattr(value, "type", None), "dtype", None)
    return tracer.is_boolean(value) if element is None else element.kind == "b"


def _any_all(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    args = tuple(rows_of(tracer.iterable(arg)) for arg in args)
    if is_shape(args[0]):
        return folded(tracer, f.__name__, args[0])
    if isinstance(args[0], Proxy):
        of_one_axis(tracer, args[0], f.__name__)
        return tracer.wrap(getattr(ops, f.__name__)(args[0].read(), 0), args[0].backend)
    items = list(args[0])
    if not any(map(is_open, items)):
        return f(items)
    rest = [lambda item=item: item for item in items[1:]]
    joined = (tracer.and_ if f is all else tracer.or_)(items[0], rest)
    return tracer.not_(tracer.not_(joined))


def _abs(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    return abs(args[0])


def _getattr(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    attribute_name(tracer, args[1])
    try:
        return tracer.getattr(args[0], args[1])
    except AttributeError:
        if len(args) > 2:
            return args[2]
        raise


def _setattr(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    return tracer.setattr(*args)


def _delattr(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    return tracer.delete_attribute(*args)


def _print(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    options = {"sep": None, "end": None, "flush": False, "file": None, **kwargs}
    if options["file"] not in (None, sys.stdout, sys.stderr) or is_open(options["sep"]) or is_open(options["end"]):
        raise tracer.error(f"GFX cannot convert print with {', '.join(kwargs)}", "print to sys.stdout or sys.stderr")
    if options["sep"] not in (None, " "):
        args = (tracer.joined_text(options["sep"], args),)
    end = "\n" if options["end"] is None else options["end"]
    stream = "stderr" if options["file"] is sys.stderr else "stdout"
    ops.print(tuple([_printed(tracer, a) for a in args]), end, stream)


def _printed(tracer: Tracer, x: Any) -> Any:
    """What is printed, as the op takes it: an array, a number or a text."""
    if type(x) is Proxy:
        return value_of(tracer, x)
    found = None if isinstance(x, (tuple, list, dict)) else tracer.unwrap(x)
    if type(found) in (Value, str, int, float, bool) and getattr(found, "kind", "") != "shape":
        return found
    return tracer.unwrap(tracer.text(((x, "s", ""),)))


def _range(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    if not any(map(is_open, args)):
        return range(*args)
    for arg in args:
        if not (type(arg) is Proxy and not arg.weak) and not is_whole(arg) and class_name(tracer, arg) is not None:
            raise TypeError(f"{class_name(tracer, arg)!r} object cannot be interpreted as an integer")
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    return OpenRange(start, stop, step)


class OpenRange:
    """A range whose ends are only known when the emitted code runs."""

    def __init__(self, start: Any, stop: Any, step: Any) -> None:
        self.start, self.stop, self.step = start, stop, step

    def __iter__(self) -> Any:
        from_any = next(x for x in (self.stop, self.start, self.step) if is_open(x))
        operator.index(from_any)
        raise AssertionError("an open number is no index")


class Combined:
    """zip, enumerate or reversed over something whose length is open: taken apart by the loop that runs over it."""

    def __init__(self, kind: str, parts: tuple, start: Any = 0) -> None:
        self.kind, self.parts, self.start = kind, parts, start

    def __iter__(self) -> Any:
        if self.kind == "reversed":
            return _backwards(self.parts[0])
        return zip(*self.parts) if self.kind == "zip" else enumerate(self.parts[0], self.start)


def _backwards(x: Any) -> Iterator[Any]:
    """The items of x from the last to the first: of NumPy's arrays each when it is asked for, of tensors those of a copy."""
    if type(x) is not Proxy:
        return reversed(list(x))
    if x.backend is not None and not x.backend.numbers:
        return iter(active.builder.wrap(ops.flip(x.read(), 0), x.backend))
    return (x[i] for i in reversed(range(len(x))))


def _is_open_iterable(x: Any) -> bool:
    return isinstance(x, (Proxy, OpenRange, Combined)) or is_shape(x)


def _combine(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    args = tuple(rows_of(open_tuple(arg)) for arg in args)
    if not any(map(_is_open_iterable, args)):
        for arg in args:
            tracer.take(arg)
        return tracer.noted(f(*args, **kwargs))
    if f is enumerate:
        start = kwargs.get("start", args[1] if len(args) > 1 else 0)
        return Combined("enumerate", args[:1], start)
    if f is reversed and is_shape(args[0]):
        return args[0][::-1]
    if f is reversed and isinstance(args[0], OpenRange) and type(step := args[0].step) is int and abs(step) == 1:
        return OpenRange(args[0].stop - step, args[0].start - step, -step)
    if kwargs.get("strict"):
        _of_one_length(tracer, args)
    return Combined(f.__name__, args)


def _of_one_length(tracer: Tracer, parts: tuple) -> None:
    """What `zip(..., strict=True)` asks for. Raises Python's error where lengths differ, and NeedsPython where one is open."""
    lengths: list[Any] = [
        tracer.length(part) if type(part) is Proxy else len(part) if isinstance(part, (list, tuple, range)) else None
        for part in parts
    ]
    if not all(type(length) is int for length in lengths):
        raise tracer.error(
            "GFX cannot convert this zip: it is strict, and how long its parts are is open",
            "give the argument's shape at capture",
        )
    list(zip(*map(range, lengths), strict=True))


def _map(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    function, *iterables = args[0], *map(open_tuple, args[1:])
    if any(map(_is_open_iterable, iterables)):
        source = iterables[0] if len(iterables) == 1 else Combined("zip", tuple(iterables))
        call = (lambda item: tracer.call(function, (item,), {})) if len(iterables) == 1 else (
            lambda items: tracer.call(function, tuple(items), {})
        )  # fmt: skip
        return tracer.map_(call, source)
    return [tracer.call(function, items, {}) for items in zip(*iterables)]


def _reduce(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """functools.reduce(function, items[, initial]): a loop, staged where the number of items is open."""
    function, items, *initial = (args[0], *map(rows_of, args[1:]))
    if isinstance(items, OpenRange) and not initial:
        initial, items = [items.start], OpenRange(items.start + items.step, items.stop, items.step)
    elif isinstance(items, Proxy) and not initial:
        initial, items = [items[0]], items[1:]
    if not _is_open_iterable(items):
        items = list(items)
        if not initial and not items:
            return f(function, items)  # an error of Python's
        initial, items = (initial, items) if initial else (items[:1], items[1:])
    elif not initial:
        raise tracer.error("GFX cannot convert this call of reduce(): its first item is open", "give an initial value")
    return tracer.fold(items, lambda total, item: tracer.call(function, (total, item), {}), initial[0], "total")


def _next(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    method = getattr(type(args[0]), "__next__", None) if len(args) == 1 else None
    if isinstance(method, types.FunctionType):
        return tracer.call(method, args, kwargs)
    if type(args[0]) is Generated:
        rows = rows_of(args[0])
        items = rows if isinstance(rows, list) else list(tracer.iterate(rows))
        args[0][:] = items[1:]
        return items[0] if items else f(iter(()), *args[1:])
    tracer.take(args[0])
    return f(*args, **kwargs)


def _written_first(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function in C that writes to the list that it gets first."""
    tracer.effects.writes(args[0])
    return f(*args, **kwargs)


def _meaning(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """operator.setitem(x, 0, y), operator.iadd(x, y) and their like."""
    return SPECIAL_FUNCTIONS[f](tracer, *args)


def _container(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    args = tuple(rows_of(tracer.iterable(arg)) for arg in args)
    if args and f is tuple and is_size(tracer, args[0]):
        return (*args[0],)  # another object
    if args and is_shape(args[0]):
        return HostProxy(args[0].value, args[0].backend, taken=True) if f is tuple else OpenList(args[0])
    if args and isinstance(args[0], Proxy) and f is list:
        return [StackedRows(args[0])] if not isinstance(tracer.length(args[0]), int) else list(args[0])
    return f(*args, **kwargs)


def _prod(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """math.prod(numbers, start=1)."""
    numbers = open_tuple(args[0])
    if not is_shape(numbers):
        return tracer.placed(f, *args, **kwargs)
    found = folded(tracer, "math.prod", numbers)
    return kwargs["start"] * found if "start" in kwargs else found


def _divmod(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    if not any(map(is_open, args)):
        return f(*args, **kwargs)
    for x in args:
        if (
            type(x) is Proxy
            and not x.weak
            and x.backend is not None
            and not hasattr(x.backend.tensor_types[0], "__divmod__")
        ):
            return no_operator(tracer, "divmod()", *args)
    return tracer.placed(operator.floordiv, *args), tracer.placed(operator.mod, *args)


def _set_plain(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    """object.__setattr__(o, name, value), as frozen classes set their own attributes; object.__delattr__(o, name)."""
    tracer.journal.record(args[0], args[1], "attribute", args[1], tracer.span())
    return f(*args, **kwargs)


def _locals(tracer: Tracer, f: Any, args: tuple, kwargs: dict) -> Any:
    raise tracer.error(f"GFX cannot convert {f.__name__}(): a rewritten function has no frame of its own")


BUILTINS: dict[Any, Handler] = {
    len: _len, int: cast, float: cast, bool: cast, isinstance: is_instance, type: type_of, next: _next, min: minmax, max: minmax,
    sorted: _sorted, sum: _sum, any: _any_all, all: _any_all, abs: _abs, hasattr: has_attribute, getattr: _getattr, setattr: _setattr,
    format: formatted, ascii: str_or_repr, print: _print, range: _range, zip: _combine, enumerate: _combine, reversed: _combine, map: _map,
    object.__setattr__: _set_plain, object.__delattr__: _set_plain, delattr: _delattr,
    tuple: _container, list: _container, round: on_round, str: str_or_repr, repr: str_or_repr, pow: on_pow, builtins.locals: _locals,
    builtins.eval: _locals, builtins.exec: _locals, divmod: _divmod, functools.reduce: _reduce,
    **dict.fromkeys((heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop), _written_first),
    **dict.fromkeys((bisect.insort_left, bisect.insort_right), _written_first),
    **dict.fromkeys(SPECIAL_FUNCTIONS, _meaning),
    **{getattr(math, name[5:]): on_math for name in FUNCTIONS if name.startswith("math.")},
    math.prod: _prod,
}  # fmt: skip
