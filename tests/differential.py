"""One capture against plain Python: by the interpreter, as torch source, and as JAX source under jax.jit."""

from __future__ import annotations

import random
import warnings

import jax
import numpy as np
import torch

import gfx_trace.program
from fuzz_programs import Writer, inputs, load
from gfx_ir.backend import backend
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.runtime.executor import Executor
from gfx_ir.trees import leaves
from gfx_trace.capture import capture

warnings.filterwarnings("ignore")


class Difference(AssertionError):
    """A captured program that does not do what the function does."""


def moved(x, target):
    """A NumPy argument as an array of a framework."""
    if not isinstance(x, (np.ndarray, np.generic)):
        return x
    return torch.from_numpy(np.array(x)) if target == "torch" else jax.numpy.asarray(np.array(x))


def plain(result) -> list[np.ndarray]:
    """The leaves of a result as arrays."""
    return [
        np.asarray(leaf.detach() if isinstance(leaf, torch.Tensor) else leaf, dtype=np.float64)
        for leaf in leaves(result)
    ]


def outcome(run):
    """What a call gives: its leaves, or its exception."""
    try:
        return plain(run())
    except Exception as error:  # whatever the function raises is part of what it does
        return error


def agree(want, got) -> bool:
    """Whether two outcomes are the same."""
    if isinstance(want, Exception) or isinstance(got, Exception):
        return type(want) is type(got)
    return len(want) == len(got) and all(
        a.shape == b.shape and np.allclose(a, b, 1e-6, 1e-8) for a, b in zip(want, got)
    )


def _difference(want, got) -> str:
    if isinstance(want, Exception) or isinstance(got, Exception):
        return f"want {want!r}, got {got!r}"
    pairs = [f"[{at}] want {a} got {b}" for at, (a, b) in enumerate(zip(want, got)) if not agree([a], [b])]
    return ", ".join(pairs) or f"want {len(want)} values, got {len(got)}"


def check(
    text: str,
    seed: object = 0,
    level: int = 1,
    k: int = 2,
    given: bool = False,
    targets=("interpreter", "torch", "jax"),
) -> str:
    """ "ok" or "refused: why"; raises Difference where a program was captured that does something else."""
    function = load(text, seed)
    tuples = inputs(random.Random(str(seed)), k, given)
    wants = [outcome(lambda a=a: function(*(moved(x, "torch") for x in a))) for a in tuples]
    try:
        given_args = tuple(moved(x, "torch") for x in tuples[0]) if level else ()
        program = gfx_trace.program.Program.of(capture(function, given_args, {}, asked="torch").program)
    except GfxError as error:
        return f"refused: {error}"
    except UnboundLocalError as error:
        if all(isinstance(want, UnboundLocalError) for want in wants):
            return "ok"
        raise Difference(f"capture raised {error!r}\n{text}") from error
    runs = {"interpreter": _interpreter, "torch": _source, "jax": _source}
    for target in targets:
        try:
            run = runs[target](program, target)
        except GfxError as error:
            return f"refused: {target}: {error}"
        for args, want in zip(tuples, wants):
            if target == "jax" and isinstance(want, Exception):
                continue
            got = outcome(lambda run=run, args=args: run(dict(zip(("x", "n", "k", "m"), args))))
            if not agree(want, got):
                source = program.source("jax" if target == "jax" else "torch")
                raise Difference(f"{target} on {args}: {_difference(want, got)}\n{text}\n{source}")
    return "ok"


def _names(program) -> list[str]:
    return [p.name for p in program.signature if any(type(leaf) is Value for leaf in leaves(p.tree))]


def _interpreter(program, target):
    executor = Executor(backend("torch"))

    def run(args):
        names = _names(program)
        given = [args.get(p.name, p.default) for p in program.signature if p.name in names]
        return _result(program, executor(program, [moved(x, "torch") for x in given]))

    return run


def _source(program, target):
    fn = program.module(target).load()
    if target == "jax":
        fn = jax.jit(fn, static_argnames=program.module(target).static_argnames)

    def run(args):
        return _result(program, fn(**{name: moved(args[name], target) for name in _names(program) if name in args}))

    return run


def _result(program, out):
    return out[0] if program.writes else out


def settings(seed: int) -> dict:
    """How one program is captured and called."""
    rng = random.Random(seed)
    return {"level": rng.choice((0, 1, 1)), "k": rng.randint(0, 3)}


def program_of(seed: int) -> tuple[str, dict]:
    """Text and settings of the program of a seed."""
    writer = Writer(seed)
    text, chosen = writer.text(), settings(seed)
    chosen["given"] = "m" in writer.signature and random.Random(seed).random() < 0.5
    if "int" not in writer.signature:
        chosen["level"] = 1
    return text, chosen
