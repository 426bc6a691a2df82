"""Arithmetic of Python's numbers: its operators and functions, and the kinds of number that they give and take."""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from .errors import VerifyError

CLASSES: Mapping[str, type] = {"bool": bool, "int": int, "float": float, "complex": complex}
"""The classes of Python's numbers by their kinds, each within the next."""
KINDS = tuple(CLASSES)
NUMBER_CLASSES = tuple(CLASSES.values())
OF_LETTERS: Mapping[str, str] = {"b": "bool", "u": "int", "i": "int", "f": "float", "c": "complex"}
"""The kind of the number that an element is, by the letter of its dtype."""
OPEN = "number"
"""The kind of a number that may be of several kinds."""

SPELLINGS: Mapping[str, str] = {
    "add": "x1 + x2", "subtract": "x1 - x2", "multiply": "x1 * x2", "divide": "x1 / x2", "floor_divide": "x1 // x2",
    "remainder": "x1 % x2", "pow": "x1 ** x2", "bitwise_and": "x1 & x2", "bitwise_or": "x1 | x2",
    "bitwise_xor": "x1 ^ x2", "bitwise_left_shift": "x1 << x2", "bitwise_right_shift": "x1 >> x2",
    "bitwise_invert": "~x", "negative": "-x", "positive": "+x", "abs": "abs(x)", "logical_not": "not x",
    "less": "x1 < x2", "less_equal": "x1 <= x2", "greater": "x1 > x2", "greater_equal": "x1 >= x2",
    "equal": "x1 == x2", "not_equal": "x1 != x2",
}  # fmt: skip
"""How they are written of the arguments of these ops."""
OPERATORS: Mapping[str, Callable[..., Any]] = {
    "add": operator.add, "subtract": operator.sub, "multiply": operator.mul, "divide": operator.truediv,
    "floor_divide": operator.floordiv, "remainder": operator.mod, "pow": operator.pow,
    "bitwise_and": operator.and_, "bitwise_or": operator.or_, "bitwise_xor": operator.xor,
    "bitwise_left_shift": operator.lshift, "bitwise_right_shift": operator.rshift, "bitwise_invert": operator.invert,
    "negative": operator.neg, "positive": operator.pos, "abs": abs, "logical_not": operator.not_,
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
"""Python's operators, by the ops that stand for them."""
UNARY: Mapping[str, str] = {
    "bitwise_invert": "~", "negative": "neg", "positive": "pos", "abs": "abs", "logical_not": "not"
}  # fmt: skip
SIGNS: Mapping[str, str] = {op: UNARY.get(op) or text.split()[1] for op, text in SPELLINGS.items()}
"""What each is called, also of host values."""
COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!=", "not"))
"""Those that give a boolean."""
EQUALITIES = frozenset(("==", "!="))
DIVISIONS = frozenset(("/", "//", "%"))
"""Those that raise where what divides is 0."""
TESTS = frozenset(("less", "less_equal", "greater", "greater_equal", "equal", "not_equal", "logical_not"))
_BITWISE = frozenset(("bitwise_and", "bitwise_or", "bitwise_xor"))
SHIFTS = frozenset(("bitwise_left_shift", "bitwise_right_shift"))
SYMBOLS: Mapping[str, str] = {text.split()[1]: op for op, text in SPELLINGS.items() if text.startswith("x1 ")}
"""The ops of Python's signs between two operands."""
COMPARING_METHODS: Mapping[str, str] = {OPERATORS[op].__name__: op for op in SYMBOLS.values() if op in TESTS}
"""The ops of comparisons, by what their special methods are called."""
METHODS: Mapping[str, str] = {
    **{OPERATORS[op].__name__.strip("_"): op for op in SYMBOLS.values() if op not in TESTS}, "matmul": "matmul",
}  # fmt: skip
"""Those of the other operators between two operands, of which the right one, and the left one in place, may have one too."""
ARITHMETIC: Mapping[str, str] = {
    **{sign: op for sign, op in SYMBOLS.items() if op not in TESTS | _BITWISE | SHIFTS}, "neg": "negative", "abs": "abs",
}  # fmt: skip
"""The ops of what Python's numbers are computed with, by what it is called of host values."""


class Function(NamedTuple):
    """A function of numbers: what runs it, how it is written of `args`, what kind it gives ("": that of its first argument,
    a boolean a whole number), and what it raises where its arguments are numbers at all. `takes`: the kind of which it takes its arguments,
    where an op on arrays takes others, too; `grows`: whether what it gives leaves the range of 32 bits long before that of a double."""

    run: Callable[..., Any]
    spelling: str
    gives: str
    raises: tuple[type[Exception], ...] = (ValueError, OverflowError)
    takes: str = ""
    grows: bool = False


def _of_math(names: str, gives: str, **facts: Any) -> dict[str, Function]:
    return {
        f"math.{name}": Function(getattr(math, name), f"math.{name}(*args)", gives, **facts) for name in names.split()
    }


FUNCTIONS: Mapping[str, Function] = {
    **_of_math("acos acosh asin atanh cos fmod ldexp lgamma log log10 log1p log2 remainder sin sqrt tan", "float"),
    **_of_math(
        "asinh atan atan2 cbrt copysign degrees erf erfc hypot nextafter radians tanh ulp",
        "float",
        raises=(OverflowError,),
    ),
    **_of_math("exp exp2 expm1 cosh sinh", "float", raises=(OverflowError,), grows=True),
    **_of_math("gamma", "float", grows=True),
    **_of_math("pow", "float", takes="float", grows=True),
    **_of_math("fabs", "float", takes="float", raises=(OverflowError,)),
    **_of_math("ceil floor trunc", "int", takes="float"),
    **_of_math("factorial comb perm gcd lcm isqrt", "int", takes="int"),
    **_of_math("isclose isfinite isinf isnan", "bool", raises=()),
    "pow": Function(pow, "pow(*args)", "int", (ValueError,)),
    "round": Function(round, "round(*args)", "", ()),
    "round.int": Function(round, "round(*args)", "int", takes="float"),
    "is_integer": Function(lambda x: x.is_integer(), "args[0].is_integer()", "bool", ()),
    "bit_length": Function(lambda x: x.bit_length(), "args[0].bit_length()", "int", ()),
    "bit_count": Function(lambda x: x.bit_count(), "args[0].bit_count()", "int", ()),
    "conjugate": Function(lambda x: x.conjugate(), "args[0].conjugate()", "", ()),
    "real": Function(lambda x: x.real, "args[0].real", "", ()),
    "imag": Function(lambda x: x.imag, "args[0].imag", "", ()),
    "numerator": Function(lambda x: x.numerator, "args[0].numerator", "int", ()),
    "denominator": Function(lambda x: x.denominator, "args[0].denominator", "int", ()),
}
"""Python's functions of numbers, and the methods and attributes of these."""
MEMBERS = frozenset(name for name, function in FUNCTIONS.items() if function.spelling.startswith("args[0]."))
"""Those that are methods and attributes."""


def function(name: str) -> Function:
    """The function of that name. Raises VerifyError where there is none."""
    found = FUNCTIONS.get(name)
    if found is None:
        raise VerifyError(f"there is no function of Python's numbers {name!r}")
    return found


def computes_floats(op: Any) -> bool:
    """Whether Python has a function that computes a fraction of a number as an op of the catalogue does of arrays."""
    return bool(op.python) and len(op.params) == 1 and function(op.python).gives == "float"


def function_kind(name: str, kinds: Sequence[str]) -> str:
    """The kind of what a function gives of arguments of these kinds."""
    gives = function(name).gives
    if gives or not kinds:
        return gives
    return "int" if kinds[0] == "bool" else kinds[0]


def is_number(leaf: Any) -> bool:
    """Whether a leaf is a number of Python's."""
    return isinstance(leaf, NUMBER_CLASSES)


def kind_of(number: Any) -> str:
    """The kind of a number of Python's, or of a class that is derived from its own."""
    return next(kind for kind, cls in CLASSES.items() if isinstance(number, cls))


def is_not_negative(leaf: Any) -> bool:
    """Whether a constant is a number that is not negative."""
    return isinstance(leaf, (int, float)) and leaf >= 0


def operator_kinds(
    op: str,
    kinds: Sequence[Iterable[str]],
    operands: Sequence[Any] = (),
    not_negative: Callable[[Any], bool] = is_not_negative,
) -> frozenset[str]:
    """The kinds of what an operator may give of numbers that may be of these kinds.

    `operands`: what they are, where an exponent written as a literal tells more, or the sign of a base: `not_negative` tells it."""
    if op in TESTS:
        return frozenset(("bool",))
    found = frozenset(kind for taken in itertools.product(*kinds) for kind in _of_kinds(op, taken, operands))
    roots = op == "pow" and "complex" in found and not any("complex" in some for some in kinds)
    return found - {"complex"} if roots and operands and not_negative(operands[0]) else found


def _of_kinds(op: str, kinds: Sequence[str], operands: Sequence[Any]) -> tuple[str, ...]:
    widest = max(*kinds, "int", key=KINDS.index)
    if op in _BITWISE:
        return ("bool",) if set(kinds) == {"bool"} else ("int",)
    if op in SHIFTS or op == "bitwise_invert":
        return ("int",)
    if op == "divide":
        return ("complex",) if widest == "complex" else ("float",)
    if op == "abs":
        return ("float",) if widest == "complex" else (widest,)
    return _power(kinds, widest, operands) if op == "pow" else (widest,)


def _power(kinds: Sequence[str], widest: str, operands: Sequence[Any]) -> tuple[str, ...]:
    """Whole numbers to a negative power are fractions, and negative numbers to a fractional one are complex."""
    exponent = operands[1] if len(operands) == 2 else None
    if widest == "int":
        if not isinstance(exponent, (int, float)):
            return "int", "float"
        return ("int",) if exponent >= 0 else ("float",)
    if widest == "float" and kinds[1] == "float":
        whole = isinstance(exponent, (int, float)) and float(exponent).is_integer()
        return ("float",) if whole else ("float", "complex")
    return (widest,)
