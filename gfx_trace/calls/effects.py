"""The effect gate: whatever capture does not enter is run here, and what it writes is recorded as the captured code's own writes are.

A callable is *pure*, *writes what it is bound to* (a method in C of a container whose content can be read), or *unknown*: what it
can reach is read before the call and compared behind it. Where that cannot be read (an opaque object), it is refused in a region.
"""

from __future__ import annotations

import dataclasses
import operator
import types
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.errors import BackendError
from gfx_ir.probing import is_module
from gfx_ir.source import Span

from ..heap.contents import FIXED, IN_PLACE_FUNCTIONS, attributes_of, only_reads, row_of
from ..heap.framework_state import begins, run_unwritten, stateful, stateful_parts
from ..heap.reached import (
    DEEP,
    IMMUTABLE,
    changes,
    has_state,
    lends,
    parts_of,
    reached_from,
    shown_by,
    state_of,
    unexplained,
)
from ..heap.slots import MISSING, Slot
from ..interfaces import Capturing
from ..python.list_methods import list_method
from ..python.rows import called
from ..rewrite.packages import framework, users
from ..values.called import called_name
from ..values.gated import Gated
from ..values.open_keys import KeyWanted

_QUIET = frozenset(
    "abc ast cmath copyreg dataclasses datetime decimal dis enum fractions functools gc genericpath "
    "hashlib importlib inspect itertools keyword linecache logging math numbers operator os pathlib platform posix posixpath re sre_compile "
    "string struct sys textwrap time tokenize traceback types typing unicodedata uuid warnings zlib".split()
)
"""Modules of the standard library whose functions write nothing that who calls them gets to see, but for a cache or a log."""
WRITING_FUNCTIONS = frozenset(map(vars(operator).get, (*IN_PLACE_FUNCTIONS, "setitem", "delitem")))
"""Functions of those modules that do."""
_ASKING: dict[type, frozenset[str]] = {ContextVar: frozenset(("get",))}
"""Methods of opaque types that change nothing."""
ASKING_CLASS = frozenset((dataclasses.fields, dataclasses.is_dataclass))
"""What asks for the class of what it is given alone."""
_KEEPING = frozenset((partial, types.MethodType)) | ASKING_CLASS
"""The same, and what holds what it is given as it is."""
_WITH_A_HASH = (types.FunctionType, type)
"""Kinds of callables whose hash is no code of an author's."""
_PLACES = (types.MemberDescriptorType, types.GetSetDescriptorType)
"""Descriptors in C that hold an attribute of an object."""
_GETTERS = (operator.itemgetter, operator.attrgetter)
_RECORD = "pybind11_detail_function_record"  # how the type begins that a function of pybind11 is bound to: it holds the code alone


