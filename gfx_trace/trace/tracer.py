"""Tracer: a Builder that runs a rewritten function with Proxies and records what it does."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import FrameType, GeneratorType
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.backend import Backend
from gfx_ir.build import TAKE_ANYTHING, Builder
from gfx_ir.control import Form
from gfx_ir.dtypes import DType, int64
from gfx_ir.errors import UnsupportedConstruct, VerifyError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.infer.gradients import marks
from gfx_ir.making import Stagings
from gfx_ir.op import OpDef, Trait
from gfx_ir.several_keys import Keys
from gfx_ir.source import Scope, Span
from gfx_ir.trees import leaves, parts_of, tree_map

from ..calls.applying import Applying
from ..calls.calls import Calls
from ..calls.effects import Effects
from ..calls.entered import Managers
from ..calls.functions import Functions
from ..calls.kept import Share
from ..calls.modules import ModuleClass
from ..calls.objects import Objects
from ..calls.repeated import Repeated
from ..control.loops import Loops
from ..control.raising import Raising
from ..control.regions import Regions
from ..control.resolution import Resolution
from ..control.sources import Sources
from ..frameworks.castable import Castable
from ..frameworks.grad_mode import CALLERS, Gradients
from ..frameworks.libraries import Libraries
from ..frameworks.staging import recorded
from ..heap.journal import Journal
from ..heap.reads import Asked
from ..heap.slots import Replaced
from ..objects.arrays import Arrays
from ..objects.attributes import Attributes
from ..objects.host_values import HostValues
from ..objects.memoised import Memoised
from ..objects.native_methods import NativeMethods
from ..objects.operands import Operands
from ..objects.overloaded import Overloading
from ..objects.positions import positions
from ..objects.truths import Truths
from ..objects.views import Views
from ..python.convert import NUMBERS_AND_TEXT, without_class
from ..python.draws import own_key
from ..python.iteration import Iteration
from ..python.open_iterables import OpenRange
from ..python.plain import FAMILY, kind_of
from ..python.rows import Lazy
from ..python.scopes import Opened, Scopes
from ..python.sequences import OpenList, Starred, spliced
from ..python.texts import Texts
from ..python.unpacking import Unpacking
from ..values.called import own
from ..values.decided import Decided
from ..values.facts import Facts
from ..values.gated import usable
from ..values.proxy import HostProxy, Proxy, Undefined
from ..values.python_use import PythonUse
from ..values.record import Record
from .assumptions import Assumptions

_WITHOUT_GRADIENT = (Form.FUNCTION, Form.NONE_TEST)
"""Which ops no gradient flows into: those of numbers of Python's, and the question whether something is None."""


