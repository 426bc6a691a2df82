"""A row of tests that is asked as a whole first, and only then gone through: for values of which no type is known.

Where all of them fail, what stands behind them runs. Where one holds, the row is gone through again for what that one gives; its
last test need not be asked then. So nothing has to stand for what is not computed, and each test is asked twice at most.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import takewhile
from operator import is_not

from ...dtypes import bool_
from ...edited import take_place
from ...graph import Graph, Node, Value
from ...passes.effects import Effects
from ...passes.moves import splice
from ...regions import outputs_of
from ...types import LogicalTensor
from ..copying import Values, copy_nodes, placeholder, substitute

_FLAG = LogicalTensor(bool_, ())


class RowOfTests:
    """Moves the test `inner`, at the end of a path of tests, into a test of whether all of the path fail."""

    def __init__(self, path: Sequence[tuple[Node, int]], inner: Node) -> None:
        self.path, self.inner, self.top = path, inner, path[0][0]
        followers = [*(node for node, _ in path[1:]), inner]
        self.between = [
            list(takewhile(partial(is_not, end), node.regions[side])) for (node, side), end in zip(path, followers)
        ]

    def possible(self, effects: Effects) -> bool:
        """Whether what stands between the tests may run twice: it acts on nothing, in what it calls neither, and draws nothing."""
        return not any(effects.node(node) or node.draws for nodes in self.between for node in nodes)

    def move(self) -> None:
        """Rewrite the row."""
        top, graph = self.top, self.top.graph
        assert graph is not None
        test = self._all_fail(graph)
        operands = tuple(dict.fromkeys(leaf for leaf in (top.args[0], *top.args[1]) if type(leaf) is Value))
        sides = Graph("then"), Graph("else_")
        made = Node(top.op, (test, operands), tuple(value.kind for value in top.values), top.span, sides)
        graph.insert(made, top)
        take_place(made.values, top.values)
        held = [{value: placeholder(side, value) for value in operands} for side in sides]
        self._behind(sides[0], held[0])
        graph.detach(top)
        top.set_args(substitute(top.args, held[1]))
        sides[1].append(top)
        sides[1].result = tuple(top.values)

    def _all_fail(self, graph: Graph) -> Value:
        """A flag before the row: that none of its tests holds."""
        flag, values = None, Values()
        into: Graph = graph
        before: Node | None = self.top
        for (node, side), nodes in zip(self.path, self.between):
            sides = Graph("then"), Graph("else_")
            made = Node(node.op, substitute(node.args, values), ("tensor",), node.span, sides)
            made.value.type = _FLAG
            into.insert(made, before)
            if flag is None:
                flag = made.value
            else:
                into.result = (made.value,)
            for region, given in zip(sides, node.regions):
                values = Values((value, placeholder(region, value)) for value in given.placeholders)
                region.result = (False,)
            values = Values(zip(node.regions[side].placeholders, sides[side].placeholders))
            into, before = sides[side], None
            copy_nodes(nodes, into, None, values)
        into.result = (True,)
        assert flag is not None
        return flag

    def _behind(self, into: Graph, values: Values) -> None:
        """What runs where all tests fail; the row itself ends with what its last test gives."""
        values = dict(values)
        for (node, side), nodes in zip(self.path, self.between):
            values.update(zip(node.regions[side].placeholders, substitute(tuple(node.args[1]), values)))
            copy_nodes(nodes, into, None, values)
        last, side = self.path[-1]
        given = [outputs_of(node.regions[side].result, len(node.values)) for node, side in self.path]
        last.regions[side].result = ()
        last.regions[side].detach(self.inner)
        self.inner.set_args(substitute(self.inner.args, values))
        into.append(self.inner)
        for (node, _), leaves in zip(reversed(self.path), reversed(given)):
            values.update(zip(node.values, substitute(tuple(leaves), values)))
        into.result = tuple(substitute(value, values) for value in self.path[0][0].values)
        splice(last.regions[1 - side], last, last.args[1], "")
