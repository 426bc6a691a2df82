"""One side of a test, or the body of a loop, as it was traced; and what is refused of sides that fail."""

from __future__ import annotations

from typing import Any

from gfx_ir.control import hangs_on_data, is_none_test
from gfx_ir.errors import ShapeError
from gfx_ir.graph import Graph, Value

from ..heap.links import Link
from ..heap.slots import Slot
from ..interfaces import Capturing
from ..python.faults import not_given
from ..python.told import told
from ..rewrite import is_converted
from ..rewrite.tracebacks import walk
from ..values.facts import opposite
from ..values.raised import OF_FIXED_PARTS, Raised


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


def failing(tracer: Capturing, test: Value, error: Exception) -> Raised | None:
    """The raise that the code's own failing on one side of a test on open numbers is: of what is fixed there, as an item that a list does
    not have, or of sizes that do not fit. None where it is none, or where data decides or an except clause may take it."""
    if test.is_tensor or hangs_on_data(tracer.facts.root(test).node) or tracer.raising.handlers:
        return None
    if isinstance(error, ShapeError) and error.certain:
        return Raised(RuntimeError(error.what), error.span, (error.what,), 0)
    if error is not tracer.raising.of_fixed and not (isinstance(error, OF_FIXED_PARTS) and _in_code(error)):
        return None
    return Raised(error, tracer.span(), told(tracer, error.args), 0)


def _in_code(error: Exception) -> bool:
    """Whether an operator of the author's code raised an error."""
    frames = [frame for frame, _, _ in walk(error.__traceback__)]
    return bool(frames) and is_converted(frames[-1].f_code)
