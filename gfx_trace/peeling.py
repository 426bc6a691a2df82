"""Loop peeling: the first trip runs before the loop, where only it changes the kind or shape of what the loop carries."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value

from .interfaces import Capturing
from .number_rows import rows_kind
from .open_iterables import Combined
from .proxy import Proxy


def divides(iterable: Any) -> bool:
    """Whether the first item of what a loop goes over can be taken from the others."""
    if isinstance(iterable, Combined):
        parts = iterable.parts
        return all(map(divides, parts)) and (iterable.kind != "reversed" or isinstance(parts[0], Proxy))
    return isinstance(iterable, range) or (isinstance(iterable, Proxy) and not rows_kind(iterable))


def divided(tracer: Capturing, iterable: Any) -> tuple[Any, Any]:
    """The first item of what a loop goes over that has one, and what is left."""
    if isinstance(iterable, range):
        return iterable[0], iterable[1:]
    if isinstance(iterable, Proxy):
        return tracer.views.getitem(iterable, 0), tracer.views.getitem(iterable, slice(1, None))
    if iterable.kind == "reversed":
        (part,) = iterable.parts
        return tracer.views.getitem(part, -1), Combined("reversed", (tracer.views.getitem(part, slice(None, -1)),))
    firsts, others = zip(*[divided(tracer, part) for part in iterable.parts])
    if iterable.kind == "zip":
        return firsts, Combined("zip", others)
    return (iterable.start, *firsts), Combined("enumerate", others, iterable.start + 1)


def peel(
    tracer: Capturing, iterable: Any, body: Callable[[Any], None], loop: Callable[[Any], None], stop: Any, access: tuple
) -> None:
    """The first trip, and the loop of the others. `access`: get, set and names of the variables that the loop assigns."""
    first, others = divided(tracer, iterable)
    site = tracer.site
    body(first)
    tracer.site = site
    flag = False if stop is None else tracer.truths.truth(stop())
    if isinstance(flag, Value):
        tracer.loops.unless(flag, lambda: loop(others), *access)
    elif not flag:
        loop(others)
