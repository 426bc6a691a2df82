"""One program of a family against plain Python: by the Program and by its source, with values, classes, dtypes, shapes, errors and effects."""

from __future__ import annotations

import argparse
import functools
import itertools
import textwrap
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import gfx_trace as gfx
from differential import ASSUMED, TYPES, Hang, deadline
from program_text import define
from ways import gradient, jax_gradient

NUMBERS = (0, 1, 2, 3)
CLOSE = 1e-4
_CLOSE_OF = {"bfloat16": 1e-2, "float16": 2e-3}
SECONDS = 20.0
REFUSED = "refused"
_REFUSALS = (
    ASSUMED,
    *TYPES,
    "Reverse-mode differentiation does not work",
    "a loop without a trip leaves a number",
    "a loop changes the",
)
KEPT = 200  # programs of which JAX keeps what it compiled
_IN_32_BITS = {"float64": "float32", "int64": "int32", "uint64": "int32", "uint32": "int32", "complex128": "complex64"}
ARRAYS: dict[str, Callable[[Any, str], Any]] = {
    "torch": lambda data, of: torch.tensor(data, dtype=torch.float64 if of == "numpy" else torch.float32),
    "numpy": lambda data, of: np.array(data, dtype=np.float64 if of == "numpy" else np.float32),
    "jax": lambda data, of: jnp.array(data, jnp.float32),
}


class Program(NamedTuple):
    """What it is called, its text, a function f(x, n) of an array and an open number, and what x holds."""

    name: str
    text: str
    x: Any = 1.0
    flavour: str = "torch"
    ways: tuple[str, ...] = ("program", "torch", "jax")


class Array(NamedTuple):
    """What is compared of an array or number."""

    kind: str  # its class
    dtype: str
    shape: tuple[int, ...]
    numbers: Any

    def __str__(self) -> str:
        return f"{self.kind} {self.dtype} {self.numbers.tolist()}"

    __repr__ = __str__


def filled(body: str, **parts: str) -> str:
    """A text with its parts in it. A part of several lines keeps the indent of the place."""
    lines = []
    for line in textwrap.dedent(body).splitlines():
        for name, text in parts.items():
            indent = line[: len(line) - len(line.lstrip())]
            line = line.replace(name, textwrap.indent(text, indent).lstrip() if line.strip() == name else text)
        lines.append(line)
    return "\n".join(lines) + "\n"


def record(value: Any) -> Any:
    """A result, told by what can be compared after the call."""
    if isinstance(value, dict):
        return {key: record(part) for key, part in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value).__name__, [record(part) for part in value]
    if isinstance(value, torch.Tensor):
        data = value.detach()
        data = data.float() if data.dtype == torch.bfloat16 else data
        kind = "Tensor" if isinstance(value, torch.nn.Parameter) else type(value).__name__
        return Array(kind, str(value.dtype).removeprefix("torch."), tuple(value.shape), data.numpy().copy())
    if isinstance(value, (np.ndarray, np.generic, jax.Array)):
        kind = "Array" if isinstance(value, jax.Array) else type(value).__name__
        return Array(kind, str(value.dtype), tuple(value.shape), np.array(value))
    if isinstance(value, (bool, int, float, complex)):
        return Array(type(value).__name__, "", (), np.array(value))
    return value if value is None or isinstance(value, str) else repr(value)


def same(want: Any, got: Any, own: bool) -> bool:
    """Whether two records are the same, or one was refused: in the author's framework with classes and dtypes, elsewhere what that framework has of them."""
    if isinstance(got, str) and got == REFUSED:
        return True
    if isinstance(want, Array) and isinstance(got, Array):
        return _same_arrays(want, got, own)
    if isinstance(want, tuple) and isinstance(got, tuple) and len(want) == len(got) == 2:
        alike = want[0] == got[0] if own else True
        return alike and len(want[1]) == len(got[1]) and all(same(a, b, own) for a, b in zip(want[1], got[1]))
    if isinstance(want, dict) and isinstance(got, dict):
        return want.keys() == got.keys() and all(same(want[key], got[key], own) for key in want)
    return type(want) is type(got) and (bool(want == got) or (not own and _names_a_dtype(want) and _names_a_dtype(got)))


