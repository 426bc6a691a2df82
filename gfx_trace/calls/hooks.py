"""What rewritten code calls. Each hook does Python's own thing at once where nothing is open."""

from __future__ import annotations

from collections.abc import Callable
from types import GeneratorType
from typing import Any

from gfx_ir.op import active

from ..objects.accesses import gfx_call as gfx_call
from ..objects.accesses import gfx_delattr as gfx_delattr
from ..objects.accesses import gfx_delitem as gfx_delitem
from ..objects.accesses import gfx_getattr as gfx_getattr
from ..objects.accesses import gfx_getitem as gfx_getitem
from ..objects.accesses import gfx_inplace as gfx_inplace
from ..objects.accesses import gfx_made as gfx_made
from ..objects.accesses import gfx_operand as gfx_operand
from ..objects.accesses import gfx_setattr as gfx_setattr
from ..objects.accesses import gfx_setitem as gfx_setitem
from ..objects.accesses import gfx_spread as gfx_spread
from ..objects.accesses import gfx_variables as gfx_variables
from ..objects.iterating_calls import fixed, lazily
from ..objects.variables import gfx_load as gfx_load
from ..objects.variables import gfx_name as gfx_name
from ..objects.variables import gfx_nonlocal as gfx_nonlocal
from ..objects.variables import gfx_read as gfx_read
from ..objects.variables import gfx_returned as gfx_returned
from ..objects.variables import gfx_undefined as gfx_undefined
from ..python.compared import gfx_compared as gfx_compared
from ..python.faults import cannot
from ..python.listed import ListedItems, SpreadItems
from ..python.rows import StackedRows, rows_of, turns_of
from ..python.sequences import OpenList, Starred, display, is_shape, open_tuple
from ..values.access import A_VALUE, NOTHING, Access, Stop
from ..values.gated import Gated, usable
from ..values.here import here
from ..values.number_rows import rows_kind
from ..values.proxy import HostProxy, Proxy
from ..values.raised import gfx_handlers as gfx_handlers
from ..values.raised import gfx_raise as gfx_raise
from ..values.raised import gfx_raise_again as gfx_raise_again
from .folds import Fold

_OPEN = frozenset((Proxy, HostProxy, Gated))


def gfx_is(a: Any, b: Any) -> Any:
    """a is b."""
    if type(a) not in _OPEN and type(b) not in _OPEN:
        usable(a, b)
        if a is b or type(a) is not type(b):
            return a is b
    return here().truths.is_(a, b)


def gfx_in(a: Any, b: Any) -> Any:
    """a in b."""
    return here().truths.contains(b, a)


def gfx_not(x: Any) -> Any:
    """not x."""
    if type(x) is bool:
        return not x
    return here().truths.not_(x)


def gfx_truth(x: Any) -> Any:
    """x, of which only the truth is asked: an object whose class has a method for that is asked here, and once."""
    kind = type(x)
    if kind is bool or kind in _OPEN:
        return x
    tracer = here()
    own = tracer.overloading.own_method
    return x if own(x, "__bool__") is None and own(x, "__len__") is None else tracer.truths.bool_(x)


def gfx_and(first: Any, *rest: Callable[[], Any], access: tuple = NOTHING) -> Any:
    """first and rest…; `access`: to the variables that `rest` assigns."""
    return here().truths.and_(first, rest, Access(*access))


def gfx_or(first: Any, *rest: Callable[[], Any], access: tuple = NOTHING) -> Any:
    """first or rest…"""
    return here().truths.or_(first, rest, Access(*access))


def gfx_ifexp(
    test: Any, then: Callable[[], Any], otherwise: Callable[[], Any], access: tuple = NOTHING, name: str = A_VALUE
) -> Any:
    """then if test else otherwise; `name`: the variable that it is assigned to."""
    if type(test) is bool:
        return then() if test else otherwise()
    return here().truths.ifexp(test, then, otherwise, Access(*access), name)


def gfx_if(test: Any, then: Any, otherwise: Any, get: Any, set_: Any, names: tuple) -> None:
    """if test: then() else: otherwise()."""
    tracer = here()
    found = test if type(test) is bool else tracer.truths.truth(test)
    if found is True:
        then()
    elif found is False:
        if otherwise is not None:
            otherwise()
    else:
        tracer.regions.branch(found, then, otherwise, Access(get, set_, names), "")


