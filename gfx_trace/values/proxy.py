"""What a traced function holds instead of values: Proxy for a tensor, HostProxy for an open host value.

A Proxy is a mutable reference. One made by a view op knows its base: reading it derives the view again after a write to the
base, and writing it writes the base through the op's `put`.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import NUMBERS, Kinds
from gfx_ir.op import active
from gfx_ir.python_numbers import KINDS, OPEN
from gfx_ir.source import Span

from .here import here

_VERSIONS = itertools.count(1)


class NeedsPython(CaptureError):
    """Python itself needs a number (a size, an index, a string) that is only known when the emitted code runs.

    `construct` is what cannot be converted, `why` one sentence about it.
    """

    def __init__(self, construct: str, why: str, span: Span | None = None, hint: str = "") -> None:
        super().__init__(f"GFX cannot convert this {construct}: {why}", span, hint)
        self.why = why


class Captured:
    """What is only known when the emitted code runs, where Python itself asks for a part of it."""

    __slots__ = ()

    value: Any

    def __bool__(self) -> bool:
        return active.builder.python.truth(self)

    def __iter__(self) -> Iterator[Any]:
        return active.builder.host_values.iterate(self)

    def __len__(self) -> int:
        return active.builder.python.number(active.builder.host_values.length(self), "len()")

    def __index__(self) -> int:
        return active.builder.python.number(self, "an index")

    def __int__(self) -> int:
        return active.builder.python.number(self, "int()")

    def __float__(self) -> float:
        return active.builder.python.number(self, "float()")

    def __complex__(self) -> complex:
        return active.builder.python.number(self, "complex()")

    def __format__(self, spec: str) -> str:
        return active.builder.python.text(self)

    def __repr__(self) -> str:
        """What stands in a text that Python makes of it, which nobody may rely on."""
        if active.builder is not None:
            active.builder.python.shows(self, sys._getframe(1))
        return f"<{getattr(self.value, 'name', None) or 'a value'}, known when the code runs>"

    def __reduce_ex__(self, protocol: Any) -> Any:
        return active.builder.python.number(self, "a copy of bytes")

    def __sizeof__(self) -> int:
        return active.builder.python.number(self, "its size in memory")

    def __dir__(self) -> Any:
        return active.builder.python.number(self, "dir()")


def _is_left(value: Any, base: Any) -> bool:
    """Whether a view was made in a region that was left, so that it is to be derived here, of a base that is here."""
    visible = active.builder.gates.visible
    return not visible(value) and (type(base) is not Value or visible(base))


class Proxy(Captured):
    """A tensor value under capture. Never pretends to be a framework's class: native code would trust it."""

    __slots__ = ("value", "backend", "base", "derive", "put", "version", "seen", "own", "kin", "array", "__weakref__")

    def __init__(self, value: Any, backend: Any, weak: str | Kinds = "") -> None:
        # weak: the kind, or kinds, of a Python number that is data ("number": an open one); `n += 1` makes a new one, as Python does
        self.value, self.backend = value, backend
        if weak:
            active.builder.record.tell(value, weak)
        self.base: Any = None  # the Proxy that it is a view of; or what stands for the doubt of that (see `aliases`)
        self.derive: Callable[[Any], Any] | None = None
        self.put: Callable[[Any, Any], Any] | None = None
        self.version = self.seen = 0
        self.kin: Any = None  # the tensors that may share memory with it: see `aliases`
        self.array = False  # whether it is surely no number of Python's, though its value may be on another way
        self.own: Any = None  # of a view that has, or may have, a gradient of its own: see `chains`

    @property
    def weak(self) -> str:
        """The kind of the Python number that it surely is, "" for any other: what the record has of its value."""
        record = active.builder.record
        return record.weak(self.value) if record.stated else ""

    @weak.setter
    def weak(self, kind: str | Kinds) -> None:
        active.builder.record.tell(self.value, kind)

    # ------------------------------------------------------------------ reference
    def read(self) -> Any:
        """The current value."""
        base = self.base
        if base is not None:
            current = base.read()
            left = self.derive is not None and _is_left(self.value, current)
            if left or base.version != self.seen:
                assert self.derive is not None
                found = active.builder.gradients.recorded(self.derive, current)
                found = found if self.own is None else self.own.kept(self.value, found)
                if found is not self.value:
                    if self.own is not None and not left:  # behind this region it is made of what it was before
                        active.builder.journal.record(self)
                    self.value, self.version = found, next(_VERSIONS)
                self.seen = base.version
        return self.value

    def write(self, new: Any) -> None:
        """Make `new` the value of this reference, through its base where it is a view."""
        builder = active.builder
        builder.raising.writes(new, self.value)
        if self.base is None:
            builder.journal.record(self)
            new = builder.gradients.kept(builder, self.value, new)
            if new.__class__ is Value and new.name is None and self.value.__class__ is Value:
                new.name = self.value.name
            builder.record.written(new, self.value)
            self.value, self.version = new, next(_VERSIONS)
            return
        if self.put is None:
            self.base.written(self, new)
            return
        if self.own is not None:
            self.read()
            builder.journal.record(self)
            self.own.written = True
        builder.record.written(new, self.value)
        self.base.write(self.put(self.base.read(), new))
        kept = builder.gradients.kept(builder, self.value, new)
        if kept is not new:
            builder.record.written(kept, self.value)
        new = kept
        self.value, self.seen, self.version = new, self.base.version, next(_VERSIONS)

    def restore(self, value: Any) -> None:
        """Set the value of a root without a record (the journal does this when it leaves a region)."""
        self.value, self.version = value, next(_VERSIONS)

    # ------------------------------------------------------------------ attributes
    def __getattr__(self, name: str) -> Any:
        if active.builder is None or (name.startswith("__") and name.endswith("__")):
            raise AttributeError(name)
        return here().views.tensor_attribute(self, name)

    def __array_namespace__(self, api_version: str | None = None) -> Any:
        return active.builder.host_values.namespace()

    def __getitem__(self, index: Any) -> Any:
        return here().views.getitem(self, index)

    def __setitem__(self, index: Any, new: Any) -> None:
        here().views.setitem(self, index, new)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **kwargs: Any) -> Any:
        builder = here()
        if method != "__call__":
            raise CaptureError(f"GFX cannot capture numpy.{ufunc.__name__}.{method}", builder.span())
        found = builder.operands.reflected(ufunc, inputs) if not kwargs else NotImplemented
        return builder.calls.call(ufunc, inputs, kwargs) if found is NotImplemented else found

    def __array_function__(self, function: Any, types: Any, args: tuple, kwargs: dict) -> Any:
        return here().calls.call(function, args, kwargs)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        builder = here()
        if isinstance(function, type):  # which would ask again
            raise builder.error(f"GFX has no row for {function.__module__}.{function.__name__} of a captured tensor")
        return builder.calls.call(function, args, kwargs or {})

    # ------------------------------------------------------------------ what Python itself asks for
    def __contains__(self, item: Any) -> bool:
        return active.builder.python.truth(active.builder.truths.contains(self, item))

    def __hash__(self) -> int:
        return active.builder.host_values.tensor_hash(self) if active.builder is not None else id(self)

    def __copy__(self) -> Any:
        return active.builder.python.copy(self)

    def __deepcopy__(self, memo: dict) -> Any:
        return active.builder.python.copy(self, deep=True)