def _names_a_dtype(record: Any) -> bool:
    return isinstance(record, str) and record.startswith(("torch.", "dtype(", "<class '"))


def _same_arrays(want: Array, got: Array, own: bool) -> bool:
    if own and (want.kind, want.dtype) != (got.kind, got.dtype) and not _stands_for(want, got):
        return False
    if (
        not own
        and _typed(want, got)
        and _IN_32_BITS.get(want.dtype, want.dtype) != _IN_32_BITS.get(got.dtype, got.dtype)
    ):
        return False
    if want.shape != got.shape or (own and want.numbers.dtype.kind != got.numbers.dtype.kind):
        return False
    close = _CLOSE_OF.get(want.dtype, CLOSE)
    try:
        return bool(
            np.allclose(want.numbers.astype(complex), got.numbers.astype(complex), close, close, equal_nan=True)
        )
    except (TypeError, ValueError, OverflowError):
        return bool(np.all(want.numbers == got.numbers))


def _stands_for(want: Array, got: Array) -> bool:
    """Whether PyTorch's code gives a tensor for an array of NumPy's, of the same dtype, or a number of Python's for one of NumPy's."""
    if got.kind == "Tensor":
        return want.dtype == got.dtype
    return (want.kind, got.kind) in (("float64", "float"), ("bool", "bool"), ("complex128", "complex"))


def _typed(want: Array, got: Array) -> bool:
    """Whether both are of a dtype of their own: a number of Python's has none, and elsewhere is an array of some."""
    return bool(want.dtype and got.dtype)


def outcome(run: Callable[[], Any]) -> Any:
    """What a call gives, or the class of its error in a text."""
    try:
        return record(run())
    except Hang:
        raise
    except gfx.GfxError:
        return REFUSED
    except (AssertionError, TypeError, ValueError) as error:
        return REFUSED if any(map(str(error).__contains__, _REFUSALS)) else f"raises {type(error).__name__}"
    except (Exception, StopIteration) as error:
        return f"raises {type(error).__name__}"


def _kind(want: Any, got: Any, way: str, program: Program) -> str:
    """What a difference is: an error of another framework's where its source runs, an error that the author's has of what is given to
    it, and source has not, or a wrong answer."""
    if _raises(got) and not _raises(want) and way != program.flavour:
        return "raises"
    return "lenient" if want in ("raises TypeError", "raises AttributeError") else "wrong"


def _raises(record: Any) -> bool:
    return isinstance(record, str) and record.startswith("raises ")


def _own_error(want: Any, got: Any, flavour: str, way: str) -> bool:
    """Whether another framework says otherwise what the author's says: by errors of its own, of which JAX has
    none that hang on data, but takes positions anywhere."""
    raised = [_raises(record) for record in (want, got)]
    if raised[0] and "gradient" in way:  # of what was written in place, PyTorch has none at times
        return True
    return all(raised) or (raised[0] and way == "jax") or (flavour == "jax" and got == "raises IndexError")


def _called(f: Any, program: Program, n: int) -> Any:
    """What a call gives, and its argument behind it, or its gradient."""
    x = ARRAYS[program.flavour](program.x, program.flavour)
    if derived(program):
        return outcome(lambda: gradient(lambda given: f(given, n), x.numpy()))
    return outcome(lambda: (f(x, n), x))


def derived(program: Program) -> bool:
    """Whether it is the gradients of a program that are compared."""
    return any("gradient" in way for way in program.ways)


