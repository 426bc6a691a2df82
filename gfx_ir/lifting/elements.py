"""Element by element: what NumPy and jax.numpy mean alike."""

from __future__ import annotations

from typing import Any

from .. import ops
from ..build import dtype_of
from ..errors import MissingOp
from ..op import lookup
from ..ops._body import as_wide_as, widened
from .searching import Searching
from .words import (
    Dialect,
    Lifted,
    Table,
    as_floats,
    binary,
    expect,
    kind_of,
    needed_kind,
    swapped,
    unary,
    unknown_dtype,
)

UNARY = {
    "abs": "abs absolute .__abs__",
    "acos": "arccos acos",
    "acosh": "arccosh acosh",
    "asin": "arcsin asin",
    "asinh": "arcsinh asinh",
    "atan": "arctan atan",
    "atanh": "arctanh atanh",
    "bitwise_invert": "invert bitwise_not bitwise_invert .__invert__",
    "ceil": "ceil",
    "conj": "conj conjugate .conj .conjugate",
    "cos": "cos",
    "cosh": "cosh",
    "deg2rad": "deg2rad radians",
    "exp": "exp",
    "exp2": "exp2",
    "expm1": "expm1",
    "floor": "floor",
    "imag": "imag .imag@",
    "isfinite": "isfinite",
    "isinf": "isinf",
    "isnan": "isnan",
    "log": "log",
    "log10": "log10",
    "log1p": "log1p",
    "log2": "log2",
    "logical_not": "logical_not",
    "negative": "negative .__neg__",
    "positive": "positive .__pos__",
    "real": "real .real@",
    "rad2deg": "rad2deg degrees",
    "reciprocal": "reciprocal",
    "rint": "rint",
    "sign": "sign",
    "signbit": "signbit",
    "sin": "sin",
    "sinh": "sinh",
    "sqrt": "sqrt",
    "square": "square",
    "tan": "tan",
    "tanh": "tanh",
    "trunc": "trunc",
}
BINARY = {
    "atan2": "arctan2 atan2",
    "copysign": "copysign",
    "fmod": "fmod",
    "heaviside": "heaviside",
    "hypot": "hypot",
    "logaddexp": "logaddexp",
    "logical_and": "logical_and",
    "logical_or": "logical_or",
    "logical_xor": "logical_xor",
    "maximum": "maximum",
    "minimum": "minimum",
    "nextafter": "nextafter",
}
# op: (names, Python's operator, the name of its method, whether it has a reflected form)
OPERATORS = {
    "add": ("add", "+", "add", True),
    "bitwise_and": ("bitwise_and", "&", "and", True),
    "bitwise_left_shift": ("left_shift bitwise_left_shift", "<<", "lshift", True),
    "bitwise_or": ("bitwise_or", "|", "or", True),
    "bitwise_right_shift": ("right_shift bitwise_right_shift", ">>", "rshift", True),
    "bitwise_xor": ("bitwise_xor", "^", "xor", True),
    "divide": ("divide true_divide", "/", "truediv", True),
    "equal": ("equal", "==", "eq", False),
    "floor_divide": ("floor_divide", "//", "floordiv", True),
    "greater": ("greater", ">", "gt", False),
    "greater_equal": ("greater_equal", ">=", "ge", False),
    "less": ("less", "<", "lt", False),
    "less_equal": ("less_equal", "<=", "le", False),
    "multiply": ("multiply", "*", "mul", True),
    "not_equal": ("not_equal", "!=", "ne", False),
    "pow": ("power pow", "**", "pow", True),
    "remainder": ("remainder mod", "%", "mod", True),
    "subtract": ("subtract", "-", "sub", True),
}


def functions(say: Dialect) -> Table:
    """Functions of one array and of two, and Python's operators."""
    table: dict[str, dict[str, Lifted]] = {name: {names: unary(lookup(name), say)} for name, names in UNARY.items()}
    table |= {name: {names: binary(lookup(name), say)} for name, names in BINARY.items()}
    for name, (names, _, method, reflected) in OPERATORS.items():
        table[name] = {f"{names} .__{method}__": binary(lookup(name), say)}
        if reflected:
            table[name][f".__r{method}__"] = swapped(lookup(name), say)
    table["floor_divide"]["divmod .__divmod__"] = lambda x1, x2: (ops.floor_divide(x1, x2), ops.remainder(x1, x2))
    return table


