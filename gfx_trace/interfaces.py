"""What parts of a capture ask of the Tracer, by what they ask it for: they import this module, and the Tracer imports them."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

from gfx_ir.backend import Backend
from gfx_ir.dtypes import DType
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.op import OpDef
from gfx_ir.source import Span

from .facts import Facts
from .interfaces_calls import (
    Assuming,
    Calling,
    InLibraries,
    Keeping,
    Managing,
    Remembering,
    RunningMethods,
    Scoping,
    Writing,
)
from .interfaces_control import Branching, Deciding, Iterating, LettingOut, Looping, OfSources, Resolving, Testing
from .interfaces_values import (
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

    def next_key(self) -> Value:
        """A fresh key for a draw of random numbers."""


class Knowing(Protocol):
    """What the capture knows, has written, took as given or lacks."""

    facts: Facts
    journal: Journal
    consulted: Asked
    given_objects: dict[int, str]
    record: Record
    params: dict[str, Any]
    own_leaves: set[Value]
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
    kept: list[Any]
    entered: dict[Any, Any]
    native: dict[Any, tuple]
    loop_hints: dict[tuple, Any]
    open_graphs: tuple[Graph, ...]
    module_paths: dict[int, str]
    module_classes: dict[type, Any]
    tensor_paths: dict[int, str]
    bound_arrays: dict[str, Any]
    notes: list[str]
    brought: dict[int, tuple[Any, Any]]
    copies: dict[Value, Any]
    derived: set[tuple[int, str]]
    staged_values: list[dict[Value, Any]]
    own_rules: list[Any]
    owners: dict[type, Any]
    constants: bool
    castable: Any
    _frameworks: list[Backend] | None

    def wrap(self, result: Any, backend: Backend | None = None) -> Any:
        """What ops gave, as the traced function sees it."""

    def dtype(self, x: Any, owner: Backend | None) -> DType | None:
        """The DType that x is where the function of a framework takes it; None for anything else."""

    def unwrap(self, tree: Any) -> Any:
        """Arguments as ops take them."""

    def region(self, name: str) -> Any:
        """Build a region of a node; yields its graph and what it captures."""

    def outer_operands(self, regions: list[tuple[Graph, dict[Value, Value]]]) -> tuple:
        """What regions capture, as the graph around them has it."""

    def _local(self, value: Any) -> Any:
        """A value, or a constant, as the innermost graph has it."""

    def is_leaf(self, target: Any) -> bool:
        """Whether a callable is never entered."""

    def make_argument(self, name: str, value: Any) -> Any:
        """What the function gets for a given argument; None: the usual."""

    @property
    def unpack(self) -> Callable[[Any, tuple], Any]:
        """What gives the items of a value for some targets."""

    @property
    def apply(self) -> Callable[..., Any]:
        """What applies a lift."""

    @property
    def operands(self) -> OfOperands:
        """Operands of Python's operators."""

    @property
    def calls(self) -> Calling:
        """What calls become."""

    @property
    def managers(self) -> Managing:
        """Context managers."""

    @property
    def scopes(self) -> Scoping:
        """Where in the model and the code the capture is."""

    @property
    def views(self) -> Viewing:
        """Tensors: their attributes, views of them, and writes."""

    @property
    def host_values(self) -> OfHostValues:
        """Open host values."""

    @property
    def texts(self) -> Wording:
        """Texts that Python makes of values."""

    @property
    def objects(self) -> OfObjects:
        """Ordinary objects."""

    @property
    def overloading(self) -> OfOwnClasses:
        """Classes of the user's own."""

    @property
    def arrays(self) -> OfArrays:
        """Arrays from outside."""

    @property
    def truths(self) -> Testing:
        """What is true."""

    @property
    def gates(self) -> Resolving:
        """Gated values, and values of regions that were left."""

    @property
    def regions(self) -> Branching:
        """Tests."""

    @property
    def loop_sources(self) -> OfSources:
        """What a loop goes over."""

    @property
    def loops(self) -> Looping:
        """Loops."""

    @property
    def raising(self) -> LettingOut:
        """What is raised."""

    @property
    def iteration(self) -> Iterating:
        """What iterators hand on."""

    @property
    def gradients(self) -> InModes:
        """Gradient modes."""

    @property
    def attributes(self) -> OfAttributes:
        """Attributes that classes of the user's own give."""

    @property
    def libraries(self) -> InLibraries:
        """Libraries that are built on a framework."""

    @property
    def decided(self) -> Deciding:
        """Tests whose truth follows from constants and shapes."""
