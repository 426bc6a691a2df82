"""One program of arrays of some dtype against its captures: with types of its arguments, with none, and with a cast in its code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx
from family_checks import REFUSED, Array, outcome, same, within
from program_text import define

NUMBERS = (2, 0, 1, 3)
SECONDS = 60.0
DATA = {
    "float64": [1.5, 2.0, 3.25], "float32": [1.5, 2.0, 3.25], "float16": [1.5, 2.0, 100.0], "bfloat16": [1.5, 2.0, 100.0],
    "int64": [1, -2, 30], "int32": [1, -2, 30], "int8": [1, -2, 100], "uint8": [1, 2, 200], "bool": [True, False, True],
}  # fmt: skip
_MADE: dict[str, Callable[[list, str], Any]] = {
    "torch": lambda data, dtype: torch.tensor(data, dtype=getattr(torch, dtype)),
    "numpy": lambda data, dtype: np.array(data, dtype=jnp.dtype(dtype)),
    "jax": lambda data, dtype: jnp.array(data, jnp.dtype(dtype)),
}


class Typed(NamedTuple):
    """What it is called, its text, whose code it is, the dtype of the first operand, and at which level it is captured."""

    name: str
    text: str
    flavour: str
    dtype: str
    level: str

    @property
    def ways(self) -> tuple[str, ...]:
        """What it is run by: another framework promotes otherwise where no dtype is known."""
        others = {"torch": ("jax",), "numpy": ("torch", "jax"), "jax": ("torch",)}[self.flavour]
        return (self.flavour, *(others if self.level in ("typed", "cast") else ()))


def _given(program: Typed, target: str) -> Any:
    dtype = program.dtype if program.level in ("typed", "open") else "float32"
    return _MADE[target](DATA[dtype], dtype)


def _dtypes(record: Any) -> Any:
    """The dtypes of what is recorded: compiled code has one, where no types are given."""
    return (
        record.dtype
        if isinstance(record, Array)
        else list(map(_dtypes, record[1]))
        if isinstance(record, tuple)
        else None
    )


def _untyped(record: Any) -> Any:
    if isinstance(record, Array):
        return record._replace(dtype="")
    return (record[0], list(map(_untyped, record[1]))) if isinstance(record, tuple) else record


@within(SECONDS)
def judged_typed(program: Typed) -> str:
    """What came of it, as `family_checks.judged` says it."""
    f = define(program.text, f"<{program.name}>")
    wants = [outcome(lambda n=n: f(_given(program, program.flavour), n)) for n in NUMBERS]
    if all(isinstance(want, str) for want in wants):
        return "skipped"
    x = _given(program, program.flavour)
    try:
        types = (x, gfx.Open) if program.level in ("typed", "cast") else ()
        captured = gfx.symbolic_trace(f, *types, backend=program.flavour)
        sources = {target: captured.to(target) for target in program.ways}
    except gfx.GfxError:
        return "refused"
    except Exception as error:
        raises = any(isinstance(want, str) for want in wants)
        return "skipped" if raises else f"crash: {type(error).__name__}: {error}"
    varies = len({str(_dtypes(want)) for want in wants if not isinstance(want, str)}) > 1
    runs = {"program": captured, **sources}
    for way, run in runs.items():
        target = program.flavour if way == "program" else way
        for n, want in zip(NUMBERS, wants):
            if isinstance(want, str):
                continue
            got = outcome(lambda: run(_given(program, target), n))
            if got == REFUSED:
                continue
            if isinstance(got, str) and (target != program.flavour or program.level == "open"):
                return f"raises: {way} at {n}: {want}, got {got}"
            if target == "jax" and varies and program.level != "typed":
                want, got = _untyped(want), _untyped(got)
            if not same(want, got, target == program.flavour != "jax"):
                return f"wrong: {way} at {n}: {want}, got {got}"
    return "equal"
