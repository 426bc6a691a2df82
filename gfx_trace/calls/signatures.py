"""Abstract signatures: what a function is called with, as a key of all calls that one capture of it stands for."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.control import is_given
from gfx_ir.graph import Value
from gfx_ir.probing import is_module

from ..heap.aliases import memory
from ..heap.contents import attributes_of, row_of
from ..heap.reads import UNSET, content_of
from ..interfaces import Capturing
from ..values.nest import branches, is_record, part_name, rebuilt
from ..values.proxy import HostProxy, Proxy, Undefined, Unusable
from .profiles import Profile, Profiles

FIXED = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_HOST = frozenset(("int", "float", "bool", "complex", "shape"))
_OWN = ("gfx_ir", "gfx_trace")
_HOLDING = frozenset(
    (Proxy, HostProxy, slice, range, types.FunctionType, types.MethodType, functools.partial, list, dict)
)
"""What is open, or may hold what is, beside tuples and records."""
Open = Proxy | HostProxy
FEW = 4
"""How many values of containers a function is given, or gives, one by one and keeps its name."""


class NoCall(Exception):
    """The arguments, body or result of a function are such that a call of it cannot stand for it."""


def surely_fixed(f: types.FunctionType, args: tuple, kwargs: dict) -> bool:
    """Whether f is given nothing open, told by the kinds of its arguments, of their defaults and of what it closes over alone."""
    for x in (*args, *kwargs.values(), *map(content_of, f.__closure__ or ()), *(f.__defaults__ or ())):
        kind = type(x)
        if kind in FIXED or kind is type:
            continue
        if kind in _HOLDING or issubclass(kind, tuple) or (dataclasses.is_dataclass(kind) and _is_tree_of_fields(x)):
            return False
    return not f.__kwdefaults__


class Given:
    """What a call gives: `values`, which are open, each once, with what they hold, `profiles` and `names`; `containers`, told by what they hold, and
    functions, told by their code and what they close over; `objects`, of which each is only itself. `key`: of all that.

    A function that is given in place of f, and what a body gets in place of arguments, has others in the places of the open values.
    """

    def __init__(self, tracer: Capturing, profiles: Profiles, f: types.FunctionType, args: tuple, kwargs: dict) -> None:
        self.values: list[Open] = []
        self.held: list[Value] = []
        self.profiles: list[Profile] = []
        self.names: list[str] = []
        self.containers: list[Any] = []
        self.objects: list[Any] = []
        self._tracer, self._profiles = tracer, profiles
        self._seen: dict[int, int] = {}
        self._memory: set[int] = set()
        self._doubts = False  # whether an open value may be another one, as a test or loop says
        names, count = f.__code__.co_varnames, f.__code__.co_argcount
        own = tuple([self._of(x, names[at] if at < count else "") for at, x in enumerate(args)])
        more = tuple([(name, self._of(x, name)) for name, x in kwargs.items()]) if kwargs else ()
        self.key = self._function(f), own, more

    @property
    def alone(self) -> bool:
        """Whether nothing but open values and constants is given."""
        return len(self.containers) == len(self.objects) == 1  # the function itself, and its code

    def flat(self, args: tuple, kwargs: dict) -> bool:
        """Whether few open values stand in containers alone, but those of what the caller is given, or what is trained."""
        own = set(map(id, (*args, *kwargs.values())))
        parts = {id(part) for x in self.containers for _, part in branches(x) or ()} - own
        return sum(id(x) in parts and not is_given(held.node) for x, held in zip(self.values, self.held)) <= FEW

    def memory(self) -> set[Value]:
        """What stands for the tensors that are given, and for all whose memory they have or may have."""
        tensors = [x for x in self.values if type(x) is Proxy]
        held = [item.value for x in tensors for item in (x, *memory(x)) if type(item.value) is Value]
        return set(map(self._tracer.facts.root, held))

    # ------------------------------------------------------------------ keys
    def _of(self, x: Any, name: str = "") -> Any:
        """The key of an argument, or of a part of it."""
        kind = type(x)
        if kind is Proxy:
            return self._tensor(x, name)
        if kind in FIXED:
            return kind, repr(x)
        if kind is HostProxy:
            return self._host(x, name)
        if id(x) in self._seen:
            return "same", self._seen[id(x)]
        if kind is slice or kind is range:
            return (kind, *map(self._of, (x.start, x.stop, x.step)))
        if kind is types.FunctionType:
            return self._function(x)
        if kind is types.MethodType:
            return "method", self._of(x.__func__), self._of(x.__self__, name)
        if kind is functools.partial:
            return "partial", self._of(x.func), self._of(x.args), self._of(x.keywords)
        if self._is_tree(x):
            self._noted(x)
            named = [(key, item, _of_part(name, part_name(x, key))) for key, item in branches(x) or ()]
            return (kind, *[(type(key), key, self._of(item, own)) for key, item, own in named])
        return self._object(x)

    def _is_tree(self, x: Any) -> bool:
        """Whether x is a container of which what it holds is all there is to know."""
        kind = type(x)
        if issubclass(kind, tuple):
            return (kind is tuple and not self._tracer.record.is_shape(x)) or hasattr(x, "_fields")
        if kind is list or kind is dict:
            tracer = self._tracer
            if x in tracer.journal.links or id(x) in tracer.brought or self._is_unsure(x):
                raise NoCall  # it may be another one, hold other keys, or hold its items in another order
            return kind is list or all(type(key) in FIXED for key in x)
        if not _is_tree_of_fields(x):
            return False
        if self._is_unsure(x):
            raise NoCall
        return True

    def _is_unsure(self, x: Any) -> bool:
        """Whether data decides which keys or attributes a container has, or their order."""
        effects = self._tracer.effects
        return bool(effects.unsure or effects.unordered) and effects.is_unsure(x)

    def _object(self, x: Any) -> Any:
        """The key of what is only itself."""
        kind = type(x)
        if issubclass(kind, (Unusable, Undefined)) or kind.__module__.partition(".")[0] in _OWN:
            raise NoCall
        self.objects.append(x)
        return "object", id(x)

    def _noted(self, x: Any) -> None:
        self._seen[id(x)] = len(self.containers)
        self.containers.append(x)

    def _function(self, f: types.FunctionType) -> Any:
        """The key of a function: its code, and what it closes over."""
        if f.__dict__ and not (f.__dict__.keys() <= _ATTRIBUTES):
            return self._object(f)
        self._noted(f)
        code, cells = f.__code__, f.__closure__
        if cells is None and f.__defaults__ is None and f.__kwdefaults__ is None:
            self.objects.append(code)
            return id(code), id(f.__globals__)
        self.objects.append(code)
        closed = tuple(map(self._closed, code.co_freevars, cells)) if cells else ()
        return (
            "function",
            id(code),
            id(f.__globals__),
            closed,
            self._shared(f.__defaults__),
            self._shared(tuple((f.__kwdefaults__ or {}).items())),
        )

    def _closed(self, name: str, cell: types.CellType) -> Any:
        return self._shared(content_of(cell), name)

    def _shared(self, x: Any, name: str = "") -> Any:
        """The key of what was not made for this call: others may hold it, too."""
        kind = type(x)
        if x is UNSET:
            return "unset"
        if kind in (Proxy, HostProxy, types.FunctionType) or kind in FIXED:
            return self._of(x, name)
        if kind is tuple and not self._tracer.record.is_shape(x):
            return (tuple, *[self._shared(item, name) for item in x])
        self.objects.append(x)
        return "object", id(x)

    def _tensor(self, x: Proxy, name: str) -> Any:
        if id(x) in self._seen:
            return "same", self._seen[id(x)]
        if x.base is None and not self._doubts:
            value, held = x.value, {id(x)}
        else:
            value, held = x.read(), {id(item) for item in memory(x)}
        there = type(value) is Value and (value.kind != "optional" or self._tracer.facts.there(value))
        profile = self._profiles.of(value) if there and x.own is None else None
        plain = x.base is None or type(x.base) is Proxy
        if profile is None or not (plain or self._memory.isdisjoint(held)):
            raise NoCall  # whether it is another argument is open
        if self._doubts and any(self._may_meet(other, held) for other in self.values):
            raise NoCall
        self._doubts |= not plain
        self._memory |= held
        return self._open(x, value, profile, name)

    def _may_meet(self, other: Open, held: set[int]) -> bool:
        """Whether another open value may be one of these tensors, as a test or loop says."""
        apart = type(other) is not Proxy or type(other.base) in (Proxy, type(None))
        return not apart and not held.isdisjoint(map(id, memory(other)))  # type: ignore[arg-type]

    def _host(self, x: HostProxy, name: str) -> Any:
        for at, known in enumerate(self.values):
            if type(known) is HostProxy and known.value is x.value and known.taken is x.taken:
                self._seen[id(x)] = -1 - at
                return "same", -1 - at
        if x.value.kind not in _HOST:
            raise NoCall
        profile = self._profiles.of(x.value)
        assert profile is not None
        return x.taken, self._open(x, x.value, profile, name)

    def _open(self, x: Open, value: Value, profile: Profile, name: str) -> Any:
        self._seen[id(x)] = -1 - len(self.values)
        self.values.append(x)
        self.held.append(value)
        self.profiles.append(profile)
        self.names.append(name)
        return "open", x.backend.name if x.backend is not None else "", profile

    # ------------------------------------------------------------------ other values in their places
    def filled(self, places: Sequence[Open]) -> Filled:
        """How arguments are made with others in the places of the open values."""
        return Filled(self._seen, places)


class Filled:
    """Arguments with others in the places of open values; what holds none of these is the same object. `made`: by the position of
    the container that it stands for, what was made."""

    def __init__(self, seen: dict[int, int], places: Sequence[Open]) -> None:
        self._seen, self._places = seen, places
        self.made: dict[int, Any] = {}

    def __call__(self, x: Any) -> Any:
        """What stands for an argument, or for a part of it."""
        kind, at = type(x), self._seen.get(id(x))
        if at is None:
            return self._unnoted(x)
        if at < 0:
            return self._places[-1 - at]
        if at not in self.made:
            if kind is types.FunctionType:
                return self._function(x, at)
            items = [(item, self(item)) for _, item in branches(x) or ()]
            same = all(new is old for old, new in items)
            self.made[at] = x if same else rebuilt(x, [new for _, new in items])
        return self.made[at]

    def _unnoted(self, x: Any) -> Any:
        kind = type(x)
        if kind is slice:
            return slice(*map(self, (x.start, x.stop, x.step)))
        if kind is types.MethodType:
            return types.MethodType(self(x.__func__), self(x.__self__))
        if kind is functools.partial:
            return functools.partial(
                self(x.func), *map(self, x.args), **{key: self(item) for key, item in x.keywords.items()}
            )
        if kind is tuple:  # which a function closes over
            made = tuple(map(self, x))
            return x if all(new is old for new, old in zip(made, x)) else made
        return x

    def _function(self, f: types.FunctionType, at: int) -> Callable[..., Any]:
        """A function that closes over others, and has others as defaults."""
        made = self.made[at] = f
        if not self._opens(f, set()):
            return f
        cells = tuple([types.CellType() for _ in f.__closure__ or ()])
        made = types.FunctionType(f.__code__, f.__globals__, f.__name__, self(f.__defaults__), cells)
        self.made[at] = made
        made.__kwdefaults__ = f.__kwdefaults__ and {key: self(item) for key, item in f.__kwdefaults__.items()}
        made.__qualname__, made.__doc__, made.__module__ = f.__qualname__, f.__doc__, f.__module__
        made.__dict__.update(f.__dict__)
        for new, cell in zip(cells, f.__closure__ or ()):
            content = content_of(cell)
            if content is not UNSET:
                new.cell_contents = self(content)
        return made

    def _opens(self, x: Any, met: set[int]) -> bool:
        """Whether a function, or what it closes over, holds an open value."""
        if type(x) in (Proxy, HostProxy):
            return True
        if id(x) in met:
            return False
        met.add(id(x))
        if type(x) is tuple:
            return any(self._opens(item, met) for item in x)
        if type(x) is not types.FunctionType or self._seen.get(id(x)) is None:
            return False
        held = [*map(content_of, x.__closure__ or ()), *(x.__defaults__ or ()), *(x.__kwdefaults__ or {}).values()]
        return any(self._opens(item, met) for item in held)


_ATTRIBUTES = frozenset(("__wrapped__",))


def _of_part(name: str, part: str) -> str:
    """What a part of an argument is called: one without a name of its own as the code calls it."""
    return f"{name}_{part}" if name and part else ""


def _is_tree_of_fields(x: Any) -> bool:
    """Whether x is a record of which its fields are all there is to know."""
    kind = type(x)
    if not is_record(x) or row_of(kind) is not None or is_module(x):
        return False
    own = attributes_of(x).keys()
    known = own <= kind.__dataclass_fields__.keys()  # those of the class among them
    return known and own <= {field.name for field in dataclasses.fields(kind)}