class HostProxy(Captured):
    """Python data that is open until the emitted code runs: a size, a flag, a dtype, an optional number."""

    __slots__ = ("value", "backend", "taken", "__weakref__")

    def __init__(self, value: Value, backend: Any = None, taken: bool = False) -> None:
        self.value, self.backend = value, backend
        self.taken = taken  # a shape of which the code took the tuple, which has another text in PyTorch

    @property
    def kind(self) -> str:
        """Its host kind."""
        return self.value.kind

    def read(self) -> Value:
        """The value."""
        return self.value

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return here().host_values.host_attribute(self, name)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        return active.builder.calls.call(function, args, kwargs or {})

    def __getitem__(self, index: Any) -> Any:
        return active.builder.host_values.host_getitem(self, index)

    def __hash__(self) -> int:
        return active.builder.host_values.python_hash(self)

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        return active.builder.python.number(self, "an array")

    def __copy__(self) -> HostProxy:
        return self

    def __deepcopy__(self, memo: dict) -> HostProxy:
        return self


_WEAK = (*KINDS, OPEN)


def weak_kind(x: Any) -> str:
    """The kind of a Python number, or of data that was one; "" for any other tensor."""
    if x.__class__ is Proxy:
        return x.weak
    kind = x.value.kind if x.__class__ is HostProxy else x.__class__.__name__
    return kind if kind in _WEAK else ""


