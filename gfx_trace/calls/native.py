"""Calls of code that is not entered: what it raises because it met a captured value is an error of ours, with the author's line."""

from __future__ import annotations

import builtins
import collections
import copy
import dataclasses
import functools
import types
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import Any

from gfx_ir.errors import GfxError
from gfx_ir.probing import own_attribute
from gfx_ir.trees import leaves

from ..frameworks.alarms import entering
from ..frameworks.grad_managers import standing_for
from ..frameworks.holding import hold
from ..heap.aliases import in_doubt, memory, mutable, share
from ..heap.contents import FIXED, WITHOUT_PARTS, attributes_of, row_of
from ..heap.framework_state import GENERATORS
from ..heap.makers import made_by
from ..heap.reached import held_by_objects, holds_nothing, reached_from
from ..interfaces import Capturing
from ..objects.native_methods import NativeMethods
from ..python.devices import settled
from ..python.rows import FILLED, listed, rows_of
from ..python.sequences import OpenList
from ..python.texts import on_text
from ..rewrite import is_converted
from ..rewrite.packages import of_a_layer
from ..values.called import called_name, own
from ..values.gated import Gated, gates_in, usable
from ..values.proxy import HostProxy, NeedsPython, Proxy
from ..values.raised import OF_FIXED_PARTS, Raised
from .conversion import foreign
from .effects import ASKING_CLASS, Effects, bound, keeps

_CLOCKS = frozenset(("time", "datetime"))
_REPORTING = frozenset(("warnings", "_warnings"))
"""Modules whose functions tell people a text, and look up whether they told it before."""
_CAPTURED = (Proxy, HostProxy, OpenList)
_OF_EVERY_OBJECT = frozenset(("__init__", "__setattr__", "__delattr__", "__getattribute__"))
"""What `object` itself has, and runs no other method of the object's for: `super().__init__()` may come to it."""
_CONSTANTS = WITHOUT_PARTS - {type(None)}
"""Types whose methods in C run no code of an author's with each other, and hold nothing."""
_COPIES = frozenset((bytes, bytearray))
"""What holds the contents of arrays when it was made of them."""
_STORING = frozenset(("__setitem__", "setdefault"))
"""Methods of dictionaries that look up a key, and put a value there."""
_HOLDING = (list, tuple, set, frozenset, dict, collections.deque)
_HASHING = (set, frozenset, dict)
_GATES = frozenset((__name__, Effects.__module__, NativeMethods.__module__))
"""The modules that run what is not entered."""
_HINT = "call what GFX has rows for (`gfx ops` lists it), or compute it before the call and pass it as an argument"


