"""Operators of the user's own classes, such as `__add__`: Python would run their methods as they stand, so code whose operands
may be such objects hands them to the operator as Operands, which enter the method as any other call is entered.
"""

from __future__ import annotations

import functools
import itertools
import operator
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from gfx_ir.probing import closed_over, own_attribute
from gfx_ir.python_numbers import METHODS

from ..heap.contents import FIXED
from ..heap.makers import COMBINED, puts_together
from ..interfaces import Capturing
from ..python.compared import Operand
from ..python.faults import cannot, class_name, is_iterable
from ..python.operators import SIGNS
from ..python.rows import listed
from ..python.sequences import OpenList
from ..rewrite.packages import users
from ..values.gated import gate_of
from ..values.here import here
from ..values.proxy import Proxy, is_open
from ..values.raised import gfx_handlers
from .views import PYTHON_INPLACE

_MIRRORED = {"lt": "gt", "le": "ge", "eq": "eq", "ne": "ne", "gt": "lt", "ge": "le"}
_UNARY = ("neg", "pos", "invert")
_OWN = frozenset(
    f"__{name}__" for name in (*METHODS, *(f"r{n}" for n in METHODS), *(f"i{n}" for n in METHODS), *_MIRRORED, *_UNARY)
)
_ASKED: dict[Any, str] = {
    len: "__len__", abs: "__abs__", int: "__int__", float: "__float__", round: "__round__", reversed: "__reversed__",
    iter: "__iter__", bool: "__bool__", hash: "__hash__",
}  # fmt: skip
_MADE_BY_CODE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that a class statement, or a call of type, made
_NAMES = {"and": "and_", "or": "or_"}
_REPEATED = (str, bytes, bytearray, tuple, list)
_METHODS = {SIGNS[name]: name for name in METHODS}


def _method(kind: type, name: str) -> Any:
    """The Python function that a class has for a special method; None where it has none whose source is the user's."""
    found = own_attribute(kind, name)
    return found if isinstance(found, types.FunctionType) and users(found.__globals__) and _has_source(found) else None


def _has_source(f: types.FunctionType) -> bool:
    return not f.__code__.co_filename.startswith("<string>")  # a dataclass makes some of its own