def number_kinds(x: Any) -> Kinds:
    """The kinds that a Python number, or data that was one, may be of; none for any other tensor."""
    if x.__class__ is Proxy:
        found: Kinds = active.builder.record.numbers_of(x.value)
        return found
    kind = weak_kind(x)
    return NUMBERS if kind == OPEN else frozenset((kind,)) if kind else frozenset()


def of_two_frameworks(a: Any, b: Any) -> bool:
    """Whether two are arrays of frameworks of which one has writes through views of its own, as PyTorch's tensors beside NumPy's arrays:
    no one value is both, nor has the methods of both."""
    if type(a) is not Proxy or type(b) is not Proxy or a.backend is b.backend or None in (a.backend, b.backend):
        return False
    return not (a.weak or b.weak) and all(x.backend.views for x in (a, b))


def either(a: Any, b: Any) -> Kinds:
    """The kinds of a number that is one or the other; none where one is no number."""
    one, other = number_kinds(a), number_kinds(b)
    return one | other if one and other else frozenset()


def widest(a: str, b: str) -> str:
    """Kind of a number that is of kind a or b; "" where one is no number."""
    return max(a, b, key=_WEAK.index) if a and b else ""


class Unusable:
    """A variable that has no value here: undefined, or different in kind on the two sides of a traced test. Any use raises."""

    __slots__ = ("error",)

    def __init__(self, error: CaptureError) -> None:
        self.error = error

    def _refuse(self, *args: Any, **kwargs: Any) -> Any:
        raise self.error

    def __repr__(self) -> str:
        if active.builder is not None:
            active.builder.python.shown_values += 1
        return f"<{self.error}>"

    __getattr__ = __getitem__ = __call__ = __bool__ = __iter__ = __len__ = __index__ = __int__ = __float__ = _refuse
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __matmul__ = _refuse
    __rmatmul__ = __pow__ = __rpow__ = __neg__ = __lt__ = __le__ = __gt__ = __ge__ = __format__ = __contains__ = _refuse
    __floordiv__ = __mod__ = __and__ = __or__ = __xor__ = __invert__ = __setitem__ = __eq__ = __ne__ = _refuse
    __rfloordiv__ = __rmod__ = __abs__ = __pos__ = __round__ = __complex__ = __delitem__ = __hash__ = _refuse


class Undefined:
    """A local variable before its first assignment, or a key or attribute that is not set. `error`: what Python raises for a read;
    None: a read may find something all the same."""

    __slots__ = ("name", "error")

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self.error = name, error

    @classmethod
    def variable(cls, name: str) -> Undefined:
        """A local variable."""
        return cls(
            name, UnboundLocalError(f"cannot access local variable {name!r} where it is not associated with a value")
        )


def is_open(x: Any) -> bool:
    """Whether x stands for a value that is not known."""
    return issubclass(type(x), Captured)
