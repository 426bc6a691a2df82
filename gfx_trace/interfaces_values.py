"""Interfaces of values: tensors, host values, arrays from outside, texts, objects, gradient modes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from gfx_ir.backend import Backend, Lift
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import Kinds
from gfx_ir.infer.number_conditions import SURE, Conditions
from gfx_ir.op import OpDef
from gfx_ir.types import LogicalTensor

from .journal import Slot
from .proxy import HostProxy, Proxy


class Viewing(Protocol):
    """Tensors: their attributes, views of them, and writes."""

    def tensor_attribute(self, x: Proxy, name: str) -> Any:
        """`x.name`: an attribute's value, or a method bound to x."""

    def wrote(self, result: Any, subject: Any, before: Any) -> None:
        """Note that the last node, made since `before`, was written in place of its first argument."""

    def link(self, base: Proxy, base_value: Value, wrapped: Any, varies: str = "") -> None:
        """Make the results of view ops views of `base`."""

    def link_late(self, base: Proxy, base_value: Value, version: int, wrapped: Any) -> None:
        """Make the results of a view op, made only now of what `base` held at that version, views of it."""

    def link_parts(self, args: tuple, wrapped: Any) -> None:
        """Link the results of a call to each of the tensors it takes, also to those in a list."""

    def getitem(self, x: Proxy, index: Any) -> Any:
        """x[index]."""

    def link_item(self, x: Proxy, value: Value, wrapped: Any, integers: int, given: Conditions = SURE) -> None:
        """Make what an index gives a view of x."""

    def is_array(self, x: Proxy) -> None:
        """What is indexed is no number: where that was open, it is a view."""

    def setitem(self, x: Proxy, index: Any, new: Any) -> None:
        """x[index] = new."""

    def inplace(self, sign: str, x: Any, other: Any) -> Any:
        """x += other: a write where the framework's arrays are mutable, else a new value."""

    def unary(self, sign: str, op: OpDef, x: Any) -> Any:
        """-x, +x, ~x, abs(x)."""


class OfHostValues(Protocol):
    """Open host values."""

    def host_binary(self, sign: str, op: OpDef, a: Any, b: Any) -> Any:
        """An operator with an open host value: a host value again, or a tensor where the other side is one."""

    def known_query(self, op: OpDef, args: tuple) -> Any:
        """The answer to a question about a type, where the capture knows it for every input."""

    def host_attribute(self, x: HostProxy, name: str) -> Any:
        """An attribute of an open host value: those that shapes and dtypes have."""

    def host_getitem(self, x: HostProxy, index: Any) -> Any:
        """Item of an open shape (a size), or of another open host value."""

    def python_hash(self, x: HostProxy) -> int:
        """hash(x) in code that was not rewritten."""

    def tensor_hash(self, x: Proxy) -> int:
        """hash(x) in code that was not rewritten."""

    def length(self, x: Any) -> Any:
        """len(x)."""

    def iterate(self, x: Any) -> Iterator[Any]:
        """Iterate an open value in Python: only where its length is known."""

    def namespace(self) -> Any:
        """What `x.__array_namespace__()` gives: the standard's functions, which are our ops."""


class OfArrays(Protocol):
    """Arrays from outside."""

    def is_small(self, x: Any) -> bool:
        """Whether an array is a constant where nothing else says that it is a parameter."""

    def frameworks(self) -> list[Backend]:
        """Backends whose arrays and functions may occur in the captured code."""

    def array_owner(self, x: Any) -> Backend | None:
        """The backend whose array x is."""

    def arrays_in(self, tree: Any) -> list[tuple[tuple, Any]]:
        """(path, array) pairs of a tree."""

    def array_proxy(self, x: Any, name: str = "constant", place: Any = None) -> Proxy:
        """The Proxy of an array met during capture: one for each array, so that aliases stay aliases."""

    def held_array(self, proxy: Proxy) -> Any:
        """The array that was met during capture and that a Proxy is; None for any other."""

    def held_in(self, slot: Slot, value: Any) -> Any:
        """What who reads a slot finds where `value` stands in it."""

    def array_value(self, x: Any, path: str, owner: Backend | None = None) -> Value:
        """An array as a parameter, or as a constant node where it is small and belongs to no module."""

    def type_of(self, leaf: Any) -> LogicalTensor | None:
        """What is known of the type of a value, or of the data of a parameter; None where it is no tensor."""

    def told_dtype(self, value: Value) -> DType | None:
        """The dtype of a tensor, as far as it is known: its own, or what the ops tell that made it."""

    def told_dims(self, value: Value) -> tuple | None:
        """The dims of a tensor, as far as they are known: its own, or as many as the ops tell that made it."""

    @contextmanager
    def outermost(self) -> Iterator[None]:
        """Inside, nodes are added to the captured function's own graph."""


