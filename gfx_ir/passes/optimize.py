"""Optimize: passes in a fixed order, verified, timed, dumped and validated one by one."""

from __future__ import annotations

import difflib
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..copies import copy_program
from ..dtypes import dtype
from ..errors import ArgumentError
from ..interpreter import Interpreter
from ..pause import collection_paused
from ..program import Program
from ..reference import ReferenceBackend
from ..text import to_text
from ..trees import leaves
from .base import Context, Pass, PassError, every_graph
from .params import data_of
from .registry import PASSES

ROUNDS = 20


@dataclass(frozen=True)
class Applied:
    """One application: which pass, in which round, whether it changed something, how long it took, nodes before and after."""

    name: str
    round: int
    changed: bool
    seconds: float
    before: int
    after: int

    def __str__(self) -> str:
        what = f"{self.before} -> {self.after} nodes" if self.changed else "no change"
        return f"{self.round}  {self.name:<24} {1000 * self.seconds:8.2f} ms  {what}"


class Optimize:
    """`Optimize([...])(program)` gives a new program; `report` tells what each pass did.

    Passes are instances, or registered names (`inline(limit=20)`: with attributes). `fixpoint`: again and again until none
    changes anything. `dump` is a folder (else that of the environment variable GFX_DUMP) for the text before and after each
    change, and their difference. `validate` holds data for the entry's placeholders (one tuple, or a list of them): after
    each change the reference runs on it, and the first pass that changes a result is named, or that makes a result a part of the
    memory of an argument, or of another result, that it was not a part of before.
    """

    def __init__(
        self, passes: str | Sequence[str | Pass], *, fixpoint: bool = False, target: str = "", dump: str | Path | None = None,
        validate: Any = None, tolerance: float | None = None,
    ) -> None:  # fmt: skip
        self.passes = [made for p in ([passes] if isinstance(passes, str) else passes) for made in _read(p)]
        self.fixpoint, self.target, self.tolerance = fixpoint, target, tolerance
        folder = os.environ.get("GFX_DUMP") if dump is None else dump
        self.dump = Path(folder) if folder else None
        self.inputs = [] if validate is None else validate if isinstance(validate, list) else [validate]
        self.report: list[Applied] = []

    @collection_paused()
    def __call__(self, program: Program) -> Program:
        """A new program. Raises PassError, which names the pass and those that ran before it."""
        return self.run(copy_program(program), Context(self.target, inputs=self.inputs))

    def run(self, program: Program, context: Context) -> Program:
        """Apply them to this program, in place, for the context that they are to share."""
        out, self.report = program, []
        expected = [_run(out, inputs) for inputs in self.inputs]
        for at in range(ROUNDS if self.fixpoint else 1):
            changed = [self._apply(pass_, out, context, expected, at) for pass_ in self.passes]
            if not any(changed):
                return out
        if self.fixpoint:
            told = ", ".join(pass_.name for pass_, moved in zip(self.passes, changed) if moved)
            raise PassError(f"no fixpoint after {ROUNDS} rounds: {told} still change the program")
        return out

    def _apply(self, pass_: Pass, program: Program, context: Context, expected: list[Any], at: int) -> bool:
        if not context.checked:
            return pass_.apply(program, context)
        before = "" if self.dump is None else to_text(program)
        count = self.report[-1].after if self.report else _count(program)
        start = time.perf_counter()
        changed = pass_.apply(program, context)
        seconds = time.perf_counter() - start
        self.report.append(Applied(pass_.name, at, changed, seconds, count, _count(program) if changed else count))
        if changed and self.dump is not None:
            _dump(self.dump, len(self.report), pass_.name, before, to_text(program))
        if changed:
            self._validate(pass_, program, context, expected)
        return changed

    def _validate(self, pass_: Pass, program: Program, context: Context, expected: list[Any]) -> None:
        for inputs, wanted in zip(self.inputs, expected):
            try:
                found = _run(program, inputs)
            except Exception as error:
                what = f"pass {pass_.name!r} made the program fail: {type(error).__name__}: {error}"
                raise PassError(_after(what, context)) from error
            difference = _difference(wanted[0], found[0], self.tolerance, context.tolerance) or _joined(
                wanted[1], found[1]
            )
            if difference:
                raise PassError(_after(f"pass {pass_.name!r} changed a result: {difference}", context))


