"""Faults of captured code: what Python would raise, in Python's own words, for what stands for a value."""

from __future__ import annotations

from typing import Any

from gfx_ir.build import HOST_OPERATORS
from gfx_ir.dtypes import float32
from gfx_ir.graph import Value
from gfx_ir.trees import leaves, tree_map

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy, number_kinds
from .compared import Compared, Operand
from .devices import settled
from .sequences import OpenList

_NAMED = {"int": "int", "float": "float", "bool": "bool", "str": "str", "complex": "complex", "shape": "tuple"}
_CLASSES = {"int": int, "float": float, "bool": bool, "str": str, "complex": complex, "shape": tuple}
_PLAIN = (type(None), str, bytes, int, float, complex, bool, list, tuple, dict, set, frozenset, range, slice)
NUMBERS = ("int", "float", "bool", "complex")
UNARY_SIGNS = {"neg": "-", "abs": "abs()"}
_ORDER = ("<", "<=", ">", ">=")
EQUAL = ("==", "!=")
_INSTANCES = {"int": 1, "float": 1.0, "bool": True, "complex": 1j, "str": "a"}
_FRACTIONS = frozenset(("float", "complex"))


def fault_of_classes(operator: str, args: tuple) -> Exception | None:
    """What Python says of an operator on host values by their classes alone; None: it takes them, or their classes are not known."""
    found = tree_map(_instance, args)
    if any(type(leaf) is Value for leaf in leaves(found)):
        return None
    try:
        HOST_OPERATORS[operator](*found)
    except TypeError as error:
        return error
    except ValueError as error:
        return error if operator == "format" else None
    except Exception:  # which hangs on the values
        return None
    return None


def _instance(x: Any) -> Any:
    """An instance of the class that a host value has; texts that are known say what is asked, and stay."""
    return (
        _INSTANCES.get(x.kind, x)
        if type(x) is Value
        else _INSTANCES.get(type(x).__name__, x)
        if type(x) is not str
        else x
    )


def class_name(tracer: Capturing, x: Any) -> str | None:
    """What Python calls the class of x, also of a captured value; None where that is only known when the code runs."""
    if isinstance(x, Operand):
        return type(x.object).__name__
    if isinstance(x, Compared):
        return type(x.items).__name__
    if type(x) is OpenList:
        return "list"
    if type(x) is Proxy:
        return None if not x.weak and tracer.record.may_be_python(x, x.value) else _tensor_name(x)
    if type(x) is not HostProxy:
        return type(x).__name__
    if x.value.kind == "dtype" and x.backend is not None:
        return type(x.backend.native_dtype(float32)).__name__
    held = settled(tracer, x)
    if held is not x:
        return type(held).__name__
    kinds = tracer.record.host_kinds.ask(tracer.facts.root(x.value))
    return _NAMED.get(x.value.kind) if len(kinds) == 1 else None  # a test or loop may give several


def _tensor_name(x: Proxy) -> str | None:
    if x.weak:
        return _NAMED.get(x.weak) if len(number_kinds(x)) == 1 else None
    optional = isinstance(x.value, Value) and x.value.kind == "optional"
    return None if x.backend is None or optional else x.backend.tensor_types[0].__name__


def no_operator(tracer: Capturing, sign: str, a: Any, b: Any) -> Any:
    """What Python makes of an operator that its operands do not have: NotImplemented where they are equal or not by being one
    object, else the error that it raises. Where it is not known what they are, they are refused."""
    names = class_name(tracer, a), class_name(tracer, b)
    arrays = any(type(x) is Proxy and x.backend is not None and x.backend.numbers and not x.weak for x in (a, b))
    plain = all(type(x) in (Proxy, HostProxy, OpenList, Compared) or isinstance(x, _PLAIN) for x in (a, b))
    if None in names or arrays or not plain:
        tracer.libraries.meets(*(x.object if isinstance(x, Operand) else x for x in (a, b)))
        one, other = (name or "a value whose class is open" for name in names)
        raise tracer.error(
            f"GFX cannot convert this operator: `{sign}` of {one} and {other}", "make both tensors, or both numbers"
        )
    if sign in EQUAL:
        return NotImplemented
    if sign in _ORDER:
        raise TypeError(f"{sign!r} not supported between instances of {names[0]!r} and {names[1]!r}")
    raise TypeError(f"unsupported operand type(s) for {sign}: {names[0]!r} and {names[1]!r}")


def check_bits(tracer: Capturing, x: Proxy | HostProxy) -> None:
    """Raise TypeError, as Python does, where the bits are turned round of a number that is surely no whole one."""
    kinds = number_kinds(x) if type(x) is Proxy else tracer.record.host_kinds.ask(tracer.facts.root(x.value))
    if kinds and kinds <= _FRACTIONS:
        raise TypeError(f"bad operand type for unary ~: {' or '.join(sorted(kinds))!r}")


def check_items(tracer: Capturing, x: Proxy, what: str) -> None:
    """Raises what Python does of a number's item, where x is one in any case; where an except clause waits for that, also if it may be."""
    if not (x.weak or tracer.raising.handlers) or tracer.objects.makes_arrays is not None:
        return
    if x.weak:
        raise TypeError(f"{class_name(tracer, x) or 'number'!r} object {what}")
    if tracer.record.may_be_python(x, x.value):
        tracer.raising.let_out("index", TypeError())


def not_given(x: Any) -> str:
    """What an argument is called that was not given at capture, so that nothing is known of it; "" for anything else."""
    value = x.value if type(x) is Proxy else x
    graph = value.graph if isinstance(value, Value) else None
    if graph is None or graph.owner is not None or value not in graph.placeholders or value.type is not None:
        return ""
    return value.name or ""


def is_iterable(x: Any) -> bool:
    """Whether a captured value may be gone over: a number, a dtype and a device may not."""
    if type(x) is HostProxy:
        return x.value.kind not in (*NUMBERS, "dtype", "device")
    return type(x) is not Proxy or x.weak not in NUMBERS


def cannot(tracer: Capturing, x: Any, what: str) -> Exception:
    """The error for what an object cannot do, as Python words it: `what` has a place for the name of its class."""
    name, left_out = class_name(tracer, x), not_given(x)
    if left_out:
        told = what.format(f"{left_out!r}, which was not given and stands for a tensor,")
        return tracer.error(f"GFX cannot convert this: {told}", f"give it at capture ({left_out}=...)")
    if name is None:
        return tracer.error(f"GFX cannot convert this: {what.format('the value')}, as far as is known at capture")
    return TypeError(what.format(f"{name!r} object"))


def has_attribute_of(tracer: Capturing, x: HostProxy, name: str) -> bool:
    """Whether what Python has for an open host value has an attribute; an open optional may have any."""
    kind = x.value.kind
    if kind == "dtype" and x.backend is not None:
        return hasattr(x.backend.native_dtype(float32), name)
    kinds = tracer.record.host_kinds.ask(tracer.facts.root(x.value)) or (kind,)
    return any(kind not in _CLASSES or hasattr(_CLASSES[kind], name) for kind in kinds)


def no_attribute(tracer: Capturing, x: Any, name: str) -> Exception:
    """The error for an attribute that the class of a captured value has not."""
    return AttributeError(f"{class_name(tracer, x)!r} object has no attribute {name!r}", name=name)
