"""Docstrings of emitted entries: the author's own, and what a reader of the source has to know besides."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator, Sequence

from ..graph import Value
from ..host import atoms
from ..memory import QUESTIONS
from ..program import Guard, Program
from ..types import LogicalTensor
from .signature import literal
from .style import Style
from .wrap import COLUMNS

_WIDTH = COLUMNS - len('    """')
_LISTED = 8
_STATED = frozenset(("promotion", "value", "rank", "axes", "number", "device", "requires_grad", "kinds", *QUESTIONS))


def docstring(program: Program, static: Sequence[str], read: Sequence[Value], style: Style) -> str:
    """The text; `static` are the arguments that jax.jit has to be told of, `read` the tensors that Python reads."""
    notes = list(_assumed(program, style))
    if style.control.compiled:
        if static:
            listed = ", ".join(repr(text) for text in static).replace("'", '"')
            notes.append(f"Under jax.jit: static_argnames=({listed}{',' if len(static) == 1 else ''}).")
        if read:
            numbers = sorted({leaf.name for leaf in read if leaf.name})
            what = f" ({', '.join(numbers)})" if numbers else ""
            notes.append(f"Reads values of tensors in Python{what}, which jax.jit refuses.")
    doc = inspect.cleandoc(program.entry.doc)
    new = [note for note in notes if note not in doc]  # of emitted code that is captured again
    return "\n\n".join(part for part in (doc, "\n".join(new)) if part)


def _assumed(program: Program, style: Style) -> Iterator[str]:
    """What the capture took as given. Values that the signature shows as the author's own defaults are named only."""
    fixed = [parameter for parameter in program.signature if parameter.fixed]
    left = [p.name for p in fixed if p.at_default and literal(p.tree)]
    whole = {parameter.name for parameter in fixed}
    random = {guard.subject for guard in program.guards if guard.kind == "random"}
    for parameter in fixed:
        if parameter.name not in (*left, *random):
            yield f"Assumes: {Guard('value', parameter.name, parameter.tree)}"
    for guard in program.guards:
        if guard.kind not in _STATED or (guard.kind == "kinds" and not _kinds_matter(guard, program, style)):
            continue
        if not (guard.kind == "value" and guard.subject.partition(".")[0] in whole):
            yield f"Assumes: {guard}"
    typed = list(_types(program.guards))
    if typed:
        yield _filled(f"Assumes {', '.join([*typed, *_bounds(program)])}.")
    if left:
        yield _filled(f"Assumes the default{'s' if len(left) > 1 else ''} of {', '.join(left)}.")


def _types(guards: Sequence[Guard]) -> Iterator[str]:
    """What is taken as given of types; of an argument of many arrays how many there are."""
    of: dict[str, list[str]] = {}
    for guard in guards:
        if guard.kind == "type":
            of.setdefault(guard.subject.partition(".")[0], []).append(str(guard))
    for argument, types in of.items():
        if len(types) <= _LISTED:
            yield from types
        else:
            yield f"{argument}: the types of {len(types)} arrays"


def _bounds(program: Program) -> list[str]:
    """The bounds of sizes, where they were given."""
    types = [value.type for value in program.entry.placeholders if isinstance(value.type, LogicalTensor)]
    dims = [dim for type_ in types for dim in type_.dims or ()]
    return list(dict.fromkeys(text for size in dims if size is not None for dim in atoms(size) if (text := dim.told())))


def _kinds_matter(guard: Guard, program: Program, style: Style) -> bool:
    """Whether a reader has to be told of kinds of numbers: the author's own framework refuses others itself, and that no complex
    numbers are given to what takes all others goes without saying."""
    return style.name != program.flavour and not {"b", "i"}.issubset(guard.value)


def _filled(text: str) -> str:
    return textwrap.fill(text, _WIDTH, subsequent_indent="    ", break_on_hyphens=False)
