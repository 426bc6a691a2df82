"""What parts of a capture ask of the Tracer, by what they ask it for: they import this module, and the Tracer imports them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, Protocol

from gfx_ir.backend import Backend
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import OpDef
from gfx_ir.program import Guard
from gfx_ir.source import Span

from .facts import Facts
from .journal import Asked, Journal
from .proxy import Proxy
from .python_use import PythonUse
from .record import Record


class Places(Protocol):
    """Where in the user's code the capture is."""

    site: FrameType | None

    def span(self) -> Span | None:
        """The place of what is recorded now."""

    def place(self) -> Span | None:
        """The place of an error: that of the code which asks for a value, where GFX itself asks it on behalf of that."""

    def error(self, what: str, hint: str = "") -> UnsupportedConstruct:
        """An error at the user's place."""


class Recording(Places, Protocol):
    """The graph that is being made."""

    graph: Graph
    stack: list[tuple[Graph, dict[Value, Value]]]

    def add(self, op: OpDef, args: tuple) -> Any:
        """Add a node; its value, or the tuple of its values where there are several or none."""

    def append(self, node: Node) -> Node:
        """Add a node that was made."""

    def host(self, operator_: str, *args: Any) -> Any:
        """Apply an operator of Python's to host values."""

    def local(self, value: Value) -> Value:
        """A value as the innermost graph has it."""

    def visible(self, value: Value) -> bool:
        """Whether a value is of a graph that is still open."""

    def next_key(self) -> Value:
        """A fresh key for a draw of random numbers."""


class Assuming(Protocol):
    """What was taken as given."""

    guards: list[Guard]
    depths: dict[Value, int]
    devices: dict[Value, Any]
    modes: dict[int, Any]

    def is_argument(self, value: Any) -> bool:
        """Whether a value is a tensor that the captured function takes."""

    def guard(self, guard: Guard) -> None:
        """Take something as given."""

    def state(self) -> tuple[int, int]:
        """A point that `back` comes back to."""

    def back(self, state: tuple[int, int]) -> None:
        """Take back what was taken as given since."""


class Writing(Protocol):
    """What is written."""

    def writes(self, owner: Any) -> None:
        """Note that a container or iterator is about to be written."""

    def sure_of(self, source: Any) -> None:
        """Refuse what a test has written on one side only."""

    def watched(self, f: Callable[..., Any], roots: tuple, args: tuple, kwargs: dict, deep: int = ...) -> Any:
        """f(*args, **kwargs); what it writes that can be reached is noted."""


class RunningMethods(Protocol):
    """The gate of special methods that C runs."""

    def run(self, items: Iterable[Any], f: Callable[[], Any], told: bool = False) -> Any:
        """f(), in which C may run methods of the items."""


class Remembering(Protocol):
    """What is computed once."""

    properties: dict[tuple[int, str], tuple[Any, list[Any]]]

    def once(self, kept: list[Any], compute: Callable[[], Any], what: str) -> Any:
        """What is kept already for the part of the code that asks, or else is computed."""


class Keeping(Protocol):
    """The functions that stay functions."""

    graphs: dict[str, Graph]


class Knowing(Protocol):
    """What the capture knows, has written, took as given or lacks."""

    facts: Facts
    journal: Journal
    consulted: Asked
    record: Record
    params: dict[str, Any]
    missing: dict[str, Span | None]
    unread: set[Value]
    static_types: bool

    @property
    def functions(self) -> Keeping:
        """The functions that stay functions."""

    @property
    def native_methods(self) -> RunningMethods:
        """The gate of special methods that C runs."""

    @property
    def memoised(self) -> Remembering:
        """What is computed once."""

    @property
    def effects(self) -> Writing:
        """What is written."""

    @property
    def assumed(self) -> Assuming:
        """What was taken as given."""


