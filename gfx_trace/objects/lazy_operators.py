"""Boolean operators, with short-circuit evaluation: an operand is traced as a region under what was found before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..values.access import A_VALUE, Access
from ..values.gated import Gated
from ..values.proxy import HostProxy, Proxy, Unusable, is_open


def chained(tracer: Capturing, value: Any, rest: Sequence[Callable[[], Any]], stop: bool, access: Access) -> Any:
    """value or rest… where `stop`, else value and rest…"""
    for at, operand in enumerate(rest):
        more = rest[at:]
        following = lambda more=more: chained(tracer, more[0](), more[1:], stop, access)
        if type(value) is Proxy and isinstance(none := tracer.truths.is_(value, None), HostProxy):
            there = lambda value=value, more=more: chained(tracer, value, more, stop, access)
            return tracer.truths.ifexp(none, following if stop else lambda: None, there, access)
        if type(value) is Gated and value.then is not value.otherwise:
            each = lambda side, more=more: chained(tracer, side, more, stop, access)
            return tracer.gates.resolve(value, each, access, asked=True)
        test = tracer.truths.truth(value)
        if isinstance(test, Value):
            return _chosen(tracer, value, test, following, stop, access)
        if test is stop:
            return value
        value = operand()
    return value


def _chosen(
    tracer: Capturing, value: Any, test: Value, following: Callable[[], Any], stop: bool, access: Access
) -> Any:
    """value where its truth `test` is `stop`, else what follows it. An object has that in common with no other value but its truth:
    beside one it is all that the result can be asked for."""
    lost: list[CaptureError] = []
    is_object = not is_open(value)

    def rest() -> Any:
        found = following()
        if type(found) is Gated and found.then is found.otherwise:
            lost.append(found.refusal)
        elif is_object and type(found) is not type(value):
            what = f"a {type(value).__name__} on one way, and something else on the other"
            lost.append(tracer.error(f"GFX cannot use what this gives: {what}", "ask for its truth alone: bool(x)"))
        return tracer.truths.bool_(found) if lost and not is_open(found) else found

    kept = lambda: stop if lost or (type(value) is HostProxy and value.kind == "bool") else _given(tracer, value)
    if stop and is_object:  # what follows is asked first
        test = tracer.unwrap(tracer.truths.not_(tracer.wrap(test)))
    then, otherwise = (kept, rest) if stop and not is_object else (rest, kept)
    found = tracer.regions.branch(test, then, otherwise, access)
    if not lost:
        return found
    nothing_else = Unusable(lost[0])
    return Gated(tracer.unwrap(found), nothing_else, nothing_else, A_VALUE)


def _given(tracer: Capturing, value: Any) -> Any:
    """A value on the way on which its truth is known: that may tell that a side of a test gave it which holds a number, as
    `a and 0.5` does where it is true."""
    held = value.read() if type(value) is Proxy else None
    if not isinstance(held, Value):
        return value
    given = tracer.facts.given_by(held)
    if not isinstance(given, Value):
        return given
    kinds = tracer.record.numbers_of(given) if given is not held and tracer.gates.visible(given) else None
    return Proxy(tracer.local(given), value.backend, kinds) if kinds else value
