"""Loops over iterators without an end, itertools.count and repeat: `while` loops with a counter, where data ends them from within."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

from gfx_ir.graph import Value

from ..interfaces import Capturing
from ..objects.overloaded import operate
from ..values.access import Access, Stop
from ..values.proxy import weak_kind
from .peeling import stops_open


def endless(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """itertools.count(start=0, step=1), itertools.repeat(item). Python counts on from a truth in whole numbers."""
    step = kwargs.get("step", args[1] if len(args) > 1 else 1)
    start = args[0] if args else kwargs.get("start", 0)
    if f is itertools.count and weak_kind(start) == "bool" and type(step) is int and step == 1:
        args, kwargs = (tracer.calls.call(int, (start,), {}),), {}
    if f is itertools.repeat:
        args = (*args[:1], *map(tracer.overloading.position, args[1:]))
    made = tracer.iteration.made(f(*args, **kwargs))
    if f is itertools.count:
        tracer.iteration.endless[id(made)] = made, step
    elif len(args) + len(kwargs) == 1:
        tracer.iteration.endless[id(made)] = made, None
    return made


def loop_without_end(tracer: Capturing, iterator: Any, body: Callable[[Any], None], access: Access, stop: Stop) -> None:
    """for item in iterator: body(item), until stop(): Python runs it as long as it is known here whether that holds."""
    items = tracer.iteration.steps(iterator, later=True)
    item = next(items)
    flag: Any = None
    if not stops_open(tracer, lambda: body(item), access, stop):
        while not isinstance(flag, Value):
            body(item)
            flag = tracer.truths.truth(stop())
            if flag is True:
                return
            item = next(items)
    rest = tracer.iteration.rest(iterator, item)
    held = [rest.start]

    def trip() -> None:
        (now,) = held
        if rest.step is not None:
            held[0] = operate(tracer, "add", now, rest.step)
        body(now)

    counting = access.beside("count", lambda: held[0], lambda value: held.__setitem__(0, value))
    tracer.loops.while_(lambda: True, trip, counting, stop)
    tracer.facts.assume(tracer.truths.truth(stop()), True)
