"""Ops that act on the world or are unknown to us: their order among each other is kept."""

from __future__ import annotations

from types import SimpleNamespace

from .. import held
from ._row import op
from ._shapes import free

FAMILY = "effect"
EXCEPTIONS = frozenset(
    "ArithmeticError AssertionError AttributeError Exception FloatingPointError IndexError KeyError LookupError "
    "NotImplementedError OSError OverflowError PermissionError RuntimeError StopIteration TimeoutError TypeError "
    "UnboundLocalError UnicodeError ValueError ZeroDivisionError".split()
)
"""The names that a `check` may print: a graph from a file must not put code of its own there."""


def error_name(name: str) -> str:
    """The builtin exception to raise for one of this name; RuntimeError for a class of the user's own."""
    return name if name in EXCEPTIONS else "RuntimeError"


def _check(args: SimpleNamespace) -> str:
    return f"check(pred, message, {error_name(args.error)})"


op(
    FAMILY,
    "print(args)",
    "print(*args)",
    infer=lambda args, rules: (),
    kinds=(),
    compute=free,
    memory=free,
    effect=True,
    doc="Print values and texts, as Python's print does.",
)
op(
    FAMILY,
    "check(pred, message, error)",
    _check,
    infer=lambda args, rules: (),
    kinds=(),
    compute=free,
    memory=free,
    effect=True,
    doc="Raise the builtin exception called `error` with `message` where pred is false.",
)
op(
    FAMILY,
    'holder(framework, target, args, kwargs, count=None, why="")',
    kinds=held.kinds,
    infer=held.infer,
    effect=True,
    doc="The call of a function that has no op, by its dotted name; run by the framework that it came from. It gives one "
    "array, or a sequence of `count`. `why` tells what keeps other frameworks from it, where more is known than that it has no op.",
)
