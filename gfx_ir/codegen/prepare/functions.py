"""Functions of Python's on numbers, where these are arrays without axes: the ops that compute the same of arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...control import calls_python
from ...dtypes import int64
from ...graph import Value
from ...infer.facts import Facts
from ...op import of_python
from ...python_numbers import DIVISIONS, FUNCTIONS, function

Make = Callable[..., Value]
"""Puts an op into a graph, by its name and arguments, and gives its value."""
_LOWERED: Mapping[str, Callable[..., Value | None]] = {
    "min": lambda make, *x: make("minimum", *x),
    "max": lambda make, *x: make("maximum", *x),
    "bool": lambda make, x: make("not_equal", x, 0),
    "not": lambda make, x: make("equal", x, 0),
    "int": lambda make, x: make("astype", x, int64),
    "float": lambda make, x: make("multiply", x, 1.0),
    "math.log": lambda make, x, *base: (
        make("divide", make("log", x), make("log", *base) if type(base[0]) is Value else math.log(*base))
        if base
        else make("log", x)
    ),
    "math.pow": lambda make, x, y: make("pow", x, y),
    "math.fabs": lambda make, x: make("abs", x),
    "math.degrees": lambda make, x: make("multiply", x, math.degrees(1)),
    "math.radians": lambda make, x: make("multiply", x, math.radians(1)),
    **{f"math.{name}": lambda make, x, name=name: make("to_int", make(name, x)) for name in ("floor", "ceil", "trunc")},
    "round.int": lambda make, x: make("to_int", make("round", x)),
    "round": lambda make, x, digits: (
        _scaled(make, make("round", _scaled(make, x, digits)), -digits) if type(digits) is int else None
    ),
    "is_integer": lambda make, x: make("equal", make("remainder", x, 1), 0),
    "conjugate": lambda make, x: make("positive", x),
    "real": lambda make, x: make("positive", x),
    "imag": lambda make, x: make("multiply", x, 0),
    "numerator": lambda make, x: make("to_int", x),
    "denominator": lambda make, x: make("full_like", make("to_int", x), 1),
}
"""Those of which no row of one op says that it computes them."""
_OF_FRACTIONS = frozenset(("round",))
"""Those that give whole numbers of such, which their ops do not."""


def _scaled(make: Make, x: Any, digits: int) -> Value:
    """x * 10 ** digits, by whole powers alone: these are exact."""
    return make("multiply", x, 10.0**digits) if digits >= 0 else make("divide", x, 10.0**-digits)


def computed(make: Make, name: str, args: Sequence[Any], facts: Facts) -> Value | None:
    """What a function gives of numbers; None where no op computes it."""
    op = of_python(name)
    lowered = _LOWERED.get(name) or (None if op is None else lambda make, *args: make(op.name, *args))
    if lowered is None or (name in _OF_FRACTIONS and facts.kinds(args[0]) <= {"int", "bool"}):
        return None
    if name in FUNCTIONS and function(name).takes == "float":
        args = [arg if facts.kinds(arg) <= {"float"} else _fraction(make, arg) for arg in args]
    elif name in FUNCTIONS and function(name).gives == "float":  # which arrays of booleans make of few bits
        args = [_fraction(make, arg) if "bool" in facts.kinds(arg) else arg for arg in args]
    elif name in FUNCTIONS and not function(name).gives and "bool" in facts.kinds(args[0]) <= {"bool", "int"}:
        args = [make("to_int", args[0]) if type(args[0]) is Value else int(args[0]), *args[1:]]
    return lowered(make, *args)


def _fraction(make: Make, x: Any) -> Any:
    return make("to_float", x) if type(x) is Value else float(x)


def raised_for(make: Make, made: Value) -> tuple[Value, str, str] | None:
    """What holds unless Python raises an error where it makes a number: that, the error's words and its name; None: nothing tells."""
    node = made.node
    if node.op.sign in DIVISIONS:
        return make("not_equal", node.args[1], 0), "division by zero", ZeroDivisionError.__name__
    args: Sequence[Any] = node.args[1] if calls_python(node) else ()
    if len(args) != 1 or function(node.args[0]).gives != "float":
        return None
    known = make("equal", make("isnan", made), make("isnan", args[0]))
    if not function(node.args[0]).grows:  # what does leaves the range of 32 bits before Python raises
        known = make("logical_and", known, make("logical_or", make("isfinite", made), make("isinf", args[0])))
    return known, "math domain error", ValueError.__name__
