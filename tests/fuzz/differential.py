"""One capture against plain Python, and its ways of being run against each other: a difference names the stage that it comes from."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import jax
import numpy as np
import torch

import digits
import gfx_trace.api.program
from fuzz_programs import Settings, inputs, load
from gfx_ir.errors import GfxError
from gfx_ir.passes.outline import outline
from gfx_ir.trees import leaves
from gfx_trace.capture.capture import capture
from gradient_modes import of_values_computed
from stages import stage
from ways import NAMES, SILENT, framework, gradient, own, ready

TARGETS = ("interpreter", "torch", "shapes", "jax")
TRACED = ("interpreter", "torch", "shapes")
EAGER = ("interpreter", "torch", "shapes", "eager")
GRADIENTS = ("torch gradient", "jax gradient")
TOLERANCES = {"float64": (1e-6, 1e-8), "float32": (1e-4, 1e-5)}


class Found(NamedTuple):
    """What a check found. `kind`: equal, refused, differ (another result), crash (an exception of its own), hang; or endless,
    where the program does not end in Python either."""

    kind: str
    key: str = ""  # which of that kind, to tell whether a smaller program fails in the same way
    why: str = ""
    target: str = ""  # where it showed


class Hang(BaseException):
    """The time was up. No Exception: whatever is caught under way, this is not."""


@contextlib.contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Raise Hang where the body takes longer. It needs the main thread: elsewhere there is no limit."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def up(*_: Any) -> None:
        raise Hang

    before = signal.signal(signal.SIGALRM, up)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


class Leaf(NamedTuple):
    """One part of a result: its numbers, or its text, and the dtype of an array."""

    data: Any
    dtype: str


def plain(result: Any) -> list[Leaf]:
    """The leaves of a result."""
    return [_leaf(leaf.detach() if isinstance(leaf, torch.Tensor) else leaf) for leaf in leaves(result)]


def _leaf(x: Any) -> Leaf:
    if isinstance(x, str):
        return Leaf(x, "")
    return Leaf(np.asarray(x, dtype=np.float64), str(x.dtype).removeprefix("torch.") if hasattr(x, "dtype") else "")


def outcome(run: Callable[[], Any]) -> list[Leaf] | Exception:
    """What a call gives: its leaves, or its exception."""
    try:
        return plain(run())
    except Exception as error:  # whatever the function raises is part of what it does
        return error


TYPES = ("must have equal output types", "must have equal types", "does not accept dtype")
"""What JAX says of types that two sides, or two trips, have in common only for floating inputs of one dtype: for these alone is
source of Level 0 exact, as its docstring says, and for others it has to fail, which JAX does before anything is computed."""
_UNTOLD = "could not infer output dtype"
"""What PyTorch says where it is given whole numbers for what its other targets make fractions of by themselves."""
ASSUMED = "captured for "
"""What emitted source says of an argument that is not what it was captured for: a guard, which refuses as a Program's does."""
_OF_SIZES = ("must be statically specified", "boolean indices must be concrete")
"""What JAX says under `jit` of sizes that data choose: its source is for calls as they are."""
_BOTH_SIDES = ("division by zero", "math range error")
"""What Python says of its own numbers while JAX traces both sides of a test, also the one that is not taken."""
_OF_64_BITS = ("int too big to convert", "too large to convert to int64")
"""What PyTorch says of a whole number that only NumPy takes beside floats, and JAX of one that it returns."""
_OF_TRUTH = ("truth value of an array with more than one element", "Boolean value of Tensor with more than one value")
"""What frameworks say of the truth of several elements, each in a class of its own."""
_NUDGE = 1e-12
"""By how much, relatively, arguments are changed to see whether a result hangs on the last digits of theirs."""
_OWN_LIMITS = (
    "refer to a single memory location",
    "is a view and is being modified inplace",
    "is being used in an in-place operation",
)
"""What PyTorch says of writes that the memory, or the gradient, of its tensors does not allow, though what they mean is clear."""
_OF_DTYPES = {TypeError, RuntimeError, NotImplementedError}
"""What frameworks raise for a dtype that an operation does not take: each raises its own, and no code can wait for another's, as
handlers of such errors are refused where another framework's source is written."""