class Overloading:
    """The part of the Tracer that knows operators of the user's own classes, and what Python itself asks of their objects."""

    def __init__(self, tracer: Capturing) -> None:
        self.tracer = tracer

    @functools.cached_property
    def overloaded(self) -> dict[type, bool]:
        """Whether a class has operators that its author wrote in Python, for those that were met."""
        return {}

    @functools.cached_property
    def shape_types(self) -> set[type]:
        """Classes of frameworks for shapes."""
        return {backend.shape_type for backend in self.tracer.arrays.frameworks()} - {tuple}

    @functools.cached_property
    def looked_into(self) -> dict[int, Any]:
        """The names of modules that were looked through for such classes, by id; as soon as one has any, all code is converted for them."""
        return {}

    @functools.cached_property
    def looked_at(self) -> dict[int, Any]:
        """The names of modules of which only the classes were."""
        return {}

    @functools.cached_property
    def _added(self) -> dict[type, set[str]]:
        """The names of operators that stand in a class itself, for those that were met."""
        return {}

    def overloads(self, kind: type) -> bool:
        """Whether a class has operators that its author wrote in Python."""
        found = self.overloaded.get(kind)
        if found is None:
            names = set[str]().union(*map(self._added_by, kind.__mro__))
            found = self.overloaded[kind] = any(_method(kind, name) is not None for name in names)
        return found

    def _added_by(self, cls: type) -> set[str]:
        """The operators that a class may have from its author: none that are written in C."""
        found = self._added.get(cls)
        if found is None:
            found = self._added[cls] = set(_OWN & vars(cls).keys()) if cls.__flags__ & _MADE_BY_CODE else set()
        return found

    def overloads_in(self, f: types.FunctionType) -> bool:
        """Whether operands of a function's code may be objects of such a class: what it sees, or what code met before saw, has one."""
        seen = closed_over(f)
        if id(f.__globals__) not in self.looked_into:
            self.looked_into[id(f.__globals__)] = f.__globals__
            seen += f.__globals__.values()
        for value in seen:
            self._look_at(value)
        return any(self.overloaded.values())

    def _look_at(self, value: Any) -> None:
        """Look for such classes: a class, that of an object, and those of the module that something is, or a function comes from."""
        names = vars(value) if type(value) is types.ModuleType else {}
        names = value.__globals__ if type(value) is types.FunctionType else names
        known = not names or not users(names) or id(names) in self.looked_at
        if not known:
            self.looked_at[id(names)] = names
        for item in (value, *(() if known else list(names.values()))):
            kind = item if isinstance(item, type) else type(item)
            if kind not in self.overloaded:
                self.overloads(kind)

    def as_operand(self, x: Any, joins: bool = False) -> Any:
        """What stands for an operand of an operator in converted code; `joins`: it may make a container of others, as one shape of
        two."""
        self.tracer.repeated.gives(operator.eq, x)
        made = joins and (type(x) in COMBINED or self.is_shape(x))
        return Operand(x) if made or self.overloads(type(x)) else x

    def is_shape(self, x: Any) -> bool:
        """Whether Python has a framework's own class of shapes there."""
        return type(x) in self.shape_types or self.tracer.record.is_shape(x)

    def inplace_other(self, sign: str, x: Any, y: Any) -> Any:
        """x += y and its like, where x is no Proxy."""
        self.tracer.effects.sure_of_keys(y)
        if type(x) is list and sign == "+":
            self.tracer.calls.call(x.extend, (y,), {})
            return x
        if type(x) is list:
            listed(self.tracer, x, "repeat")
        elif self.tracer.arrays.array_owner(x) is not None:
            return self.tracer.views.inplace(sign, self.tracer.arrays.array_proxy(x), y)
        elif self.overloads(type(x)) or self.overloads(type(y)):
            return self._own_inplace(sign, x, y)
        if hasattr(type(x), f"__i{_METHODS[sign]}__") and not is_open(x):
            self.tracer.effects.writes(x)
        return _of_shapes(self.tracer, PYTHON_INPLACE[sign], x, y)

    def _own_inplace(self, sign: str, a: Any, b: Any) -> Any:
        name = _METHODS[sign]
        f = self.own_method(a, f"__i{name}__")
        found = NotImplemented if f is None else self.tracer.calls.call(f, (a, b), {})
        return operate(self.tracer, name, a, b) if found is NotImplemented else found

    def iterable(self, x: Any) -> Any:
        """What a loop goes over: of an object that says so itself, what its method gives; of a parameter, one of the graph."""
        x = self.tracer.arrays.in_graph(x)
        if type(x) is OpenList:
            return x.items
        if type(x) is list and (gated := gate_of(x)) is not None:
            return gated
        if not is_iterable(x):
            raise cannot(self.tracer, x, "{} is not iterable")
        if self.tracer.raising.handlers and type(x) is Proxy and class_name(self.tracer, x) is None:
            self.tracer.raising.let_out("loop or iteration", TypeError())
        f = self.own_method(x, "__iter__")
        if f is None and getattr(type(x), "__iter__", None) is None and self.own_method(x, "__getitem__") is not None:
            return self.tracer.iteration.made(self._by_positions(x, itertools.count()))
        return x if f is None else self.tracer.calls.call(f, (x,), {})

    def _by_positions(self, x: Any, positions: Iterable[int]) -> Iterator[Any]:
        """The items of an object that has no other way to go over it than to ask for each."""
        f = self.own_method(x, "__getitem__")
        for at in positions:
            try:
                with gfx_handlers(lambda: (IndexError, StopIteration)):
                    item = self.tracer.calls.call(f, (x, at), {})
            except (IndexError, StopIteration):
                return
            yield item

    def backwards(self, x: Any) -> Any:
        """reversed(x) of an object that has a length and items; None where it has a way of its own, or none."""
        if getattr(type(x), "__reversed__", None) is not None or self.own_method(x, "__getitem__") is None:
            return None
        length = self.tracer.calls.call(len, (x,), {})
        return (
            self.tracer.iteration.made(self._by_positions(x, range(length - 1, -1, -1)))
            if type(length) is int
            else None
        )

    def asked(self, f: Any, args: tuple) -> Any:
        """The method of the user's own class that a builtin asks, as len() does; None: it asks none."""
        name = _ASKED.get(f) if args and type(f) in (type, types.BuiltinFunctionType) else None
        return None if name is None else self.own_method(args[0], name)

    def position(self, x: Any) -> Any:
        """What Python takes for a size or position where the user's own class says what that is; anything else as it is."""
        found = None if type(x) in FIXED else self.own_method(x, "__index__")
        return x if found is None else self.tracer.calls.call(found, (x,), {})

    def own_method(self, x: Any, name: str) -> Any:
        """The Python function that the class of x has for a special method; None where it has none whose source is the user's."""
        return _method(type(x), name)


