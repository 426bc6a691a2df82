"""What a loop's test computes and its body computes again: `while (r := …) > tol`."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Value
from ..trees import tree_map
from .liveness import placeholders
from .plan import Plan


def kept_by_test(plan: Plan, loop: Node) -> tuple[Value, Value] | None:
    """(a value of the test, the same in the body), where the test is one expression and both are the author's variable."""
    test, body = loop.regions
    if plan.order[test]:
        return None
    keys = _Keys(plan, loop)
    known = {
        keys.of(node, 0): node.value
        for node in test
        if node in plan.inside and len(node.values) == 1 and node.value.name and not node.regions
    }
    for node in plan.order[body]:
        if len(node.values) == 1 and node.value.name and not node.regions and not plan.effectful(node):
            found = known.get(keys.of(node, 1))
            if found is not None and found.name == node.value.name:
                return found, node.value
    return None


class _Keys:
    """Numbers that nodes of the test and of the body which compute the same have in common."""

    def __init__(self, plan: Plan, loop: Node) -> None:
        self.plan, self.loop = plan, loop
        self.phis = [placeholders(loop, region)[1] for region in loop.regions]
        self.numbers: dict[str, int] = {}
        self.found: dict[Node, int] = {}

    def of(self, node: Node, side: int) -> int:
        """The number of a node of the test (side 0) or the body (side 1)."""
        number = self.found.get(node)
        if number is None:
            text = f"{node.op.name} {tree_map(lambda leaf: self._told(leaf, side), node.args)!r}"
            number = self.found[node] = self.numbers.setdefault(text, len(self.numbers))
        return number

    def _told(self, leaf: Any, side: int) -> str:
        value = self.plan.resolve(leaf)
        if type(value) is not Value:
            return f"{type(value)} {value!r}"
        if value in self.phis[side]:
            return f"carried {self.phis[side].index(value)}"
        if value.node.graph is self.loop.regions[side]:
            return f"node {self.of(value.node, side)} {value.index}"
        return f"value {id(value)}"