def _says(error: Any, texts: tuple[str, ...]) -> bool:
    """Whether an exception has one of these texts."""
    return isinstance(error, Exception) and any(map(str(error).__contains__, texts))


def _told_by_jax(want: Exception, got: Exception) -> bool:
    """Whether an error is JAX's own around one that a compiled test or loop raised: it ends with what was raised."""
    return isinstance(got, jax.errors.JaxRuntimeError) and str(got).endswith(f"{type(want).__name__}: {want}")


def _clamped(a: Leaf, b: Leaf) -> Leaf:
    """b, but as a has it where either is the least or the largest number of 8 bits: JAX clamps the floats that it casts to these."""
    if not {a.dtype, b.dtype} <= {"int8", "uint8"} or a.data.shape != b.data.shape:
        return b
    ends = [np.iinfo(leaf.dtype) for leaf in (a, b)]
    clamped = [np.isin(leaf.data, (end.min, end.max)) for leaf, end in zip((a, b), ends)]
    return Leaf(np.where(clamped[0] | clamped[1], a.data, b.data), b.dtype)


def _public(kind: type) -> type:
    """The first class of an exception that code can name: NumPy raises private subclasses, and no handler tells them apart."""
    return next(base for base in kind.__mro__ if not base.__name__.startswith("_") and "._" not in base.__module__)


class Judge:
    """Compares outcomes; `dtypes`: those of arrays, too."""

    def __init__(self, how: Settings, text: str) -> None:
        self.tolerance = TOLERANCES.get(how.dtype, TOLERANCES["float32"])
        self.own = {"eager", "jax"} if how.flavour == "jax" else {"interpreter", "program", how.flavour}
        self.typed = how.dtype != "float64"
        self.booleans = how.dtype == "bool"
        self.powers = how.dtype == "uint8" and "**" in text

    def agree(self, want: Any, got: Any, way: str) -> bool:
        """Whether two outcomes are the same; traced, whether the shapes are."""
        if isinstance(want, Exception) or isinstance(got, Exception):
            if isinstance(got, IndexError) and not isinstance(
                want, Exception
            ):  # JAX clamps positions that are out of range
                return "jax" in self.own and way not in self.own
            both = isinstance(want, Exception) and isinstance(got, Exception) and way != "shapes"
            return both and (
                _public(type(want)) is _public(type(got))
                or (way not in self.own and ({type(want), type(got)} <= _OF_DTYPES or isinstance(want, type(got))))
                or (_says(want, _OF_TRUTH) and _says(got, _OF_TRUTH))
                or _told_by_jax(want, got)
            )
        return len(want) == len(got) and all(self.same(a, b, way) for a, b in zip(want, got))

    def same(self, a: Leaf, b: Leaf, way: str) -> bool:
        """Whether two leaves are."""
        if isinstance(a.data, str) or isinstance(b.data, str):
            return type(a.data) is type(b.data) and (way == "shapes" or a.data == b.data)
        beyond = self.powers and way in SILENT  # XLA takes whole exponents modulo 64: 2 ** 194 is 4
        if a.data.shape != b.data.shape or way == "shapes" or beyond:
            return a.data.shape == b.data.shape
        if (
            self.booleans and way in SILENT
        ):  # XLA takes a boolean divided by 0 for that boolean: jnp.array([False]) / 0 is 0
            b = Leaf(np.where(np.isnan(a.data), a.data, b.data), b.dtype)
        if way not in self.own and (way in SILENT or not self.own.isdisjoint(SILENT)):
            b = _clamped(a, b)
        typed = self.typed and way in self.own and a.dtype and b.dtype
        return (not typed or a.dtype == b.dtype) and np.allclose(a.data, b.data, *self.tolerance, equal_nan=True)