class Effects:
    """Runs what is not entered."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.opaque: dict[type, bool] = {}  # of the types that were met
        self.ran: list[Span] = []  # where what may write ran, and was not entered
        self.open_keys: dict[int, str] = {}  # paths of arguments of which no one knows all keys, by id
        # by the id of a dictionary, which the journal or what was made holds:
        self.unsure: dict[int, set[Any]] = {}  # keys about which data decides
        self.unordered: set[int] = set()  # those of which a test decides in which order the keys stand
        self._lacking: list[tuple[int, Any]] = []  # what became unsure, in that order

    def run(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """f(*args, **kwargs), what it writes recorded."""
        found = bound(f, args)
        if keeps(f):
            return f(*args, **kwargs)
        if found is None:
            if not (_quiet(f) and (_asks(f) or not any(map(_users_code, (*args, *kwargs.values()))))):
                return self._with_users_code(f, args, kwargs)
            if isinstance(f, (types.FunctionType, type)):
                return self._of_framework(f, args, kwargs)
            return self._filling(f, args, kwargs)
        owner, name = found
        if name in ("__setattr__", "__delattr__"):
            self.tracer.journal.record(
                owner, args[-1] if name == "__delattr__" else args[-2], "attribute", str(args[0]), self.tracer.span()
            )
            return f(*args, **kwargs)
        if name in ("__set__", "__delete__") and isinstance(owner, _PLACES):  # q.a = value, by the descriptor of a
            self.tracer.journal.record(args[0], owner.__name__, "attribute", owner.__name__, self.tracer.span())
            return f(*args, **kwargs)
        self.sure_of(shown_by(owner))
        if hasattr(type(owner), "__next__") and row_of(type(owner)) is None and not only_reads(name):
            self.tracer.iteration.check(owner)
            return f(*args, **kwargs)
        if _reads(type(owner), name):
            return f(*args, **kwargs)
        if type(owner) is list:
            return list_method(self.tracer, owner, f, args, kwargs)
        self.writes(owner)
        if row_of(type(owner)) is not None:
            return self._filling(f, args, kwargs)
        return self.watched(f, (owner,), args, kwargs)

    def _filling(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """A call of something in C that keeps to its arguments: of these, it may fill a container, a buffer or a stream."""
        given = [shown_by(x) for x in (*args, *kwargs.values()) if type(x) not in FIXED]
        for x in given:
            if self.is_opaque(type(x)) and lends(x):
                self.refuse(x)
        held = tuple([x for x in given if row_of(type(x)) is not None])
        return self.watched(partial(f, *args, **kwargs), held, (), {}, deep=1) if held else f(*args, **kwargs)

    def _with_users_code(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """A function that may run code of the user's. A module's own method may keep it there, as hooks are kept."""
        work = partial(self.watched, f, (f,), args, kwargs)
        owner = self._owner(f) if stateful(f, args) and is_module(args[0]) else None
        before = [] if owner is None else [(held, state_of(held)) for held in stateful_parts(args[0], owner)]
        return self._noted(before, work) if before else work()

    def _owner(self, f: Any) -> Backend | None:
        """The framework that a function or class is of."""
        module = f.__module__ if isinstance(f, type) else f.__globals__.get("__name__", "")
        package = module.partition(".")[0]
        return next((backend for backend in self.tracer.arrays.frameworks() if package in backend.packages), None)

    def _of_framework(self, f: types.FunctionType | type, args: tuple, kwargs: dict) -> Any:
        """A function or class of a library of fixed arguments: what it gives is part of the graph, and a framework's own must write
        nothing, and draw no random numbers."""
        owner = self._owner(f)
        if owner is None:
            return f(*args, **kwargs) if isinstance(f, type) else self._filling(f, args, kwargs)
        try:
            with owner.unwritten():
                if begins(f, args) or (stateful(f, args) and self._own_module(args[0], owner)):
                    parts = [(held, state_of(held)) for held in stateful_parts(args[0], owner)]
                    return self._noted(parts, partial(f, *args, **kwargs))
                return run_unwritten(f, args, kwargs, owner) if stateful(f, args) else f(*args, **kwargs)
        except BackendError as error:
            raise self.tracer.error(
                f"GFX cannot convert this call of {called_name(f)}: {error.what}",
                "call it before the capture, and capture what comes behind it",
            ) from None

    def _own_module(self, x: Any, owner: Backend) -> bool:
        """Whether something is a module that the region that is open makes, and so are those in it: what is written there is no state."""
        return is_module(x) and all(self.tracer.journal.is_own(y) for y in stateful_parts(x, owner) if is_module(y))

    def made_default(self, owner: dict, key: Any, value: Any) -> None:
        """A dictionary makes the default of a key in a region: it stands there from before on, and whether it does, only who asks
        for that key need not know."""
        journal = self.tracer.journal
        slot = Slot(owner, key, "item", str(key), MISSING, self.tracer.span())
        journal.frames[0].setdefault(slot.id, slot)
        dict.__setitem__(owner, key, value)
        for part in reached_from((value,), -1):
            journal.made.as_if_with(part, owner)
        self.may_lack(owner, key)

    def may_lack(self, owner: Any, key: Any) -> None:
        """Data decides whether a dictionary has a key, or an object an attribute."""
        keys = self.unsure.setdefault(id(owner), set())
        if key not in keys:
            keys.add(key)
            self._lacking.append((id(owner), key))

    def noted(self) -> tuple[int, int]:
        """How far the keys are noted that stand in dictionaries from before on, and those about which data decides."""
        return len(self.tracer.journal.frames[0]), len(self._lacking)

    def back(self, noted: tuple[int, int]) -> None:
        """Take back what was noted since."""
        defaults, lacking = noted
        self.tracer.journal.back(defaults)
        for owner, key in self._lacking[lacking:]:
            self.unsure[owner].discard(key)
        del self._lacking[lacking:]

    def asks(self, owner: Any, key: Any) -> None:
        """Before an item is read. Raises KeyWanted where an open dictionary may have it, and does not yet."""
        path = self.open_keys.get(id(owner)) if self.open_keys else None
        if path is not None and isinstance(key, (str, int)) and key not in owner:
            raise KeyWanted(path, key)

    def is_there(self, owner: Any, key: Any) -> None:
        """A key or attribute was read or written: in straight code it is there from now on, at its place if it is the last."""
        owner = self.tracer.journal.tables.owner(owner)
        if self.unsure and id(owner) in self.unsure and not self.tracer.stack:
            if not isinstance(owner, dict) or next(reversed(owner), None) == key:
                self.unsure[id(owner)].discard(key)

    def shown(self, table: Any, owner: Any) -> None:
        """The code gets the attribute dictionary of an object, and may ask for all that stands in it, or does not."""
        self.sure_of(owner)
        self.tracer.journal.tables.shown(table, owner)
        self.tracer.consulted.add_all(owner)

    def sure_of(self, owner: Any, *asked: Any, ordered: bool = True) -> None:
        """Before it is asked which keys a dictionary has, or attributes an object, or whether these (`asked`). Raises where that
        hangs on data, or the order in which they stand (`ordered`)."""
        owner = self.tracer.journal.tables.owner(owner)
        if id(owner) in self.open_keys:
            what = f"GFX cannot convert this use of {self.open_keys[id(owner)]!r}: it was not given, and which keys it has is open"
            raise self.tracer.error(what, "give it at capture, or annotate it as a TypedDict")
        if not self.unsure and not self.unordered:
            return
        if ordered and not asked and id(owner) in self.unordered:
            what = f"GFX cannot convert this use of {called(owner, self.tracer.site)!r}: a test decides in which order its keys stand"
            raise self.tracer.error(what, "set its keys before the test, or in one order on both sides")
        keys = self.unsure.get(id(owner), set()) | _absent(owner)
        key = next((key for key in keys if not asked or key in asked), None)
        if key is not None:
            name, kind = called(owner, self.tracer.site), "key" if isinstance(owner, dict) else "attribute"
            raise self.tracer.error(
                f"GFX cannot convert this use of {name!r}: whether it has the {kind} {key!r} hangs on data, as only a test or loop sets it",
                f"set the {kind} {key!r} before the test or loop",
            )

    def is_unsure(self, owner: Any) -> bool:
        """Whether data decides which keys a dictionary has, or attributes an object, or in which order they stand."""
        owner = self.tracer.journal.tables.owner(owner)
        return id(owner) in self.unsure or id(owner) in self.unordered or bool(_absent(owner))

    def sure_of_keys(self, x: Any, ordered: bool = True) -> None:
        """The same where x is a dictionary, or shows one: which attributes an object has is no matter for its truth, its length or its
        items."""
        x = shown_by(x)
        if isinstance(x, dict):
            self.sure_of(x, ordered=ordered)

    def sure_within(self, x: Any) -> None:
        """The same of all that code in C comes to from an object."""
        for part in reached_from((x,)) if self.unsure or self.unordered or self.open_keys else ():
            self.sure_of(part)

    def writes(self, owner: Any) -> None:
        """Something in C is about to write to an object: a container's content is recorded, an opaque object is refused in a region."""
        tracer = self.tracer
        owner = shown_by(owner)
        if row_of(type(owner)) is not None:
            tracer.journal.record(owner, None, "contents", "a container", tracer.span())
        elif self.is_opaque(type(owner)):
            self.refuse(owner)

    def is_opaque(self, kind: type) -> bool:
        """Whether objects of a type hold more than Python shows: their size is not explained by their slots and attributes."""
        found = self.opaque.get(kind)
        if found is None:
            known = kind is types.CellType or issubclass(kind, IMMUTABLE) or kind.__name__.startswith(_RECORD)
            readable = known or row_of(kind) is not None or framework(kind.__module__)
            found = self.opaque[kind] = not readable and any(map(unexplained, kind.__mro__[:-1]))
        return found

    def refuse(self, owner: Any) -> None:
        """Raises in a region: whether this object is changed there hangs on data, and what it holds cannot be read."""
        tracer = self.tracer
        if tracer.stack:
            name, kind = called(owner, tracer.site), type(owner).__name__
            what = f"it may change a {kind}, whose content cannot be read, under a test or in a loop on captured data"
            raise tracer.error(
                f"GFX cannot convert this use of {name}: {what}", "use it before or behind the test or loop"
            )

    def watched(self, f: Callable[..., Any], roots: tuple, args: tuple, kwargs: dict, deep: int = DEEP) -> Any:
        """A call of a function of which nothing is known: what it reaches through `roots` and arguments is read before
        and behind it, down to a depth (-1: all of it)."""
        before = [(held, state_of(held)) for held in self._reached((*roots, *args, *kwargs.values()), deep)]
        return self._noted(before, partial(f, *args, **kwargs))

    def _noted(self, before: list[tuple[Any, Any]], work: Callable[[], Any]) -> Any:
        """What work() gives; what it writes to objects, of which the state before is known, is recorded."""
        try:
            return work()
        finally:
            span = self.tracer.span()
            if span is not None:
                self.ran.append(span)
            for held, state in before:
                for slot in changes(held, state):
                    slot.span = span
                    self.tracer.journal.note(slot)

    def _reached(self, roots: tuple, deep: int) -> Iterator[Any]:
        """What can be written that a call reaches, down to a depth; an opaque object is refused in a region."""
        level, seen = list(roots), {id(root) for root in roots}
        while level and deep:
            below: list[Any] = []
            for held in level:
                if self.is_opaque(type(held)) and not hasattr(type(held), "__next__"):
                    self.refuse(held)
                if has_state(held):
                    yield held
                below += [inner for inner in parts_of(held) if id(inner) not in seen]
            level, deep = list({id(inner): inner for inner in below}.values()), deep - 1
            seen.update(map(id, level))


