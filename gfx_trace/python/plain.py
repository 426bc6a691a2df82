"""Python's numbers out of tensors: `.item()`, int(x), float(x), bool(x), and what Python's functions and methods make of them.

Such a number goes on as a value of its own kind: nothing writes it in place, no gradient flows through it, and where Python
runs the code it is Python's own.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_ir import ops
from gfx_ir.build import HOST_OPERATORS
from gfx_ir.graph import Value
from gfx_ir.infer.abstract import NUMBERS, Kinds
from gfx_ir.op import active
from gfx_ir.python_numbers import CLASSES, DIVISIONS, FUNCTIONS, KINDS, OPEN, SHIFTS, SIGNS, function, operator_kinds

from ..interfaces import Capturing
from ..values.proxy import HostProxy, Proxy, is_open, number_kinds, weak_kind

FAMILY = "number"


def is_made(value: Any) -> bool:
    """Whether a value is a number of Python's by the op that made it."""
    return type(value) is Value and value.node.op.family == FAMILY


def kind_of(value: Value) -> str:
    """The kind of a number that an op made; `OPEN` where the tensor that it was taken from may have any dtype."""
    kinds = active.builder.record.kinds_of(value)
    return next(iter(kinds)) if len(kinds) == 1 and kinds <= NUMBERS else OPEN


def classes_of(x: Proxy) -> list[type]:
    """The classes that a number may have."""
    kinds = number_kinds(x)
    return [cls for kind, cls in CLASSES.items() if kind in kinds]


