"""Ops that act on the world or are unknown to us: their order among each other is kept."""

from __future__ import annotations

import builtins
import keyword
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


def error_names(text: str) -> tuple[str, str]:
    """(the class to raise, the builtin that it is or derives from) for the `error` of a check.

    That is a builtin's name, or "ValueError.Unstable" for a class of the author's own.
    """
    base, _, own = text.partition(".")
    base = base if base in EXCEPTIONS else "RuntimeError"
    named = own.isidentifier() and not keyword.iskeyword(own) and not hasattr(builtins, own)
    return own if named else base, base


def _check(args: SimpleNamespace) -> str:
    return f"check(pred, message, {error_names(args.error)[0]})"


def print_spelling(args: SimpleNamespace) -> str:
    """Python's print of these arguments."""
    return f"print(*args{print_options(args)})"


def print_options(args: SimpleNamespace) -> str:
    """The keywords of a print that are not its defaults."""
    end = "" if args.end == "\n" else ", end=end"
    return end + ("" if args.stream == "stdout" else ", file=sys.stderr")


op(
    FAMILY,
    r'print(args, end="\n", stream="stdout")',
    print_spelling,
    infer=lambda args, rules: (),
    kinds=(),
    compute=free,
    memory=free,
    effect=True,
    doc='Print values and texts, as Python\'s print does; `stream` is "stdout" or "stderr".',
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
    doc='Raise the exception called `error` (a builtin, or a class of its own over one: "ValueError.Unstable") with `message`, or with '
    "each of a tuple, where pred is false; a list is a format and what stands in it.",
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
