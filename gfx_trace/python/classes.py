"""What code asks of the class of a captured value."""

from __future__ import annotations

from typing import Any

import numpy as np

from gfx_ir.control import host_operator, is_given, is_placeholder, is_test
from gfx_ir.dtypes import DTYPES
from gfx_ir.graph import Value
from gfx_ir.program import Guard
from gfx_ir.reach import reached

from ..heap.aliases import taken_for_array
from ..heap.slots import stored_attribute
from ..interfaces import Capturing
from ..values.equations import is_tensor
from ..values.gated import Gated, usable
from ..values.numpy_numbers import number_when
from ..values.proxy import HostProxy, Proxy, is_open
from .devices import settled
from .faults import class_name
from .plain import classes_of
from .sequences import OpenList

_CLASSES = tuple({cls for cls in np.sctypeDict.values() if issubclass(cls, (np.number, np.bool_))})
_GIVE = "give the argument at capture, or ask for x.ndim and x.dtype"
_OF_EACH_KIND = [DTYPES[name] for name in "bool uint8 int8 int16 int32 int64 float16 float32 float64 complex64".split()]
_SEVERAL = "GFX cannot tell the class of a value that differs in kind between the sides of an open test"
_KINDS = {"int": int, "float": float, "bool": bool, "str": str}


