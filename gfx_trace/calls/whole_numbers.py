"""Whole numbers where Python asks an object for its index: the ends of ranges, and how long these are."""

from __future__ import annotations

from typing import Any

from ..interfaces import Capturing
from ..python.faults import cannot, class_name
from ..python.open_iterables import OpenRange
from ..python.sequences import is_whole
from ..values.proxy import HostProxy, Proxy, is_open


def open_range(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """range(…)."""
    args = tuple(map(tracer.overloading.position, args))
    args = tuple([tracer.calls.call(int, (x,), {}) if _boolean_index(tracer, x) else x for x in args])
    if not any(map(is_open, args)):
        return range(*args)
    for arg in args:
        known = type(arg) is not Proxy or (bool(arg.weak) and class_name(tracer, arg) is not None)
        if known and not is_whole(arg):
            raise cannot(tracer, arg, "{} cannot be interpreted as an integer")
        if not known:
            tracer.raising.let_out("range()", TypeError())
    start, stop, step = (0, args[0], 1) if len(args) == 1 else (*args, 1)[:3]
    if is_open(step):
        _not_zero(tracer, step)
    return OpenRange(start, stop, step)


def _not_zero(tracer: Capturing, step: Any) -> None:
    """Have the code raise Python's ValueError where the step of a range is 0, or the capture, where data decides and a clause waits."""
    what = "range() arg 3 must not be zero"
    if type(step) is HostProxy:
        tracer.raising.check(step != 0, lambda: what, ValueError)
    else:
        tracer.raising.let_out("range()", ValueError(what))


def _boolean_index(tracer: Capturing, x: Any) -> bool:
    """Whether x is an open boolean, which Python takes for a whole number; Python's TypeError where its class has no index."""
    if not is_open(x) or (type(x) is HostProxy and x.value.kind != "bool"):
        return False
    if type(x) is Proxy and not x.weak:
        if not tracer.record.is_boolean(x.read()):
            return False
        if x.backend is not None and x.backend.name != "torch":
            raise TypeError(f"{class_name(tracer, x)!r} object cannot be interpreted as an integer")
    return type(x) is HostProxy or not x.weak or x.weak == "bool"


def range_length(tracer: Capturing, x: OpenRange) -> Any:
    """len(range(…))."""
    steps = -((x.start - x.stop) // x.step)
    return tracer.calls.call(max, (0, steps), {})


def index(tracer: Capturing, f: Any, args: tuple, kwargs: dict) -> Any:
    """operator.index(x)."""
    (x,) = args
    if not is_open(x):
        found = tracer.overloading.position(x)
        return f(x) if found is x else found
    if _boolean_index(tracer, x):
        return tracer.calls.call(int, (x,), {})
    if type(x) is HostProxy or (type(x) is Proxy and x.weak):
        if not is_whole(x):
            raise cannot(tracer, x, "{} object cannot be interpreted as an integer")
        return x
    tracer.assumed.kinds("operator.index", [x.read()], "iu")
    tracer.assumed.require_rank(x.read(), 0, "operator.index() takes a number")
    return tracer.calls.call(int, (x,), {})
