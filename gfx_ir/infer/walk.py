"""Types of all values of a program: a walk along every graph reached, loops until their carried types are stable.

What a graph gives for arguments of given types is remembered, so that nested loops and repeated calls stay cheap.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import dtypes, host, rules
from ..errors import ShapeError
from ..graph import Graph, Node, Value
from ..op import lookup
from ..program import Program
from ..regions import is_range, join_path, results
from ..rules import OPEN
from ..trees import tree_map
from ..types import LogicalTensor
from .joins import Maybe, alike, final, fit, initial, loosely, strictly

Types = tuple


class Run:
    """What one graph's values are for one tuple of arguments, and the runs of what it holds or calls."""

    __slots__ = ("graph", "env", "result", "children")

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.env: dict[Value, Any] = {}
        self.result: Any = None
        self.children: list[Run] = []


class Walk:
    """Infers the types of one program."""

    def __init__(self, program: Program) -> None:
        self.program, self.rules = program, program.promotion
        self.known: dict[Any, Run] = {}
        self.special: dict[str, Callable[[Node, Types, Run, str], Types]] = {
            "cond": self._cond,
            "host_if": self._host_if,
            "while": self._while,
            "host_while": self._while,
            "for": self._for,
            "host_for": self._for,
            "call": self._call,
            "custom_gradient": self._custom_gradient,
            "is_none": lambda node, args, run, prefix: (_is_none(args[0]),),
        }

    def run(self) -> Run:
        """Walk the entry."""
        entry = self.program.entry
        return self.graph(entry, tuple([initial(p) for p in entry.placeholders]), "")

    def graph(self, graph: Graph, inputs: Types, prefix: str) -> Run:
        """A graph on arguments of these types, its parameters under `prefix`."""
        key = _key(graph, inputs, prefix)
        found = self.known.get(key) if key is not None else None
        if found is None:
            found = self._graph(graph, inputs, prefix)
            if key is not None:
                self.known[key] = found
        return found

    def _graph(self, graph: Graph, inputs: Types, prefix: str) -> Run:
        run = Run(graph)
        env = run.env
        for value, type_ in zip(graph.placeholders, inputs):
            env[value] = fit(value, type_, self.rules)
        for path, value in graph.parameters.items():
            env[value] = self._parameter(join_path(prefix, path), value)
        for node in graph:
            args = _filled(node.args, env)
            special = self.special.get(node.op.name)
            types = special(node, args, run, prefix) if special is not None else self._plain(node, args)
            for value, type_ in zip(node.values, types):
                env[value] = fit(value, type_, self.rules)
        run.result = _filled(graph.result, env)
        return run

    def _parameter(self, path: str, value: Value) -> Any:
        data = self.program.params.get(path)
        if data is None:
            return initial(value)
        return LogicalTensor(dtypes.dtype(data.dtype), tuple(data.shape))

    def _plain(self, node: Node, args: Types) -> Types:
        if node.op.infer is None and node.op.body is None:
            return tuple([initial(value) for value in node.values])
        types = rules.infer_at(node.op, args, self.rules, node.span)
        if len(types) != len(node.values):
            what = f"{node.op.name} gives {len(types)} values here, and {len(node.values)} were captured"
            raise ShapeError(what, node.span, "capture with these shapes")
        return types

    # ------------------------------------------------------------------ tests
    def _cond(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        runs = [self.graph(region, args[1], prefix) for region in node.regions]
        run.children += runs
        sides = [results(r.result, len(node.values), node.span) for r in runs]
        return tuple([self._joined(node, at, *pair) for at, pair in enumerate(zip(*sides))])

    def _joined(self, node: Node, at: int, a: Any, b: Any) -> Any:
        value = node.values[at]
        try:
            return strictly(fit(value, a, self.rules), fit(value, b, self.rules), self.rules)
        except ShapeError as error:
            where = "the two branches of a test" if node.op.name == "cond" else f"the trips of a {node.op.name} loop"
            hint = "make both agree, with astype, reshape or broadcast_to"
            what = f"{value.name or 'a value'!r} differs between {where}: {error.what}"
            raise ShapeError(what, node.span, hint) from None

    def _host_if(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        test, operands = args
        if isinstance(test, bool):
            taken = self.graph(node.regions[0 if test else 1], operands, prefix)
            run.children.append(taken)
            return results(taken.result, len(node.values), node.span)
        runs, failures = [], []
        for region in node.regions:
            try:
                runs.append(self.graph(region, operands, prefix))
            except ShapeError as error:
                failures.append(error)  # this side raises whenever it is taken, so only the other gives results
        if not runs:
            raise failures[0]
        run.children += runs
        sides = [results(r.result, len(node.values), node.span) for r in runs]
        if len(sides) == 1:
            return sides[0]
        fitted = [[fit(value, type_, self.rules) for value, type_ in zip(node.values, side)] for side in sides]
        return tuple([loosely(a, b, self.rules) for a, b in zip(*fitted)])

    # ------------------------------------------------------------------ loops
    def _while(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        init, operands, _ = args
        carried, body = self._fixpoint(node, node.regions[1], (), init, operands, prefix)
        run.children += [self.graph(node.regions[0], (*carried, *operands), prefix), body]
        return carried

    def _for(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        items, init, operands, exit_ = args
        places = node.regions[0].placeholders
        rows = tuple([self._index(place) if is_range(item) else _row(item) for place, item in zip(places, items)])
        carried, body = self._fixpoint(node, node.regions[0], rows, init, operands, prefix)
        run.children.append(body)
        count = _trips(items) if exit_ is None else None
        stacked = results(body.result, len(node.values), node.span)[len(init) :]
        return (*carried, *(self._stacked(node, row, count) for row in stacked))

    def _index(self, place: Value) -> Any:
        """The type of a range's number: a weak scalar where it is a tensor value."""
        return LogicalTensor(dtypes.default("i", self.rules), (), weak=True) if place.is_tensor else OPEN

    def for_types(self, node: Node, args: Types, prefix: str) -> Types:
        """Types of what a `for` node gives for arguments of these types."""
        return self._for(node, args, Run(node.regions[0]), prefix)

    def _stacked(self, node: Node, row: Any, count: Any) -> LogicalTensor:
        if not isinstance(row, LogicalTensor):
            row = LogicalTensor() if row is OPEN or row is None else fit(node.values[-1], row, self.rules)
        found = rules.infer_at(lookup("stack"), ([row], 0), self.rules, node.span)[0]
        return found if found.dims is None else found.with_(dims=(count, *found.dims[1:]))

    def _fixpoint(
        self, node: Node, body: Graph, items: Types, init: Types, operands: Types, prefix: str
    ) -> tuple[Types, Run]:
        """Types of what is carried, that the body maps into themselves; and the body's run on them."""
        host_loop = node.op.name.startswith("host_")
        values = node.values[: len(init)]
        carried = tuple([fit(value, type_, self.rules) for value, type_ in zip(values, init)])
        while True:  # each round makes something less known or a weak kind higher, so it ends
            run = self.graph(body, (*items, *carried, *operands), prefix)
            after = results(run.result, len(node.values), node.span)[: len(init)]
            if host_loop:
                after = tuple([fit(value, type_, self.rules) for value, type_ in zip(values, after)])
                new = tuple([loosely(a, b, self.rules) for a, b in zip(carried, after)])
            else:
                new = tuple([self._joined(node, at, *pair) for at, pair in enumerate(zip(carried, after))])
            if all(map(alike, carried, new)):
                return carried, run
            carried = new

    # ------------------------------------------------------------------ calls
    def _custom_gradient(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        inputs, _, mode, count = args
        forward = self.graph(node.regions[0], inputs, prefix)
        outs, kept = forward.result[:count], forward.result[count:]
        outs = tuple([fit(value, type_, self.rules) for value, type_ in zip(node.values, outs)])
        rule = self.graph(node.regions[1], (*kept, *outs) if mode == "vjp" else (*inputs, *inputs), prefix)
        run.children += [forward, rule]
        return outs

    def _call(self, node: Node, args: Types, run: Run, prefix: str) -> Types:
        callee = self.program.callee(node.args[0])
        if callee is None:
            raise ShapeError(f"there is no function {node.args[0]!r} in the program", node.span)
        called = self.graph(callee, args[2], join_path(prefix, node.args[1]))
        run.children.append(called)
        return results(called.result, len(node.values), node.span)


def _is_none(type_: Any) -> Any:
    return OPEN if type_ is OPEN or isinstance(type_, Maybe) else type_ is None


def _filled(tree: Any, env: dict[Value, Any]) -> Any:
    return tree_map(lambda leaf: env[leaf] if type(leaf) is Value else leaf, tree)


def _key(graph: Graph, inputs: Types, prefix: str) -> Any:
    key = (graph, tuple([(type(t), t) for t in inputs]), prefix)
    try:
        hash(key)
    except TypeError:
        return None
    return key


def _row(item: Any) -> Any:
    if not isinstance(item, LogicalTensor):
        return OPEN
    if item.dims == ():
        raise ShapeError(f"a loop over the rows of {item}, which has none")
    return LogicalTensor(item.dtype, None if item.dims is None else item.dims[1:])


def _trips(items: Types) -> Any:
    """How often a loop runs: the length of the shortest iterable."""
    found = [_length(item) for item in items]
    if any(count is None for count in found):
        return None
    shortest = found[0]
    for count in found[1:]:
        shortest = host.extremum("min", shortest, count)
    return shortest


def _length(item: Any) -> Any:
    if not is_range(item):
        return item.dims[0] if isinstance(item, LogicalTensor) and item.dims else None
    start, stop, step = item[1:]
    if all(type(n) is int for n in (start, stop, step)) and step:
        return len(range(start, stop, step))
    if start == 0 and step == 1 and isinstance(stop, (host.Dim, host.Expr)):
        return stop
    return None


def record(run: Run, rules: str) -> None:
    """Set the types of every value that the walk reached; where calls of a graph disagree, what they agree on."""
    found: dict[Value, Any] = {}
    stack, seen = [run], {id(run)}
    while stack:
        current = stack.pop()
        for value, type_ in current.env.items():
            found[value] = loosely(found[value], type_, rules) if value in found else type_
        for child in current.children:
            if id(child) not in seen:
                seen.add(id(child))
                stack.append(child)
    for value, type_ in found.items():
        value.type = final(type_)
