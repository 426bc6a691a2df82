"""Whether a cost grows linearly: counted in lines of Python that run, which no other job on the machine changes."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

from gfx_ir.pause import collection_paused


def steps(run: Callable[[], object]) -> int:
    """How many lines of Python a call runs, those of comprehensions once for each trip; not those that a collection of garbage runs."""
    count = 0

    def step(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += 1
        return step

    before = sys.gettrace()
    with collection_paused():
        sys.settrace(step)
        try:
            run()
        finally:
            sys.settrace(before)
    return count


def assert_linear(prepare: Callable[[int], Callable[[], object]], small: int = 100, factor: int = 4) -> None:
    """`prepare(n)` gives what is measured on n nodes; `factor` times the nodes may cost a fifth more than that factor."""
    prepare(2)()
    few, many = steps(prepare(small)), steps(prepare(small * factor))
    assert many < 1.2 * factor * few, f"{small} nodes take {few} lines, {small * factor} nodes {many}"
