"""Interfaces of calls: what they become, what they write, what is remembered and taken as given."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Sequence
from types import FunctionType
from typing import Any, Protocol

from gfx_ir.graph import Graph, Value
from gfx_ir.infer.number_conditions import Conditions
from gfx_ir.program import Guard
from gfx_ir.source import Scope, Span

from .proxy import Proxy


class Calling(Protocol):
    """What calls become."""

    def call(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call f as the captured code would."""

    def call_spread(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """Call f with arguments of which some were spread by `*`."""

    def lifted(self, f: Any) -> Any:
        """What a callable is lifted by: a handler of a builtin, a framework's Lift, or None."""

    def call_entry(self, target: Any, args: tuple, kwargs: dict) -> Any:
        """Call the captured function itself."""

    def enter(
        self, new: Callable[..., Any], f: types.FunctionType, args: tuple, kwargs: dict, expanded: bool = False
    ) -> Any:
        """Call `new`, which is the rewritten form of f; `expanded`: what it does is captured here, whatever was captured before."""

    def run_method(self, method: Any, args: tuple, kwargs: dict) -> Any:
        """Enter a method in the scope that is open: a module's forward is the module's scope."""


class Managing(Protocol):
    """Context managers."""

    def manager(self, made: Any) -> Any:
        """What a `with` enters in place of `made`."""

    def managed(self, f: FunctionType, args: tuple, kwargs: dict) -> Any:
        """What a call of a library's wrapper around a function gives."""


class Scoping(Protocol):
    """Where in the model and the code the capture is."""

    @property
    def scope(self) -> Scope:
        """The call that is open, as nodes know it."""

    def scope_of(self, opened: Any) -> Scope:
        """The Scope of a call, made when somebody asks for it: many a small function records nothing of its own."""

    def scope_args(self, f: types.FunctionType, args: tuple, kwargs: dict) -> tuple:
        """(name, argument) pairs of a call, as far as positions and keywords tell."""

    def encloses(self, value: Value) -> bool:
        """Whether the scope that is open called the one in which `value` was made."""

    def made_here(self, value: Value) -> bool:
        """Whether no other scope than the open one made `value`: it is no variable of a caller's or a sister's."""


class InLibraries(Protocol):
    """Libraries that are built on a framework."""

    def builds(self, f: Any) -> bool:
        """Whether a callable is of such a library."""

    def target(self, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any]) -> Any:
        """The call of the target, which work() enters."""

    def call(self, f: Any, args: tuple, kwargs: dict, work: Callable[[], Any]) -> Any:
        """A call of f, which work() enters, or runs as it is."""


class Keeping(Protocol):
    """The functions that stay functions."""

    graphs: dict[str, Graph]

    hopeless: set[int]

    def enters(self, f: types.FunctionType) -> None:
        """Note that the body of f is captured: what it reads from outside decides what it does."""

    def call(self, new: Callable[..., Any], f: types.FunctionType, args: tuple, kwargs: dict) -> Any:
        """What a call of f, whose rewritten form is `new`, gives; NotImplemented where it has to be expanded."""

    def leave(self) -> None:
        """Forget what was captured: the capture is done, and who holds what is counted."""

    def settle(self, entry: Graph) -> None:
        """Put the body of each function that is called from one place only in the place of its call."""

    def reached(self, entry: Graph) -> dict[str, Graph]:
        """The functions that a graph calls, those too that these call."""


class Writing(Protocol):
    """What is written."""

    opaque: dict[type, bool]
    ran: list[Span]

    unsure: dict[int, set[Any]]
    open_keys: dict[int, str]

    def run(self, f: Callable[..., Any], args: tuple, kwargs: dict) -> Any:
        """f(*args, **kwargs), what it writes recorded."""

    def made_default(self, owner: dict, key: Any, value: Any) -> None:
        """A dictionary makes the default of a key in a region."""

    def may_lack(self, owner: Any, key: Any) -> None:
        """Data decides whether a dictionary has a key, or an object an attribute."""

    def asks(self, owner: Any, key: Any) -> None:
        """Before an item is read."""

    def is_there(self, owner: Any, key: Any) -> None:
        """A key or attribute was read or written."""

    def sure_of(self, owner: Any, *asked: Any) -> None:
        """Before it is asked which keys a dictionary has, or attributes an object, or whether these (`asked`)."""

    def writes(self, owner: Any) -> None:
        """Something in C is about to write to an object."""

    def watched(self, f: Callable[..., Any], roots: tuple, args: tuple, kwargs: dict, deep: int = ...) -> Any:
        """A call of a function of which nothing is known."""


class RunningMethods(Protocol):
    """The gate of special methods that C runs."""

    def among(self, items: Iterable[Any]) -> list[Any]:
        """Those of the items whose methods C may run."""

    def text_of(self, x: Any, conversion: Any) -> Any:
        """The `__str__` or `__repr__` of the user's own that a text asks of an object which holds captured data."""

    def run(self, items: Iterable[Any], f: Callable[[], Any], told: bool = False) -> Any:
        """f(), in which C may run methods of the items; `told`: it makes a text, which shows captured data itself."""


class Remembering(Protocol):
    """What is computed once."""

    lasting: list[Proxy]

    properties: dict[tuple[int, str], tuple[Any, list[Any]]]

    def leave(self) -> None:
        """The captured code has returned: nothing is held any longer."""

    def made(self, f: Any) -> None:
        """Native code made f: a function that remembers begins empty."""

    def call(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """f(*args, **kwargs) of what functools.cache or lru_cache made."""

    def method(self, f: Any, name: str) -> Any:
        """f.cache_clear() and f.cache_info()."""

    def once(self, kept: list[Any], compute: Callable[[], Any], what: str) -> Any:
        """What is kept already for the part of the code that asks, or else is computed."""


class Assuming(Protocol):
    """What was taken as given."""

    def require_rank(self, value: Value, rank: int, why: str) -> int:
        """Take a rank as given for a call that means something else at other ranks; the rank that the value has."""

    guards: list[Guard]

    depths: dict[Value, int]

    devices: dict[Value, Any]

    layouts: dict[Value, Any]

    modes: dict[int, Any]

    def rank(self, value: Any, rank: int) -> bool:
        """Take the rank of an argument as given, with a guard."""

    def ranks(self, conditions: Conditions) -> bool:
        """Take it as given that what is a number of NumPy's under these conditions is one, with guards."""

    def ranks_given(self, conditions: Conditions | None) -> bool:
        """Whether conditions were taken as given, all of them ranks of arguments."""

    def has_axes(self, terms: Any) -> bool:
        """Whether the greatest of some ranks is one or more, or can be taken for that."""

    def deepen(self, conditions: Conditions | None) -> None:
        """Note that what would be a number under these conditions is none: the code indexes it."""

    def state(self) -> tuple[int, int]:
        """A point that `back` comes back to."""

    def back(self, state: tuple[int, int]) -> None:
        """Take back what was taken as given since."""

    def kinds(self, call: str, given: Sequence[Any], kinds: str) -> None:
        """Take it as given that what a call gets is of these kinds of numbers, with guards."""

    def is_argument(self, value: Any) -> bool:
        """Whether a value is a tensor that the captured function takes."""

    def guard(self, guard: Guard) -> None:
        """Take something as given."""

    def require_also(self, value: Value, other: Any) -> None:
        """Require of another value the rank that a call required of this one."""
