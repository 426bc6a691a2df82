"""One module against its captures: each call of several, and what the module holds behind the last one."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import torch

import gfx_trace as gfx
from family_checks import ARRAYS, REFUSED, Program, outcome, same, within
from gfx_ir.param_tree import flatten
from program_text import define

SECONDS = 60.0
CALLS = ((1.0, 2), (0.5, 0), (-1.0, 3), (2.0, 1), (1.0, 2))
"""What x is times, and n, in each call."""


@within(SECONDS)
def judged_module(program: Program) -> str:
    """What came of it, as `family_checks.judged` says it of functions. `f()` of its text makes the module."""
    made = lambda: define(program.text, f"<{program.name}>")()
    author = made()
    wants = _calls(author, program, "torch")
    if not wants:
        return "skipped"
    for way in program.ways:
        target, _, level = way.partition(" ")
        module = made()
        try:
            run = _captured(module, program, target, level)
        except gfx.GfxError:
            return "refused"
        except Exception as error:
            return f"crash: {way}: {type(error).__name__}: {error}"
        found = _calls(run, program, target if target == "jax" else "torch")
        for at, (want, got) in enumerate(zip(wants, found)):
            if got == REFUSED:
                return "refused"
            if not same(*(record if target != "jax" else _result(record) for record in (want, got)), target != "jax"):
                return f"wrong: {way} in call {at}: {want}, got {got}"
        if len(found) < len(wants):
            return f"wrong: {way} raises in call {len(found)}: {_error(run, program, target)}"
        kept = _state(author), _state(module if target == "program" else run)
        for path in _state(made()).keys() & kept[1].keys():  # a buffer that is None is none
            if not same(outcome(lambda: kept[0][path]), outcome(lambda: kept[1][path]), target != "jax"):
                return f"wrong: {way} leaves {path}: {kept[0][path]}, got {kept[1][path]}"
        if target != "jax" and not _state(made()).keys() <= kept[1].keys():
            return f"wrong: {way} leaves no {_state(made()).keys() - kept[1].keys()}"
    return "equal"


def _captured(module: Any, program: Program, target: str, level: str) -> Callable[..., Any]:
    """What is called like the module: the Program, a module of its own, or JAX's."""
    x = ARRAYS["torch"](program.x, "torch")
    args = {"": (), "typed": (x, gfx.Open), "dynamic": (x, gfx.Open)}[level]
    if target == "program":
        return gfx.symbolic_trace(module, *args, dynamic=level == "dynamic")
    made = gfx.transpile(module, *args, to=target, dynamic=level == "dynamic", jit=False)
    return made.module() if target == "torch" else made


def _calls(run: Callable[..., Any], program: Program, target: str) -> list[Any]:
    """What each call gives, up to one that raises."""
    found = []
    for scale, n in CALLS:
        x = ARRAYS[target](program.x, "torch") * scale
        got = outcome(lambda: (run(x, n), x if target == "torch" else None))  # nothing writes JAX's arrays
        if isinstance(got, str) and got != REFUSED:
            return found
        found.append(got)
    return found


def _result(record: Any) -> Any:
    """What is recorded of a call's result alone."""
    return record if isinstance(record, str) else record[1][0]


def _error(run: Callable[..., Any], program: Program, target: str) -> str:
    try:
        run(ARRAYS[target if target == "jax" else "torch"](program.x, "torch"), 2)
    except Exception as error:
        return repr(error)
    return ""


def _state(run: Any) -> dict[str, Any]:
    """The arrays that it holds, by their paths."""
    if isinstance(run, torch.nn.Module):
        return copy.copy(run.state_dict())
    return flatten(run.params) if run.params is not None else {}
