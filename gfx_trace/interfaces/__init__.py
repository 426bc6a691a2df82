"""What parts of a capture ask of the Tracer, by what they ask it for: they import this module, and the Tracer imports them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, Protocol

from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.making import Stagings
from gfx_ir.op import OpDef
from gfx_ir.source import Span

from ..heap.journal import Journal
from ..heap.reads import Asked
from ..heap.slots import Replaced
from ..values.facts import Facts
from ..values.proxy import Proxy
from ..values.python_use import PythonUse
from ..values.record import Record
from .calls import (
    Assuming,
    Calling,
    InLibraries,
    Keeping,
    Managing,
    Remembering,
    Repeating,
    RunningMethods,
    Scoping,
    Writing,
)
from .control import (
    Branching,
    Deciding,
    Iterating,
    LettingOut,
    Looping,
    OfSources,
    Resolving,
    Testing,
)
from .values import (
    InModes,
    OfArrays,
    OfAttributes,
    OfHostValues,
    OfObjects,
    OfOperands,
    OfOwnClasses,
    Viewing,
    Wording,
)


class Places(Protocol):
    """Where in the user's code the capture is."""

    site: FrameType | None

    def span(self) -> Span | None:
        """The place of what is recorded now."""

    def place(self) -> Span | None: ...

    def error(self, what: str, hint: str = "") -> UnsupportedConstruct:
        """An error at the user's place."""


class Recording(Places, Protocol):
    """The graph that is being made."""

    graph: Graph
    stack: list[tuple[Graph, dict[Value, Value]]]

    @property
    def graphs(self) -> list[Graph]:
        """Those under construction, the outermost first."""

    @property
    def outermost(self) -> Graph:
        """That in which all others stand."""

    def add(self, op: OpDef, args: tuple) -> Any: ...

    def append(self, node: Node) -> Node:
        """Add a node that was made."""

    def link(self, node: Node) -> None:
        """Add a node that was made, and whose types are told."""

    def host(self, operator_: str, *args: Any) -> Any:
        """Apply an operator of Python's to host values."""

    def local(self, value: Value) -> Value:
        """A value as the innermost graph has it."""

    def next_key(self) -> Value: ...


class Knowing(Protocol):
    """What the capture knows, has written, took as given or lacks."""

    facts: Facts
    journal: Journal
    consulted: Asked
    given_objects: dict[int, tuple[str, dict]]
    record: Record
    params: dict[str, Any]
    own_leaves: set[Value]
    missing: dict[str, Span | None]
    unread: set[Value]
    static_types: bool

    @property
    def functions(self) -> Keeping: ...
    @property
    def repeated(self) -> Repeating: ...
    @property
    def native_methods(self) -> RunningMethods: ...
    @property
    def memoised(self) -> Remembering: ...
    @property
    def effects(self) -> Writing: ...
    @property
    def assumed(self) -> Assuming: ...


class Capturing(Recording, Knowing, Protocol):
    """What each part of a capture asks: the graph, what is known, and the other parts."""

    backend: Backend | None
    promotion: str
    python: PythonUse
    options: dict[str, Any]
    captures: dict[Value, Value]
    within: Any
    depth: int
    quiet: bool
    decomposing: bool
    root: Any
    key: Any
    known: dict[int, Proxy]
    places: dict[int, Any]
    met_twice: set[int]
    met_within: set[int]
    kept: list[Any]
    replaced: Mapping[int, Replaced]
    entered: dict[Any, Any]
    native: dict[Any, Any]
    loop_hints: dict[tuple, Any]
    open_graphs: tuple[Graph, ...]
    module_paths: dict[int, str]
    module_classes: dict[type, Any]
    authors_modules: dict[int, Any]
    tensor_paths: dict[int, str]
    bound_arrays: dict[str, Any]
    copied: set[int]
    notes: list[str]
    brought: dict[int, tuple[Any, Any]]
    copies: dict[Value, Any]
    derived: set[tuple[int, str]]
    staged_values: list[dict[Value, Any]]
    stagings: Stagings
    speaking: Backend | None
    own_rules: list[Any]
    owners: dict[type, Any]
    constants: bool
    castable: Any
    _frameworks: list[Backend] | None

    def wrap(self, result: Any, backend: Backend | None = None) -> Any: ...
    def dtype(self, x: Any, owner: Backend | None) -> DType | None: ...
    def unwrap(self, tree: Any) -> Any: ...

    def region(self, name: str) -> Any:
        """Build a region of a node; yields its graph and what it captures."""

    def outer_operands(self, regions: list[tuple[Graph, dict[Value, Value]]]) -> tuple:
        """What regions capture, as the graph around them has it."""

    def _local(self, value: Any) -> Any:
        """A value, or a constant, as the innermost graph has it."""

    def is_leaf(self, target: Any) -> bool: ...
    def make_argument(self, name: str, value: Any) -> Any: ...

    @property
    def unpack(self) -> Callable[[Any, tuple], Any]:
        """What gives the items of a value for some targets."""

    @property
    def apply(self) -> Callable[..., Any]:
        """What applies a lift."""

    @property
    def operands(self) -> OfOperands: ...
    @property
    def calls(self) -> Calling: ...
    @property
    def managers(self) -> Managing: ...
    @property
    def scopes(self) -> Scoping: ...
    @property
    def views(self) -> Viewing: ...
    @property
    def host_values(self) -> OfHostValues: ...
    @property
    def texts(self) -> Wording: ...
    @property
    def objects(self) -> OfObjects: ...
    @property
    def overloading(self) -> OfOwnClasses: ...
    @property
    def arrays(self) -> OfArrays: ...
    @property
    def truths(self) -> Testing: ...
    @property
    def gates(self) -> Resolving: ...
    @property
    def regions(self) -> Branching: ...
    @property
    def loop_sources(self) -> OfSources: ...
    @property
    def loops(self) -> Looping: ...
    @property
    def raising(self) -> LettingOut: ...
    @property
    def iteration(self) -> Iterating: ...
    @property
    def gradients(self) -> InModes: ...
    @property
    def attributes(self) -> OfAttributes: ...
    @property
    def libraries(self) -> InLibraries: ...
    @property
    def decided(self) -> Deciding: ...
