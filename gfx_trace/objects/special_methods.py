"""Special methods called by name (Python's data model, 3.3): `x.__setitem__(0, y)` is x[0] = y, and so is `operator.setitem`."""

from __future__ import annotations

import math
import operator
import types
from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from gfx_ir.op import active
from gfx_ir.probing import is_module, own_attribute
from gfx_ir.python_numbers import COMPARING_METHODS, METHODS, OPEN
from gfx_ir.trees import leaves

from ..interfaces import Capturing
from ..python.operators import SIGNS
from ..python.rows import holds_rows
from ..values.gated import Gated
from ..values.proxy import Proxy, is_open, weak_kind, widest

Meaning = Callable[..., Any]
IN_C = frozenset((
    types.MethodWrapperType, types.BuiltinFunctionType, types.WrapperDescriptorType, types.MethodDescriptorType,
))  # fmt: skip
"""Functions in C, and methods that are bound to an object, or are a class's."""


def get_item(tracer: Capturing, o: Any, key: Any) -> Any:
    """o[key]."""
    return tracer.views.getitem(o, key) if type(o) is Proxy else tracer.objects.item(o, key)


def _contains(tracer: Capturing, container: Any, item: Any) -> Any:
    return tracer.truths.contains(container, item)


def in_place(sign: str) -> Meaning:
    """x += y and its like."""
    return lambda tracer, x, y: (
        tracer.views.inplace(sign, x, y) if type(x) is Proxy else tracer.overloading.inplace_other(sign, x, y)
    )


def _called(f: Callable[..., Any]) -> Meaning:
    """A builtin, of the operands."""
    return lambda tracer, *operands: tracer.calls.call(f, operands, {})


def _operator(f: Callable[..., Any], swapped: bool = False) -> Meaning:
    """An operator; of a number's own method Python gets NotImplemented for what is wider, or no number."""
    joins = f.__name__.strip("_") in METHODS

    def meaning(tracer: Capturing, x: Any, *rest: Any) -> Any:
        if rest and not _takes(tracer, weak_kind(x), rest[0]):
            return NotImplemented
        operands = [tracer.overloading.as_operand(y, joins) for y in ((*rest, x) if swapped else (x, *rest))]
        return tracer.truths.placed(f, *operands)

    return meaning


def _takes(tracer: Capturing, kind: str, other: Any) -> bool:
    """Whether an object takes this operand: a number (of a kind) takes those that are not wider. Raises where nothing tells."""
    theirs = weak_kind(other)
    if kind and type(other) is Proxy and (theirs == OPEN or (not theirs and other.backend is None)):
        what = "GFX cannot tell whether this method of a number takes its operand: what that is, is only known when the code runs"
        raise tracer.error(what, "use the operator")
    return not kind or widest(kind, theirs) == kind or kind + theirs == "boolint"


MEANINGS: dict[str, Meaning] = {
    "__getitem__": get_item,
    "__setitem__": lambda tracer, o, key, value: tracer.objects.set_item(o, key, value),
    "__delitem__": lambda tracer, o, key: tracer.objects.delete_item(o, key),
    "__contains__": _contains,
    "__getattribute__": lambda tracer, o, name: tracer.objects.getattr(o, name),
    "__setattr__": lambda tracer, o, name, value: tracer.objects.setattr(o, name, value),
    **{f"__{name}__": _operator(getattr(operator, f"__{name}__")) for name in METHODS},
    **{f"__r{name}__": _operator(getattr(operator, f"__{name}__"), True) for name in METHODS},
    **{f"__i{name}__": in_place(SIGNS[name]) for name in METHODS},
    **{
        f"__{name}__": _operator(getattr(operator, f"__{name}__"))
        for name in (*COMPARING_METHODS, "neg", "pos", "invert")
    },
    **{
        f"__{f.__name__}__": _called(f)
        for f in (len, abs, int, float, bool, complex, round, divmod, reversed, iter, next, str, repr, format)
    },
    **{f"__{f.__name__}__": _called(f) for f in (math.trunc, math.floor, math.ceil, operator.index)},
}
"""What a special method means, given the tracer, the object and the other operands."""