class Elements:
    """Functions that are made of several ops."""

    def __init__(self, say: Dialect) -> None:
        self.say = say

    def table(self) -> Table:
        """Lifts by op."""
        return {
            "round": {"round around .round": self.round},
            "where": {
                "where": self.where,
                "select": self.select,
                "nan_to_num": self.nan_to_num,
                "isclose": self.isclose,
                "allclose": self.allclose,
            },
        }

    def round(self, a: Any, decimals: Any = 0, out: Any = None) -> Any:
        """Integers stay as they are, unless whole tens are asked for."""
        call = self.say.call("round")
        self.say.refuse(call, out=out)
        a = self.say.as_array(a)
        if self.say.rules == "numpy" and kind_of(a) == "b":
            a = as_floats(a)
        if not decimals:
            return ops.round(a)
        kind = needed_kind(a, f"{call} to decimals", "or write the multiplication and division out")
        if kind not in "fc":
            if decimals > 0:
                return ops.positive(a)
            raise MissingOp(f"GFX has no row for {call} of integers to tens", hint="use // and *")
        return (
            to_decimals(a, decimals) if self.say.rules == "numpy" else as_wide_as(a, to_decimals(widened(a), decimals))
        )

    def where(self, condition: Any, x: Any = None, y: Any = None, /, **options: Any) -> Any:
        """A choice between two; of one argument the positions of what is not 0."""
        say = self.say
        if x is None and y is None:
            return Searching(say).nonzero(condition, **options)
        say.refuse(say.call("where"), **options)
        condition = say.as_array(condition)
        if kind_of(condition) not in (None, "b"):  # what is not 0 is true, which not every framework has
            condition = ops.not_equal(condition, 0)
        return ops.where(condition, say.as_array(x), say.as_array(y))

    def select(self, condlist: Any, choicelist: Any, default: Any = 0) -> Any:
        """The first choice whose condition holds."""
        out = default
        for condition, choice in reversed(list(zip(condlist, choicelist))):
            out = ops.where(condition, choice, out)
        return out

    def nan_to_num(self, x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
        """Numbers in place of NaN and the infinities, of which integers have none."""
        self.say.refuse(self.say.call("nan_to_num"), copy=None if copy is True else copy)
        x = self.say.as_array(x)
        kind = kind_of(x)
        if kind is None and posinf is not None and neginf is not None:
            raise unknown_dtype(self.say.call("nan_to_num"))
        if kind in ("b", "i", "u"):
            return ops.copy(x)
        if posinf is None or neginf is None:
            dtype = dtype_of(x) or ops.dtype_of(x)
            posinf = ops.finfo(dtype, "max") if posinf is None else posinf
            neginf = ops.finfo(dtype, "min") if neginf is None else neginf
        out = ops.where(ops.isnan(x), nan, x)
        out = ops.where(ops.equal(out, float("inf")), posinf, out)
        return ops.where(ops.equal(out, float("-inf")), neginf, out)

    def isclose(self, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
        """Equal within a tolerance that is relative to b."""
        expect(self.say.call("isclose"), "equal_nan", equal_nan, False)
        a, b = self.say.as_array(a), self.say.as_array(b)
        b = ops.multiply(b, 1.0) if kind_of(b) in ("b", "u", "i") else b  # of which differences wrap
        near = ops.less_equal(ops.abs(ops.subtract(a, b)), ops.add(atol, ops.multiply(rtol, ops.abs(b))))
        finite = ops.logical_and(ops.isfinite(a), ops.isfinite(b))
        return ops.logical_or(ops.logical_and(near, finite), ops.equal(a, b))

    def allclose(self, a: Any, b: Any, rtol: Any = 1e-05, atol: Any = 1e-08, equal_nan: bool = False) -> Any:
        """Whether all are."""
        return self.say.answer(ops.all(self.isclose(a, b, rtol, atol, equal_nan)))


def to_decimals(x: Any, decimals: int) -> Any:
    """x, rounded to so many decimals, or to tens."""
    factor = 10.0 ** abs(decimals)
    if decimals < 0:
        return ops.multiply(ops.round(ops.divide(x, factor)), factor)
    return ops.divide(ops.round(ops.multiply(x, factor)), factor)
