"""Families of small programs: each state of Python's, in each way that code uses it, in each place of control flow, against plain Python."""

from __future__ import annotations

import argparse
import itertools
import textwrap
from collections import Counter
from collections.abc import Iterator
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
import torch
from rich.console import Console
from rich.table import Table

import gfx_trace as gfx
from fuzz_families_parts import CHOICES, HELPERS, PLACES, STATES, USES
from program_text import define

NUMBERS = (0, 1, 2, 3)
TARGETS = ("interpreter", "torch", "jax")
CLOSE = 1e-4


class Program(NamedTuple):
    """What it is called, and its text: a function f(x, n) of a tensor and an open number."""

    name: str
    text: str


def written() -> Iterator[Program]:
    """A state, changed in a place, and asked behind it."""
    for (state, (made, use, told)), (place, body) in itertools.product(STATES.items(), PLACES.items()):
        yield Program(f"{state} {place}", _filled(body, MADE=made, USE=use, TOLD=told))


def chosen() -> Iterator[Program]:
    """One of two objects, as an open test says, and a use of it."""
    for (choice, (first, second)), (use, text) in itertools.product(CHOICES.items(), USES.items()):
        for kind, body in (("statement", _STATEMENT), ("expression", _EXPRESSION)):
            yield Program(f"{choice} {use} {kind}", _filled(body, FIRST=first, SECOND=second, USE=text))


_STATEMENT = """
def f(x, n: int):
    s = FIRST
    r = s
    if n > 1:
        r = SECOND
    return x * (USE)
"""
_EXPRESSION = """
def f(x, n: int):
    s = FIRST
    r = s if n < 2 else SECOND
    return x * (USE)
"""


def _filled(body: str, **parts: str) -> str:
    for name, text in parts.items():
        body = body.replace(name, text)
    return HELPERS + textwrap.dedent(body)


def _number(run: Any, x: Any, n: int) -> float | str:
    try:
        return float(np.asarray(run(x, n)))
    except (Exception, StopIteration) as error:
        return type(error).__name__


def _differs(want: float | str, got: float | str) -> bool:
    both = isinstance(want, float) and isinstance(got, float)
    return abs(want - got) > CLOSE if both else want != got  # type: ignore[operator]


def judged(program: Program) -> str:
    """What came of it: "skipped" where Python itself raises for every number, "equal", "refused", or what is wrong."""
    f = define(program.text, f"<{program.name}>")
    wants = [_number(f, torch.tensor(1.0), n) for n in NUMBERS]
    if all(isinstance(want, str) for want in wants):
        return "skipped"
    try:
        captured = gfx.symbolic_trace(f, backend="torch")
        runs = {way: captured if way == "interpreter" else captured.to(way) for way in TARGETS}
    except gfx.GfxError:
        return "refused"
    except Exception as error:
        raises = any(isinstance(want, str) for want in wants)
        return "skipped" if raises else f"crash: {type(error).__name__}: {error}"
    for (way, run), (n, want) in itertools.product(runs.items(), zip(NUMBERS, wants)):
        got = _number(run, jnp.float32(1.0) if way == "jax" else torch.tensor(1.0), n)
        if _differs(want, got):
            return f"wrong: {way} at {n}: {want}, got {got}"
    return "equal"


def main() -> int:
    """Run them all, or those whose name has a word; a table, and the text of what is wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("word", nargs="?", default="")
    args = parser.parse_args()
    console, counts, bad = Console(), Counter[tuple[str, str]](), list[tuple[Program, str]]()
    for family, programs in (("written", written()), ("chosen", chosen())):
        for program in programs:
            if args.word in program.name:
                found = judged(program)
                counts[family, found.partition(":")[0]] += 1
                if ":" in found:
                    bad.append((program, found))
    table = Table("family", "equal", "refused", "skipped", "wrong", "crash")
    for family in ("written", "chosen"):
        table.add_row(
            family, *(str(counts[family, kind]) for kind in ("equal", "refused", "skipped", "wrong", "crash"))
        )
    for program, found in bad:
        console.print(f"{program.name}: {found}", markup=False)
        console.print(program.text.removeprefix(HELPERS), markup=False)
    console.print(table)
    return bool(bad)


if __name__ == "__main__":
    raise SystemExit(main())
