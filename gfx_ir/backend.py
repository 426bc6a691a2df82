"""What a backend is to the rest: rows (op ↔ framework), its tensors, and how its source is spelled."""

from __future__ import annotations

import ast
import inspect
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from types import CodeType, FunctionType, SimpleNamespace
from typing import Any

from .dtypes import DType
from .errors import BackendError, MissingOp
from .op import REGISTRY, OpDef, lookup
from .rules import building
from .template import Own, Spelling, Template
from .trees import leaves, tree_map, unflatten
from .types import LogicalTensor


class Lift:
    """A framework call → ops. `fn` has the framework's own signature, takes Values and constants, and calls ops.

    `writes`: the call writes its first argument in place; `fn` returns the new value of it. Where only some calls do
    (`inplace=True`), it is a function of the call's arguments. `silent`: a call that writes gives None. `copies`: its result never shares memory with
    its argument although the op it becomes could ("maybe": it may, which is
    decided by strides), or a function of the call's arguments that tells.
    """

    __slots__ = ("name", "fn", "writes", "copies", "silent")

    def __init__(
        self, name: str, fn: Callable[..., Any], writes: bool | Callable[..., bool] = False,
        copies: bool | str | Callable[..., bool | str] = False, silent: bool = False,
    ) -> None:  # fmt: skip
        self.name, self.fn, self.writes, self.copies, self.silent = name, fn, writes, copies, silent

    def __repr__(self) -> str:
        return f"Lift({self.name})"


class OpenParts:
    """Results whose number is open: `unpack(count)` makes them, once the code unpacks them into so many names."""

    __slots__ = ("unpack", "_error")

    def __init__(self, unpack: Callable[[int], tuple], error: Exception) -> None:
        self.unpack, self._error = unpack, error

    def _refuse(self, *args: Any) -> Any:
        raise self._error

    __iter__ = __len__ = __getitem__ = _refuse


@dataclass(frozen=True)
class Row:
    """One op in one backend: how it is spelled, and which framework names become it.

    `emit` is a Template spelling (None: the op's body is printed, or for NumPy its reference); `keep` names
    keywords to write even when
    they equal the op's default. `lift` maps blank-separated names ("torch.sum Tensor.sum", "jnp.sum Array.sum"; a bare
    `Tensor.`/`Array.`/`ndarray.` prefix is a method, and one ending in `@` an attribute, as in "Tensor.T@") to
    a function in the framework's own signature. `copies` names those of them
    whose result never shares memory. `own` names keywords that are left out where they have the value that the
    target takes on its own
    (see Template). `missing` is the reason why this backend lacks the op.

    `in_place` is the spelling that overwrites the first argument and gives it back; `spare`: the result is always
    memory of its own, which the op's backward does not read, so that such a spelling may overwrite it. `place` is the
    spelling of what the op writes where it may write its first argument, left of `= value`, or "" for arguments for which it
    has none.
    """

    op: str
    emit: Spelling | None = None
    lift: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    keep: Sequence[str] = ()
    copies: Sequence[str] = ()
    missing: str = ""
    own: Own = field(default_factory=dict)
    in_place: str = ""
    spare: bool = False
    place: Callable[[SimpleNamespace], str] | None = None


