"""One side of a test, or the body of a loop, as it was traced; and what is refused of sides that fail."""

from __future__ import annotations

from typing import Any

from gfx_ir.control import is_none_test
from gfx_ir.graph import Graph, Value

from ..heap.links import Link
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.faults import not_given
from ..values.facts import opposite
from ..values.raised import Raised


class Side:
    """One side of a test, traced."""

    __slots__ = ("graph", "captures", "result", "after", "written", "raised", "values", "contents", "since", "links")

    def __init__(self, graph: Graph, captures: dict[Value, Value], since: int) -> None:
        """`since`: how much the capture had made before."""
        self.graph, self.captures, self.since = graph, captures, since
        self.result: Any = None
        self.after: tuple = ()
        self.written: list[tuple[Slot, Any]] = []
        self.raised: Raised | None = None
        self.values: dict[int, Any] = {}  # what tensors held at its end, by id of the Proxy
        self.contents: dict[int, Any] = {}  # what written containers held at its end, by their id
        self.links: list[Link] = []  # containers that it linked


def refuse_failing(tracer: Capturing, test: Any, truth: bool, error: Exception) -> None:
    """Raises where one side of a test on whether an argument is None fails: nobody said that a call comes there."""
    while isinstance(test, Value) and (other := opposite(test)) is not None:
        test, truth = other, not truth
    if not isinstance(test, Value) or not is_none_test(test.node):
        return
    name = not_given(tracer.facts.root(test.node.args[0]))
    if name:
        raise tracer.error(
            f"GFX cannot convert this test: where {name!r} is {'' if truth else 'not '}None, the code fails "
            f"({type(error).__name__}: {error}), and {name!r} was not given",
            f"give it at capture: {name}=None, or what calls give",
        ) from error
