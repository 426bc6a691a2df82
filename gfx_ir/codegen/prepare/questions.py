"""What host tests ask: equal for tests of the same things, wherever in a graph and its regions they stand (value numbering)."""

from __future__ import annotations

from typing import Any

from ...control import is_given, negated
from ...graph import Graph, Node, Value, values_in
from ...infer.demand import Question, Rule
from ...trees import tree_map
from ..copying import Values, copy_nodes
from ..sides import outer

Asked = tuple[Any, bool]
"""What is asked, and whether a test is the opposite of that."""


class Questions:
    """The questions of one graph, while nothing changes in it."""

    def __init__(self) -> None:
        self._numbers: dict[Any, int] = {}
        self._asked = Question(self._rule)

    def of(self, value: Any) -> Asked:
        """What a value asks."""
        return self._asked.ask(value) if type(value) is Value else (("constant", type(value), str(value)), False)

    def none(self, value: Any) -> Any:
        """What a test asks that is true where a value is None."""
        return self._number("is_none", (self.of(value),))

    def _rule(self, value: Value) -> Rule:
        found, opposite = outer(value), negated(value.node)
        if found is not value:
            return (yield self._asked, found) if type(found) is Value else self.of(found)
        if type(opposite) is Value:
            asked, turned = yield self._asked, opposite
            return asked, not turned
        if not computed(value):
            return value, False
        parts = {}
        for part in values_in(value.node.args):
            parts[part] = yield self._asked, part
        args = tree_map(lambda leaf: parts[leaf] if type(leaf) is Value else leaf, value.node.args)
        return self._number(value.node.op.name, args), False

    def _number(self, name: str, args: Any) -> int:
        key = name, str(tree_map(self._name, args))
        return self._numbers.setdefault(key, len(self._numbers))

    def _name(self, leaf: Any) -> str:
        if type(leaf) is Value:
            return f"%{self._numbers.setdefault(leaf, len(self._numbers))}"
        return f"{type(leaf).__name__} {leaf!r}"


def computed(value: Value) -> bool:
    """Whether a host value is what its node makes of others, and does nothing else."""
    node = value.node
    return not (is_given(node) or node.regions or node.op.effect or len(node.values) != 1 or value.is_tensor)


def at(value: Any, graph: Graph | None) -> Value | None:
    """What a value of a region is in the graph around it; None where that is nothing there."""
    while type(value) is Value and value.node.graph is not graph:
        found = outer(value)
        value = found if found is not value else None
    return value if type(value) is Value else None


def brought(value: Value, before: Node) -> Value | None:
    """A value of a node's regions computed before that node, where all that it is made of is there."""
    graph, held, order, todo = before.graph, Values(), dict[Node, None](), [value]
    while todo:
        part = todo.pop()
        found = at(part, graph)
        if found is not None:
            held[part] = found
        elif not computed(part):
            return None
        else:
            order.pop(part.node, None)
            order[part.node] = None
            todo += values_in(part.node.args)
    assert graph is not None
    copy_nodes([node for node in reversed(order) if node.values[0] not in held], graph, before, held)
    return held[value]