def _sourced(run: Any, captured: Any, program: Program, way: str, n: int) -> Any:
    """The same of emitted source, which gives what it has written beside its result."""
    target, _, grad = way.partition(" ")
    x = ARRAYS[target](program.x, program.flavour)
    if grad:
        result = lambda given: run(given, n)[0] if captured.writes else run(given, n)
        return outcome(lambda: gradient(result, x.numpy()) if target == "torch" else jax_gradient(result, x))

    def both() -> Any:
        result = run(x, n)
        result, state = result if captured.writes else (result, {})
        return result, state.get("x", x)

    return outcome(both)


P = TypeVar("P")


def within(seconds: float) -> Callable[[Callable[[P], str]], Callable[[P], str]]:
    """What comes of a program in so much time, without warnings; a hang is wrong."""

    def limited(judge: Callable[[P], str]) -> Callable[[P], str]:
        @functools.wraps(judge)
        def judged_in_time(program: P) -> str:
            try:
                with deadline(seconds), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    return judge(program)
            except Hang:
                return f"wrong: it takes more than {seconds} s"

        return judged_in_time

    return limited


@within(SECONDS)
def judged(program: Program) -> str:
    """What came of it: "skipped" where Python itself raises for every number, "equal", "refused", "raises", where another framework's
    source does so, "lenient", where only the author's code does, or what is wrong."""
    f = define(program.text, f"<{program.name}>")
    wants = [_called(f, program, n) for n in NUMBERS]
    if all(isinstance(want, str) for want in wants):
        return "skipped"
    firsts = [_called(define(program.text, f"<{program.name}>"), program, n) for n in NUMBERS]
    try:
        captured = gfx.symbolic_trace(define(program.text, f"<{program.name}>"), backend=program.flavour)
        sources = {way: captured.to(way.partition(" ")[0]) for way in program.ways if way != "program"}
    except gfx.GfxError:
        return "refused"
    except Exception as error:
        raises = any(isinstance(want, str) for want in wants)
        return "skipped" if raises else f"crash: {type(error).__name__}: {error}"
    for way, run in sources.items():
        for n, want in zip(NUMBERS, firsts):
            got = _sourced(run, captured, program, way, n)
            if way != program.flavour and _own_error(want, got, program.flavour, way):
                continue
            if not same(want, got, way.partition(" ")[0] == program.flavour != "jax"):
                return f"{_kind(want, got, way, program)}: {way} at {n}: {want}, got {got}"
    for n, want in zip(NUMBERS if "program" in program.ways else (), wants):  # last: what it writes stays
        got = _called(captured, program, n)
        if not same(want, got, program.flavour != "jax"):
            return f"{_kind(want, got, 'program', program)}: program at {n}: {want}, got {got}"
        if got == REFUSED:  # what the author's call writes for the next one, this one has not
            break
    return "equal"


def run_families(
    families: dict[str, Callable[[], Iterator[Program]]],
    preludes: tuple[str, ...],
    about: str | None,
    judge: Callable[[Program], str] = judged,
) -> int:
    """Run them all, or those whose name has a word; a table, and the text of what is wrong. `judge` tells what came of one."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("word", nargs="?", default="")
    parser.add_argument("--one-in", type=int, default=1, help="of so many programs one is run")
    args = parser.parse_args()
    console, counts = Console(), Counter[tuple[str, str]]()
    for family, programs in families.items():
        for program in itertools.islice(programs(), 0, None, args.one_in):
            if args.word in f"{family} {program.name}":
                found = judge(program)
                if sum(counts.values()) % KEPT == 0:
                    jax.clear_caches()
                counts[family, found.partition(":")[0]] += 1
                if ":" in found:
                    own = functools.reduce(str.removeprefix, preludes, program.text)
                    said = f"{program.name}: {found}\n{own}"
                    console.print(said, markup=False, highlight=False, soft_wrap=True)
    kinds = ("equal", "refused", "skipped", "lenient", "raises", "wrong", "crash")
    table = Table("family", *kinds)
    for family in families:
        table.add_row(family, *(str(counts[family, kind]) for kind in kinds))
    console.print(table)
    return any(kind in ("wrong", "crash") for _, kind in counts)
