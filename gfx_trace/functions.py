"""Functions that stay functions: one of the user's that is called is captured once for arguments of one kind, and called.

What is captured is only taken where a call of it does what the author's does: its body writes nothing, acts on nothing and raises
nothing of its own; it gives tensors of known type and constants; what it reads from outside is as it was. Any other is expanded.
"""

from __future__ import annotations

import types
from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from gfx_ir.errors import CaptureError
from gfx_ir.graph import Graph, Node, Value
from gfx_ir.naming import identifier
from gfx_ir.op import lookup
from gfx_ir.passes.moves import move_in
from gfx_ir.passes.outline import region_key

from .aliases import memory
from .grad_mode import CALLERS
from .interfaces import Capturing
from .lost import Lost
from .profiles import Profile, Profiles
from .proxy import Proxy
from .raised import Raised
from .signatures import Given, NoCall, Output, Outputs, content_of

_Cells = list[tuple[types.CellType, Any]]


class Share:
    """The part that calls of functions have in a capture: `on`: whether functions stay functions; `calls`: how many calls there are;
    `entered`: how many functions are entered, in all, where each call is expanded."""

    def __init__(self, on: bool = True) -> None:
        self.on, self.calls, self.entered = on, 0, 0


@dataclass
class _Kept:
    """A function that was captured: `graph` is what it does for arguments like these, `name` the function of the program that does
    the same, `closed` the values from outside that it takes, `result` the tree of what it gives, with positions for its own."""

    graph: Graph
    name: str
    closed: list[Value]
    result: Any
    backends: list[Any]
    clock: int
    cells: _Cells
    entered: int
    alive: Any


