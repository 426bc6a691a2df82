"""Ops that act on the world or are unknown to us: their order among each other is kept."""

from __future__ import annotations

import builtins
import keyword
import sys
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from .. import held
from ..backend import Backend
from ..control import Fail, Form
from ..cost import Counter, Estimate
from ..graph import Node
from ..infer.walk import Site
from ..interpreter import Interpreter
from ..loading import backend
from ..naming import is_name
from ..op import Trait
from ..public import function_of
from ..trees import tree_map
from ._asked import Plain
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


class Print(Plain):
    """Python's print."""

    free_text = ("args", "end")

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        values, end, stream = args
        print(*values, end=end, file=sys.stderr if stream == "stderr" else None)
        return ()

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        if type(node.args[0]) is not tuple:
            fail("it prints a tuple of values")


class Check(Plain):
    """An error that is raised where a test fails."""

    worded = True
    form = Form.CHECK
    free_text = ("message",)

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        passed, message, error = args
        if not machine.truth(passed):
            if type(message) is list:
                message = message[0].format(*message[1:])
            told = message if type(message) is tuple else () if message is None else (message,)
            raise getattr(builtins, error_names(error)[1])(*tree_map(machine.backend.convert, told))
        return ()

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        if type(node.arg("error")) is not str:
            fail("its error is the name of an exception")


class Evaluate(Plain):
    """A value that is computed for the error that it may raise."""

    worded = True
    form = Form.EVALUATE

    def raises_by(self, node: Any) -> Any:
        return (
            node.args[:1] if node.args[1] else ()
        )  # without the name of an error shapes and positions alone raise one

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return ()


class Holder(Plain):
    """A call that no op stands for, run by the framework that it came from."""

    worded = True
    form = Form.HOLDER
    free_text = ("args", "kwargs", "why")

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        framework, target, given, named, *_ = args
        here = machine.backend
        owner = here if framework == here.name else backend(framework)
        fn = function_of(owner, target)

        def there(leaf: Any) -> Any:
            return _moved(leaf, here, owner) if here.is_tensor(leaf) else owner.convert(leaf)

        out = fn(*tree_map(there, tuple(given)), **tree_map(there, named))
        return [_moved(part, owner, here) for part in ((out,) if owner.is_tensor(out) else out or ())]

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return counter.unknown(f"the call of {node.arg('target')} is not known and not counted", node)

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        """What is printed as a call must be one."""
        framework, target, args, kwargs, count, why = node.args
        if type(framework) is not str or type(target) is not str or not all(map(is_name, target.split("."))):
            fail(f"it calls a function by its dotted name, not {target!r} of {framework!r}")
        if type(args) is not tuple or type(kwargs) is not dict or not all(map(is_name, kwargs)):
            fail("it has a tuple of arguments, and a dictionary of those by name")
        if count is not None and (type(count) is not int or count < 0):
            fail(f"it gives one array, or a number of them, not {count!r}")
        if type(why) is not str:
            fail(f"its reason is a text, not {why!r}")


def _moved(x: Any, source: Backend, target: Backend) -> Any:
    return x if source is target else target.from_host(source.to_host(x))


op(
    FAMILY,
    r'print(args, end="\n", stream="stdout")',
    print_spelling,
    infer=lambda args, rules: (),
    kinds=(),
    compute=free,
    memory=free,
    effect=True,
    control=Print(),
    traits=Trait.APART | Trait.UNSAVED,
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
    control=Check(),
    traits=Trait.APART | Trait.UNSAVED | Trait.RAISES,
    doc='Raise the exception called `error` (a builtin, or a class of its own over one: "ValueError.Unstable") with `message`, or with '
    "each of a tuple, where pred is false; a list is a format and what stands in it.",
)
op(
    FAMILY,
    'evaluate(x, error="")',
    "x",
    infer=lambda args, rules: (),
    kinds=(),
    compute=free,
    memory=free,
    effect=True,
    control=Evaluate(),
    traits=Trait.APART | Trait.UNSAVED | Trait.RAISES,
    doc="Compute x, which nobody takes, for the error that Python may raise there; `error` names it where compiled code, which "
    "computes with arrays, raises none.",
)
op(
    FAMILY,
    'holder(framework, target, args, kwargs, count=None, why="")',
    kinds=held.kinds,
    infer=held.infer,
    effect=True,
    control=Holder(),
    doc="The call of a function that has no op, by its dotted name; run by the framework that it came from. It gives one array, or a "
    "sequence of `count`, or nothing where that is 0. `why` tells what keeps other frameworks from it, where more is known than that "
    "it has no op.",
)
