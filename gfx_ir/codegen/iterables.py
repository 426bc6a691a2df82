"""What loops go over: ranges that count rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..control import host_operator
from ..graph import Value
from ..op import Trait
from ..types import LogicalTensor

Resolve = Callable[[Any], Any]


def counts_rows(resolve: Resolve, numbers: Any, rows: Any) -> bool:
    """Whether the first of two things that a loop goes over is a range, and counts the rows of the second."""
    if type(numbers) is not tuple or type(rows) is tuple or type(numbers[1]) is not int or numbers[3] != 1:
        return False
    stop = _length_of(resolve, numbers)
    if type(stop) is not Value:
        known = resolve(rows).type
        dims = known.dims if isinstance(known, LogicalTensor) else None
        return dims is not None and dims[:1] == (stop,)
    if not stop.node.op.traits & Trait.LENGTH:
        return False
    return stop.node.args[1] == 0 and resolve(stop.node.args[0]) is resolve(rows)


def _length_of(resolve: Resolve, numbers: Any) -> Any:
    """How many numbers a range from a fixed one on has, where nothing has to be computed for it."""
    start, stop = numbers[1], resolve(numbers[2])
    if type(stop) is int or start == 0:
        return stop - start if start else stop
    if type(stop) is Value and host_operator(stop.node) == "+":
        rest = [arg for arg in stop.node.args[1] if type(arg) is not int or arg != start]
        return resolve(rest[0]) if len(rest) == 1 else None
    return None