def operate(tracer: Capturing, name: str, a: Any, b: Any) -> Any:
    """a (operator) b, as Python tries their methods: those of a subclass first."""
    swapped = _MIRRORED.get(name, f"r{name}")
    tries = [(a, b, f"__{name}__"), (b, a, f"__{swapped}__")]
    if type(b) is type(a) and name not in _MIRRORED:
        tries.pop()
    elif type(b) is not type(a) and issubclass(type(b), type(a)):
        tries.reverse()
    for x, y, method in tries:
        f = tracer.overloading.own_method(x, method)
        found = NotImplemented if f is None else tracer.calls.call(f, (x, y), {})
        if (
            found is NotImplemented
            and method == "__ne__"
            and (f := tracer.overloading.own_method(x, "__eq__")) is not None
        ):
            found = tracer.calls.call(f, (x, y), {})
            found = found if found is NotImplemented else tracer.truths.not_(found)
        if found is not NotImplemented:
            return found
    python = getattr(operator, _NAMES.get(name, name))
    if name == "mul" and any(isinstance(x, _REPEATED) for x in (a, b)):
        a, b = map(tracer.overloading.position, (a, b))
    if type(a) not in COMBINED and type(b) not in COMBINED:
        return _of_shapes(tracer, python, a, b)
    found = tracer.truths.placed(python, a, b)
    return tracer.journal.made.note(found) if puts_together(a, b) else found


def _of_shapes(tracer: Capturing, python: Callable[..., Any], *operands: Any) -> Any:
    """An operator that is Python's own; what it makes of a shape is one, whose sizes may be open: a framework's class has no place for these."""
    if not any(map(tracer.overloading.is_shape, operands)):
        return python(*operands)
    found = python(*((*x,) if type(x) in tracer.overloading.shape_types else x for x in operands))
    if type(found) is tuple and found:
        found = (*found,)  # it may be one of the operands
        tracer.record.tell_shape(found)
    return found


def _binary(name: str, swapped: bool) -> Callable[[Operand, Any], Any]:
    def method(x: Operand, other: Any) -> Any:
        tracer = here()
        other = other.object if type(other) is Operand else other
        return operate(tracer, name, other, x.object) if swapped else operate(tracer, name, x.object, other)

    return method


def _unary(name: str) -> Callable[[Operand], Any]:
    def method(x: Operand) -> Any:
        tracer = here()
        f = tracer.overloading.own_method(x.object, f"__{name}__")
        return getattr(operator, name)(x.object) if f is None else tracer.calls.call(f, (x.object,), {})

    return method


def _install() -> None:
    for name in (*METHODS, *_MIRRORED):
        setattr(Operand, f"__{name}__", _binary(name, False))
    for name in METHODS:
        setattr(Operand, f"__r{name}__", _binary(name, True))
    for name in _UNARY:
        setattr(Operand, f"__{name}__", _unary(name))
    Operand.__hash__ = object.__hash__  # type: ignore[method-assign]


_install()
