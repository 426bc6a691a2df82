"""Control rows of loops: `while` and `for`, of tensor values and of host values."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from .. import dtypes, host, rules
from ..control import Fail, Form
from ..cost import Counter, Estimate
from ..errors import ShapeError
from ..graph import Graph, Node, Value
from ..infer.joins import alike, fit, loosely
from ..infer.walk import Site, Walk
from ..interpreter import Interpreter
from ..op import lookup
from ..python_numbers import NUMBER_CLASSES
from ..regions import is_range, outputs_of
from ..rules import OPEN
from ..trees import tree_map
from ..types import LogicalTensor
from ._control import Structural, closed, tuples


class Loop(Structural):
    """What loops share. `on_data` is the op that does the same with data, where it is of host values, whose kinds may change from
    trip to trip."""

    def __init__(self, on_data: str = "") -> None:
        self.on_data, self.open_host = on_data, bool(on_data)

    def left(self, machine: Interpreter, carried: Sequence[Any], exit_: int | None) -> bool:
        """Whether the carried flag ends the loop."""
        return exit_ is not None and machine.truth(carried[exit_])

    def fixpoint(
        self, walk: Walk, node: Node, body: Graph, items: tuple, init: tuple, operands: tuple, site: Site
    ) -> tuple[tuple, Site]:
        """Types of what is carried, that the body maps into themselves; and the body on them."""
        values = node.values[: len(init)]
        carried = tuple([fit(value, type_, walk.rules) for value, type_ in zip(values, init)])
        while True:  # each round makes something less known or a weak kind higher, so it ends
            trip = walk.graph(body, (*items, *carried, *operands), site.prefix)
            after = outputs_of(trip.result, len(node.values), node.span)[: len(init)]
            if self.open_host:
                after = tuple([fit(value, type_, walk.rules) for value, type_ in zip(values, after)])
                new = tuple([loosely(a, b, walk.rules) for a, b in zip(carried, after)])
            else:
                new = tuple([walk.joined(node, at, *pair) for at, pair in enumerate(zip(carried, after))])
            if all(map(alike, carried, new)):
                return carried, trip
            carried = new

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        tuples(node, [name for name in ("operands", "init", "items") if name in node.op.params], fail)
        count, exit_ = len(node.arg("init")), node.arg("exit")
        if len(node.values) < count or ("items" not in node.op.params and len(node.values) != count):
            fail(f"it has {len(node.values)} values for {count} carried ones")
        if exit_ is not None and not (type(exit_) is int and 0 <= exit_ < count):
            fail(f"exit is the position of a carried value, not {exit_!r}")
        closed(node, fail)


class While(Loop):
    """Regions: the test and the body, both on what is carried and the operands."""

    form = Form.WHILE

    def feeds(self, node: Node) -> tuple:
        return ((*node.arg("init"), *node.arg("operands")),) * 2

    def gives(self, node: Node) -> tuple:
        return (None, len(node.arg("init")))

    def carried(self, node: Node) -> range:
        return range(len(node.arg("init")))

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        carried, operands, exit_ = args
        test, body = node.regions
        while not self.left(machine, carried, exit_):
            if not machine.truth(machine.graph(test, (*carried, *operands), prefix)):
                break
            carried = outputs_of(machine.graph(body, (*carried, *operands), prefix), len(node.values), node.span)
        return carried

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        init, operands, _ = args
        carried, trip = self.fixpoint(walk, node, node.regions[1], (), init, operands, site)
        site.children[node] = [walk.graph(node.regions[0], (*carried, *operands), site.prefix), trip]
        return carried

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return counter.noted(counter.total(site.children[node]), "one trip of `while` is counted", node)


class For(Loop):
    """One region, on an entry of each iterable, what is carried and the operands; it gives what is carried, then rows: as one tensor, or as a list
    where they may have several shapes."""

    form = Form.FOR

    def feeds(self, node: Node) -> tuple:
        return ((*node.arg("items"), *node.arg("init"), *node.arg("operands")),)

    def gives(self, node: Node) -> tuple:
        return (len(node.values),)

    def carried(self, node: Node) -> range:
        first = len(node.arg("items"))
        return range(first, first + len(node.arg("init")))

    # ------------------------------------------------------------------ data
    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        items, carried, operands, exit_ = args
        body, count = node.regions[0], len(carried)
        stacks: list[list[Any]] = [[] for _ in node.values[count:]]
        for row in zip(*[_rows(machine, item) for item in items]):
            if self.left(machine, carried, exit_):
                break
            out = machine.graph(body, (*row, *carried, *operands), prefix)
            out = outputs_of(out, len(node.values), node.span)
            carried = out[:count]
            for stack, item in zip(stacks, out[count:]):
                stack.append(item)
        rows = node.values[count:]
        if stacks and not stacks[0] and any(value.is_tensor for value in rows):
            return (*carried, *self._no_rows(machine, node, args, prefix))
        filled = [_stacked(machine, stack) if value.is_tensor else stack for value, stack in zip(rows, stacks)]
        return (*carried, *filled)

    def _no_rows(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> list[Any]:
        """Stacked results of a loop without trips: of the shapes that a trip would have given."""
        walk = Walk(machine.program, machine.promotion)
        types = self.infer(walk, node, tree_map(machine.type, tuple(args)), Site(node.regions[0], prefix))
        found: list[Any] = []
        for value, type_ in zip(node.values[len(args[1]) :], types[len(args[1]) :]):
            if not value.is_tensor:
                found.append([])
                continue
            if type_.dims is None or type_.dtype is None or not all(isinstance(d, int) for d in type_.dims[1:]):
                what = "a loop without trips stacks rows of a shape that only a trip would tell"
                raise ShapeError(what, node.span, "check for the empty case before the loop")
            found.append(machine.backend.run(lookup("zeros"), ((0, *type_.dims[1:]), type_.dtype, None)))
        return found

    # ------------------------------------------------------------------ types and costs
    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        items, init, operands, exit_ = args
        (body,) = node.regions
        rows = tuple([_row(walk, place, item) for place, item in zip(body.placeholders, items)])
        carried, trip = self.fixpoint(walk, node, body, rows, init, operands, site)
        site.children[node] = [trip]
        count = site.trips[node] = _trips(items) if exit_ is None else None
        stacked = outputs_of(trip.result, len(node.values), node.span)[len(init) :]
        filled = zip(node.values[len(init) :], stacked)
        return (
            *carried,
            *[_stack_type(walk, node, row, count) if value.is_tensor else _item_type(row) for value, row in filled],
        )

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        trip, count = counter.total(site.children[node]), site.trips[node]
        return counter.noted(trip, "one trip of `for` is counted", node) if count is None else trip.times(count)

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        tuples(node, ("items",), fail)
        for item in node.arg("items"):
            if type(item) is not Value and not is_range(item):
                fail("an iterable is a tensor's value or ('range', start, stop, step)")
            if is_range(item) and item[3] == 0:
                fail("the step of a range is not 0")
        super().verify(node, fail, program)


def _rows(machine: Interpreter, item: Any) -> Iterator[Any]:
    if is_range(item):
        yield from range(*(int(end) for end in item[1:]))
        return
    getitem = lookup("getitem")
    shape = () if item is None else machine.shape(item)
    if not shape:
        raise TypeError("'NoneType' object is not iterable" if item is None else "iteration over a 0-d array")
    for at in range(shape[0]):
        yield machine.backend.run(getitem, (item, at))


def _stacked(machine: Interpreter, rows: list[Any]) -> Any:
    run, as_tensor = machine.backend.run, lookup("as_tensor")
    return run(
        lookup("stack"), ([run(as_tensor, (r, None, None)) if isinstance(r, NUMBER_CLASSES) else r for r in rows], 0)
    )


def _row(walk: Walk, place: Value, item: Any) -> Any:
    """The type of an entry: of a range a weak scalar where it is a tensor value."""
    if is_range(item):
        return LogicalTensor(dtypes.default("i", walk.rules), (), weak=True) if place.is_tensor else OPEN
    if not isinstance(item, LogicalTensor):
        return OPEN
    if item.dims == ():
        raise ShapeError(f"a loop over the rows of {item}, which has none")
    return LogicalTensor(item.dtype, None if item.dims is None else item.dims[1:])


def _stack_type(walk: Walk, node: Node, row: Any, count: Any) -> LogicalTensor:
    if not isinstance(row, LogicalTensor):
        row = LogicalTensor() if row is OPEN or row is None else fit(node.values[-1], row, walk.rules)
    found = rules.infer_at(lookup("stack"), ([row], 0), walk.rules, node.span)[0]
    return found if found.dims is None else found.with_(dims=(count, *found.dims[1:]))


def _item_type(row: Any) -> LogicalTensor:
    """The type of the items of a list, whose shapes may differ."""
    return LogicalTensor(row.dtype) if isinstance(row, LogicalTensor) else LogicalTensor()


def _trips(items: tuple) -> Any:
    """How often a loop runs, None where that is unknown: the length of the shortest iterable."""
    found: Any = None
    for item in items:
        count = _length(item)
        if count is None:
            return None
        found = count if found is None else host.extremum("min", found, count)
    return found


def _length(item: Any) -> Any:
    if not is_range(item):
        return item.dims[0] if isinstance(item, LogicalTensor) and item.dims else None
    start, stop, step = item[1:]
    if all(type(n) is int for n in (start, stop, step)) and step:
        return len(range(start, stop, step))
    if step != 1 or not all(isinstance(end, (int, host.Dim, host.Expr)) for end in (start, stop)):
        return None
    return host.extremum("max", host.sub(stop, start), 0)