def check(text: str, name: object = 0, how: Settings = Settings(), targets=TARGETS, seconds: float = 60.0) -> Found:
    """Capture a program once, and compare it with what Python does on several inputs."""
    function = load(text, name)
    tuples = inputs(random.Random(str(name)), how)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with deadline(seconds):
                wants = [outcome(lambda a=a: function(*(own(x, how) for x in a))) for a in tuples]
        except Hang:
            return Found("endless", "endless", f"Python itself takes more than {seconds:g} s")
        try:
            with deadline(seconds):
                case = Case(load(text, name), how, tuples, wants, text)
                ways = tuple(way for way in targets if way not in GRADIENTS)
                found = case(("program",) if how.outside else ways)
                return case.gradients(found, function) if how.gradient and case.program is not None else found
        except Hang:
            return Found("hang", "hang", f"more than {seconds:g} s")


class Case:
    """One program: its function, its arguments, and what Python gives for each."""

    def __init__(self, function: Any, how: Settings, tuples: list, wants: list, text: str) -> None:
        self.function, self.how, self.tuples, self.wants = function, how, tuples, wants
        self.judge = Judge(how, text)
        self.program: Any = None

    def __call__(self, targets: tuple[str, ...]) -> Found:
        """What comes of it in these ways."""
        example = tuple(own(x, self.how) for x in self.tuples[0]) if self.how.level else ()
        try:
            captured = capture(self.function, example, {}, asked=self.how.flavour)
            self.program = gfx_trace.api.program.Program.of(outline(captured.program), captured)
        except GfxError as error:
            return Found("refused", f"refused: {reason(error)}", str(error))
        except Exception as error:
            return self.failed(error)
        return self.run(targets, self.wants)

    def failed(self, error: Exception) -> Found:
        """The capture raised what is no refusal: right where Python does so, whatever it is given."""
        raised = {type(want) for want in self.wants}
        if raised == {type(error)}:
            return Found("equal")
        if all(issubclass(found, Exception) for found in raised):  # which one hangs on data, which may be none of these
            return Found("refused", "refused: it raises for every input", repr(error))
        return Found("crash", f"crash: capture {type(error).__name__}{_raised(self.wants)}", f"capture: {error!r}")

    def run(self, targets: tuple[str, ...], wants: list) -> Found:
        """Each way, until one differs. A way that is refused leaves the others to be tried."""
        refused = None
        for way in targets:
            try:
                run = ready(self.program, way, self.how)
            except GfxError as error:
                refused = refused or Found("refused", f"refused: {way}: {reason(error)}", f"{way}: {error}", way)
                continue
            except Exception as error:
                return Found("crash", f"crash: {way} {type(error).__name__}", f"source for {way}: {error!r}", way)
            if self.untold(way):
                continue
            for args, want in zip(self.tuples, wants):
                if isinstance(want, Exception) and (way in SILENT or self.of_dtypes(want) or _says(want, _OWN_LIMITS)):
                    continue
                got = outcome(lambda run=run, args=args: run(dict(zip(NAMES, args))))
                if self.open_types(way, got):
                    refused = refused or Found("refused", f"refused: {way}: types that are open", f"{way}: {got}", way)
                    break
                if self.guarded(got) and not isinstance(want, GfxError):
                    refused = refused or Found("refused", f"refused: {way}: {reason(got)}", f"{way}: {got}", way)
                    break
                if self.judge.agree(want, got, way) or not self.steady(args, want) or self.compiled(way, args, want):
                    continue
                return self.difference(way, args, want, got)
        return refused or Found("equal")

    def steady(self, args: tuple, want: Any) -> bool:
        """Whether the last digits of arguments, and of what is computed of them, tell nothing: else the order of a sum does."""
        if isinstance(want, Exception) or self.how.dtype != "float64":
            return True
        same = lambda found: self.judge.agree(want, found, "program")
        for by in (1 + _NUDGE, 1 - _NUDGE):
            nudged = [x * by if isinstance(x, np.ndarray) and x.dtype.kind == "f" else x for x in args]
            if not same(outcome(lambda nudged=nudged: self.function(*(own(x, self.how) for x in nudged)))):
                return False
        found = (same(outcome(run)) for run in digits.runs(self.program, self.how, args))
        return not next(found) or all(found)

    def compiled(self, way: str, args: tuple, want: Any) -> bool:
        """Whether only the compiler makes it differ: XLA writes sqrt(a) / sqrt(b) as a product, which is not 1 where these are equal."""
        return way == "jax" and self.how.flavour != "jax" and self.gives("eager", args, want)

    def untold(self, way: str) -> bool:
        """Whether no level 0 program tells what comes of these arguments there: another framework promotes what is no floating number."""
        return (
            self.how.level == 0
            and framework(way, self.how) != self.how.flavour
            and not self.how.dtype.startswith("float")
        )

    def of_dtypes(self, want: Exception) -> bool:
        """Whether a function refuses the dtype of an argument that no type tells: whoever leaves it open means floating numbers."""
        return self.how.level == 0 and not self.how.dtype.startswith("float") and type(want) in _OF_DTYPES

    def guarded(self, got: Any) -> bool:
        """Whether what the capture took as given is not so here."""
        return isinstance(got, GfxError) or (isinstance(got, AssertionError) and ASSUMED in str(got))

    def open_types(self, way: str, got: Any) -> bool:
        """Whether a target refuses what the capture left open: sizes that data choose, and both sides of a test, where it is traced;
        types, of which a test or loop of JAX's has one in each; PyTorch takes no mean of whole numbers, nor such of more than 64 bits."""
        if way in SILENT and _says(got, (*_OF_SIZES, *_BOTH_SIDES)):
            return True
        if self.how.flavour != framework(way, self.how) and _says(got, _OF_64_BITS):
            return True
        if self.how.level:
            return False
        if self.how.flavour != "torch" and isinstance(got, RuntimeError) and _says(got, (_UNTOLD,)):
            return way == "torch"
        return way in SILENT and isinstance(got, TypeError) and _says(got, TYPES)

    def gradients(self, found: Found, function: Any) -> Found:
        """The same for gradients by x."""
        if found.kind not in ("equal", "refused"):
            return found
        makes = [
            lambda a=a: gradient(lambda x: function(x, *(own(y, self.how) for y in a[1:])), a[0]) for a in self.tuples
        ]
        with of_values_computed():
            wants = [outcome(make) for make in makes]
        other = self.run(GRADIENTS, wants)
        return found if other.kind == "equal" else other

    def difference(self, way: str, args: tuple, want: Any, got: Any) -> Found:
        """A difference, with the stage that it comes from."""
        others = GRADIENTS if way in GRADIENTS else ("interpreter", "torch", "eager")
        if isinstance(got, Exception):
            kind, said = "crash", f"{way} {type(got).__name__}{_raised([want])}: {_words(got)}"
        else:
            kind, said = "differ", f"{way} {'instead of an error' if isinstance(want, Exception) else 'values'}"
        place = f"{stage(way, others, lambda other: self.gives(other, args, want))}: {way} on {args}"
        if isinstance(want, Exception) or isinstance(got, Exception):
            return Found(kind, f"{kind}: {said}", f"{place}: want {want!r}, got {got!r}", way)
        pairs = [
            f"[{at}] want {a} got {b}" for at, (a, b) in enumerate(zip(want, got)) if not self.judge.same(a, b, way)
        ]
        why = ", ".join(pairs) or f"want {len(want)} values, got {len(got)}"
        return Found(kind, f"{kind}: {said}", f"{place}: {why}", way)

    def gives(self, way: str, args: tuple, want: Any) -> bool:
        """Whether a way gives what Python does."""
        if way in SILENT and isinstance(want, Exception):
            return False
        try:
            run = ready(self.program, way, self.how)
        except Exception:  # refused, or worse: it gives nothing
            return False
        return self.judge.agree(want, outcome(lambda: run(dict(zip(NAMES, args)))), way)


def _raised(wants: list) -> str:
    """What Python raises for some of the inputs, as a part of a key."""
    found = sorted({type(want).__name__ for want in wants if isinstance(want, Exception)})
    return f", Python: {' '.join(found)}" if found else ""


def _words(error: Exception) -> str:
    """The first words of a message: what tells one error of a framework from another."""
    return " ".join(str(error).replace("'", " ").split()[:5])


def reason(error: Exception) -> str:
    """A refusal without the names and numbers of one program."""
    words = str(error).split("\n")[0].split(" [<")[0].split("'")
    return "'…'".join(words[::2])
