"""Target: how a framework spells ops, in source and as it runs them."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from .arrays import Arrays
from .errors import BackendError, MissingOp
from .op import OpDef, lookup
from .program import Program
from .row import Row
from .rules import building
from .template import Template
from .trees import tree_map


class Target(Arrays):
    """Rows by op, and the style of source."""

    style: Any = None
    modes: Mapping[str, Any] = {}
    """How its source is spelled, and other spellings by their names (see `codegen.style`)."""

    def __init__(self, namespace: Mapping[str, Any]) -> None:
        """`namespace`: what names in templates mean."""
        self.namespace = dict(namespace)
        self.rows: dict[str, Row] = {}
        self.templates: dict[str, Template] = {}
        self.in_place: dict[str, Template] = {}
        self.places: dict[str, Callable[[SimpleNamespace], str]] = {}

    def spell_row(self, row: Row) -> None:
        """Add the spellings of a row. Raises ValueError where the op has one."""
        if row.op in self.rows:
            raise ValueError(f"{self.name}: two rows for op {row.op!r}: at {self.rows[row.op].at}, and at {row.at}")
        op = lookup(row.op)
        self.rows[row.op] = row
        if row.emit is not None:
            self.templates[row.op] = Template(row.emit, op.params, op.defaults, row.keep, row.own)
        if row.in_place:
            self.in_place[row.op] = Template(row.in_place, op.params, op.defaults, row.keep, row.own)
        if row.place is not None:
            self.places[row.op] = row.place

    def rules(self) -> str:
        """The rules of promotion that its functions follow now, in its present mode."""
        return self.promotion

    def jitted(self, fn: Callable[..., Any], program: Program, takes_params: bool) -> Callable[..., Any]:
        """What runs the emitted function where nobody looks inside: compiled, where the framework compiles whole functions.

        `takes_params`: its first argument is the tree of the program's params."""
        return fn

    def as_module(
        self, fn: Callable[..., Any], params: Any, writes: bool = False, like: Any = None,
        modes: Mapping[str, bool] | None = None, bound: Mapping[str, Any] | None = None,
        replaced: Mapping[str, Any] | None = None,
    ) -> Any:  # fmt: skip
        """The framework's module with these parameters that computes what fn computes, and writes what fn `writes` to them.

        `like` is the model that fn was captured from, and `modes` the `training` flags, by path, that it was captured for;
        `bound` the arrays, by path, that its author bound to a function: its parameters, those that fn does not take among them;
        `replaced` what stood in the model where fn writes and does not read, by what its state calls that.
        Raises BackendError where the framework has no modules."""
        raise BackendError(f"{self.name} has no modules", hint="use .fn with .params")

    def read_state(self, path: Any) -> Mapping[str, Any]:
        """The arrays, by dotted names, in a file that the framework itself saved. Runs no code of the file's. Raises FormatError
        where it holds anything else, BackendError where the framework has no files."""
        raise BackendError(f"{self.name} has no files of its own", hint="save a checkpoint as safetensors")

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

    def transforming(self, kind: str) -> Callable[..., Any] | None:
        """The framework's function, or the helper in its place, that makes a transformation; None where it has none."""
        path = "" if self.style is None else self.style.transforms.get(kind, "")
        module, _, text = path.rpartition(".")
        return getattr(importlib.import_module(module), text) if module else self.style.helpers[text] if text else None

    def transformed(
        self, kind: str, function: Callable[..., Any], inputs: Sequence[Any], given: Sequence[Any]
    ) -> Sequence[Any]:
        """What a function transformation makes of a function of arrays (see the op `transform`), on these. Raises BackendError
        where the framework has none."""
        make = self.transforming(kind)
        if make is None:
            hint = "run it on arrays of JAX or PyTorch; a capture with derive=True has what jax.grad computes"
            raise BackendError(f"{self.name} has no transformation {kind!r} of functions", hint=hint)
        if kind == "jvp":
            found = make(function, tuple(inputs), tuple(given))[1]
        elif kind == "associative_scan":
            found = make(lambda left, right: tuple(function(*left, *right)), tuple(inputs), axis=given[0])
        elif kind == "vmap":
            found = make(function)(*inputs)
        else:
            beside = {"has_aux": True} if kind == "grad" else {}
            found = make(function, argnums=tuple(range(len(inputs))), **beside)(*inputs)
            found = (*map(self._conjugated, found[0]), *found[1]) if beside else found
        return found if isinstance(found, tuple) else (found,)

    def _conjugated(self, gradient: Any) -> Any:
        """A gradient as the op `transform` has it."""
        dtype = self.type_of(gradient).dtype if self.style is not None and self.style.conjugates else None
        return self.run(lookup("conj"), (gradient,)) if dtype is not None and dtype.kind == "c" else gradient

    def add(self, op: OpDef, args: tuple) -> Any:
        """Run an op that the body of a composite calls: a Backend is a builder that makes no nodes."""
        return self.run(op, args)

    def spells(self, op: OpDef) -> bool:
        """Whether a row of its own writes the op."""
        return op.name in self.templates

    def writes(self, op: OpDef) -> bool:
        """Whether the op can be written over its first argument."""
        return op.name in self.in_place

    def supports(self, op: OpDef) -> bool:
        """Whether this backend can run the op, itself or through the op's body."""
        row = self.rows.get(op.name)
        return self.spells(op) or (op.body is not None and not (row is not None and row.missing))
