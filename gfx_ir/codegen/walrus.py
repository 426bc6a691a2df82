"""What a loop's test computes and its body computes again: `while (r := …) > tol`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..graph import Node, Value
from ..trees import tree_map
from .liveness import placeholders

if TYPE_CHECKING:
    from .plan import Plan


def kept_by_test(plan: Plan, loop: Node) -> tuple[Value, Value] | None:
    """(a value of the test, the same in the body), where the test is one expression and both are the author's variable."""
    test, body = loop.regions
    if plan.order[test]:
        return None
    known = {
        _key(plan, loop, node, 0): node.value
        for node in test
        if node in plan.inside and len(node.values) == 1 and node.value.name and not node.regions
    }
    for node in plan.order[body]:
        if len(node.values) == 1 and node.value.name and not node.regions and not plan.effectful(node):
            found = known.get(_key(plan, loop, node, 1))
            if found is not None and found.name == node.value.name:
                return found, node.value
    return None


def _key(plan: Plan, loop: Node, node: Node, side: int) -> str:
    """What nodes of the test and of the body that compute the same have in common."""
    phis = placeholders(loop, loop.regions[side])[1]

    def told(leaf: Any) -> Any:
        value = plan.resolve(leaf)
        if type(value) is not Value:
            return f"{type(value)} {value!r}"
        if value in phis:
            return f"carried {phis.index(value)}"
        if value.node.graph is loop.regions[side]:
            return f"{_key(plan, loop, value.node, side)} {value.index}"
        return f"value {id(value)}"

    return f"{node.op.name} {tree_map(told, node.args)!r}"