def keeps(f: Any) -> bool:
    """Whether a callable runs no code that its arguments bring."""
    return type(f) in _WITH_A_HASH and f in _KEEPING


def _absent(owner: Any) -> set[Any]:
    """The keys of a dictionary, or attributes of an object, of which a test decides whether they are there."""
    held = owner if isinstance(owner, dict) else attributes_of(owner)
    items = dict.items(held) if isinstance(held, dict) else held.items()  # which a class has of its attributes
    return {key for key, value in items if type(value) is Gated and not value.whole}


def bound(f: Any, args: tuple) -> tuple[Any, str] | None:
    """What a method in C is bound to, and its name; None: f is no such method."""
    kind = type(f)
    if isinstance(f, types.BuiltinFunctionType) or kind is types.MethodWrapperType:
        owner = f.__self__
        return None if owner is None or issubclass(type(owner), (types.ModuleType, type)) else (owner, f.__name__)
    unbound = kind is types.MethodDescriptorType or kind is types.WrapperDescriptorType
    return (args[0], f.__name__) if unbound and args else None


def _reads(kind: type, name: str) -> bool:
    """Whether a method in C writes nothing."""
    row = row_of(kind)
    if row is not None:
        return name in row.reads and not (
            name == "__getitem__" and hasattr(kind, "__missing__")
        )  # which may make the item
    if issubclass(kind, IMMUTABLE) or only_reads(name) or framework(kind.__module__):
        return True
    return any(name in names for base, names in _ASKING.items() if issubclass(kind, base))