def _read(what: str | Pass) -> list[Pass]:
    """The passes that a text names, or the one that is given."""
    if isinstance(what, str):
        return PASSES.read(what)
    if not isinstance(what, Pass):
        raise ArgumentError(f"{what!r} is no pass", hint="give the name of a registered one, or an instance of a Pass")
    return [what]


def _after(what: str, context: Context) -> str:
    earlier = context.done[:-1]
    return f"{what} (it ran after {', '.join(earlier)})" if earlier else what


def _count(program: Program) -> int:
    return sum(len(graph) for graph in every_graph(program))


def _run(program: Program, inputs: Sequence[Any]) -> tuple[Any, set[tuple[str, str]]]:
    """The result, and what in it shares memory."""
    taken = program.entry.placeholders
    if not isinstance(inputs, (tuple, list)) or len(inputs) < len(taken):
        hint = "a tuple with data for each of: " + ", ".join(str(value.name) for value in taken)
        raise ArgumentError("`validate` does not hold data for every argument of the entry", hint=hint)
    params = {path: data_of(x) for path, x in program.params.items()}
    with np.errstate(all="ignore"):
        result = Interpreter(ReferenceBackend(), program, params).graph(program.entry, tuple(inputs), "")
    return result, _shared(result, inputs)


def _shared(result: Any, inputs: Sequence[Any]) -> set[tuple[str, str]]:
    """Which results share memory with which arguments, and with which results before them."""
    given = [(f"argument {at}", x) for at, x in enumerate(leaves(tuple(inputs)))]
    found = set()
    for at, x in enumerate(leaves(result)):
        for name, y in given if isinstance(x, np.ndarray) else ():
            if isinstance(y, np.ndarray) and np.may_share_memory(x, y):
                found.add((f"value {at}", name))
        given.append((f"value {at}", x))
    return found


def _joined(before: set[tuple[str, str]], after: set[tuple[str, str]]) -> str:
    """What shares memory that did not before, "" for nothing."""
    return next((f"{value} shares memory with {other}" for value, other in sorted(after - before)), "")


def _difference(a: Any, b: Any, tolerance: float | None, share: float | None) -> str:
    """How two results differ, "" where they do not: by a tolerance, else by that share of the largest number, else by their dtypes."""
    first, second = list(leaves(a)), list(leaves(b))
    if len(first) != len(second):
        return f"{len(first)} values became {len(second)}"
    for at, (x, y) in enumerate(zip(first, second)):
        if x is None or isinstance(x, (str, bool)):
            if x != y:
                return f"value {at}: {x!r} became {y!r}"
            continue
        x, y = np.asarray(x), np.asarray(y)
        if x.shape != y.shape or x.dtype != y.dtype:
            return f"value {at}: {x.dtype}{list(x.shape)} became {y.dtype}{list(y.shape)}"
        close = _tolerance(x) if tolerance is None else tolerance
        least = close if share is None or tolerance is not None else share * max(close, _largest(x))
        if not np.allclose(_wide(x), _wide(y), rtol=close, atol=least, equal_nan=True):
            return f"value {at} differs by {np.nanmax(np.abs(_wide(x) - _wide(y))):.3g}"
    return ""


def _tolerance(x: np.ndarray) -> float:
    element = dtype(x.dtype)
    return 0.0 if element.kind in "biu" else {64: 1e-10, 128: 1e-10, 32: 1e-4}.get(element.bits, 1e-2)


def _largest(x: np.ndarray) -> float:
    """Of the finite numbers the largest."""
    found = np.abs(_wide(x))
    return float(found[np.isfinite(found)].max(initial=0.0))


def _wide(x: np.ndarray) -> np.ndarray:
    return x if x.dtype.kind == "c" else x.astype(np.float64)


def _dump(folder: Path, at: int, name: str, before: str, after: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    lines = difflib.unified_diff(before.splitlines(True), after.splitlines(True), "before", "after")
    for ending, text in (("before.txt", before), ("after.txt", after), ("diff", "".join(lines))):
        (folder / f"{at:03}_{name}.{ending}").write_text(text, encoding="utf-8")
