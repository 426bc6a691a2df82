"""Python's operators on host values that are known, symbolic (sizes) or unknown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import host
from ..build import HOST_OPERATORS
from ..host import Dim, DimLike, Expr
from ..rules import OPEN
from ..trees import leaves
from ..types import LogicalTensor

_SIZES: dict[str, Callable[..., DimLike]] = {
    "+": host.add,
    "-": host.sub,
    "*": host.mul,
    "//": host.floordiv,
    "%": host.mod,
    "max": lambda a, b: host.extremum("max", a, b),
    "min": lambda a, b: host.extremum("min", a, b),
}
_TOTALS: dict[str, tuple[Callable[..., DimLike], int]] = {"sum": (host.add, 0), "math.prod": (host.mul, 1)}
_STRUCTURAL = ("len", "getitem", "splice")
_FAILURES = (TypeError, ValueError, ArithmeticError, LookupError)


def evaluate(operator: str, args: tuple) -> Any:
    """What the operator gives; OPEN where that is not known (or fails: the run says so then)."""
    found = list(leaves(args))
    if operator == "is":
        return _is(*args)
    if operator in ("and", "or"):
        return _lazy(operator, *args)
    if operator in _STRUCTURAL and not any(leaf is OPEN for leaf in args):
        return _plain(operator, args)
    if operator in ("+", "*") and tuple in map(type, args):
        return _plain(operator, args) if all(type(arg) in (tuple, int) for arg in args) else OPEN
    if any(leaf is OPEN or isinstance(leaf, LogicalTensor) for leaf in found):
        return OPEN
    if not any(isinstance(leaf, (Dim, Expr)) for leaf in found):
        return _plain(operator, args)
    return _symbolic(operator, args)


def _plain(operator: str, args: tuple) -> Any:
    try:
        return HOST_OPERATORS[operator](*args)
    except _FAILURES:
        return OPEN


def _is(a: Any, b: Any) -> Any:
    if a is not None and b is not None:
        return OPEN
    other = a if b is None else b
    return OPEN if other is OPEN or isinstance(other, LogicalTensor) else other is None


def _lazy(operator: str, a: Any, b: Any) -> Any:
    if isinstance(a, (bool, int, float, str)) or a is None:
        return HOST_OPERATORS[operator](a, b)
    if isinstance(b, bool) and b is (operator == "or"):
        return OPEN if a is OPEN or not isinstance(a, bool) else b
    return OPEN


def _symbolic(operator: str, args: tuple) -> Any:
    if operator in ("==", "!="):
        equal = _equal(*args)
        return OPEN if equal is None else equal is (operator == "==")
    if operator in _TOTALS and len(args) == 1 and isinstance(args[0], tuple) and all(map(_is_size, args[0])):
        step, start = _TOTALS[operator]
        total: DimLike = start
        for item in args[0]:
            total = step(total, item)
        return total
    if not all(map(_is_size, args)):
        return OPEN
    if operator == "neg":
        return host.mul(-1, args[0])
    if operator == "int":
        return args[0]
    if operator in _SIZES and len(args) == 2:
        return OPEN if operator in ("//", "%") and args[1] == 0 else _SIZES[operator](*args)
    if operator in ("<", "<=", ">", ">="):
        return _order(operator, *args)
    return OPEN


def _is_size(x: Any) -> bool:
    return isinstance(x, (int, Dim, Expr)) and not isinstance(x, bool)


def _equal(a: Any, b: Any) -> bool | None:
    if isinstance(a, tuple) and isinstance(b, tuple):
        if len(a) != len(b):
            return False
        found = [_equal(x, y) for x, y in zip(a, b)]
        return False if False in found else None if None in found else True
    sizes = all(isinstance(e, (int, Dim, Expr)) for e in (a, b))
    return host.same(a, b) if sizes else None


def _order(operator: str, a: DimLike, b: DimLike) -> Any:
    if operator in (">", ">="):
        return _order("<" if operator == ">" else "<=", b, a)
    low, high = host.bounds(host.sub(b, a))
    least = 1 if operator == "<" else 0
    if low is not None and low >= least:
        return True
    return False if high is not None and high < least else OPEN
