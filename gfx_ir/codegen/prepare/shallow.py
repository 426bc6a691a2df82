"""Tests within tests, many deep, as one test behind another: for targets that nest a function for each.

A row of early returns, of `elif` or of `continue` is a test whose other side ends in the next one. The text of a functional
target has a function within a function for each, and the target traces them so, which has an end. Here a test that stands far
within is moved behind the first one: it runs where that tells that it came so far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...control import is_data_test
from ...dtypes import bool_
from ...graph import Graph, Node, Value
from ...op import lookup
from ...passes.effects import Effects
from ...program import Program
from ...regions import outputs_of
from ...types import LogicalTensor
from ..copying import placeholder
from .base import Emission, Lowering
from .row_of_tests import RowOfTests

MOST = 32
"""How many stand within each other: Python's stack has room for 50 under `jax.vmap`, JAX's most frames a test, and for 130 under `jax.jit`."""
_FALSE = {"bool": False, "int": 0, "float": 0.0}
_FLAG = LogicalTensor(bool_, ())


class Shallow(Lowering):
    """Deep tests within tests stand one behind another."""

    name = "shallow"
    preserves = ()

    def rewrite(self, graph: Graph, program: Program, emission: Emission) -> None:
        """Rewrite such tests in the graph and its regions."""
        depths = _depths(graph)
        ends = {_last(region) for node in depths for region in node.regions}
        effects = Effects(program)
        todo = [node for node, depth in depths.items() if depth > MOST and node not in ends]
        while todo:
            node = todo.pop()
            path = list(_path(node, depths, min(MOST, depths[node] - MOST + 1)))
            beside, inner = [_last(n.regions[1 - side]) for n, side in path], _last(path[-1][0].regions[path[-1][1]])
            assert inner is not None
            cut, row = _Cut(path, inner), RowOfTests(path, inner)
            if cut.possible():
                behind = cut.move(cut.end_early())
                depths[behind] = 1 + depths[inner]
                beside.append(behind)
            elif row.possible(effects):
                copied = beside.pop()
                row.move()
                region = path[-2][0].regions[path[-2][1]]
                if copied is not None and (last := _last(region)) is not None:
                    depths[last] = depths[copied]
                    beside.append(last)
                beside.append(inner)
            todo += [last for last in beside if last is not None and depths[last] > MOST]


def _depths(graph: Graph) -> dict[Node, int]:
    """How many tests on data stand each at the end of the one before, from each on."""
    found: dict[Node, int] = {}
    for node in reversed(list(graph.walk())):
        if is_data_test(node):
            found[node] = 1 + max((found[last] for last in map(_last, node.regions) if last is not None), default=0)
    return found


def _last(region: Graph) -> Node | None:
    """The test that ends a region: nothing but its end takes what it gives."""
    node = region.last
    if node is None or not is_data_test(node) or any(user is not region.output for v in node.values for user in v.uses):
        return None
    return node


def _path(node: Node, depths: dict[Node, int], count: int) -> Iterator[tuple[Node, int]]:
    """So many tests from one on, which stay, each with the side on which the next one stands."""
    for _ in range(count):
        lasts = [_last(region) for region in node.regions]
        side = max((0, 1), key=lambda at: depths[last] if (last := lasts[at]) is not None else 0)
        yield node, side
        following = lasts[side]
        assert following is not None
        node = following


class _Cut:
    """Moves the test `inner`, at the end of a path of tests, behind the first of them."""

    def __init__(self, path: Sequence[tuple[Node, int]], inner: Node) -> None:
        self.path, self.inner, self.top = path, inner, path[0][0]
        self.given = [outputs_of(node.regions[side].result, len(node.values)) for node, side in path]
        self.taken = {leaf: self._outside(leaf) for leaf in (inner.args[0], *inner.args[1]) if type(leaf) is Value}
        self.left = [leaf for leaf, found in self.taken.items() if found is leaf]  # made on the path
        self.told = [self._told(at) for at in range(len(self.top.values))]

    def possible(self) -> bool:
        """Whether all that stands for something on other ways has a known type."""
        given = (value for value, told in zip(self.top.values, self.told) if told is not None)
        return all(map(_can_be_blank, (*self.left, *given)))

    def _outside(self, leaf: Value) -> Any:
        """What it is around the first test; itself where a side on the path made it."""
        found: Any = leaf
        for node, side in reversed(self.path):
            placeholders = node.regions[side].placeholders
            if type(found) is not Value or found not in placeholders:
                return leaf if type(found) is Value else found
            found = node.args[1][placeholders.index(found)]
        return found

    def _told(self, at: int) -> Value | None:
        """Which value of the inner test the first one gives as its value `at`, on the path."""
        leaf = self.given[0][at]
        for (node, _), given in zip(self.path[1:], self.given[1:]):
            if type(leaf) is not Value or leaf.node is not node:
                return None
            leaf = given[leaf.index - 1]
        return leaf if type(leaf) is Value and leaf.node is self.inner else None

    def end_early(self) -> list[Value]:
        """Let the tests of the path end before the inner one; gives the values of what stands for the first of them now."""
        deepest, side = self.path[-1]
        region = deepest.regions[side]
        ends = [_blank(leaf, region) if self._is_inner(leaf) else leaf for leaf in self.given[-1]]
        region.result = (*ends, True, *self.left)
        region.detach(self.inner)
        below = made = self.inner
        for (node, side), given in zip(reversed(self.path), reversed(self.given)):
            if below is not self.inner:
                renamed = [made.values[v.index - 1] if type(v) is Value and v.node is below else v for v in given]
                node.regions[side].result = (*renamed, *made.values[len(below.values) :])
                node.regions[side].detach(below)
            other = node.regions[1 - side]
            others = outputs_of(other.result, len(node.values))
            other.result = (*others, False, *[_blank(leaf, other) for leaf in self.left])
            made, below = self._again(node), node
        return list(made.values)

    def _is_inner(self, leaf: Any) -> bool:
        return type(leaf) is Value and leaf.node is self.inner

    def _again(self, node: Node) -> Node:
        """A test with a flag, and what the inner one takes, behind its values."""
        more = [("tensor", _FLAG), *((leaf.kind, leaf.type) for leaf in self.left)]
        kinds = (*(value.kind for value in node.values), *(kind for kind, _ in more))
        made = Node(node.op, node.args, kinds, node.span, node.regions)
        assert node.graph is not None
        node.graph.insert(made, node)
        for new, old in zip(made.values, node.values):
            new.name, new.type = old.name, old.type
        for new, (_, type_) in zip(made.values[len(node.values) :], more):
            new.type = type_
        return made

    def move(self, given: list[Value]) -> Node:
        """Let the inner test run behind the first one, where the flag tells so; gives the test of the flag."""
        top, graph, count = self.top, self.top.graph, len(self.top.values)
        assert graph is not None
        outside = dict(zip(self.left, given[count + 1 :]))
        taken = {leaf: outside.get(leaf, found) for leaf, found in self.taken.items()}
        kept = {at: given[at] for at, told in enumerate(self.told) if told is not None}
        operands = list(dict.fromkeys(v for v in (*taken.values(), *kept.values()) if type(v) is Value))
        then, otherwise = Graph("then"), Graph("else_")
        held = [{value: placeholder(side, value) for value in operands} for side in (then, otherwise)]
        inside = {leaf: held[0].get(found, found) if type(found) is Value else found for leaf, found in taken.items()}
        test, passed = self.inner.args
        inner_args = tuple(inside[leaf] if type(leaf) is Value else leaf for leaf in passed)
        self.inner.set_args((inside[test] if type(test) is Value else test, inner_args))
        then.append(self.inner)
        then.result = tuple(told for told in self.told if told is not None)
        otherwise.result = tuple(held[1][value] for value in kept.values())
        kinds = tuple(value.kind for value in kept.values())
        made = Node(lookup("cond"), (given[count], tuple(operands)), kinds, self.inner.span, (then, otherwise))
        graph.insert(made, top)
        for new, at in zip(made.values, kept):
            new.name, new.type = top.values[at].name, top.values[at].type
            top.values[at].replace_by(new)
        for value, new in zip(top.values, given):
            value.replace_by(new)
        graph.erase(top)
        return made


def _can_be_blank(value: Value) -> bool:
    known = value.type
    if value.kind in _FALSE:
        return True
    return value.is_tensor and isinstance(known, LogicalTensor) and known.known


def _blank(value: Value, region: Graph) -> Any:
    """What stands in the place of a value, of its type, and is never read."""
    if value.kind in _FALSE:
        return _FALSE[value.kind]
    known = value.type
    if known.weak or (known.dtype is bool_ and not known.dims):
        return {"b": False, "i": 0, "u": 0, "f": 0.0, "c": 0j}[known.dtype.kind]
    made = Node(lookup("zeros"), (known.dims, known.dtype, None), ("tensor",))
    region.append(made)
    made.value.type = known
    return made.value