class Backend:
    """A framework: rows, tensors, places, style. Subclassed by each backend, one instance registered under its name."""

    name = ""
    packages: tuple[str, ...] = ()
    """Top-level packages of the framework: code in them is never entered, only lifted."""
    views = False
    """Whether slices and transposes share memory with their base, and in-place operators write."""
    numbers = False
    """Whether an index that leaves no axis gives a number of its own, not a view of one place."""
    promotion = "array_api"
    tensor_types: tuple[type, ...] = ()

    def __init__(self, rows: Iterable[Row], namespace: Mapping[str, Any], roots: Mapping[str, Any]) -> None:
        """`namespace`: what names in templates mean; `roots`: what the first part of a lift's name means."""
        self.namespace = dict(namespace)
        self.rows: dict[str, Row] = {}
        self.templates: dict[str, Template] = {}
        self.in_place: dict[str, Template] = {}
        self.places: dict[str, Callable[[SimpleNamespace], str]] = {}
        self.functions: dict[Any, Lift] = {}
        self.methods: dict[str, Lift] = {}
        self.attributes: dict[str, Lift] = {}
        self.modules: dict[type, Lift] = {}
        self.special: dict[
            Any, str
        ] = {}  # higher-order functions and the like, by what capture calls them ("cond", "jit")
        for row in rows:
            self._add(row, roots)
        self.printed = printed_helpers(self.namespace, self.templates)

    def recognised(self, fn: FunctionType) -> Lift | None:
        """The op that a function stands for which GFX itself printed: the same name and the same code as a helper of ours."""
        found = self.printed.get(fn.__name__)
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
        target = roots[root]
        for part in rest.split("."):
            target = getattr(target, part, None)
        if target is None:
            return
        if self.functions.setdefault(target, lift).fn is not fn:
            raise ValueError(f"{self.name}: {name} is lifted twice, also as {self.functions[target].name}")

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

    def shape_of(self, x: Any) -> tuple[int, ...]:
        """Shape of an array."""
        return tuple(x.shape)

    def in_rows(self, x: Any) -> bool:
        """Whether an array is all of its memory, row by row, for those whose functions can tell the difference."""
        return True

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

    def type_of(self, x: Any) -> LogicalTensor:
        """The type of an array of the framework, or of what stands for one in its own tracer."""
        return LogicalTensor(self.dtype_of(x), self.shape_of(x))

    def stage(
        self, fn: Callable[..., Any], types: Sequence[LogicalTensor]
    ) -> Callable[[Callable[..., Any], Sequence[Any]], Any]:
        """What the framework's own tracer records of fn on arrays of these types: `replay(call, values)` makes the same
        calls of its public functions through `call`, and gives the result. Raises BackendError where there is no such tracer."""
        raise BackendError(f"{self.name} has no tracer of its own for this")

    def as_module(
        self, fn: Callable[..., Any], params: Any, writes: bool = False, like: Any = None,
        modes: Mapping[str, bool] | None = None,
    ) -> Any:  # fmt: skip
        """The framework's module with these parameters that computes what fn computes, and writes what fn `writes` to them.

        `like` is the model that fn was captured from, and `modes` the `training` flags, by path, that it was captured for.
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
        if template is None:
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


def printed_helpers(
    namespace: Mapping[str, Any], templates: Mapping[str, Template]
) -> dict[str, tuple[FunctionType, Lift]]:
    """Functions that spellings name and that are printed with the source, each with the lift that takes it back to its op."""
    found: dict[str, tuple[FunctionType, Lift]] = {}
    for op_name, template in templates.items():
        tree = ast.parse(template.spelling, mode="eval").body if isinstance(template.spelling, str) else None
        if isinstance(tree, ast.Call) and isinstance(tree.func, ast.Name):
            helper = namespace.get(tree.func.id)
            if isinstance(helper, FunctionType) and _passes_on(tree, template.params):
                found[tree.func.id] = helper, Lift(tree.func.id, lookup(op_name), copies=True)
    for name, helper in namespace.items():
        if name not in found and isinstance(helper, FunctionType) and name in REGISTRY:
            if set(inspect.signature(helper).parameters) <= set(lookup(name).params):
                found[name] = helper, Lift(name, _by_name(helper, lookup(name)), copies=True)
    return found


def _passes_on(call: ast.Call, params: tuple[str, ...]) -> bool:
    """Whether a call passes the op's arguments on in their order and under their names, so that it can be read backwards."""
    positional = [arg.id if isinstance(arg, ast.Name) else "" for arg in call.args]
    keywords = all(k.arg is not None and isinstance(k.value, ast.Name) and k.value.id == k.arg for k in call.keywords)
    return positional == list(params[: len(positional)]) and keywords


def _by_name(helper: FunctionType, op: OpDef) -> Callable[..., Any]:
    signature = inspect.signature(helper)

    def lift(*args: Any, **kwargs: Any) -> Any:
        return op(**signature.bind(*args, **kwargs).arguments)

    return lift


def same_code(a: CodeType, b: CodeType) -> bool:
    """Whether two code objects do the same, wherever they were compiled."""
    if (a.co_code, a.co_names, a.co_varnames, len(a.co_consts)) != (
        b.co_code,
        b.co_names,
        b.co_varnames,
        len(b.co_consts),
    ):
        return False
    pairs = zip(a.co_consts, b.co_consts)
    return all(same_code(x, y) if isinstance(x, CodeType) and isinstance(y, CodeType) else x == y for x, y in pairs)


_LOCK = threading.Lock()
_LOADED: dict[str, Backend] = {}
GROUP = "gfx.backends"


def available() -> list[str]:
    """Names of the backends that are installed, loaded or not."""
    return sorted({entry.name for entry in metadata.entry_points(group=GROUP)})


def backend(name: str) -> Backend:
    """The backend of that name, its framework imported at first use. Raises BackendError where it is not installed."""
    with _LOCK:
        found = _LOADED.get(name)
        if found is not None:
            return found
        entries = [e for e in metadata.entry_points(group=GROUP) if e.name == name]
        if not entries:
            raise BackendError(f"there is no backend {name!r}", hint=f"installed: {', '.join(available()) or 'none'}")
        try:
            found = entries[0].load()
        except ImportError as error:
            raise BackendError(
                f"backend {name!r} cannot be loaded: {error}", hint=f"pip install 'gfx-trace[{name}]'"
            ) from error
        _LOADED[name] = found
        return found


def loaded() -> list[Backend]:
    """The backends whose frameworks are imported already."""
    with _LOCK:
        return list(_LOADED.values())