def is_instance(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    x, classes = args
    usable(x)
    if type(x) is OpenList:
        x = []
    check_class(tracer, x)
    if tracer.record.is_shape(x):
        return issubclass(_shape_class(tracer, x), tuple(c for c in _flatten(classes) if isinstance(c, type)))
    return _is_instance(tracer, x, _flatten(classes)) if is_open(x) else isinstance(x, classes)


def _flatten(classes: Any) -> list[Any]:
    if isinstance(classes, tuple):
        return [inner for item in classes for inner in _flatten(item)]
    union = getattr(classes, "__args__", None)
    return _flatten(union) if union and not isinstance(classes, type) else [classes]


def _is_instance(tracer: Capturing, x: Any, classes: list[Any]) -> Any:
    if not all(isinstance(c, type) or hasattr(c, "__instancecheck__") or c is None for c in classes):
        raise TypeError("isinstance() arg 2 must be a type, a tuple of types, or a union")
    asked = tuple(c for c in classes if isinstance(c, type))
    if isinstance(x, Proxy):
        if x.weak:
            return _agreed(tracer, [issubclass(cls, asked) for cls in classes_of(x)])
        owners = [x.backend] if x.backend is not None else tracer.arrays.frameworks()
        types_ = [cls for backend in owners for cls in backend.tensor_types]
        if x.backend is not None and x.backend.numbers:
            types_ = _number_types(tracer, x, asked)
        derived = next((c for c in classes for t in types_ if _is_derived(c, t)), None)
        if derived is not None and (given := _given(tracer, x)) is not None:
            return isinstance(given, tuple(classes))
        if derived is not None and _is_handed(tracer, x):
            what = f"GFX cannot tell whether this is a {derived.__name__}: a test or loop may have put an argument in its place"
            raise tracer.error(what, "ask before it")
        member = any(issubclass(t, c) for t in types_ for c in asked)
        member = member or any(_is_of_kind(tracer, x, c) for c in classes if _asks_instances(c))
        if isinstance(x.value, Value) and x.read().kind == "optional" and member is not (type(None) in classes):
            none = tracer.truths.is_(x, None)
            return tracer.truths.not_(none) if member else none
        return member
    if x.kind in _KINDS:
        return _agreed(tracer, [issubclass(cls, asked) for cls in _host_classes(tracer, x)])
    if x.kind == "shape":
        return issubclass(_shape_class(tracer, x), asked)
    if x.kind == "any":
        raise tracer.error(_SEVERAL)
    return any(getattr(c, "__name__", "") in (x.kind, f"{x.kind}_") for c in classes)


def _is_derived(kind: Any, of: type) -> bool:
    """Whether a class is derived from that of arrays, as nn.Parameter is."""
    return isinstance(kind, type) and kind is not of and issubclass(kind, of)


def _given(tracer: Capturing, x: Proxy) -> Any:
    """An array of the class that an argument is taken to have, with a guard: the one that was given, or one as its framework makes them.
    None where x is no argument, or all its framework's arrays are of one class."""
    value, owner = x.read(), x.backend
    if owner is None or x.base is not None or not tracer.assumed.is_argument(value):
        return None
    found = tracer.assumed.given.get(value)
    if found is None:
        found = owner.from_host(np.zeros(()))
    name = owner.class_of(found)
    if not name:
        return None
    tracer.assumed.guard(Guard("class", value.node.args[0], name, tracer.span()))
    return found


def _is_handed(tracer: Capturing, x: Proxy) -> bool:
    """Whether a tensor may be one from before that a test or loop gives, or hands on within."""
    value = x.read()
    if type(value) is not Value or tracer.assumed.is_argument(value):
        return False
    sides = lambda way: [side for side in tracer.record.sides(way) if is_tensor(side)]
    computed = lambda way: is_test(way.node) or not (way.node.regions or is_given(way.node))
    if not is_test(value.node):
        return bool(value.node.regions) or is_placeholder(value.node)
    return not all(map(computed, reached(sides(value), sides)))


def _asks_instances(kind: Any) -> bool:
    """Whether a class says itself what its instances are, as torch.LongTensor does by their dtype."""
    return kind is not None and type(kind).__instancecheck__ is not type.__instancecheck__


def _is_of_kind(tracer: Capturing, x: Proxy, kind: Any) -> bool:
    """Whether a tensor is one of a class that says so itself: the one that it is, or those of all dtypes that it may have, are asked."""
    held = tracer.arrays.held_array(x)
    owner, known = x.backend or tracer.arrays.frameworks()[0], tracer.record.dtype(x.read())
    dtypes = [known] if known else _OF_EACH_KIND
    samples = [owner.from_host(np.zeros((), d.numpy)) for d in dtypes] if held is None else [held]
    found = {isinstance(sample, kind) for sample in samples}
    if len(found) > 1:
        what = f"GFX cannot tell whether this is a {kind.__name__}, as its dtype is not known"
        raise tracer.error(what, "ask for its dtype: x.dtype == torch.int64; or give the argument's dtype at capture")
    return found.pop()


def type_of(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    usable(*args)
    if type(args[0]) is OpenList:
        return list
    check_class(tracer, args[0])
    none = _is_none(tracer, args[0]) if len(args) == 1 else False
    if none is not False:
        return tracer.truths.ifexp(none, lambda: type(None), lambda: type_of(tracer, f, args, kwargs))
    if len(args) == 1 and isinstance(args[0], Proxy):
        if args[0].weak:
            return _agreed(tracer, classes_of(args[0]))
        held = tracer.arrays.held_array(args[0])
        if held is not None and not isinstance(held, np.generic):
            return type(held)
        tracer.functions.asks_class(args[0].read())
        given = _given(tracer, args[0])
        if given is not None:
            return type(given)
        owners = args[0].backend or tracer.arrays.frameworks()[0]
        return _numpy_class(tracer, args[0]) if owners.numbers else owners.array_class()
    if len(args) == 1 and isinstance(args[0], HostProxy):
        return _type_of(tracer, args[0])
    if len(args) == 1 and tracer.record.is_shape(args[0]):
        return _shape_class(tracer, args[0])
    return f(*args, **kwargs)


def _type_of(tracer: Capturing, x: HostProxy) -> type:
    """The class of what Python has for an open host value."""
    x = settled(tracer, x)
    if not isinstance(x, HostProxy):
        return type(x)
    if x.kind in _KINDS:
        return _agreed(tracer, _host_classes(tracer, x))
    if x.kind == "shape":
        return _shape_class(tracer, x)
    raise tracer.error(f"GFX cannot tell the class of an open {x.kind}", "compare with isinstance, or fix the argument")


def _shape_class(tracer: Capturing, x: Any) -> type:
    """The class of a shape: that of the framework's own, also of a part of one and of what is added to one; or a tuple."""
    if isinstance(x, tuple):
        backend = (
            next((b for b in tracer.arrays.frameworks() if b.name == "torch"), None)
            if tracer.record.is_shape(x)
            else None
        )
    else:
        made_of = list(reached([x.value], _joined_shapes))
        if any(is_test(value.node) for value in made_of):
            raise tracer.error("GFX cannot tell the class of a shape that a test chooses", "take tuple(…) of it")
        whole = any(value.node.op.asks == "shape" for value in made_of)
        backend = x.backend if whole and not x.taken else None
    return tuple if backend is None else type(backend.from_host(np.zeros(())).shape)


def _joined_shapes(shape: Value) -> list[Value]:
    """The shapes that one is a part of, or is put together from."""
    node = shape.node
    taken = node.args[1] if host_operator(node) in ("getitem", "+") else ()
    return [operand for operand in taken if type(operand) is Value and operand.kind == "shape"]


def _host_classes(tracer: Capturing, x: HostProxy) -> list[type]:
    """The classes that an open value of Python's may be of."""
    kinds = tracer.record.host_kinds.ask(tracer.facts.root(x.value))
    if "any" in kinds:
        raise tracer.error(_SEVERAL)
    return [_KINDS.get(kind, tuple) for kind in sorted(kinds)]


def attribute_name(tracer: Capturing, name: Any) -> None:
    """Raises what Python raises for the name of an attribute that is no text, and NeedsPython where it is open."""
    usable(name)
    if is_open(name) and class_name(tracer, name) in ("str", None):
        tracer.python.number(name, "the name of an attribute")
    if not isinstance(name, str):
        raise TypeError(f"attribute name must be string, not {class_name(tracer, name)!r}")


def has_attribute(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    x, name = args
    attribute_name(tracer, name)
    check_class(tracer, x)
    none = _is_none(tracer, x)
    if none is not False:
        return tracer.truths.ifexp(none, lambda: hasattr(None, name), lambda: has_attribute(tracer, f, args, kwargs))
    if isinstance(x, Proxy) and x.weak:
        return _agreed(tracer, [hasattr(cls, name) for cls in classes_of(x)])
    if isinstance(x, Proxy) and x.backend is not None:
        types_ = x.backend.tensor_types
        if x.backend.numbers and hasattr(np.ndarray, name) != hasattr(np.generic, name):
            types_ = _number_types(tracer, x, (np.ndarray,))
        return any(hasattr(cls, name) for cls in types_)
    if tracer.record.is_shape(x) or (type(x) is HostProxy and x.kind == "shape"):
        return hasattr(_shape_class(tracer, x), name)
    if isinstance(x, HostProxy):
        return _agreed(tracer, [hasattr(python, name) for python in _host_classes(tracer, x)])
    own = tracer.attributes.has(x, name)
    if own is not None:
        return own
    if not hasattr(x, name):
        tracer.consulted.add((id(x), name))
    if tracer.effects.unsure and type(found := stored_attribute(x, name)) is Gated:
        return tracer.gates.if_there(found, lambda side: True, lambda: False)
    return hasattr(x, name)


def _is_none(tracer: Capturing, x: Any) -> Any:
    """x is None, of a captured value."""
    return tracer.truths.is_(x, None) if is_open(x) else False


def _agreed(tracer: Capturing, answers: list[Any]) -> Any:
    """What is answered of each class that a number may have; refused where that differs."""
    if any(answer != answers[0] for answer in answers):
        raise tracer.error(
            "GFX cannot tell the class of this number: it hangs on a dtype, or on a value, that is not known",
            "take float(x) or int(x) instead of x.item(), or do not ask for its class",
        )
    return answers[0]


def check_class(tracer: Capturing, x: Any) -> None:
    """Raises where the class of x is asked for, and it is a tensor on one way to this place and a number on another."""
    if type(x) is Proxy and not x.weak and tracer.record.may_be_python(x, x.value):
        raise tracer.error(
            "GFX cannot tell the class of what is a tensor on one way to this place and a number on another",
            "make it a tensor, or a number, on both",
        )


def _number_types(tracer: Capturing, x: Proxy, asked: tuple[type, ...]) -> list[type]:
    """What NumPy's class of x is, as far as it matters for being one of those that are `asked` for."""
    value = x.read()
    element = tracer.record.dtype(value) if isinstance(value, Value) else None
    numbers = _CLASSES if element is None else (element.numpy.type,)
    answers = {issubclass(number, asked) for number in numbers}
    if answers == {issubclass(np.ndarray, asked)}:
        return [numbers[0]]
    conditions = number_when(x)
    if conditions is not None and tracer.assumed.ranks(conditions):
        if len(answers) > 1:
            raise tracer.error(f"GFX cannot tell whether {_named(x)} is one: its dtype is not known", _GIVE)
        return [numbers[0]]
    known = tracer.record.rank_of(value)
    sure = known not in (0, None) or not isinstance(value, Value)
    if not sure and (conditions is not None or not taken_for_array(value, None)):
        raise tracer.error(f"GFX cannot tell whether {_named(x)} is an array or a number of NumPy's", _GIVE)
    return [np.ndarray]


def _numpy_class(tracer: Capturing, x: Proxy) -> type:
    """The class of an array or a number of NumPy's."""
    value = x.read()
    (found,) = _number_types(tracer, x, (np.ndarray,))
    if found is np.ndarray:
        return found
    element = tracer.record.dtype(value) if isinstance(value, Value) else None
    if element is None:
        raise tracer.error(f"GFX cannot tell the class of {_named(x)}: its dtype is not known", _GIVE)
    return type(np.zeros((), element.numpy)[()])


def _named(x: Proxy) -> str:
    return repr(getattr(x.value, "name", None) or "a tensor")