def _quiet(f: Any) -> bool:
    """Whether a callable writes nothing that its caller sees: told by the module that it is of."""
    if isinstance(f, type):
        known = row_of(f) is not None or issubclass(f, IMMUTABLE)
        return (known and not users({"__name__": f.__module__})) or _quiet_module(f.__module__)
    if isinstance(f, types.BuiltinFunctionType):
        return f not in WRITING_FUNCTIONS and _quiet_module(f.__module__ or "builtins")
    if isinstance(f, types.FunctionType):
        return _quiet_module(f.__globals__.get("__name__", ""))
    return isinstance(f, _GETTERS) or framework(type(f).__module__)


def _asks(f: Any) -> bool:
    """Whether a builtin asks for its arguments, and calls none of them: those that do are no natives."""
    return isinstance(f, types.BuiltinFunctionType) and f.__module__ == "builtins"


def _quiet_module(name: str) -> bool:
    plain = name.removeprefix("_")
    return framework(name) or plain == "builtins" or plain in _QUIET or plain.partition(".")[0] in _QUIET


def _users_code(x: Any) -> bool:
    """Whether an argument is code of the user's that the callee may run."""
    f = x.__func__ if isinstance(x, types.MethodType) else x
    return isinstance(f, types.FunctionType) and users(f.__globals__)
