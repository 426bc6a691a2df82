"""What a backend is to the rest: rows (op ↔ framework), its tensors, and how its source is spelled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from .additions import Spelled, spelled
from .dtypes import DType
from .errors import BackendError, MissingOp
from .memory import Layout, dense
from .op import OpDef, lookup
from .printed import printed_helpers, same_code
from .public import named
from .row import Keys, Lift, OpenParts, OpenRows, Row, Written
from .rules import building
from .template import Template
from .trees import leaves, paths, tree_map, unflatten
from .types import LogicalTensor

__all__ = ["Backend", "Keys", "Lift", "OpenParts", "OpenRows", "Row", "Written"]


class Backend:
    """A framework: rows, tensors, places, style. Subclassed by each backend, one instance registered under its name."""

    name = ""
    packages: tuple[str, ...] = ()
    """Top-level packages of the framework: code in them is never entered, only lifted."""
    views = False
    """Whether slices and transposes share memory with their base, and in-place operators write."""
    numbers = False
    """Whether an index that leaves no axis gives a number of its own, not a view of one place."""
    ordered_writes = False
    """Whether a write in place that takes elements which it writes itself hangs on the order in which they are written."""
    read_only: frozenset[str] = frozenset()
    """Ops whose views its code cannot write."""
    hashes = False
    """Whether its arrays can be keys: PyTorch's are, each by its identity."""
    promotion = "array_api"
    """The rules of promotion that its source is written for."""
    tensor_types: tuple[type, ...] = ()
    style: Any = None
    modes: Mapping[str, Any] = {}
    """How its source is spelled, and other spellings by their names (see `codegen.style`)."""
    public: tuple[str, ...] = ()
    """Modules and classes, by their dotted names, whose functions a graph may hold as they are."""
    device_kinds: tuple[str, ...] = ()
    """Names of the kinds of device that code asks arrays for, as in `x.is_cuda`."""
    asks_layout: Mapping[str, Callable[..., Any]] = {}
    """Methods and attributes that tell how an array lies in memory, by name: fn(ask, type, ...), where `ask` answers a question
    of `memory.QUESTIONS`."""
    warns = False
    """Whether its functions warn of what numbers give, as Python's own warnings."""
    takes: tuple[str, ...] = ()
    """Other frameworks whose arrays its functions take as they are."""
    operators: Mapping[str, Callable[[Sequence[Any]], None]] = {}
    """Checks of what Python's operators on its arrays are given, by op: of kinds of numbers that they do not take, these raise."""
    untraced: Callable[[], AbstractContextManager[Any]] = staticmethod(nullcontext)
    """Inside, functions of the framework compute, also where its own tracer is at work around."""
    raises: Mapping[str, tuple[type[Exception], ...]] = {
        **dict.fromkeys(("shape", "axis", "element", "one"), (RuntimeError, ValueError, TypeError)),
        "position": (IndexError,),
    }
    """What its functions raise for shapes that they do not take, axes and positions out of range, elements that they do not take (see
    `Trait.CHECKS`), and where the one number of several is asked for."""
    lacks: tuple[str, ...] = ()
    """Dtypes that the framework has in name, and next to no functions of."""

    def __init__(self, rows: Iterable[Row], namespace: Mapping[str, Any], roots: Mapping[str, Any]) -> None:
        """`namespace`: what names in templates mean; `roots`: what the first part of a lift's name means."""
        self.namespace, self.roots = dict(namespace), dict(roots)
        self.rows: dict[str, Row] = {}
        self.templates: dict[str, Template] = {}
        self.in_place: dict[str, Template] = {}
        self.places: dict[str, Callable[[SimpleNamespace], str]] = {}
        self.functions: dict[Any, Lift] = {}
        self.methods: dict[str, Lift] = {}
        self.attributes: dict[str, Lift] = {}
        self.modules: dict[type, Lift] = {}
        self.draws: dict[str, Lift] = {}  # methods of the framework's generators: fn(a function that gives keys, ...)
        self.special: dict[
            Any, str
        ] = {}  # higher-order functions and the like, by what capture calls them ("cond", "jit")
        for row in rows:
            self._add(row, roots)
        self.printed = printed_helpers(self.namespace, self.templates)

    def rules(self) -> str:
        """The rules of promotion that its functions follow now, in its present mode."""
        return self.promotion

    def recognised(self, fn: Any) -> Lift | None:
        """What a function becomes that no row names, but that tells itself what it is: of those that GFX itself printed the op
        that it stands for (the same name and the same code as a helper of ours), of those that the framework has put in the
        place of one that a row names that one."""
        inner = fn.__dict__.get("__wrapped__") if type(fn) is FunctionType else None
        replaced = self.functions.get(inner) if isinstance(inner, FunctionType) else None
        if replaced is not None and _at(replaced.name, self.roots) is fn:
            return replaced
        found = self.printed.get(fn.__name__) if type(fn) is FunctionType else None
        return found[1] if found is not None and same_code(found[0].__code__, fn.__code__) else None

    def higher_order(self, fn: Any) -> str | None:
        """What capture calls a function of control flow that GFX itself printed, or what a function of functions made;
        None for any other."""
        return None

    def _add(self, row: Row, roots: Mapping[str, Any]) -> None:
        if row.op in self.rows:
            raise ValueError(f"{self.name}: a second row for op {row.op!r}")
        op = lookup(row.op)
        self.rows[row.op] = row
        if row.emit is not None:
            self.templates[row.op] = Template(row.emit, op.params, op.defaults, row.keep, row.own)
        if row.in_place:
            self.in_place[row.op] = Template(row.in_place, op.params, op.defaults, row.keep, row.own)
        if row.place is not None:
            self.places[row.op] = row.place
        for names, fn in row.lift.items():
            for name in names.split():
                self.add_lift(name, fn, roots, copies=name in row.copies)

    def add_lift(self, name: str, fn: Callable[..., Any], roots: Mapping[str, Any], **flags: Any) -> None:
        """Let the framework's `name` become what `fn` builds. Names that this version of it lacks are passed over."""
        root, _, rest = name.partition(".")
        lift = Lift(name, fn, **flags)
        if root in ("Tensor", "Array", "ndarray"):
            table = self.attributes if rest.endswith("@") else self.methods
            key = rest.removesuffix("@")
            if table.setdefault(key, lift) is not lift:
                raise ValueError(f"{self.name}: {name} is lifted twice")
            return
        target = _at(name, roots)
        if target is None:
            return
        if self.functions.setdefault(target, lift).fn is not fn:
            raise ValueError(f"{self.name}: {name} is lifted twice, also as {self.functions[target].name}")

    def spelled(self, op: OpDef) -> Spelled | None:
        """The row of an op that a user added, None where it has none here. Raises ArgumentError."""
        given, imports = op.added.get(self.name), self.style.imports if self.style is not None else {}
        return None if given is None else spelled(given, op.params, self.namespace, imports, partial(named, self))

    def take(self, op: OpDef, made: Spelled) -> None:
        """Take in an op that a user added."""
        self.namespace.update(made.names)
        self._add(Row(op.name, made.text, keep=op.params), {})
        if made.function is not None:
            self.functions[made.function] = Lift(op.name, op, copies="maybe")
        own = {name: item for name, item in made.names.items() if item is made.function}
        self.printed.update(printed_helpers(own, {op.name: self.templates[op.name]}))
        if made.imports and self.style is not None:
            importing = lambda style: replace(style, imports={**made.imports, **style.imports})
            self.style = importing(self.style)
            self.modes = {key: importing(mode) for key, mode in self.modes.items()}

    # ------------------------------------------------------------------ tensors
    def is_tensor(self, x: Any) -> bool:
        """Whether x is one of the framework's arrays."""
        return isinstance(x, self.tensor_types)

    def dtype_of(self, x: Any) -> DType:
        """Element type of an array, or of a framework dtype object."""
        raise NotImplementedError

    def as_dtype(self, x: Any) -> DType | None:
        """The DType that a framework object stands for (`torch.float32`, `jnp.float32`, `np.dtype`), None where it is no dtype."""
        raise NotImplementedError

    def is_key(self, x: Any) -> bool:
        """Whether an array is one key of random numbers, which has no dtype that others know."""
        return False

    def shape_of(self, x: Any) -> tuple[int, ...]:
        """Shape of an array."""
        return tuple(x.shape)

    def layout_of(self, x: Any) -> Layout | None:
        """How an array lies in memory: row by row, unless code of the framework can tell. None where elements have no strides."""
        return dense(self.shape_of(x))

    def unwritten(self) -> AbstractContextManager[Any]:
        """Inside, functions of the framework write no array that was there before. Raises BackendError where one would."""
        return nullcontext()

    def alarm(self) -> str:
        """What computing does now besides, by a setting of the framework or of Python's warnings: "divide='raise'"; mostly nothing."""
        return ""

    def settings(self) -> AbstractContextManager[Any]:
        """Inside, such settings may be changed: behind it they are what they were."""
        return nullcontext()

    def condition_of(self, x: Any) -> Any:
        """What an array is besides its data, for those whose methods change it: `holds(x)` tells whether it is still so, and
        `restore(x)` makes it so. None where nothing can change."""
        return None

    def array_class(self) -> type:
        """The class of the arrays that its functions make."""
        return self.tensor_types[0]

    def member(self, name: str) -> Any:
        """What that class, or one of its numbers', has by a name; None: nothing."""
        return getattr(self.array_class(), name, None)

    def authors_own(self, module: Any) -> Any:
        """The module that its author wrote, of one that the framework compiled. Raises UnsupportedConstruct where it keeps none."""
        return module

    def device_of(self, x: Any) -> Any:
        """The device that x names, or where the array x is; of None that of new arrays. None where code has no use for it."""
        return None

    def share(self, x: Any, y: Any) -> bool:
        """Whether a write to one of two arrays may be seen in the other, as far as that is told in reasonable time."""
        if x is y:
            return True
        try:
            return np.shares_memory(self.to_host(x), self.to_host(y), max_work=_MAX_WORK)  # type: ignore[arg-type]
        except np.exceptions.TooHardError:
            return True

    def extent(self, x: Any) -> tuple[int, int]:
        """Where the memory of an array begins and ends, or that of which it is a part; those of two that share some overlap."""
        return np.lib.array_utils.byte_bounds(self.to_host(x))

    def held_as(self, dtype: DType) -> DType:
        """The dtype that arrays of the framework have in the place of this one, as it is set."""
        return dtype

    def to_host(self, x: Any) -> Any:
        """The array's data as NumPy."""
        raise NotImplementedError

    def from_host(self, x: Any) -> Any:
        """NumPy data as an array of the framework."""
        raise NotImplementedError

    def assign(self, x: Any, value: Any) -> None:
        """Write `value` into the array x in place. Raises BackendError where arrays are immutable."""
        raise BackendError(f"{self.name} arrays cannot be written", hint="take the new value from the returned state")

    # ------------------------------------------------------------------ the framework's own tracer
    def flatten(self, tree: Any) -> tuple[list[Any], Callable[[Sequence[Any]], Any]]:
        """The leaves of a tree as the framework's functions of functions see them, and how it is made of new leaves."""
        return list(leaves(tree)), lambda new: unflatten(tree, iter(new))

    def paths(self, tree: Any) -> list[tuple[tuple, Any]]:
        """(path, leaf) pairs of a tree as the framework sees it; a path is a tuple of keys, positions and names."""
        return list(paths(tree))

    def type_of(self, x: Any) -> LogicalTensor:
        """The type of an array of the framework, or of what stands for one in its own tracer."""
        return LogicalTensor(self.dtype_of(x), self.shape_of(x))

    def stage(
        self, fn: Callable[..., Any], types: Sequence[LogicalTensor]
    ) -> Callable[[Callable[..., Any], Callable[[Any], Any], Sequence[Any]], Any]:
        """What the framework's own tracer records of fn on arrays of these types: `replay(call, constant, values)` makes the
        same calls of its public functions through `call`, arrays that fn holds taken by `constant`, and gives the result.
        Raises BackendError where there is no such tracer."""
        raise BackendError(f"{self.name} has no tracer of its own for this")

    def asks_for_data(self, error: Exception) -> bool:
        """Whether its own tracer raised this, as code asked an array for what is in it."""
        return False

    # ------------------------------------------------------------------ calls without an op
    def holds(self, fn: Any) -> bool:
        """Whether a graph may hold calls of this function: one of arrays that neither writes to them nor reads or writes files."""
        return False

    def registered(self, fn: Any) -> str:
        """The dotted name under which the framework finds a function that others registered with it; "" for any other."""
        return ""

    def find(self, target: str) -> Any:
        """What others registered under a dotted name; None where nothing is."""
        return None

    def gives_nothing(self, fn: Any) -> bool:
        """Whether a registered function is called for its effect alone."""
        return False

    def probe(self, call: Callable[[Sequence[Any]], Any], types: Sequence[Any], data: bool) -> Any:
        """What `call` gives for arrays of these types: without data where `data` is false. Raises what the call raises."""
        raise NotImplementedError

    def as_module(
        self, fn: Callable[..., Any], params: Any, writes: bool = False, like: Any = None,
        modes: Mapping[str, bool] | None = None, bound: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """The framework's module with these parameters that computes what fn computes, and writes what fn `writes` to them.

        `like` is the model that fn was captured from, and `modes` the `training` flags, by path, that it was captured for;
        `bound` the arrays, by path, that its author bound to a function: its parameters, those that fn does not take among them.
        Raises BackendError where the framework has no modules."""
        raise BackendError(f"{self.name} has no modules", hint="use .fn with .params")

    # ------------------------------------------------------------------ run
    def native_dtype(self, dtype: DType) -> Any:
        """The framework's own object for a dtype."""
        raise NotImplementedError

    def convert(self, leaf: Any) -> Any:
        """A constant of the IR as the framework takes it (dtypes); anything else as it is."""
        return self.native_dtype(leaf) if type(leaf) is DType else leaf

    def run(self, op: OpDef, args: Sequence[Any]) -> Any:
        """Run an op on the framework's arrays: exactly the call that its row prints. Composites without a row run their body's ops."""
        template = self.templates.get(op.name)
        if template is None or not template.spells(args):
            row = self.rows.get(op.name)
            if op.body is None or (row is not None and row.missing):
                reason = f": {row.missing}" if row is not None and row.missing else ""
                raise MissingOp(f"backend {self.name!r} has no row for op {op.name!r}{reason}")
            with building(self):
                return op.body(*args)
        return template.function(args, self.namespace)(*tree_map(self.convert, tuple(args)))

    def add(self, op: OpDef, args: tuple) -> Any:
        """Run an op that the body of a composite calls: a Backend is a builder that makes no nodes."""
        return self.run(op, args)

    def supports(self, op: OpDef) -> bool:
        """Whether this backend can run the op, itself or through the op's body."""
        row = self.rows.get(op.name)
        return op.name in self.templates or (op.body is not None and not (row is not None and row.missing))


_MAX_WORK = 10_000


def _at(name: str, roots: Mapping[str, Any]) -> Any:
    """What stands under a dotted name now; None where nothing does."""
    root, *rest = name.split(".")
    target = roots.get(root)
    for part in rest:
        target = getattr(target, part, None)
    return target
