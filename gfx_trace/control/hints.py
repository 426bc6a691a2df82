"""What the last tracing of a loop found out, as a first guess for the next: the loops inside of a loop are traced once a pass of it.

A guess is only where a pass begins: every pass verifies what it assumed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from gfx_ir.python_numbers import NUMBER_CLASSES

from ..values.gated import is_total
from ..values.nest import branches
from ..values.proxy import weak_kind
from .carried import Carried
from .carries import Carries


@dataclass
class Hints:
    """How a loop's carried values settled."""

    host: bool
    dropped: set[tuple]
    kept: set[tuple]
    flat: set[tuple]
    leaves: dict[tuple, tuple] = field(default_factory=dict)
    entry: dict[int, Any] = field(default_factory=dict)


def loop_key(carries: Carries) -> tuple:
    """What tells loops apart: the place, the calls that led there, and what the variables are."""
    tracer = carries.tracer
    site = tracer.site
    found: list[Any] = [] if site is None else [site.f_code, site.f_lasti]
    scope: Any = tracer.scopes.scope
    while scope is not None:
        found.append((scope.key, scope.site))
        scope = scope.parent
    return (*found, *(type(value).__name__ for value in carries.before))


def recall(carries: Carries, hints: Hints | None) -> None:
    """Begin with what is known of this loop."""
    if hints is None:
        return
    carries.host = hints.host
    carries.kept, carries.flat = set(hints.kept), set(hints.flat)
    for at, value in hints.entry.items():
        carries.entry[at] = value
    carries.replan()
    for path in hints.dropped:
        if path in carries.leaves and path not in carries.kept:
            carries.drop(path)
    for path, (number, kind, weak, kinds, found, truth) in hints.leaves.items():
        carried = carries.leaves.get(path)
        if carried is not None and _is_number(carried) is number:  # a tensor is written in place, a number never
            carried.kind, carried.weak, carried.kinds = kind, weak, kinds
            carried.found, carried.truth = found, truth


def remember(carries: Carries) -> Hints:
    """What is known of this loop now. Slots are told apart by their objects, which the next tracing makes anew."""
    plain = {path for path in carries.dropped if path[0] != "slot"}
    hints = Hints(carries.host, plain, {p for p in carries.kept if p[0] != "slot"}, set(carries.flat))
    for path, carried in carries.leaves.items():
        if carried.slot is None:
            number = _is_number(carried)
            hints.leaves[path] = number, carried.kind, carried.weak, carried.kinds, carried.found, carried.truth
    for at, (value, before) in enumerate(zip(carries.entry, carries.before)):
        if value is not before and _numbers(value):
            hints.entry[at] = value
    return hints


def _is_number(carried: Carried) -> bool:
    """Whether a leaf was a number before the loop."""
    return bool(weak_kind(carried.init))


def _numbers(value: Any) -> bool:
    parts = branches(value) if isinstance(value, tuple) or is_total(value) else None
    return isinstance(value, NUMBER_CLASSES) if parts is None else all(_numbers(item) for _, item in parts)
