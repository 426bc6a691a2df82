"""Open host values: numbers, shapes, dtypes and devices that are only known when the emitted code runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gfx_ir import ops
from gfx_ir.build import HOST_OPERATORS, TEXT_METHODS
from gfx_ir.dtypes import DType, framework_of
from gfx_ir.graph import Value
from gfx_ir.infer.elements import named
from gfx_ir.op import OpDef, active
from gfx_ir.python_numbers import CLASSES, MEMBERS
from gfx_ir.types import LogicalTensor

from ..frameworks.structured import array_attribute
from ..interfaces import Capturing
from ..python.devices import fixed_device, is_device
from ..python.faults import NUMBERS, cannot, class_name, has_attribute_of, is_iterable, no_attribute, no_operator
from ..python.identity import identity
from ..python.listed import ListedItems
from ..python.sequences import folded, open_tuple, sequence_binary
from ..values.numpy_numbers import number_when
from ..values.proxy import HostProxy, NeedsPython, Proxy


class Namespace:
    """The array API standard's namespace under capture."""

    def __getattr__(self, name: str) -> Any:
        op = getattr(ops, name)

        def function(*args: Any, **kwargs: Any) -> Any:
            return active.builder.calls.call(op, args, kwargs)

        return function


_RAISE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("/", "//", "%"), ("division", ZeroDivisionError)),
    "**": ("power", ZeroDivisionError, OverflowError),
    **dict.fromkeys(("<<", ">>"), ("shift", ValueError, OverflowError)),
}
"""What Python may raise of numbers where the second is open, or below zero."""


_ORDERS = frozenset(("<", "<=", ">", ">="))
_NEVER_EQUAL = (type(None), str, bytes)
"""What no number equals."""


def _is_text(x: Any) -> bool:
    return isinstance(x, str) or (type(x) is HostProxy and x.value.kind == "str")


def _is_number(x: Any) -> bool:
    return type(x) is HostProxy and x.value.kind in NUMBERS


