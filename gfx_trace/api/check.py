"""Check: the original and what was made of it on the same inputs, output by output."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gfx_ir.errors import GfxError
from gfx_ir.loading import backend
from gfx_ir.param_tree import flatten
from gfx_ir.probing import is_module
from gfx_ir.records import mapped, plain

from ..frameworks.params import moved
from ..heap.slots import READ
from .blocks import Block, Divergence, divergence
from .differences import Difference, compare_all, copied, flat
from .program import Program
from .transpiled import Transpiled


@dataclass(frozen=True)
class Report:
    """What `gfx.check` found: the outputs, and what the program writes (`state`). `tolerance` None: that of each dtype.

    Where they differ, or where that was asked for: `blocks`, run node by node on both frameworks, in the order in which they end,
    and `first`, the first value in them that differs. `note` tells which step is at fault where it is none of these."""

    target: str
    tolerance: float | None
    outputs: tuple[Difference, ...]
    state: tuple[Difference, ...] = ()
    blocks: tuple[Block, ...] = ()
    first: Divergence | None = None
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether all agree."""
        return all(d.equal for d in (*self.outputs, *self.state))

    def __str__(self) -> str:
        how = "of each dtype" if self.tolerance is None else f"{self.tolerance:g}"
        lines = [f"{'equal' if self.ok else 'DIFFERENT'} on {self.target} (tolerance {how})"]
        lines += [f"  {d}" for d in self.outputs] + [f"  writes {d}" for d in self.state]
        return "\n".join([*lines, *(str(part) for part in (self.first, self.note) if part)])


def check(
    subject: Any, *args: Any, tolerance: float | None = None, to: str = "jax", blocks: bool = False, **kwargs: Any
) -> Report:
    """Run the original and the transpiled function on the same inputs; compare output by output, and what both write.

    `subject` is a Program or a traced function, which is transpiled `to` a framework, or a Transpiled; `args` are the
    original's own. An output is equal where shapes and dtypes are (64-bit types may be 32-bit ones where the framework
    is set so), NaN stands where NaN stood, integers are the same, and the largest difference is within `tolerance`
    times the largest magnitude (at least 1); the tolerance of a dtype is 1e-6 for float64, 1e-4 for float32, 1e-2 for
    float16 and 5e-2 for bfloat16. A model that writes its state is run as a copy, and keeps the state that it has.

    Where something differs, or with `blocks=True`, the graph is run node by node on both frameworks too, and the report names the
    first block that differs, the author's line in it and statistics of both values.

    Raises GfxError for a program that was read from a file, which has no original, and for one that draws random
    numbers; GuardError where the capture does not stand for the inputs.
    """
    subject = _transpiled(subject, to)
    program = subject.program
    owner = backend(subject.target)
    _, given, _ = program.admit(args, kwargs)
    got = _run(subject, mapped(lambda leaf: moved(leaf, owner), given))
    memo: dict[int, Any] = {}
    target = _copy_of(program, memo)
    own_args, own_kwargs = mapped(copied, list(args)), mapped(copied, kwargs)
    expected = target(*own_args, **own_kwargs)
    outputs = compare_all(flat(expected), flat(got[0]), owner, tolerance)
    written = _written(program, target, memo, program.binding.bind(own_args, own_kwargs)[0])
    state = {path: _like(value, got[1][path]) for path, value in written.items()}
    report = Report(subject.target, tolerance, outputs, compare_all(flat(state), flat(got[1]), owner, tolerance))
    return report if report.ok and not blocks else _by_block(report, subject, given, owner)


def _by_block(report: Report, subject: Transpiled, given: Mapping[str, Any], owner: Any) -> Report:
    """The report with what the blocks give."""
    program, params = subject.program, flatten(subject.params or {})
    try:
        blocks, first = divergence(program, given, params, backend(program.flavour), owner, report.tolerance)
    except Exception as error:  # whatever a framework raises where it runs what the other one could
        return replace(report, note=f"no block was compared: {type(error).__name__}: {error}")
    note = (
        ""
        if first is not None or report.ok
        else "no block differs: the capture or the emitted source does, not an op on its own"
    )
    return replace(report, blocks=blocks, first=first, note=note)


def _transpiled(subject: Any, to: str) -> Transpiled:
    found = subject if isinstance(subject, Transpiled) else getattr(subject, "program", subject)
    if not isinstance(found, Transpiled):
        if not isinstance(found, Program):
            hint = "gfx.check(gfx.transpile(target, to=...), *args)"
            raise GfxError(f"gfx.check takes what GFX captured, not a {type(subject).__name__}", hint=hint)
        found = Transpiled(found, to, {})
    program = found.program
    if program.captured is None:
        hint = "check what symbolic_trace gives"
        raise GfxError("this program was read from a file: there is no original to compare with", hint=hint)
    if any(value.kind == "key" for value in program.entry.placeholders):
        hint = "capture a model after .eval(), or compare means of many calls"
        raise GfxError(
            f"{program.entry.name!r} draws random numbers, and two frameworks draw different ones", hint=hint
        )
    return found


def _copy_of(program: Program, memo: dict[int, Any]) -> Any:
    """The original; where it writes its state a copy of it."""
    target = program.captured.target  # type: ignore[union-attr]  # has been asked for
    if not program.writes:
        return target
    try:
        return copy.deepcopy(target, memo)
    except Exception as error:
        hint = "check it where it was just made; state that still has a gradient's history cannot be copied"
        raise GfxError(f"{program.entry.name!r} writes its state, and cannot be copied: {error}", hint=hint) from error


def _run(subject: Transpiled, given: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """(result, what it writes); nothing is written."""
    terms = subject.emitted.terms
    assert terms is not None
    leading = {terms.leading: subject.params} if terms.leading else {}
    out = terms.binding.call(subject.jitted, {**leading, **given})
    out = plain(subject.program.entry.result, out)
    return out if subject.program.writes else (out, {})


def _written(program: Program, target: Any, memo: Mapping[int, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """What the original has left where the program writes. `memo`: the copies that were made of the original's parts."""
    if not program.writes or program.captured is None:
        return {}
    arguments = program.admission.written(given)
    found = {}
    for path in program.writes:
        write = program.captured.slots.get(path)
        if write is not None and write.slot is not None:
            slot = write.slot
            found[path] = READ[slot.kind](memo.get(id(slot.object), slot.object), slot.key)
        elif path in program.params:
            held = program.params[path]
            replaced = _attribute(target, path) if is_module(target) else None
            found[path] = memo.get(id(held), held) if replaced is None else replaced
        else:
            found[path] = arguments[path]
    flags = {write.there: path for path, write in program.captured.slots.items() if write.there is not None}
    return found | {flag: np.asarray(found[path] is not None) for flag, path in flags.items()}


def _like(value: Any, tree: Any) -> Any:
    """What an object has of the attributes that hang on data, as the tree of a state tells them."""
    if not isinstance(tree, Mapping) or isinstance(value, Mapping):
        return value
    return {name: _like(getattr(value, name), part) for name, part in tree.items()}


def _attribute(module: Any, path: str) -> Any:
    for part in path.split("."):
        module = getattr(module, part, None)
    return module
