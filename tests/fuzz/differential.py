"""One capture against plain Python: by the interpreter, as torch source, and as JAX source under jax.jit.

The target "shapes" traces the JAX source alone: it finds what JAX refuses, and shapes that differ, without the cost of XLA.
"""

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

import gfx_trace.program
from fuzz_programs import Settings, inputs, load
from gfx_ir.backend import backend
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves
from gfx_trace.capture import capture

NAMES = ("x", "n", "k", "m")
TARGETS = ("interpreter", "torch", "shapes", "jax")
TRACED = ("interpreter", "torch", "shapes")
COMPILED = ("shapes", "jax")  # under jax.jit


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


def own(x: Any, how: Settings) -> Any:
    """An argument as the program takes it: what NumPy's code says is an array is one, and a number given as an example is one."""
    if how.flavour == "numpy" and how.level == 0 and isinstance(x, np.generic):
        return np.array(x)
    return moved(x, how.flavour)


def moved(x: Any, target: str) -> Any:
    """A NumPy argument as an array of a framework; for NumPy a number stays one."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return x
    if target == "numpy":
        return x.copy()
    return torch.from_numpy(np.array(x)) if target == "torch" else jax.numpy.asarray(np.array(x))


def plain(result: Any) -> list[np.ndarray]:
    """The leaves of a result as arrays."""
    return [
        np.asarray(leaf.detach() if isinstance(leaf, torch.Tensor) else leaf, dtype=np.float64)
        for leaf in leaves(result)
    ]


def outcome(run: Callable[[], Any]) -> list[np.ndarray] | Exception:
    """What a call gives: its leaves, or its exception."""
    try:
        return plain(run())
    except Exception as error:  # whatever the function raises is part of what it does
        return error


def agree(want: Any, got: Any) -> bool:
    """Whether two outcomes are the same."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        return type(want) is type(got)
    return len(want) == len(got) and all(
        a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-8, equal_nan=True) for a, b in zip(want, got)
    )


def alike(want: Any, got: Any) -> bool:
    """Whether a result has these shapes."""
    return not isinstance(got, Exception) and [a.shape for a in want] == [a.shape for a in got]


def check(text: str, name: object = 0, how: Settings = Settings(), targets=TARGETS, seconds: float = 60.0) -> Found:
    """Capture a program once, and compare it with what Python does on several inputs."""
    function = load(text, name)
    tuples = inputs(random.Random(str(name)), how.k, how.given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            with deadline(seconds):
                wants = [outcome(lambda a=a: function(*(own(x, how) for x in a))) for a in tuples]
        except Hang:
            return Found("endless", "endless", f"Python itself takes more than {seconds:g} s")
        try:
            with deadline(seconds):
                return _compare(function, how, tuples, wants, targets)
        except Hang:
            return Found("hang", "hang", f"more than {seconds:g} s")


def _compare(function: Any, how: Settings, tuples: list, wants: list, targets: tuple) -> Found:
    example = tuple(own(x, how) for x in tuples[0]) if how.level else ()
    try:
        program = gfx_trace.program.Program.of(capture(function, example, {}, asked=how.flavour).program)
    except GfxError as error:
        return Found("refused", f"refused: {reason(error)}", str(error))
    except Exception as error:
        raised = {type(want) for want in wants}
        if raised == {type(error)}:
            return Found("equal")
        if type(error) in raised and all(issubclass(found, Exception) for found in raised):  # which one hangs on data
            return Found("refused", "refused: it raises for every input", repr(error))
        return Found("crash", f"crash: capture {type(error).__name__}{_raised(wants)}", f"capture: {error!r}")
    for target in targets:
        try:
            run = RUNS[target](program, target)
        except GfxError as error:
            return Found("refused", f"refused: {target}: {reason(error)}", f"{target}: {error}", target)
        except Exception as error:
            return Found("crash", f"crash: {target} {type(error).__name__}", f"source for {target}: {error!r}", target)
        same = alike if target == "shapes" else agree
        for args, want in zip(tuples, wants):
            if target in COMPILED and isinstance(want, Exception):
                continue
            got = outcome(lambda run=run, args=args: run(dict(zip(NAMES, args))))
            if not same(want, got):
                return _difference(target, args, want, got)
    return Found("equal")


def _raised(wants: list) -> str:
    """What Python raises for some of the inputs, as a part of a key."""
    found = sorted({type(want).__name__ for want in wants if isinstance(want, Exception)})
    return f", Python: {' '.join(found)}" if found else ""


def _difference(target: str, args: tuple, want: Any, got: Any) -> Found:
    if isinstance(got, Exception):
        kind, said = "crash", f"{target} {type(got).__name__}{_raised([want])}: {_words(got)}"
    else:
        kind, said = "differ", f"{target} {'instead of an error' if isinstance(want, Exception) else 'values'}"
    if isinstance(want, Exception) or isinstance(got, Exception):
        return Found(kind, f"{kind}: {said}", f"{target} on {args}: want {want!r}, got {got!r}", target)
    pairs = [f"[{at}] want {a} got {b}" for at, (a, b) in enumerate(zip(want, got)) if not agree([a], [b])]
    why = ", ".join(pairs) or f"want {len(want)} values, got {len(got)}"
    return Found(kind, f"{kind}: {said}", f"{target} on {args}: {why}", target)


def _words(error: Exception) -> str:
    """The first words of a message: what tells one error of a framework from another."""
    return " ".join(str(error).replace("'", " ").split()[:5])


def reason(error: GfxError) -> str:
    """A refusal without the names and numbers of one program."""
    words = str(error).split("\n")[0].split(" [<")[0].split("'")
    return "'…'".join(words[::2])


def _names(program: Any) -> list[str]:
    return [p.name for p in program.signature if any(type(leaf) is Value for leaf in leaves(p.tree))]


def _interpreter(program: Any, target: str) -> Callable[[dict], Any]:
    runs_on = "numpy" if program.flavour == "numpy" else "torch"
    executor = Executor(backend(runs_on))
    names = _names(program)

    def run(args: dict) -> Any:
        given = [args.get(p.name, p.default) for p in program.signature if p.name in names]
        return _result(program, executor(program, [moved(x, runs_on) for x in given]))

    return run


def _source(program: Any, target: str) -> Callable[[dict], Any]:
    framework = "torch" if target == "torch" else "jax"
    module = program.module(framework)
    fn = module.load()
    if target in COMPILED:
        fn = jax.jit(fn, static_argnames=module.static_argnames)

    def run(args: dict) -> Any:
        given = {name: moved(args[name], framework) for name in _names(program) if name in args}
        return _result(program, zeros(fn, given) if target == "shapes" else fn(**given))

    return run


def zeros(fn: Any, given: dict) -> Any:
    """A result of the shapes that tracing gives."""
    return jax.tree.map(lambda leaf: np.zeros(leaf.shape), fn.eval_shape(**given))


RUNS = {"interpreter": _interpreter, "torch": _source, "shapes": _source, "jax": _source}


def _result(program: Any, out: Any) -> Any:
    return out[0] if program.writes else out