class Values(Protocol):
    """Between the traced function's objects and values of the graph."""

    backend: Backend | None

    def wrap(self, result: Any, backend: Backend | None = None) -> Any:
        """What ops gave, as the traced function sees it."""

    def unwrap(self, tree: Any) -> Any:
        """Arguments as ops take them."""

    def frameworks(self) -> list[Backend]:
        """The frameworks whose objects may turn up."""

    def array_owner(self, x: Any) -> Backend | None:
        """The framework whose array x is."""

    def array_proxy(self, x: Any, name: str = "constant", place: Any = None) -> Proxy:
        """What stands for an array from outside."""


class Iterating(Protocol):
    """What iterators hand on."""

    def check(self, iterator: Any) -> None:
        """Refuse an iterator that was made outside of this test or loop."""

    def drained(self, source: Any) -> Any:
        """All that is left of an iterator; anything else as it is."""

    def some(self, source: Any, count: int) -> Any:
        """The next items of an iterator, one more than `count` where there are more; anything else as it is."""


class Using(Values, Protocol):
    """What the code does with objects."""

    python: PythonUse

    @property
    def iteration(self) -> Iterating:
        """What iterators hand on."""

    def iterable(self, x: Any) -> Any:
        """What a loop over x goes over."""

    def resolve(self, x: Any, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of what a gated value holds."""

    def link_item(self, x: Proxy, value: Value, wrapped: Any, integers: int) -> None:
        """Make what an index of whole numbers gives a view of x."""

    def call(self, f: Any, args: tuple, kwargs: dict) -> Any:
        """f(*args, **kwargs)."""

    def setitem(self, x: Proxy, index: Any, new: Any) -> None:
        """x[index] = new."""

    def length(self, x: Any) -> Any:
        """len(x)."""

    def iterate(self, x: Any) -> Iterator[Any]:
        """The rows of a tensor of known length."""

    def unpack(self, value: Any, names: tuple) -> Any:
        """The items of value for the targets `names`."""

    def own_method(self, x: Any, name: str) -> Any:
        """A special method of the user's own class, which is entered."""

    def stacked(self, items: list[Any]) -> Any:
        """What stacking a list gives."""

    def outside_generator(self, name: str) -> Exception:
        """The error for a draw that would be made once, at capture."""

    def shown(self, make: Callable[[], str], value: Any) -> str:
        """A text that Python makes of a value."""


class LettingOut(Protocol):
    """Errors that may be raised when the code runs."""

    @property
    def handlers(self) -> Sequence[Any]:
        """The open try statements."""

    def error(self, error: Any, cause: Any) -> BaseException:
        """What raising one raises at capture."""

    def let_out(self, what: str, error: BaseException) -> None:
        """Raises where an except clause would take such an error."""


class Testing(Using, Protocol):
    """Tests, and what runs under them."""

    @property
    def raising(self) -> LettingOut:
        """What is raised."""

    def truth(self, test: Any) -> Any:
        """The truth of a test: a bool where it is decided, else a value."""

    def bool_(self, x: Any) -> Any:
        """bool(x)."""

    def not_(self, x: Any) -> Any:
        """not x."""

    def and_(self, first: Any, rest: Sequence[Callable[[], Any]], access: tuple | None = None) -> Any:
        """first and rest…"""

    def or_(self, first: Any, rest: Sequence[Callable[[], Any]], access: tuple | None = None) -> Any:
        """first or rest…"""

    def stays(self, value: Any) -> bool:
        """Whether a value is there behind a test."""

    def at_end(self, side: Any, x: Any) -> Any:
        """What x is at the end of one side of a test."""

    def ifexp(
        self,
        test: Any,
        then: Callable[[], Any],
        otherwise: Callable[[], Any],
        access: tuple | None = None,
        name: str = "result",
    ) -> Any:
        """then if test else otherwise."""

    def branch(
        self, test: Value, then: Any, otherwise: Any, get: Any, set_: Any, names: Sequence[str], ret: str
    ) -> Any:
        """An open test, both sides captured."""


class Capturing(Recording, Knowing, Testing, Protocol):
    """All of these."""
