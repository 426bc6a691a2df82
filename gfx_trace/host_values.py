"""Open host values: numbers, shapes, dtypes and devices that are only known when the emitted code runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from gfx_ir import ops
from gfx_ir.build import HOST_OPERATORS
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value
from gfx_ir.op import OpDef
from gfx_ir.types import LogicalTensor

from .devices import fixed_device, is_device
from .faults import NUMBERS, cannot, class_name, has_attribute_of, is_iterable, no_attribute, no_operator
from .namespace import Namespace
from .numpy_numbers import number_when
from .proxy import HostProxy, NeedsPython, Proxy
from .sequences import folded, open_tuple, sequence_binary
from .structured import array_attribute

if TYPE_CHECKING:
    from .tracer import Tracer

_RAISE: dict[str, tuple[Any, ...]] = {
    **dict.fromkeys(("/", "//", "%"), ("division", ZeroDivisionError)),
    "**": ("power", ZeroDivisionError, OverflowError),
    **dict.fromkeys(("<<", ">>"), ("shift", ValueError, OverflowError)),
}
"""What Python may raise of numbers where the second is open, or below zero."""


class HostValues:
    """The part of the Tracer that computes with them."""

    def host_binary(self: Tracer, sign: str, op: OpDef, a: Any, b: Any) -> Any:
        """An operator with an open host value: a host value again, or a tensor where the other side is one."""
        if is_device(a) or is_device(b):
            return HOST_OPERATORS[sign](*[fixed_device(self, x) if is_device(x) else x for x in (a, b)])
        if sign == "+" and (text := self.added(a, b)) is not NotImplemented:
            return text
        if (made := sequence_binary(self, sign, a, b)) is not NotImplemented:
            return made
        left, right = self.operand(a), self.operand(b)
        if sign in ("==", "!=") and (left is NotImplemented or right is NotImplemented):
            left, right = self.unwrap(a), self.unwrap(b)
        if left is NotImplemented or right is NotImplemented or sign not in HOST_OPERATORS:
            return no_operator(self, sign, a, b)
        if any(isinstance(v, Value) and v.is_tensor for v in (left, right)):
            return self.wrap(op(left, right), self.backend)
        made = self.host(sign, left, right)
        if sign in _RAISE and (isinstance(right, Value) or right < 0):
            self.raising.of_numbers(*_RAISE[sign][:1], made, *_RAISE[sign][1:])
        return self.wrap(made, self.backend)

    def known_query(self: Tracer, op: OpDef, args: tuple) -> Any:
        """The answer to a question about a type, where the capture knows it for every input."""
        subject = args[0]
        if (
            not isinstance(getattr(subject, "type", None), LogicalTensor)
            or subject.kind == "optional"
            or op.infer is None
        ):
            return None
        found = op.infer(op.named((subject.type, *args[1:])), self.promotion)
        plain = found if isinstance(found, tuple) else (found,)
        if all(isinstance(item, (int, bool, DType)) for item in plain):
            return found if op.name in ("sizes", "shape") else plain[0]
        return None

    def host_attribute(self: Tracer, x: HostProxy, name: str) -> Any:
        """An attribute of an open host value: those that shapes and dtypes have."""
        kind = x.value.kind
        if kind == "shape" and name == "numel":
            whole = x.value.node.op.name == "shape"
            return lambda: (
                self.wrap(ops.numel(x.value.node.args[0]), x.backend) if whole else folded(self, "math.prod", x)
            )
        if kind == "shape" and name in ("index", "count"):
            return lambda *args: self.wrap(self.host(f"tuple.{name}", x.value, *map(self.unwrap, args)), x.backend)
        if kind == "dtype" and name == "is_floating_point":
            return self.wrap(ops.is_floating(x.value.node.args[0]), x.backend)
        if kind == "device":
            return getattr(fixed_device(self, x), name)
        if kind == "str" and f"str.{name}" in HOST_OPERATORS:
            return lambda *args: self.wrap(self.host(f"str.{name}", x.value, *map(self.unwrap, args)), x.backend)
        given = array_attribute(self, x, name) if kind in NUMBERS else NotImplemented
        if given is not NotImplemented:
            return given
        if has_attribute_of(self, x, name):
            self.python.number(x, f"the attribute {name!r}")
        raise no_attribute(self, x, name)

    def host_getitem(self: Tracer, x: HostProxy, index: Any) -> Any:
        """Item of an open shape (a size), or of another open host value."""
        value = x.value
        if value.kind == "shape" and value.node.op.name == "shape" and isinstance(index, int):
            return self.wrap(ops.size(value.node.args[0], index), x.backend)
        return self.wrap(self.host("getitem", value, self.unwrap(index)), x.backend)

    def python_hash(self: Tracer, x: HostProxy) -> int:
        """hash(x) in code that was not rewritten."""
        return hash(fixed_device(self, x)) if is_device(x) else self.python.number(x, "a key")

    def tensor_hash(self: Tracer, x: Proxy) -> int:
        """hash(x) in code that was not rewritten: of a number that hangs on what it is, of a tensor on which one it is."""
        owner = x.backend
        if isinstance(x.value, Value) and not self.facts.there(x.value):
            return self.python.number(x, "a key")  # None has a hash of its own
        if not x.weak and (owner is None or owner.hashes):
            return id(x)
        if x.weak or (owner is not None and owner.numbers and number_when(x) is not None):
            return self.python.number(x, "a key")
        raise TypeError(f"unhashable type: {class_name(self, x)!r}")

    def length(self: Tracer, x: Any) -> Any:
        """len(x)."""
        x = open_tuple(x)
        if not is_iterable(x):
            raise TypeError(f"object of type {class_name(self, x)!r} has no len()")
        if isinstance(x, Proxy):
            rank = self.record.rank_of(x.read()) if self.raising.handlers else 1
            if rank is None:
                self.raising.let_out("len()", TypeError())
            if rank == 0:
                raise self.raising.error(TypeError("len() of a 0-d array"), None)
            return self.wrap(ops.size(x.read(), 0), x.backend)
        if isinstance(x, HostProxy):
            if x.value.kind == "shape" and x.value.node.op.name == "shape":
                return self.wrap(ops.rank(x.value.node.args[0]), x.backend)
            known = self.record.lengths.ask(self.facts.root(x.value)) if x.value.kind == "shape" else None
            if known is not None:
                return known
            return self.wrap(self.host("len", x.value), x.backend)
        return len(x)

    def iterate(self: Tracer, x: Any) -> Iterator[Any]:
        """Iterate an open value in Python: only where its length is known."""
        if not is_iterable(x):
            raise cannot(self, x, "{} is not iterable")
        length = self.length(x)
        if isinstance(length, int):
            return (x[i] for i in range(length))  # each when it is asked for: the loop may write the array
        raise NeedsPython(
            "iteration", "Python iterates over a value whose length is only known when the emitted code runs", self.place(),
            "give the argument's shape at capture, or loop over it with `for`",
        )  # fmt: skip

    def namespace(self: Tracer) -> Any:
        """What `x.__array_namespace__()` gives: the standard's functions, which are our ops."""
        return Namespace()
