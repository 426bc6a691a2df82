"""Special methods of the user's own that C runs as they stand: `__eq__`, `__hash__`, `__lt__` of what is looked up, sorted or compared.

Where such an object holds captured data, it is refused; what else the methods write is recorded as any unknown call's writes are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..heap.contents import FIXED, has_attributes, row_of
from ..heap.reached import IMMUTABLE, reached_from
from ..heap.reads import held_by, sets_globals
from ..interfaces import Capturing
from ..python.identity import check_which
from ..rewrite import is_converted
from ..rewrite.packages import users
from ..values.gated import Gated, undecided
from ..values.proxy import HostProxy, Proxy, is_open
from ..values.raised import OF_FIXED_PARTS
from .attributes import own_function

_ASKED = (
    "__eq__",
    "__hash__",
    "__lt__",
    "__gt__",
    "__le__",
    "__ge__",
    "__ne__",
    "__index__",
)
_TEXTS = ("__format__", "__str__", "__repr__")
"""What shows captured data is told by the data itself, wherever a text is made of it."""
_MAKING = frozenset(
    "__init__ __new__ __post_init__ __init_subclass__ __class_getitem__ __set_name__ __del__ __enter__ __exit__".split()
)
"""Special methods that no use of an object runs."""
_PLAIN = frozenset((int, float, str, bool, type(None), tuple, list, dict, set, bytes, complex, Proxy, HostProxy))


class NativeMethods:
    """What is known of the classes whose special methods C may run."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer
        self.written: dict[type, bool] = {}
        self._writing: dict[type, list[Any]] = {}
        self.own: dict[type, tuple[str, ...]] = {}  # those methods that a class has

    def of(self, kind: type) -> tuple[str, ...]:
        """The special methods of the user's own that objects of a class have, where capture has not rewritten them."""
        found = self.own.get(kind)
        if found is None:
            methods = ((name, own_function(getattr(kind, name, None))) for name in (*_ASKED, *_TEXTS))
            found = self.own[kind] = tuple(
                [name for name, f in methods if f is not None and not is_converted(f.__code__)]
            )
        return found

    def runs(self, kind: type) -> bool:
        """Whether C may run code of the user's that objects of a class bring, or make what is missing in them."""
        found = self.written.get(kind)
        if found is None:
            own = (name for base in kind.__mro__ if users({"__name__": base.__module__}) for name in vars(base))
            special = any(
                name.startswith("__") and own_function(getattr(kind, name, None)) for name in own if name not in _MAKING
            )
            found = self.written[kind] = special or hasattr(kind, "__missing__") or bool(self.of(kind))
        return found

    def _code(self, kind: type) -> list[Any]:
        """The functions of the user's own that a class holds, and that may write to what they close over or to globals."""
        found = self._writing.get(kind)
        if found is None:
            own = [vars(base) for base in kind.__mro__ if users({"__name__": base.__module__})]
            held = [x for names in own for value in names.values() for x in _functions(value)]
            found = self._writing[kind] = [f for f in held if own_function(f) is not None and _writes_outside(f)]
        return found

    def among(self, items: Iterable[Any]) -> list[Any]:
        """Those of the items whose methods C may run."""
        return [x for x in items if type(x) not in _PLAIN and self.runs(type(x))]

    def text_of(self, x: Any, conversion: Any) -> Any:
        """The `__str__` or `__repr__` of the user's own that a text asks of an object which holds captured data; else None."""
        kind = type(x)
        if kind in _PLAIN or not self.of(kind) or conversion == "a" or kind.__format__ is not object.__format__:
            return None
        name = "__repr__" if conversion == "r" or kind.__str__ is object.__str__ else "__str__"
        found = own_function(getattr(kind, name))
        return found if found is not None and self._holds_data(x) else None

    def _holds_data(self, x: Any) -> bool:
        """Whether captured values or arrays can be reached from an object, so that its methods may ask for them."""
        parts = [part for part in reached_from((x,)) if type(part) not in FIXED]
        return any(is_open(part) or self.tracer.arrays.is_numbers(part) for part in parts)

    def run(self, items: Iterable[Any], f: Callable[[], Any], told: bool = False, hashes: bool = True) -> Any:
        """f(), in which C may run methods of the items; `told`: it makes a text, which shows captured data itself; `hashes`: it hashes
        them, or compares them with others. Raises where a test decides what one of them is."""
        items = list(items)
        if _PLAIN.issuperset(map(type, items)):
            return on_fixed(self.tracer, f)
        chosen = next((x for x in items if type(x) is Gated), None)
        if chosen is not None:
            raise undecided(chosen)
        if not told:
            check_which(self.tracer, items, alone=hashes)
        asked = self.among(items)
        if not asked:
            return on_fixed(self.tracer, f)
        tracer = self.tracer
        for x in () if told else asked:
            name = next((name for name in self.of(type(x)) if name not in _TEXTS), "")
            if name and self._holds_data(x):
                kind = type(x).__name__
                raise tracer.error(
                    f"GFX cannot convert this use of a {kind}: Python itself calls {kind}.{name}, and the object holds captured data",
                    "compare what it holds, or call the method by its name",
                )
        kinds = {type(x): None for x in asked}
        return tracer.effects.watched(f, (*asked, *[code for kind in kinds for code in self._code(kind)]), (), {})


def _functions(held: Any) -> tuple:
    """What runs where an attribute of an object is used, by what its class holds."""
    if type(held) is property:
        return held.fget, held.fset, held.fdel
    return (getattr(held, "__func__", held),)


def _writes_outside(f: Any) -> bool:
    """Whether a function may write to what it is not given: its variables from outside, or what these hold."""
    own = {name for name in f.__code__.co_freevars if name != "__class__"}
    return bool(own) or sets_globals(f.__code__) or any(map(_may_be_written, held_by(f)))


def _may_be_written(x: Any) -> bool:
    kind = type(x)
    return row_of(kind) is not None or (
        not isinstance(x, IMMUTABLE) and has_attributes(x) and users({"__name__": kind.__module__})
    )


def on_fixed(tracer: Capturing, f: Callable[[], Any]) -> Any:
    """f(), which is C's work on what is fixed: what it raises the author's code raises there, whatever is open."""
    try:
        return f()
    except OF_FIXED_PARTS as error:
        tracer.raising.of_fixed = error
        raise