class Tracer(Builder):
    """Captures one function. Subclass it to say what is a leaf (`is_leaf`) and how arguments are made (`make_argument`)."""

    def __init__(
        self, graph: Graph, backend: Backend | None, promotion: str, options: dict[str, Any] | None = None
    ) -> None:
        Builder.__init__(self, graph, promotion)
        self.backend = backend
        self.options = {"unroll": None, "strict": False, "einops": False, "derive": False, **(options or {})}
        self.within: Opened = Scope(graph.name or "<entry>")
        self.site: FrameType | None = None
        self._assemble()
        self.given_objects: dict[
            int, tuple[str, dict]
        ] = {}  # arguments that are objects with tensors: paths and trees, by id
        self.known: dict[int, Proxy] = {}  # framework arrays met during capture, by id
        self.places: dict[int, Any] = {}  # where each of them was met first,
        self.met_twice: set[int] = set()  # and those that were met elsewhere, too,
        self.met_within: set[int] = set()  # or in a container that was handed on as it is
        self.kept: list[Any] = []  # what `known` refers to, kept alive so that ids stay their own
        self.entered: dict[Any, Any] = {}  # functions met so far, and their rewritten form
        self.native: dict[Any, Any] = {}  # functions in C and classes met so far that are called by their rows
        self.loop_hints: dict[tuple, Any] = {}  # how loops settled, by their place
        self.static_types = False
        self.depth = 0
        self.gradients = Gradients()
        self.copies: dict[
            Value, Any
        ] = {}  # what was made in a region that was left, and what was computed again for it
        self.open_graphs: tuple[Graph, ...] = ()  # regions that were left, and whose results are being joined
        self.speaking: Backend | None = None  # whose function is being lifted
        self.quiet = False  # inside a framework's own modules, whose variable names are not the user's
        self.root: Any = None
        self.module_paths: dict[int, str] = {}
        self.module_classes: dict[type, ModuleClass] = {}
        self.authors_modules: dict[int, Any] = {}  # by the id of the one that was called
        self.tensor_paths: dict[int, str] = {}
        self.copied = set[int]()  # ids of what stands for objects of the author's in which one array has two places
        self.bound_arrays: dict[str, Any] = {}  # what the author bound to the target, by path
        self.notes: list[str] = []
        self.brought: dict[int, tuple[Any, Any]] = {}  # containers of regions left, and what stands for them, by id
        self.unread: set[Value] = set()  # what stands for a function's result where nothing returned yet
        self.key: Proxy | None = None
        self.constants = True  # whether small arrays from outside are constants
        self.replaced: Mapping[int, Replaced] = {}  # arrays that calls replace, by id
        self.derived: set[tuple[int, str]] = set()  # attributes of modules that a hook makes anew in each call
        self.staged_values: list[dict[Value, Any]] = []  # what functions close over while the framework itself traces
        self.stagings = Stagings(bool(self.options["derive"]))
        self.missing: dict[str, Span | None] = {}  # calls without a row, and where
        self.own_rules: list[Any] = []  # functions of JAX whose own derivative rules are being captured
        self.decomposing = False  # whether a call without a row is being taken apart
        self._frameworks: list[Backend] | None = None
        self.owners: dict[type, Backend | None] = {}

    def _assemble(self) -> None:
        """Make the parts that work on this capture."""
        self.operands = Operands(self)
        self.calls = Calls(self)
        self.managers = Managers(self)
        self.scopes = Scopes(self)
        self.views = Views(self)
        self.host_values = HostValues(self)
        self.texts = Texts(self)
        self.objects = Objects(self)
        self.overloading = Overloading(self)
        self.arrays = Arrays(self)
        self.truths = Truths(self)
        self.gates = Resolution(self)
        self.regions = Regions(self)
        self.loop_sources = Sources(self)
        self.loops = Loops(self)
        self.journal = Journal()
        self.consulted = Asked(self.journal)  # None, not there or fixed where the code asked
        self.effects = Effects(self)
        self.attributes = Attributes(self)
        self.native_methods = NativeMethods(self)
        self.memoised = Memoised(self)
        self.libraries = Libraries(self, recorded)
        self.python = PythonUse(self)
        self.raising = Raising(self)
        self.unpack = Unpacking(self)
        self.apply = Applying(self)
        self.iteration = Iteration(self)
        self.facts = Facts()
        self.assumed = Assumptions(self)
        self.record = Record(self.facts, self.promotion, self.assumed, self.arrays.type_of)
        self.castable = Castable(self)
        self.functions = Functions(self, Share())
        self.repeated = Repeated(self)
        self.decided = Decided(self.record)

    def is_boolean(self, value: Value, number: bool = False) -> bool:
        return self.record.is_boolean(value, number)

    # ------------------------------------------------------------------ what lifts ask
    def either(self, value: Value, use: Callable[[Any], Any]) -> Any:
        """What `use` makes of an optional value, or of None."""
        return self.truths.either(value, use)

    def told_dtype(self, value: Any) -> Any:
        """The dtype of a value, where it is told."""
        return self.record.dtype(value)

    def told_dims(self, value: Any) -> Any:
        """The sizes of a value, where they are told."""
        return self.record.told_dims(value)

    def told_content(self, value: Any) -> Any:
        """What a value holds, where it is told."""
        return self.record.content(value)

    # ------------------------------------------------------------------ what users override
    def is_leaf(self, target: Any) -> bool:
        """Whether a callable is never entered: it is run as it is, or lifted, or refused."""
        return False

    def make_argument(self, name: str, value: Any) -> Any:
        """What the function gets for a given argument; None: the usual (see `arguments`)."""
        return None

    # ------------------------------------------------------------------ places
    def span(self) -> Span | None:
        frame = self.site
        if frame is None:
            return None
        if frame.f_globals.get("__name__", "").startswith(
            "gfx_"
        ):  # an operator that GFX itself uses, for sum() and its like
            frame = self._of_user(frame) or frame
        within = self.within
        scope = within if within.__class__ is Scope else self.scopes.scope_of(within)
        return scope.span(frame.f_code, frame.f_lasti)

    def error(self, what: str, hint: str = "") -> UnsupportedConstruct:
        """An UnsupportedConstruct at the user's place."""
        return UnsupportedConstruct(what, self.place(), hint)

    def place(self) -> Span | None:
        """The place of an error: that of the code which asks for a value, where GFX itself asks it on behalf of that."""
        self.site = self._of_user(self.site) or self.site
        return self.span()

    def _of_user(self, frame: FrameType | None) -> FrameType | None:
        """The first frame, from this one outwards, of code that is not GFX's."""
        while frame is not None and own(frame.f_globals.get("__name__")):
            frame = frame.f_back
        return frame

    # ------------------------------------------------------------------ nodes
    def typed(self, node: Node) -> bool:
        if not self.static_types or node.regions:  # what a test or loop hands on, its join has typed
            return False
        for x in parts_of(Value, node.args):
            if x.type is None and x.is_tensor:
                return False
        return True

    def add(self, op: OpDef, args: tuple) -> Any:
        if op.traits & Trait.ASKS:
            known = self.host_values.known_query(op, args)
            if known is not None:
                return known
        if self.raising.handlers:
            with self.raising.under_clauses(op, args):
                return self._add(op, args)
        return self._add(op, args)

    def host(self, operator_: str, *args: Any) -> Any:
        if operator_ in TAKE_ANYTHING or not any(type(leaf) is Value for leaf in leaves(args)):
            return Builder.host(self, operator_, *args)
        error = self.raising.of_classes(operator_, args)
        made = Builder.host(self, operator_, *args)
        if error is not None:
            self.raising.of_numbers(f"`{operator_}` of a value whose class is open", made, error)
        return made

    def _add(self, op: OpDef, args: tuple) -> Any:
        if op.traits & Trait.WHOLE:
            self.assumed.kinds(op.name, [x for x in args if type(x) is Value and x.is_tensor], "bui")
        if op.index:
            args = positions(self, op, args)
        if self.speaking is not None:
            args = self.operands.spoken(op, args, self.speaking)
        if op.traits & Trait.CHOOSES and type(args[0]) is Value and args[0].kind == "bool":
            return self._chosen(*args)
        moded = self.gradients.mode is not CALLERS and not marks(op) and op.form not in _WITHOUT_GRADIENT
        made = (self._in_mode if moded else super().add)(op, args)
        if op.control is None and not marks(op):
            kinds = [leaf.kind for leaf in args if type(leaf) is Value]
            if "optional" in kinds or "any" in kinds:
                self.raising.of_absent(op, args, made)
        return made

    def _in_mode(self, op: OpDef, args: tuple) -> Any:
        """A node where the code has set the gradient mode: no gradient flows into what is not recorded."""
        gradients = self.gradients
        made = Builder.add(self, op, tree_map(lambda leaf: gradients.taken(self, leaf), args))
        gradients.made(self, [v for v in leaves(made) if type(v) is Value])
        return made

    def _chosen(self, test: Value, x1: Any, x2: Any) -> Any:
        """`where` by an open host test: the side that is not taken may not even be computable (a float mask taken as a test)."""
        chosen = self.regions.branch(test, lambda: self.wrap(x1), lambda: self.wrap(x2))
        return self.unwrap(chosen)

    def local(self, value: Value) -> Value:
        if value.node.graph is self.graph:
            return value
        try:
            return Builder.local(self, value)
        except VerifyError:
            name = value.name or value.node.op.name
            raise self.error(
                f"GFX cannot use {name!r} here: it was made in a part of the code that was left, which hands nothing on",
                "assign it there to a variable of the function's own: what Python's own code keeps is not handed on",
            ) from None

    def _capture(self, value: Value, depth: int) -> Value:
        found = Builder._capture(self, value, depth)
        self.facts.alias(found, value)  # in each of the regions in between, too
        return found

    # ------------------------------------------------------------------ between proxies and values
    def unwrap(self, tree: Any) -> Any:
        """Arguments as ops take them: Proxies become Values, framework arrays parameters or constants, dtypes DTypes."""
        kind = type(tree)
        if kind is Proxy:
            return tree.value if tree.base is None else tree.read()
        if kind is HostProxy:
            return tree.value
        if kind in _PLAIN:
            return tree
        if kind is tuple or kind is list:
            return spliced(self, kind([self.unwrap(item) for item in tree]))
        if kind is dict:
            return {key: self.unwrap(item) for key, item in tree.items()}
        if kind is slice:
            return slice(self.unwrap(tree.start), self.unwrap(tree.stop), self.unwrap(tree.step))
        return self._unwrap_other(tree)

    def _unwrap_other(self, leaf: Any) -> Any:
        if type(leaf) is Starred:
            return leaf
        known = self.gates.known(leaf)
        if known is not leaf:
            return self.unwrap(known)
        usable(leaf)
        if isinstance(leaf, Undefined):
            raise self.gates.unset(leaf)
        if isinstance(leaf, np.generic) and not isinstance(leaf, (np.bool_,)):
            return self.arrays.array_value(np.asarray(leaf), "constant")
        if isinstance(leaf, np.bool_):
            return bool(leaf)
        owner = self.arrays.array_owner(leaf)
        if owner is not None:
            return self.arrays.array_proxy(leaf).read()
        if type(leaf) is OpenList:
            return leaf.items.value
        if type(leaf) is OpenRange:  # an array is expected
            return ops.arange(*map(self.unwrap, (leaf.start, leaf.stop, leaf.step)), dtype=int64)
        if isinstance(leaf, Lazy) or type(leaf) is GeneratorType:
            return self.unwrap(self.iteration.drained(leaf))
        if isinstance(leaf, tuple):  # a named tuple, torch.Size
            return tuple(self.unwrap(item) for item in leaf)
        if isinstance(leaf, NUMBERS_AND_TEXT):
            return without_class(leaf)
        found = self.dtype(leaf, self.backend)
        if found is not None:
            return found
        held = None if self.backend is None else self.backend.contents_of(leaf)
        if held is not None and [path for path, _ in held] == [()]:  # a library's variable stands for its array
            return self.unwrap(held[0][1])
        return leaf

    def dtype(self, x: Any, owner: Backend | None) -> DType | None:
        """The DType that x is where the function of a framework takes it; None for anything else. `float` of Python's is not the
        same in all: raises where no one knows whose it is."""
        found = None if owner is None else owner.as_dtype(x)
        if found is not None:
            return found
        told = {found for backend in self.arrays.frameworks() if (found := backend.as_dtype(x)) is not None}
        if len(told) > 1:
            what = f"GFX cannot tell which dtype {x.__name__!r} is: frameworks differ in it"
            raise self.error(what, "say whose function this is: symbolic_trace(fn, backend='numpy'); or name the dtype")
        return told.pop() if told else None

    def wrap(self, result: Any, backend: Backend | None = None) -> Any:
        """What ops gave, as the traced function sees it."""
        kind = type(result)
        if kind is Value:
            if result.kind == "tensor" or result.kind == "optional":
                weak = kind_of(result) if result.node.op.family == FAMILY else ""
                return Proxy(result, backend or self.backend, weak)
            if result.kind in ("key", "list"):
                return Proxy(result, backend or self.backend)
            return HostProxy(result, backend or self.backend)
        if kind is tuple or kind is list:
            return kind([self.wrap(item, backend) for item in result])
        if kind is Keys:
            return result.mapped(lambda item: self.wrap(item, backend))
        if kind is dict:
            return {key: self.wrap(item, backend) for key, item in result.items()}
        if kind is DType:
            owner = backend or self.backend
            return owner.native_dtype(result) if owner is not None else result
        if isinstance(result, tuple) and hasattr(result, "_fields"):
            return kind._make(self.wrap(item, backend) for item in result)
        return result

    def key_of(self, x: Any) -> Any:
        """What numbers are drawn from, as a key: one that the code holds as an array is made of its seed."""
        return self.arrays.key_of(x)

    def next_key(self) -> Value:
        """A fresh key for a draw of random numbers: the generator's state is split, and threaded like any other state."""
        own = own_key(self)
        state, key = ops.split_key(self.local(own.read()))
        own.write(state)
        return key


_PLAIN = frozenset((int, float, bool, complex, str, type(None), type(Ellipsis), DType))