class HostValues:
    """The part of the Tracer that computes with them."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    def host_binary(self, sign: str, op: OpDef, a: Any, b: Any) -> Any:
        """An operator with an open host value: a host value again, or a tensor where the other side is one."""
        if is_device(a) or is_device(b):
            return HOST_OPERATORS[sign](*[fixed_device(self.tracer, x) if is_device(x) else x for x in (a, b)])
        if sign == "+" and (text := self.tracer.texts.added(a, b)) is not NotImplemented:
            return text
        if (made := sequence_binary(self.tracer, sign, a, b)) is not NotImplemented:
            return made
        left, right = self.tracer.operands.operand(a), self.tracer.operands.operand(b)
        if sign in ("==", "!=") and (left is NotImplemented or right is NotImplemented):
            if any(_is_number(x) and type(y) in _NEVER_EQUAL for x, y in ((a, b), (b, a))):
                return sign == "!="
            left, right = self.tracer.unwrap(a), self.tracer.unwrap(b)
        if sign in _ORDERS and _is_text(a) and _is_text(b):
            left, right = self.tracer.unwrap(a), self.tracer.unwrap(b)
        if left is NotImplemented or right is NotImplemented or sign not in HOST_OPERATORS:
            return no_operator(self.tracer, sign, a, b)
        if any(isinstance(v, Value) and v.is_tensor for v in (left, right)):
            return self.tracer.wrap(op(left, right), self.tracer.backend)
        made = self.tracer.host(sign, left, right)
        if sign in _RAISE and (isinstance(right, Value) or right < 0):
            self.tracer.raising.of_numbers(*_RAISE[sign][:1], made, *_RAISE[sign][1:])
        return self.tracer.wrap(made, self.tracer.backend)

    def known_query(self, op: OpDef, args: tuple) -> Any:
        """The answer to a question about a type, where the capture knows it for every input."""
        known = None if op.infer is None else self._told_type(args[0])
        if known is None or op.infer is None:
            return None
        found = op.infer(op.named((known, *args[1:])), self.tracer.promotion)
        plain = found if isinstance(found, tuple) else (found,)
        if all(isinstance(item, (int, bool, DType)) for item in plain):
            return plain[0] if op.asks else found
        return None

    def _told_type(self, x: Any) -> LogicalTensor | None:
        """The type of a tensor, or what is known of it for every input: a dtype that the op is told which makes it. JAX's own code may get
        another one, of fewer bits."""
        if type(x) is not Value or x.kind == "optional":
            return None
        if isinstance(x.type, LogicalTensor):
            return x.type
        node = self.tracer.facts.root(x).node
        told = named(node) if x.is_tensor else None
        return LogicalTensor(told) if type(told) is DType and framework_of(self.tracer.promotion) != "jax" else None

    def host_attribute(self, x: HostProxy, name: str) -> Any:
        """An attribute of an open host value: those that shapes and dtypes have."""
        kind = x.value.kind
        if kind == "shape" and name == "numel":
            whole = x.value.node.op.asks == "shape"
            return lambda: (
                self.tracer.wrap(ops.numel(x.value.node.args[0]), x.backend)
                if whole
                else folded(self.tracer, "math.prod", x)
            )
        if kind == "shape" and name in ("index", "count"):
            return lambda *args: self.tracer.wrap(
                self.tracer.host(f"tuple.{name}", x.value, *map(self.tracer.unwrap, args)), x.backend
            )
        if kind == "dtype" and name == "is_floating_point":
            return self.tracer.wrap(ops.is_floating(x.value.node.args[0]), x.backend)
        if kind == "device":
            return getattr(fixed_device(self.tracer, x), name)
        if kind == "str" and name in TEXT_METHODS:
            return lambda *args: self._text_method(x, name, args)
        given = array_attribute(self.tracer, x, name) if kind in NUMBERS else NotImplemented
        if given is not NotImplemented:
            return given
        if kind in NUMBERS and name in MEMBERS and hasattr(CLASSES.get(kind), name):
            made = lambda: self.tracer.wrap(self.tracer.host(name, x.value), x.backend)
            return made if callable(getattr(CLASSES[kind], name)) else made()
        if has_attribute_of(self.tracer, x, name):
            self.tracer.python.number(x, f"the attribute {name!r}")
        raise no_attribute(self.tracer, x, name)

    def _text_method(self, x: HostProxy, name: str, args: tuple) -> Any:
        """What a method of an open text gives."""
        made = self.tracer.host(f"str.{name}", x.value, *map(self.tracer.unwrap, args))
        if TEXT_METHODS[name] != "texts":
            return self.tracer.wrap(made, x.backend)
        return tuple([self.tracer.wrap(self.tracer.host("getitem", made, at), x.backend) for at in range(3)])

    def host_getitem(self, x: HostProxy, index: Any) -> Any:
        """Item of an open shape (a size), or of another open host value."""
        value = x.value
        if value.node.op.asks == "shape" and isinstance(index, int):
            return self.tracer.wrap(ops.size(value.node.args[0], index), x.backend)
        made = self.tracer.host("getitem", value, self.tracer.unwrap(index))
        if value.kind in ("str", "any") and type(index) is not slice:
            self.tracer.raising.of_numbers("index", made, IndexError)
        return self.tracer.wrap(made, x.backend)

    def python_hash(self, x: HostProxy) -> int:
        """hash(x) in code that was not rewritten."""
        return hash(fixed_device(self.tracer, x)) if is_device(x) else self.tracer.python.number(x, "a key")

    def tensor_hash(self, x: Proxy) -> int:
        """hash(x) in code that was not rewritten: of a number that hangs on what it is, of a tensor on which one it is."""
        owner = x.backend
        if isinstance(x.value, Value) and not self.tracer.facts.there(x.value):
            return self.tracer.python.number(x, "a key")  # None has a hash of its own
        if not x.weak and (owner is None or owner.hashes):
            return identity(self.tracer, x)
        if x.weak or (owner is not None and owner.numbers and number_when(x) is not None):
            return self.tracer.python.number(x, "a key")
        raise TypeError(f"unhashable type: {class_name(self.tracer, x)!r}")

    def length(self, x: Any) -> Any:
        """len(x)."""
        x = open_tuple(x)
        if type(x) is ListedItems:
            return x.length(self.tracer)
        if not is_iterable(x):
            raise TypeError(f"object of type {class_name(self.tracer, x)!r} has no len()")
        if isinstance(x, Proxy):
            rank = self.tracer.record.rank_of(x.read()) if self.tracer.raising.handlers else 1
            if rank is None:
                self.tracer.raising.let_out("len()", TypeError())
            if rank == 0:
                raise self.tracer.raising.error(TypeError("len() of a 0-d array"), None)
            return self.tracer.wrap(ops.size(x.read(), 0), x.backend)
        if isinstance(x, HostProxy):
            if x.value.node.op.asks == "shape":
                return self.tracer.wrap(ops.rank(x.value.node.args[0]), x.backend)
            known = self.tracer.record.lengths.ask(self.tracer.facts.root(x.value)) if x.value.kind == "shape" else None
            if known is not None:
                return known
            return self.tracer.wrap(self.tracer.host("len", x.value), x.backend)
        return len(x)

    def iterate(self, x: Any) -> Iterator[Any]:
        """Iterate an open value in Python: only where its length is known."""
        if not is_iterable(x):
            raise cannot(self.tracer, x, "{} is not iterable")
        length = self.length(x)
        if isinstance(length, int):
            return (x[i] for i in range(length))  # each when it is asked for: the loop may write the array
        raise NeedsPython(
            "iteration", "Python iterates over a value whose length is only known when the emitted code runs", self.tracer.place(),
            "give the argument's shape at capture, or loop over it with `for`",
        )  # fmt: skip

    def namespace(self) -> Any:
        """What `x.__array_namespace__()` gives: the standard's functions, which are our ops."""
        return Namespace()