def run_native(tracer: Capturing, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """f(*args, **kwargs) of a callable that is neither lifted nor entered. One of a framework that gets tensors has no row."""
    if type(f) is types.FunctionType and f in ASKING_CLASS and len(args) == 1 and dataclasses.is_dataclass(args[0]):
        return f(*args, **kwargs)
    if type(f) is types.BuiltinFunctionType and type(f.__self__) in _CONSTANTS and not kwargs:
        if all(type(arg) in _CONSTANTS for arg in args):  # as a text's split: it comes to nothing else
            found = f(*args)
            return tracer.journal.made.note(found) if type(found) is list else found
    if gates_in(args) and not _stores(f):
        return tracer.gates.resolve_all(args, lambda given: run_native(tracer, f, given, kwargs))
    if foreign(f, tracer.arrays.frameworks()) and any(
        isinstance(leaf, _CAPTURED[:2]) for leaf in leaves((args, kwargs))
    ):
        if of_a_layer(f):
            return tracer.calls.call_entry(f, args, kwargs)
        found = hold(tracer, f, args, kwargs)
    else:
        run = _deep_copy if f is copy.deepcopy and args else run_as_it_is
        found = tracer.arrays.in_graph(run(tracer, f, args, kwargs))
    for made in made_by(f, args, kwargs, found):
        tracer.journal.made.note(made)
    in_python = type(f) is types.FunctionType and not keeps(f)  # what C makes of containers holds what they hold
    if (in_python and not holds_nothing(found)) or type(found) in _COPIES:
        _check_copies(tracer, f, (*args, *kwargs.values()), found)
    if type(found) is dict and args and found is attributes_of(args[0]):
        tracer.effects.shown(found, args[0])
    return found


def _check_copies(tracer: Capturing, f: Callable[..., Any], given: tuple, found: Any) -> None:
    """Raises where code that is not entered has put what the arrays of an object hold into other ones, or into a text of bytes: it would
    do so once, at the capture."""
    known = tracer.known.keys()
    new = [x for x in reached_from((found,)) if tracer.arrays.is_numbers(x) and id(x) not in known]
    if not new and type(found) not in _COPIES:
        return
    held = {id(x) for x in held_by_objects(given) if tracer.arrays.is_numbers(x)}
    if held and not (new and held.issuperset(map(id, new))):
        what = f"GFX cannot convert this call of {called_name(f)}: it copies what the arrays of an object hold, once, at the capture"
        raise tracer.error(what, "copy the arrays one by one: x.clone() in PyTorch, x.copy() in NumPy and JAX")


def _deep_copy(tracer: Capturing, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """copy.deepcopy(x, memo): its memo notes, under its own id, what was copied. Copies of arrays are made in each call of the program,
    of what the arrays hold then."""
    x, memo, *more = (*args, kwargs.get("memo")) if len(args) == 1 else args
    memo = tracer.journal.made.note({}) if memo is None else memo
    before = len(memo.get(id(memo), ()))
    found = run_as_it_is(tracer, f, (x, memo, *more), {name: arg for name, arg in kwargs.items() if name != "memo"})
    kept = memo.get(id(memo), ())
    for original in kept[before:]:
        if tracer.arrays.is_numbers(original):
            tracer.arrays.copied(original, memo[id(original)])
    _check_views(tracer, [x for x in kept if type(x) is Proxy and mutable(x) and not x.backend.numbers])
    return found


def _check_views(tracer: Capturing, copied: list[Proxy]) -> None:
    """Raises where tensors that were copied together share memory, as their copies would; arrays of NumPy's are copied apart."""
    seen: list[Proxy] = []
    for x in copied:
        held = memory(x)
        if share(held, seen) or in_doubt(x):
            what = "GFX cannot convert this copy of tensors that share memory, or may: so would their copies"
            raise tracer.error(what, "copy them one by one: x.clone()")
        seen += held


def run_as_it_is(tracer: Capturing, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
    """f(*args, **kwargs) of a callable that computes nothing with captured values, or that does not know them and is refused."""
    if Gated in map(type, args):  # on the way of a test on which they hang
        args = tuple(map(tracer.gates.known, args))
    owner = own_attribute(f, "__self__")
    text = on_text(tracer, f, owner, args, kwargs) if type(owner) is str else NotImplemented
    if text is not NotImplemented:
        return text
    if issubclass(type(args[0] if owner is None and args else owner), GENERATORS) and not isinstance(f, type):
        raise tracer.objects.outside_generator(called_name(f))
    if HostProxy in map(type, args):
        taken = str if own_attribute(f, "__module__") in _REPORTING else functools.partial(settled, tracer)
        args = tuple([taken(arg) if type(arg) is HostProxy else arg for arg in args])
    if not FIXED.issuperset(map(type, args)):
        args = tuple([standing_for(tracer, arg) or arg for arg in args])  # a manager that it enters
    site, shown, refusals = tracer.site, tracer.python.shown_values, tracer.python.refusals
    try:
        args, kwargs = tracer.iteration.given(f, args, kwargs)
        _with_items(tracer, f, owner, args, kwargs)
        given, named = args, kwargs
        run = functools.partial(tracer.effects.run, f, given, named)
        asked = list(_asked(f, owner, args))
        tracer.repeated.gives(f, *asked, *kwargs.values())
        hashes = f is hash or f in _HASHING or isinstance(owner, _HASHING)
        result = tracer.native_methods.run(asked, lambda: entering(tracer, f, given, run), hashes=hashes)
    except GfxError as error:
        tracer.python.refusals = refusals  # the error says it
        _placed(tracer, error, site)
        if isinstance(error, NeedsPython):
            error.hint = error.hint or f"it is asked for inside {called_name(f)}"
        raise
    except Exception as error:
        usable(*leaves((args, kwargs)))
        if tracer.python.refusals == refusals and not _met(error, f, args, kwargs):
            raise
        tracer.site = site
        raise _refused(
            tracer, f, "it is code that GFX does not enter, and it takes no value that is not there yet"
        ) from None
    tracer.site = site
    tracer.repeated.meets(result)
    tracer.memoised.made(result)
    if tracer.python.refusals != refusals:
        raise _refused(tracer, f, "it goes on without the value")
    if tracer.python.shown_values != shown and result is not None:
        raise _refused(tracer, f, "it puts the value into a text")
    module = own_attribute(f, "__module__")
    quiet = ((result is not None or not tracer.stack) and module not in _CLOCKS) or own(module)
    if not (tracer.quiet or quiet or _is_recorded(f, args)):
        span = tracer.span()
        tracer.notes.append(f"{called_name(f)} ran once, at capture{f': {span.place()}' if span else ''}")
    return tracer.iteration.of_call(result, f, args, kwargs)


def _stores(f: Any) -> bool:
    """Whether a callable may put its arguments somewhere as they are, or is what a gated value has for them all."""
    holds = isinstance(own_attribute(f, "__self__"), _HOLDING) or isinstance(f, type)
    return holds or keeps(f) or any(f is own for own in vars(Gated).values())


def _with_items(tracer: Capturing, f: Any, owner: Any, args: tuple, kwargs: dict) -> None:
    """Code in C goes over a list by itself, and takes the one that stands for all rows of a loop for one item: they get their places.
    What only asks for the list, or puts it somewhere as it is, need not know how many there are."""
    if not tracer.record.filled:
        return
    as_it_is = f is type or owner is builtins or issubclass(type(owner), _HOLDING)
    for x in (*args, *(() if f is dict else kwargs.values())):
        if type(x) not in (list, tuple) or FILLED.isdisjoint(map(type, x)):
            continue
        if isinstance(tracer.host_values.length(rows_of(x)), int) or not as_it_is:
            listed(tracer, x, f"give {called_name(f)}")


def _asked(f: Any, owner: Any, args: Sequence[Any]) -> Iterable[Any]:
    """The objects whose special methods a callee in C may run: what it looks up or compares, and what it compares that with. `owner`:
    what it is bound to."""
    if keeps(f):
        return ()
    if getattr(f, "__objclass__", None) is object and f.__name__ in _OF_EVERY_OBJECT:
        return ()
    if type(owner) is list and f.__name__ not in ("index", "count", "remove", "__contains__", "__eq__", "__ne__"):
        return [x for x in args if not isinstance(x, _HOLDING)] if f.__name__ in ("pop", "insert") else ()
    held = args[0] if owner is None and args else owner
    if isinstance(held, dict) and own_attribute(f, "__name__") in _STORING:
        args = [x for x in args if x is not held][:1]  # the key: what is stored under it is not looked at
    holds = (*args, owner) if isinstance(owner, _HOLDING) else args
    inner = [item for x in holds if isinstance(x, _HOLDING) for item in x]
    return (*args, *inner, *[item for x in inner if type(x) is tuple for item in x])  # pairs, as dict() takes them


def _is_recorded(f: Any, args: tuple) -> bool:
    """Whether all that a method in C does is written to its object, of which the capture keeps a record."""
    found = bound(f, args)
    return found is not None and (row_of(type(found[0])) is not None or found[1] in _OF_EVERY_OBJECT)


def _refused(tracer: Capturing, f: Any, why: str) -> Exception:
    return tracer.error(f"GFX cannot convert this call of {called_name(f)} on captured data: {why}", _HINT)


def _placed(tracer: Capturing, error: GfxError, site: Any) -> None:
    """See to it that an error has the place of the author's call: code in C, and of libraries, asks from a frame of its own."""
    frame = tracer.site
    asked = frame is None or error.span is None or error.span.file == frame.f_code.co_filename
    if error.span is None or (asked and frame is not None and not is_converted(frame.f_code)):
        tracer.site = site
        error.span = tracer.span()


def _met(error: Exception, f: Any, args: tuple, kwargs: dict) -> bool:
    """Whether an error comes of a captured value that code met which does not know it."""
    held = reached_from((args, kwargs, own_attribute(f, "__self__")))
    if isinstance(error, Raised) or not any(isinstance(part, (*_CAPTURED, Gated)) for part in held):
        return False
    frame = _innermost(error.__traceback__)
    if frame is None or is_converted(frame.f_code):
        return False
    module = innermost(error.__traceback__)
    if module in _GATES:
        return not isinstance(error, OF_FIXED_PARTS)
    return not own(module)


def innermost(traceback: TracebackType | None) -> str:
    """The module whose code raised an error."""
    frame = _innermost(traceback)
    return "" if frame is None else frame.f_globals.get("__name__") or ""


def _innermost(traceback: TracebackType | None) -> Any:
    frame = None
    while traceback is not None:
        frame, traceback = traceback.tb_frame, traceback.tb_next
    return frame