def gfx_if_ret(test: Any, then: Any, otherwise: Any, get: Any, set_: Any, names: tuple) -> Any:
    """if test: return then() else: return otherwise()."""
    tracer = here()
    found = test if type(test) is bool else tracer.truths.truth(test)
    if found is True:
        return then()
    if found is False:
        return otherwise() if otherwise is not None else None
    return tracer.regions.branch(found, then, otherwise, Access(get, set_, names))


def gfx_while(test: Any, body: Any, get: Any, set_: Any, names: tuple, stop: Any, inner: tuple = ()) -> None:
    """while not stop() and test(): body(); `inner`: what the test assigns and nothing behind the loop reads."""
    here().loops.while_(test, body, Access(get, set_, names), Stop(*stop) if stop else None, inner)


def gfx_for(iterable: Any, body: Any, get: Any, set_: Any, names: tuple, stop: Any, target: Any) -> None:
    """for item in iterable: body(item), until stop()."""
    tracer = here()
    items = turns_of(tracer.overloading.iterable(iterable))
    tracer.loops.for_(items, body, Access(get, set_, names), Stop(*stop) if stop else None, target)


def gfx_backwards(f: Any, items: Any) -> Any:
    """What `for x in reversed(items)` goes over, as `f` stands for that: a range backwards is a range, which nothing else takes."""
    return items[::-1] if f is reversed and type(items) is range else here().calls.call(f, (items,), {})


def gfx_iter(iterable: Any) -> Any:
    """The iterable of a comprehension that stays Python's."""
    tracer = here()
    source = rows_of(tracer.overloading.iterable(iterable))
    if type(source) not in _OPEN:
        return tracer.iteration.steps(source, later=True)
    if not isinstance(tracer.host_values.length(source), int):
        raise tracer.error(
            "GFX cannot convert this comprehension: it filters, or nests, rows whose number is open, so its length would be too",
            "give the argument's shape at capture; for a filter that hangs on data, use where or a mask",
        )
    return tracer.host_values.iterate(source)


def gfx_map(function: Callable[[Any], Any], iterable: Any, kind: str, target: Any, access: tuple = NOTHING) -> Any:
    """A comprehension of one `for` without a filter; `access` as in `gfx_and`."""
    tracer = here()
    source = tracer.overloading.iterable(iterable)
    if kind == "generator":
        return lazily(tracer, GeneratorType, function, source, target, Access(*access))
    items = tracer.loops.map_(function, turns_of(source), target, Access(*access))
    if type(items) is OpenList and kind == "set":
        raise tracer.error(
            "GFX cannot convert this set: how many items it has is open", "give the argument's shape at capture"
        )
    return tracer.journal.made.note(tracer.native_methods.run(items, lambda: set(items)) if kind == "set" else items)


def gfx_kept(
    function: Callable[[Any], Any], keeps: Callable[[Any], Any], iterable: Any, target: Any, access: tuple = NOTHING
) -> Any:
    """A list comprehension of one `for` with a filter; `access` as in `gfx_and`."""
    tracer = here()
    source = turns_of(tracer.overloading.iterable(iterable))
    return tracer.loops.kept(function, keeps, source, target, Access(*access))


def gfx_flat(
    function: Callable[[Any], Any],
    keeps: Callable[[Any], Any] | None,
    iterable: Any,
    target: Any,
    access: tuple = NOTHING,
) -> Any:
    """A list comprehension of several loops, of which `function` makes the list that the inner ones give; `access` as in `gfx_and`."""
    tracer = here()
    source = turns_of(tracer.overloading.iterable(iterable))
    return tracer.loops.flat(function, keeps, source, target, Access(*access))


def gfx_generator(made: Any) -> Any:
    """A generator expression that stays Python's."""
    return active.builder.iteration.made(made)


def gfx_yield_from(source: Any) -> Any:
    """What `yield from` goes over."""
    tracer = here()
    if type(source) is GeneratorType:
        tracer.iteration.check(source)
        return source
    return tracer.iteration.steps(source)


def gfx_closing(caught: Callable[[], tuple] | None = None) -> None:
    """A generator comes to a block with a `yield` that is left where it is closed: a `with`, or a `try` with a `finally`, or one that
    catches what is in `caught`."""
    if caught is None or issubclass(GeneratorExit, caught()):
        here().iteration.cleans_up()