def cast(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """int(x), float(x) of a tensor or of an open number, bool(x) of anything."""
    if f is bool and len(args) == 1:
        return tracer.truths.bool_(args[0])
    if not any(map(is_open, args)):
        return tracer.native_methods.run(args, lambda: f(*args, **kwargs))
    x, name = args[0], f.__name__
    if len(args) > 1 or kwargs:
        tracer.python.number(next(filter(is_open, args)), f"{name}() of a text")
    if isinstance(x, HostProxy):
        kinds = tracer.record.host_kinds.ask(tracer.facts.root(x.value))
        return x if x.kind == name and kinds <= {name} else _cast_host(tracer, name, x)
    if x.weak == name:
        return x
    taken = x.read()
    if x.backend is not None and x.backend.numbers and tracer.record.rank_of(taken):
        raise TypeError("only 0-dimensional arrays can be converted to Python scalars")
    known = tracer.decided.number(taken)
    if known is not None:
        return f(known)
    made = (ops.to_int if f is int else ops.to_float)(taken)
    if f is int and x.weak != "bool" and not (x.weak == "int" or _is_whole(tracer, taken)):
        tracer.raising.of_numbers("int()", made, ValueError, OverflowError)
    elif f is float and "int" in number_kinds(x):
        tracer.raising.of_numbers("float()", made, OverflowError)
    return tracer.wrap(made, x.backend)


def _cast_host(tracer: Capturing, name: str, x: HostProxy) -> Any:
    made = tracer.host(name, x.value)
    if x.kind not in ("int", "bool"):
        tracer.raising.of_numbers(f"{name}()", made, ValueError, OverflowError)
    return tracer.wrap(made, x.backend)


def _is_whole(tracer: Capturing, value: Value) -> bool:
    """Whether a tensor is known to hold whole numbers."""
    dtype = tracer.record.dtype(value)
    return dtype is not None and dtype.kind in "biu"


def combined(tracer: Capturing, op: str, operands: Sequence[Any], given: Sequence[Kinds], made: Value) -> Kinds:
    """The kinds of what an operator of Python's made of numbers; what it may raise is noted."""
    what, *errors = _failures(op, operands, given)
    if errors:
        tracer.raising.of_numbers(what, made, *errors)
    return operator_kinds(op, given, operands, tracer.record.not_negative)


def _failures(op: str, operands: Sequence[Any], given: Sequence[Kinds]) -> tuple[Any, ...]:
    """What an error calls an operator of Python's, and the errors that it may raise of such numbers."""
    divisor = operands[-1]
    exact = frozenset().union(*given) <= {"int", "bool"}
    if SIGNS.get(op) in DIVISIONS and (type(divisor) is Value or divisor == 0):
        return "division", ZeroDivisionError
    if op == "pow" and not (exact and type(divisor) is int and divisor >= 0):
        return "power", ZeroDivisionError, OverflowError
    if op in ("multiply", "add", "subtract", "divide") and not exact and any(map(_beyond_floats, operands, given)):
        return "arithmetic", OverflowError
    return ("shift", ValueError, OverflowError) if op in SHIFTS else ("",)


def _beyond_floats(x: Any, kinds: Kinds) -> bool:
    """Whether a number may be a whole one that no float holds."""
    return "int" in kinds and (type(x) is not int or abs(x) > sys.float_info.max)


def python_call(tracer: Capturing, name: str, args: tuple, kwargs: dict | None = None) -> Proxy:
    """A function of Python's on numbers, some of them open."""
    if kwargs:
        raise tracer.error(f"GFX cannot convert {name}() of captured data with {', '.join(kwargs)}=")
    backend = next(arg.backend for arg in args if type(arg) is Proxy)
    made = ops.python(name, tuple([_number(tracer, name, arg) for arg in args]))
    tracer.raising.of_numbers(f"{name}()", made, *function(name).raises)
    return tracer.wrap(made, backend)


def _number(tracer: Capturing, name: str, arg: Any) -> Any:
    """An argument as Python's functions take it: they make a number of a tensor."""
    if type(arg) is not Proxy or arg.weak:
        return tracer.operands.operand(arg) if is_open(arg) else arg
    for error in (TypeError(), ValueError()):  # of a tensor of several elements
        tracer.raising.let_out(f"{name}()", error)
    return (ops.to_int if function(name).takes == "int" else ops.to_float)(arg.read())


def on_math(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """A function of the module math."""
    if not any(map(is_open, args)):
        inner = [item for x in args if type(x) in (list, tuple) for item in x]
        return tracer.native_methods.run((*args, *inner), lambda: f(*args, **kwargs))
    if any(isinstance(a, Proxy) for a in args):
        return python_call(tracer, f"math.{f.__name__}", args, kwargs)
    name = f"math.{f.__name__}"
    if kwargs or name not in HOST_OPERATORS:
        tracer.python.number(next(filter(is_open, args)), f"{name}()")
    made = tracer.host(name, *(tracer.unwrap(a) for a in args))
    tracer.raising.of_numbers(f"{name}()", made, *function(name).raises)
    return tracer.wrap(made)


def on_round(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """round(x), round(x, digits)."""
    if not any(map(is_open, (*args, *kwargs.values()))):
        return tracer.native_methods.run((*args, *kwargs.values()), lambda: f(*args, **kwargs))
    digits = [d for d in (*args[1:], *kwargs.values()) if d is not None]
    if isinstance(args[0], HostProxy) or (not is_open(args[0]) and not any(type(d) is Proxy for d in digits)):
        return tracer.wrap(tracer.host("round", *(tracer.unwrap(a) for a in (args[0], *digits))))
    if weak_kind(args[0]):
        return python_call(tracer, "round" if digits else "round.int", (args[0], *digits))
    owner = args[0].backend if type(args[0]) is Proxy else None
    if owner is not None and owner.numbers:  # arrays have none
        rounded = tracer.calls.call(np.round, (args[0], *digits), {})
        return rounded if digits else tracer.calls.call(int, (rounded,), {})
    own = owner.methods.get("__round__") if owner is not None else None
    if own is not None:
        made = own.fn(args[0].read(), *digits)
        return tracer.wrap(made if digits else ops.astype(made, tracer.dtype(int, owner)), owner)
    if digits:
        raise tracer.error("GFX cannot convert round(tensor, digits)")
    return tracer.wrap(ops.round(args[0].read()), args[0].backend)


def on_pow(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """pow(base, exp), pow(base, exp, mod)."""
    given = (*args, *kwargs.values())
    if not any(map(is_open, given)):
        return tracer.native_methods.run(given, lambda: f(*args, **kwargs))
    if len(given) == 2 and not kwargs:
        return args[0] ** args[1]
    if kwargs or not all(map(weak_kind, given)) or not any(type(arg) is Proxy for arg in given):
        raise tracer.error("GFX cannot convert this pow(): its modulus needs whole numbers of Python's", "take int(…)")
    return python_call(tracer, "pow", args)


def either_has(tracer: Capturing, x: Proxy, name: str) -> None:
    """Raises where what is a tensor on one way to this place is a number on another, and numbers have no such attribute."""
    kinds = tracer.record.kinds_of(x.value)
    lacking = [cls.__name__ for kind, cls in CLASSES.items() if kind in kinds and not hasattr(cls, name)]
    if lacking and tracer.objects.makes_arrays is None:
        raise tracer.error(
            f"GFX cannot convert this use of {name!r}: a tensor has it, and on another way to this place stands a number"
            f" ({' or '.join(lacking)}), which has not",
            "begin with a tensor in place of the number, or make it one before: torch.as_tensor(x), jnp.asarray(x)",
        )


def number_attribute(tracer: Capturing, x: Proxy, name: str) -> Any:
    """An attribute or method of a number; NotImplemented where x may be an array after all, as a counter of JAX's fori_loop is."""
    held = [hasattr(cls, name) for cls in classes_of(x)]
    if not all(held):
        if not any(held) and tracer.objects.makes_arrays is not None:
            return NotImplemented
        if any(held):
            raise tracer.error(
                f"GFX cannot tell whether this number has {name!r}: {_UNTOLD}", "take int(…) or float(…) of it"
            )
        raise AttributeError(f"{' or '.join(cls.__name__ for cls in classes_of(x))!r} object has no attribute {name!r}")
    if name not in FUNCTIONS:
        tracer.python.number(x, f"the attribute {name!r}")
    if callable(getattr(CLASSES[x.weak] if x.weak in KINDS else complex, name)):
        return lambda *args, **kwargs: python_call(tracer, name, (x, *args), kwargs)
    return python_call(tracer, name, (x,))


_UNTOLD = "its dtype is not known"