class Wording(Protocol):
    """Texts that Python makes of values."""

    def text(self, parts: tuple) -> Any:
        """A text of pieces: texts, and (value, conversion, format) of what stands in it."""

    def added(self, a: Any, b: Any) -> Any:
        """a + b of texts; NotImplemented where one is none."""

    def shown(self, make: Callable[[], str], value: Any) -> str:
        """The text that is made of a value which is not open itself; refused where something open stands in it."""

    def joined_text(self, between: str, items: Sequence[Any]) -> Any:
        """Items as texts, with a text between them."""

    def percent(self, template: str, given: Any) -> Any:
        """template % given."""

    def format_text(self, template: str, args: tuple, kwargs: Mapping[str, Any]) -> Any:
        """template.format(*args, **kwargs)."""


class OfObjects(Protocol):
    """Ordinary objects."""

    makes_arrays: Backend | None

    def getattr(self, o: Any, name: str) -> Any:
        """o.name."""

    def outside_generator(self, name: str) -> Exception:
        """The error for a draw that would be made once, at capture, and be the same number in every call."""

    def setattr(self, o: Any, name: str, value: Any) -> None:
        """o.name = value."""

    def delete_attribute(self, o: Any, name: str) -> None:
        """del o.name."""

    def item(self, o: Any, key: Any) -> Any:
        """o[key] of an object that is no Proxy."""

    def set_item(self, o: Any, key: Any, value: Any) -> None:
        """o[key] = value."""

    def delete_item(self, o: Any, key: Any) -> None:
        """del o[key]."""

    def stacked(self, items: list[Any]) -> Any:
        """What stacking a list gives: a staged loop's rows, or the stack of its tensors."""

    def apply_module(self, lift: Lift, view: Any, args: tuple, kwargs: dict, backend: Any) -> Any:
        """Apply a module's row."""


class OfOwnClasses(Protocol):
    """Classes of the user's own."""

    def overloads(self, kind: type) -> bool:
        """Whether a class has operators that its author wrote in Python."""

    def overloads_in(self, names: dict[str, Any]) -> bool:
        """Whether operands of code may be objects of such a class."""

    def as_operand(self, x: Any) -> Any:
        """What stands for an operand of an operator in converted code."""

    def inplace_other(self, sign: str, x: Any, y: Any) -> Any:
        """x += y and its like, where x is no Proxy."""

    def iterable(self, x: Any) -> Any:
        """What a loop goes over: of an object that says so itself, what its method gives."""

    def asked(self, f: Any, args: tuple) -> Any:
        """The method of the user's own class that a builtin asks, as len() does; None: it asks none."""

    def own_method(self, x: Any, name: str) -> Any:
        """The Python function that the class of x has for a special method."""


class OfAttributes(Protocol):
    """Attributes that classes of the user's own give."""

    givers: dict[tuple[type, str], Any]

    def held(self, kind: type, name: str) -> Any:
        """What a class or one of its bases holds under a name, as it stands there; MISSING: nothing."""

    def get(self, o: Any, name: str) -> Any:
        """o.name, where code of the user's gives it; else NOT_OWN."""

    def giver(self, kind: type, name: str) -> Any:
        """What gives an attribute of the objects of a class, where that is code of the user's."""

    def forget(self, o: Any, name: str) -> bool:
        """Before a cached property is deleted: whether a part of the code has it."""

    def has(self, o: Any, name: str) -> bool | None:
        """hasattr(o, name), where code of the user's tells it; else None."""

    def set(self, o: Any, name: str, value: Any) -> bool:
        """o.name = value, where code of the user's does it: whether it does."""


class InModes(Protocol):
    """Gradient modes."""

    mode: Any

    asked: Any

    standing: dict[int, tuple[Any, Any]]

    def current(self, tracer: Any) -> Any:
        """The mode here."""

    def switch(self, tracer: Any, mode: Any) -> None:
        """Set the mode, as a write that regions undo and tests join."""

    def check_left(self, tracer: Any) -> None:
        """Raises UnsupportedConstruct where the captured code has switched gradients off and leaves them so."""

    def open_test(self, tracer: Any) -> Value | None:
        """The open bool that decides the mode here; None where the mode is known, or a test on tensors decides it."""

    def taken(self, tracer: Any, leaf: Any) -> Any:
        """An argument of an operation as the mode has it: where nothing is recorded, no gradient flows through it."""

    def recorded(self, derive: Callable[[Any], Any], current: Any) -> Any:
        """What a view shows of its base."""

    def kept(self, tracer: Any, old: Any, new: Any) -> Any:
        """What an in-place write leaves: where nothing is recorded, the new data with the gradient of the old."""


class OfOperands(Protocol):
    """Operands of Python's operators."""

    def no_operand(self, sign: str, a: Any, b: Any) -> Any:
        """What Python makes of an operator on a tensor and something that is none."""

    def combined(self, op: str, operands: tuple, kinds: tuple, made: Value) -> Kinds:
        """The kinds of what an operator of Python's made of numbers."""

    def check_operands(self, op: OpDef, operands: tuple, backend: Backend) -> None:
        """Raise where the framework's operator does not take arrays of these dtypes."""

    def check_given(self, x: Proxy, other: Any) -> None:
        """Raise where an argument that was not given meets what no tensor is used with."""

    def operand(self, other: Any) -> Any:
        """The right-hand operand of a Python operator as an argument of an op; NotImplemented where it cannot be one."""
