"""What a capture keeps of the functions that it calls: a function's graph with all that it stands for, and what calls there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gfx_ir.graph import Graph, Value

from ..heap.reads import Reads
from .outputs import Outputs


class Share:
    """The part that calls of functions have in a capture.

    `on`: whether functions stay functions; `doubts`: those, too, that may give a view of what they are given. `calls`: how many calls
    there are, and `doubtful` of these. `entered`: how many functions are entered, in all, where each call is expanded. `refs`: whether
    loops carry, too, which tensor a variable is; `trips`: whether Python runs loops of a fixed number of trips that write to what may be
    another tensor's memory in some of them."""

    def __init__(self, on: bool = True, doubts: bool = True, refs: bool = False, trips: bool = False) -> None:
        self.on, self.doubts, self.refs, self.trips = on, doubts, refs, trips
        self.calls = self.doubtful = self.entered = 0


@dataclass
class Kept:
    """A function that was captured: `graph` is what it does for arguments like these, `name` the function of the program that does
    the same, `closed` the values from outside that it takes. `places`: what of all that was written it could read (None: anything),
    `since`: from where on in the journal's log; what is made after `made` others leads to nothing that it reads. `given` is what its
    key tells apart by identity."""

    graph: Graph
    name: str
    closed: list[Value]
    outputs: Outputs
    result: Any
    reads: Reads
    places: Any
    since: int
    made: int
    entered: int
    given: list[Any]


@dataclass
class Idle:
    """What a function gave that was given nothing open, and left no trace in the graph or in what was there before."""

    result: Any