class Functions:
    """The functions of one capture that are called."""

    def __init__(self, tracer: Capturing, share: Share) -> None:
        self.tracer, self.share = tracer, share
        self.profiles = Profiles(tracer.record, tracer.castable)
        self.graphs: dict[str, Graph] = {}
        self._equal: dict[Hashable, str] = {}  # their names, by what they do
        self._kept: dict[Any, _Kept | None] = {}
        self.reading: list[_Cells] = []  # of what is entered in each that is being captured

    def reads(self, f: types.FunctionType) -> None:
        """Note that f is entered: what its variables from outside hold decides what it does."""
        self.share.entered += 1
        found = [(cell, content_of(cell)) for cell in f.__closure__ or ()]
        for cells in self.reading:
            cells += found

    def call(self, run: Callable[..., Any], f: types.FunctionType, args: tuple, kwargs: dict) -> Any:
        """What a call of f gives; NotImplemented where it has to be expanded. `run` enters it."""
        tracer = self.tracer
        if not self.share.on or tracer.gradients.mode is not CALLERS or tracer.raising.handlers:
            return NotImplemented
        try:
            given = Given(self.profiles, f, args, kwargs)
        except (NoCall, CaptureError):  # what an argument holds may be undecided
            return NotImplemented
        kept = self._kept.get(given.key)
        if given.key not in self._kept or (kept is not None and not self._holds(kept)):
            self._kept[given.key] = None  # where it calls itself
            kept = self._kept[given.key] = self._captured(run, f, given, args, kwargs)
        if kept is None or _meet(tracer, given.proxies, kept.closed):
            return NotImplemented
        for cells in self.reading:
            cells += kept.cells
        self.share.calls += 1
        self.share.entered += kept.entered
        return self._called(kept, given)

    def leave(self) -> None:
        """Forget what was captured: the capture is done, and who holds what is counted."""
        self._kept.clear()

    # ------------------------------------------------------------------ what is captured
    def _holds(self, kept: _Kept) -> bool:
        """Whether all that a function reads from outside is as it was."""
        journal = self.tracer.journal
        if journal.clock != kept.clock or any(content_of(cell) is not found for cell, found in kept.cells):
            return False
        return all(value.node.graph is not None and value not in journal.overwritten for value in kept.closed)

    def _captured(
        self, run: Callable[..., Any], f: types.FunctionType, given: Given, args: tuple, kwargs: dict
    ) -> _Kept | None:
        """f captured on the graph of the whole capture, for arguments like these; None where it has to be expanded."""
        tracer, missing, entered = self.tracer, dict(self.tracer.missing), self.share.entered
        known, tests, site, escaped = tracer.facts.known, tracer.facts.dtype_tests, tracer.site, tracer.regions.escaped
        cells: _Cells = []
        self.reading.append(cells)
        tracer.facts.known = {}  # which hold at one call, and not at another
        try:
            with tracer.arrays.outermost(), tracer.regions.opened(f.__name__) as side:
                places = list(map(partial(self._place, side.graph), given.proxies, given.profiles, given.names))
                own = list(side.graph.placeholders)
                arguments = given.filled(args, places), {key: given.filled(x, places) for key, x in kwargs.items()}
                found = run(*arguments)
                outputs = Outputs(tracer, side.graph, places)
                result = outputs.of(found)
                if any(place.value is not value or type(place.base) is Lost for place, value in zip(places, own)):
                    raise NoCall  # it writes an argument
            if side.written or any(map(tracer.raising.acts, side.graph.walk())):
                return None
        except (Exception, Raised):  # which its expansion raises again, at its place
            return None
        finally:
            self.reading.pop()
            tracer.facts.known, tracer.facts.dtype_tests, tracer.site, tracer.regions.escaped = (
                known,
                tests,
                site,
                escaped,
            )
            tracer.missing.clear()
            tracer.missing.update(missing)
            entered, self.share.entered = self.share.entered - entered, entered
        outer = {placeholder: value for value, placeholder in side.captures.items()}
        closed = [outer[place] for place in side.graph.placeholders if place not in own]
        if not outputs.values or not all(value.node.graph is not None for value in closed):
            return None
        graph = side.graph
        graph.result = outputs.values[0] if len(outputs.values) == 1 else tuple(outputs.values)
        name = self._named(f, graph)
        clock = tracer.journal.clock
        return _Kept(graph, name, closed, result, outputs.backends, clock, cells, entered, (f, args, kwargs))

    def _place(self, graph: Graph, x: Proxy, told: Profile, name: str) -> Proxy:
        """What stands for an argument in the body: of its type, and with all that is known of it."""
        value = x.read()
        made = graph.add_placeholder(name or value.name or "x", value.kind, value.type)
        made.name = value.name
        self.profiles.tell(made, told)
        return Proxy(made, x.backend)

    def _named(self, f: types.FunctionType, graph: Graph) -> str:
        """The name of the function of the program that does what a graph does: for arguments of another kind it may be the same."""
        failing = tuple(map(self.tracer.raising.may_fail, graph.walk()))
        given = tuple([(value.kind, value.type) for value in graph.placeholders])
        key = f.__code__, given, region_key(graph), failing
        known = self._equal.get(key)
        if known is None:
            known = self._equal[key] = self._free(identifier(f.__name__))
            graph.name, graph.doc = known, f.__doc__ or ""
            self.graphs[known] = graph
        return known

    def _free(self, name: str) -> str:
        """The name, or one with a number where it is taken."""
        free, count, taken = name, 1, self._entry().name
        while free in self.graphs or free == taken:
            free, count = f"{name}_{count}", count + 1
        return free

    def _entry(self) -> Graph:
        return self.tracer.stack[0][0] if self.tracer.stack else self.tracer.graph

    # ------------------------------------------------------------------ calls
    def _called(self, kept: _Kept, given: Given) -> Any:
        tracer, graph = self.tracer, kept.graph
        taken = tuple(tracer.local(value) for value in (*(x.read() for x in given.proxies), *kept.closed))
        inner = graph.result if type(graph.result) is tuple else (graph.result,)
        node = Node(lookup("call"), (kept.name, "", taken), ("tensor",) * len(inner), tracer.span())
        tracer.graph.insert(node, None)
        made = []
        for value, result, backend in zip(node.values, inner, kept.backends):
            value.type = result.type
            self.profiles.follow(value, result)
            made.append(Proxy(value, backend))

        def filled(tree: Any) -> Any:
            if type(tree) is tuple:
                return tuple(map(filled, tree))
            if type(tree) is not Output:
                return tree
            return given.proxies[tree.at] if tree.argument else made[tree.at]

        return filled(kept.result)

    def settle(self, entry: Graph) -> None:
        """Put the body of each function that is called from one place only in the place of its call; the others have the author's names."""
        graphs = [entry, *self.reached(entry).values()]
        calls = [node for graph in graphs for node in graph.walk() if node.op.name == "call"]
        sites = Counter(node.args[0] for node in calls)
        for node in calls:
            if sites[node.args[0]] == 1:
                move_in(self.graphs[node.args[0]], node)
        for graph in self.reached(entry).values():
            for value in graph.placeholders:
                value.name = value.node.args[0] or None

    def reached(self, entry: Graph) -> dict[str, Graph]:
        """The functions that a graph calls, those too that these call."""
        found: dict[str, Graph] = {}
        todo = [entry] if self.graphs else []
        for graph in todo:
            for node in graph.walk():
                if node.op is lookup("call") and node.args[0] not in found:
                    found[node.args[0]] = self.graphs[node.args[0]]
                    todo.append(self.graphs[node.args[0]])
        return found


def _meet(tracer: Capturing, proxies: Sequence[Proxy], closed: Sequence[Value]) -> bool:
    """Whether an argument is also taken from outside: the code may ask whether they are one."""
    root = tracer.facts.root
    held = {root(item.value) for x in proxies for item in (x, *memory(x)) if type(item.value) is Value}
    return not held.isdisjoint(map(root, closed))
