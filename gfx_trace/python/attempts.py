"""A call that is tried: where it comes to nothing, the capture goes on as if it had never been made."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from gfx_ir.graph import Node

from ..interfaces import Capturing


class Mark:
    """A point of the capture that it can come back to: the nodes, guards and calls without a row up to there."""

    __slots__ = ("tracer", "graph", "last", "assumed", "missing")

    def __init__(self, tracer: Capturing) -> None:
        self.tracer, self.graph, self.last = tracer, tracer.graph, tracer.graph.last
        self.assumed, self.missing = tracer.assumed.state(), len(tracer.missing)

    def nodes(self) -> Iterator[Node]:
        """What was recorded since."""
        following = self.graph.first if self.last is None else self.last.next
        while following is not None:
            yield following
            following = following.next

    def back(self) -> None:
        """Take back what was recorded since."""
        tracer = self.tracer
        for node in reversed(list(self.nodes())):
            self.graph.erase(node)
        tracer.assumed.back(self.assumed)
        for name in list(tracer.missing)[self.missing :]:
            del tracer.missing[name]


def attempt(tracer: Capturing, work: Callable[[Mark], Any]) -> Any:
    """What work(mark) gives. Where it raises, what it recorded and wrote is taken back first."""
    mark, noted = Mark(tracer), tracer.effects.noted()
    tracer.journal.open()
    try:
        with tracer.iteration.closing():
            made = work(mark)
    except BaseException:
        tracer.journal.close()
        tracer.effects.back(noted)
        mark.back()
        raise
    tracer.journal.keep()
    return made
