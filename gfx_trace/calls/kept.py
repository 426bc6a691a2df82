"""What a capture keeps of the functions that it calls: a function's graph with all that it stands for, and what calls there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Graph, Value

from ..heap.aliases import memory
from ..heap.reads import Reached
from ..interfaces import Capturing
from ..values.proxy import Proxy
from .outputs import Outputs
from .signatures import Given


class Share:
    """The part that calls of functions have in a capture.

    `on`: whether functions stay functions; `doubts`: those, too, that may give a view of what they are given. `calls`: how many calls
    there are, and `doubtful` of these. `entered`: how many functions are entered, in all, where each call is expanded. `refs`: whether
    loops carry, too, which tensor a variable is, and guards tell whether a tensor is where it is asked for; `trips`: whether Python
    runs loops of a fixed number of trips that write to what may be another tensor's memory in some of them."""

    def __init__(self, on: bool = True, doubts: bool = True, refs: bool = False, trips: bool = False) -> None:
        self.on, self.doubts, self.refs, self.trips = on, doubts, refs, trips
        self.calls = self.doubtful = self.entered = 0


@dataclass
class Kept:
    """A function that was captured: `graph` is what it does for arguments like these, `name` the function of the program that does
    the same, "" where it computes nothing; `closed` are the values from outside that it takes, `reached` what it
    reads there; `entered`: how many functions."""

    graph: Graph
    name: str
    closed: list[Value]
    outputs: Outputs
    result: Any
    reached: Reached
    entered: int

    def holds(self, tracer: Capturing) -> bool:
        """Whether all that a function reads from outside is as it was."""
        if not (self.reached.untouched() and self.reached.reads.hold()):
            return False
        overwritten = tracer.journal.overwritten
        return all(value.node.graph is not None and value not in overwritten for value in self.closed)

    def is_apart(self, tracer: Capturing, given: Given) -> bool:
        """Whether no argument is also taken from outside, and none shares memory with another one that is written: the code may ask
        whether they are one."""
        if not self.closed and not self.outputs.writes:
            return True
        if not given.memory().isdisjoint(map(tracer.facts.root, self.closed)):
            return False
        tensors = [x for x in given.values if type(x) is Proxy]
        for at, _ in self.outputs.writes:
            x = given.values[at] if at < len(given.values) else None
            own = set(map(id, memory(x))) if type(x) is Proxy else set[int]()
            if any(not own.isdisjoint(map(id, memory(other))) for other in tensors if other is not x):
                return False
        return True

    def lets_out(self, tracer: Capturing) -> bool:
        """Whether no except clause around takes what a function may raise."""
        raising = tracer.raising
        if not (raising.handlers and self.name):
            return True
        reasons = raising.reasons(self.name)
        try:
            raising.of_framework("this call", *(reasons or ()))
        except CaptureError:
            return False
        return reasons is not None


@dataclass
class Idle:
    """What a function gave that was given nothing open, and left no trace in the graph or in what was there before."""

    result: Any