def gfx_fold(f: Any, iterable: Any, each: Any, keeps: Any, target: Any, *start: Any, access: tuple = NOTHING) -> Any:
    """sum, any or all of a generator expression of one `for`; `access` as in `gfx_and`."""
    tracer = here()
    fold = Fold(tracer, f, each, keeps, Access(*access))
    each_way = lambda source: fold(turns_of(tracer.overloading.iterable(source)), target, start)
    return tracer.gates.resolve(iterable, each_way, fold.access)


def gfx_filter(test: Any) -> bool:
    """The filter of a comprehension: what it keeps decides a length, so it must be fixed."""
    return fixed(here(), test, "comprehension: its `if`")


def gfx_static(test: Any, construct: str) -> bool:
    """A test that has to be fixed, because `construct` stands under it."""
    tracer = here()
    found = tracer.truths.truth(test)
    if isinstance(found, bool):
        return found
    raise tracer.error(
        f"GFX cannot convert this {construct} in a generator: it hangs on a traced test", "return a list"
    )


def gfx_unpack(value: Any, names: tuple) -> Any:
    """The items of value, as many as the targets take."""
    return here().unpack(value, names)


def gfx_star(value: Any) -> Any:
    """*value in a call or a set display."""
    tracer = here()
    rows = tracer.iteration.drained(open_tuple(value))
    if type(rows) is ListedItems:
        return (SpreadItems(rows),)
    return _spread(rows)


def gfx_items(value: Any) -> Any:
    """*value in a tuple or list display: what stands for items of which the number is open keeps its place."""
    tracer = here()
    rows = tracer.iteration.drained(open_tuple(value))
    if type(rows) is ListedItems:
        return (rows,)
    if type(rows) is Proxy and type(tracer.host_values.length(rows)) is not int:
        return (StackedRows(rows, rows_kind(rows)),)
    return _spread(rows)


def _spread(rows: Any) -> Any:
    if is_shape(rows):
        return (Starred(rows.value),)
    return active.builder.host_values.iterate(rows) if type(rows) in _OPEN else rows


def gfx_display(items: Any) -> Any:
    """A tuple or list display with `*` in it, or the list that `*` in a target gets."""
    tracer = here()
    found = display(tracer, items)
    return tracer.journal.made.note(found) if type(found) is list else found


def gfx_set(items: list[Any]) -> Any:
    """A set display, whose items Python hashes and compares."""
    tracer = here()
    return tracer.journal.made.note(display(tracer, tracer.native_methods.run(items, lambda: set(items))))


def gfx_dict(pairs: list[tuple[Any, Any]]) -> dict:
    """A dictionary display, whose keys Python hashes and compares."""
    tracer = here()
    found: dict = tracer.native_methods.run([key for key, _ in pairs], lambda: dict(pairs))
    return tracer.journal.made.note(found)


def gfx_starstar(value: Any) -> Any:
    """**value in a call or display."""
    if type(value) is Gated:
        found = here().gates.resolve(value, gfx_starstar)
        if type(found) is dict:
            return found
        raise here().error(
            "GFX cannot convert this use of `**`: a test that is open until the code runs decides which keys there are",
            "give the arguments by their names on each side of the test",
        )
    if type(value) in _OPEN:
        raise cannot(active.builder, value, "{} is not a mapping")
    active.builder.effects.sure_of(value)
    return value if type(value) is dict else active.builder.native_methods.run((value,), lambda: dict(**value))


def gfx_fstr(*parts: Any) -> Any:
    """An f-string: a text where all of it is fixed, else an open text."""
    return here().texts.text(parts)


def gfx_percent(template: str, given: Any) -> Any:
    """A literal text % what stands in it."""
    return here().texts.percent(template, given)


def gfx_global_write(name: str, value: Any) -> Any:
    """A write to a global variable."""
    tracer = here()
    if type(value) in _OPEN:
        raise tracer.error(
            f"GFX cannot convert this write of captured data to the global {name!r}", "return it instead"
        )
    if len(tracer.journal.frames) > 1:
        raise tracer.error(f"GFX cannot convert this write to the global {name!r} under a traced test")
    tracer.journal.record(tracer.site.f_globals, name, "global", name, tracer.span())
    return value


def gfx_enter(made: Any) -> Any:
    """The context manager of a `with`: its own methods are entered as a call of them would be."""
    return here().managers.manager(made)


def gfx_assert(test: Any, message: Callable[[], Any] | None) -> None:
    """assert test, message."""
    here().raising.check(test, message)


TABLE: dict[str, Any] = {name: item for name, item in globals().items() if name.startswith("gfx_")}