_OF_OBJECT: dict[str, Meaning] = {
    "__getattribute__": lambda tracer, o, name: tracer.attributes.of_object(o, name),
}
"""What methods of `object` mean, to which a class's own way comes by `super()`."""
WRITING = frozenset(("__setitem__", "__delitem__", *(f"__i{name}__" for name in METHODS)))
"""Those that write the object that they are of."""

FUNCTIONS: dict[Any, Meaning] = {
    operator.getitem: get_item,
    operator.setitem: MEANINGS["__setitem__"],
    operator.delitem: MEANINGS["__delitem__"],
    operator.contains: _contains,
    operator.is_: lambda tracer, a, b: tracer.truths.is_(a, b),
    operator.is_not: lambda tracer, a, b: tracer.truths.not_(tracer.truths.is_(a, b)),
    operator.not_: lambda tracer, x: tracer.truths.not_(x),
    operator.truth: MEANINGS["__bool__"],
    **{getattr(operator, f"__i{name}__"): in_place(SIGNS[name]) for name in METHODS},
}
"""Functions of the module `operator` that write, or that ask Python for what is open."""


def bound_operands(f: Any) -> Callable[[Capturing, Any], Any] | None:
    """What `operator.itemgetter(0)`, an attrgetter or a methodcaller does with an object; None: f is none of them."""
    asks = _BOUND.get(type(f))
    return None if asks is None else partial(asks, f)


def _items(f: Any, tracer: Capturing, o: Any) -> Any:
    found = tuple([get_item(tracer, o, key) for key in f.__reduce__()[1]])
    return found if len(found) > 1 else found[0]


def _attributes(f: Any, tracer: Capturing, o: Any) -> Any:
    found = tuple([reduce(tracer.objects.getattr, path.split("."), o) for path in f.__reduce__()[1]])
    return found if len(found) > 1 else found[0]


def _method(f: Any, tracer: Capturing, o: Any) -> Any:
    made, args = f.__reduce__()
    name, kwargs = (made.args[0], made.keywords) if isinstance(made, partial) else (args[0], {})
    return tracer.calls.call(tracer.objects.getattr(o, name), args if isinstance(made, partial) else args[1:], kwargs)


def accessor(f: Any) -> Any:
    """The author's function that a property's `__get__`, `__set__` or `__delete__` runs, taken by its name; None: f is none of them."""
    owner = getattr(f, "__self__", None) if type(f) is types.MethodWrapperType else None
    return getattr(owner, _ACCESSORS.get(f.__name__, ""), None) if type(owner) is property else None


_ACCESSORS = {"__get__": "fget", "__set__": "fset", "__delete__": "fdel"}
_BOUND = {operator.itemgetter: _items, operator.attrgetter: _attributes, operator.methodcaller: _method}


class SpecialMethod:
    """A special method of an open value, before it is called."""

    __slots__ = ("owner", "name")

    def __init__(self, owner: Any, name: str) -> None:
        self.owner, self.name = owner, name

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the operator gives, also where native code calls it."""
        return MEANINGS[self.name](active.builder, self.owner, *args, **kwargs)


class MeantMethod(partial):
    """A method in C as captured code means it, bound to its object: it is run as it stands, by code in C too."""


def _are_plain(operands: tuple) -> bool:
    """Whether operands are an object, none that is captured and no module, and a name."""
    if len(operands) != 2 or type(operands[1]) is not str:
        return False
    o = operands[0]
    return type(o) is not Gated and not (is_open(o) or is_module(o))


def meant(tracer: Capturing, f: Any, args: tuple) -> tuple[Meaning, tuple] | None:
    """What a special method in C means that is called by its name on captured data, and its operands; None: f is none."""
    if type(f) not in IN_C or f.__name__ not in MEANINGS:
        return None
    owner = own_attribute(f, "__self__")
    bound = owner is not None and type(owner) is not types.ModuleType
    operands = (owner, *args) if bound else args
    if f.__name__ in _OF_OBJECT and getattr(f, "__objclass__", None) is object and _are_plain(operands):
        return _OF_OBJECT[f.__name__], operands
    if not operands or (
        not is_open(operands[0]) and isinstance(getattr(type(operands[0]), f.__name__), types.FunctionType)
    ):
        return None  # the class has its own, which calls this one
    captured = any(map(is_open, leaves(operands))) or tracer.record.is_shape(operands[0]) or holds_rows(operands[0])
    return (MEANINGS[f.__name__], operands) if captured else None
