"""Control rows of tests, calls, own gradients and the ends of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..control import Control, Fail, Form
from ..cost import Counter, Estimate
from ..errors import ShapeError
from ..graph import Graph, Node
from ..infer.joins import fit, loosely
from ..infer.walk import Site, Walk, inputs_of
from ..interpreter import Interpreter
from ..loading import to_host
from ..naming import is_name
from ..program import Program
from ..reference import ReferenceBackend
from ..regions import join_path, outputs_of


class Structural(Control):
    """What all rows share: a node alone is interpreted, typed and counted as it is within its graph."""

    worded = True

    def eval(self, node: Node, args: tuple, program: Any, prefix: str) -> Any:
        held = {} if program is None else {path: to_host(x) for path, x in program.params.items()}
        machine = Interpreter(ReferenceBackend(), program, held)
        out = machine.node(node, args, prefix)
        return out[0] if len(node.values) == 1 else tuple(out)

    def types(self, node: Node, promotion: str, program: Any, prefix: str) -> tuple:
        walk = Walk(program, promotion)
        return walk.node(node, inputs_of(node), Site(node.graph, prefix))

    def estimate(self, node: Node, promotion: str, program: Any, prefix: str) -> Estimate:
        walk = Walk(program, promotion, partial=True)
        site = Site(node.graph, prefix)
        walk.node(node, inputs_of(node), site)
        return Counter(walk).node(node, site)


class Branch(Structural):
    """A test and two regions on the same operands. `on_data` is the op that does the same with data, where it is of a host value,
    whose sides need not agree in type."""

    form = Form.TEST

    def __init__(self, on_data: str = "") -> None:
        self.on_data, self.open_host = on_data, bool(on_data)

    def feeds(self, node: Node) -> tuple:
        return (node.arg("operands"),) * 2

    def gives(self, node: Node) -> tuple:
        return (len(node.values),) * 2

    def taken(self, node: Node) -> Graph | None:
        known = type(node.args[0]) in (bool, int, float)
        return node.regions[0 if node.args[0] else 1] if known else None

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        region = node.regions[0 if machine.truth(args[0]) else 1]
        return outputs_of(machine.graph(region, args[1], prefix), len(node.values), node.span)

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        test, operands = args
        if self.open_host:
            return self._open(walk, node, test, operands, site)
        sides = [walk.within(site, node, region, operands) for region in node.regions]
        return tuple([walk.joined(node, at, *pair) for at, pair in enumerate(zip(*sides))])

    def _open(self, walk: Walk, node: Node, test: Any, operands: tuple, site: Site) -> tuple:
        if isinstance(test, bool):
            return walk.within(site, node, node.regions[0 if test else 1], operands)
        sides, failures = [], []
        for region in node.regions:
            try:
                sides.append(walk.within(site, node, region, operands))
            except ShapeError as error:
                failures.append(error)  # this side raises whenever it is taken, so only the other gives results
        if not sides:
            raise failures[0]
        if len(sides) == 1:
            return sides[0]
        fitted = [[fit(value, type_, walk.rules) for value, type_ in zip(node.values, side)] for side in sides]
        return tuple([loosely(a, b, walk.rules) for a, b in zip(*fitted)])

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        sides = site.children.get(node, [])
        total = counter.total(sides)
        return total if len(sides) == 1 else counter.noted(total, f"both sides of `{node.op.name}` are counted", node)

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        tuples(node, ("operands",), fail)
        closed(node, fail)


class Call(Structural):
    """A function of the program on arguments, its parameters under a prefix."""

    form = Form.CALL

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        result = machine.graph(machine.callee(node), args[2], join_path(prefix, args[1]))
        return outputs_of(result, len(node.values), node.span)

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        callee = walk.callee(node)
        return walk.called(site, node, callee, args[2], join_path(site.prefix, args[1]))

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        found = site.children.get(node)
        if found is None:
            return counter.unknown(f"the function {node.args[0]!r} is not known and not counted", node)
        return counter.total(found)

    def verify(self, node: Node, fail: Fail, program: Program | None) -> None:
        callee, prefix, args = node.args
        if type(prefix) is not str or type(args) is not tuple:
            fail("a call has a prefix (a text) and a tuple of arguments")
        if program is None:
            return
        graph = program.callee(callee)
        if graph is None:
            fail(f"there is no function {getattr(callee, 'name', callee)!r} in the program")
        elif len(graph.placeholders) != len(args):
            fail(f"{graph.name!r} takes {len(graph.placeholders)} arguments, not {len(args)}")
        else:
            outputs_of(graph.result, len(node.values), node.span)


class CustomGradient(Structural):
    """A function that brings its own gradient: its forward region gives the values, then what the rule keeps."""

    form = Form.OWN_GRADIENT

    def feeds(self, node: Node) -> tuple:
        return (node.arg("inputs"), None)

    def gives(self, node: Node) -> tuple:
        return tuple([len(region.result) for region in node.regions])

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return machine.graph(node.regions[0], args[0], prefix)[: args[3]]

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        inputs, _, mode, count = args
        forward, rule = node.regions
        given = walk.within(site, node, forward, inputs, count=len(forward.result))
        outs = tuple([fit(value, type_, walk.rules) for value, type_ in zip(node.values, given[:count])])
        taken = (*given[count:], *outs) if mode == "vjp" else (*inputs, *inputs)
        walk.within(site, node, rule, taken, count=len(rule.result))
        return outs

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return counter.total(site.children[node][:1])

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        inputs, name, mode, count = node.args
        forward, rule = node.regions
        if type(inputs) is not tuple or not is_name(name) or mode not in ("vjp", "jvp") or len(node.values) != count:
            fail("it has a tuple of inputs, a name, a mode (vjp or jvp) and its number of values")
        if any(type(region.result) is not tuple for region in node.regions):
            fail("each of its regions gives a tuple of results")
        kept = len(forward.result) - count
        taken, given = (kept + count, len(inputs)) if mode == "vjp" else (2 * len(inputs), 2 * count)
        found = (len(forward.placeholders), kept >= 0, len(rule.placeholders), len(rule.result))
        if found != (len(inputs), True, taken, given):
            fail("what its regions take and give does not fit its inputs and values")


class End(Structural):
    """An end of a graph. It stands outside of the list: `types` and `eval` are those of what it stands for."""

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        return tuple([value.type for value in node.values])

    def cost(self, counter: Counter, node: Node, site: Site) -> Estimate:
        return Estimate()

    def verify(self, node: Node, fail: Fail, program: Any) -> None:
        fail("it stands in the list; the ends of a graph stand outside")


class Placeholder(End):
    """An argument."""

    form = Form.PLACEHOLDER

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        raise ShapeError(f"the data of argument {node.args[0]!r} comes with a call of its graph", node.span)


class ParameterEnd(End):
    """A parameter, by its path."""

    form = Form.PARAMETER

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return (machine.parameter(join_path(prefix, args[0])),)

    def infer(self, walk: Walk, node: Node, args: tuple, site: Site) -> tuple:
        return (walk.parameter(join_path(site.prefix, args[0]), node.value),)


class Output(End):
    """The result."""

    form = Form.OUTPUT

    def run(self, machine: Interpreter, node: Node, args: Sequence[Any], prefix: str) -> Sequence[Any]:
        return args

    def eval(self, node: Node, args: tuple, program: Any, prefix: str) -> Any:
        return args[0]


# ---------------------------------------------------------------------- forms that rows share
def tuples(node: Node, names: Sequence[str], fail: Fail) -> None:
    """These arguments have to be tuples."""
    for name in names:
        if type(node.arg(name)) is not tuple:
            fail(f"{name} is a tuple, not {node.arg(name)!r}")


def closed(node: Node, fail: Fail) -> None:
    """Each region takes what it is fed, and gives what is said."""
    control = node.op.control
    assert control is not None
    for name, region, feeds, given in zip(node.op.regions, node.regions, control.feeds(node), control.gives(node)):
        taken = len(feeds or ())
        if len(region.placeholders) != taken:
            fail(f"region {name!r} has {len(region.placeholders)} placeholders for {taken} arguments")
        if given is not None and not (type(region.result) is tuple and len(region.result) == given):
            fail(f"region {name!r} does not give a tuple of {given} results")
        if given is None and type(region.result) in (tuple, list, dict):
            fail(f"region {name!r} does not give one truth value")
