"""`return` inside of a loop: a loop that ends early, and a test of its flag behind it whose one side is returned."""

from __future__ import annotations

from typing import Any

from ..control import is_loop, is_test
from ..graph import Graph, Node, Value
from ..regions import outputs_of
from .liveness import loop_results, placeholders
from .plan import Plan


def returning_loop(plan: Plan, test: Node) -> Node | None:
    """The loop out of which the first side of a test is returned, where plain statements can say so.

    The test asks for nothing but whether the loop ended early, is followed by nothing but the function's end, and its first
    side needs no statement.
    """
    graph = test.graph
    if not is_test(test) or graph is not plan.graph or plan.functional(test) or plan.effectful(test):
        return None
    flag = plan.resolve(test.args[0])
    loop = flag.node if type(flag) is Value else None
    if loop is None or not is_loop(loop) or loop.graph is not graph or plan.functional(loop):
        return None
    if loop.arg("exit") != flag.index - 1 or plan.resolve(loop.arg("init")[flag.index - 1]) is not False:
        return None
    if plan.users[flag] != [test] or plan.order[test.regions[0]]:
        return None
    outputs = [value for value in test.values if plan.liveness.used(value)]
    ends = all(user is graph.output for value in outputs for user in plan.users[value])
    between = _between(plan, graph, loop, test)
    return loop if outputs and ends and not any(value.name for value in outputs) and not between else None


def _between(plan: Plan, graph: Graph, loop: Node, test: Node) -> bool:
    """Whether anything of the graph is computed behind the loop besides the test."""
    nodes = [node for node in graph if node in plan.liveness.live]
    return any(node is not test for node in nodes[nodes.index(loop) + 1 :])


def only_returned(plan: Plan, loop: Node, test: Node, at: int) -> bool:
    """Whether a carried value is needed for what is returned from within the loop alone."""
    value = loop.values[at]
    if any(user is not test.regions[0].output for user in plan.users.get(value, ())):
        return False
    phis = [placeholders(loop, region)[1][at] for region in loop.regions]
    return sum(len(plan.users.get(phi, ())) for phi in phis) == _passed(plan, loop_results(loop)[at], phis[-1])


def _passed(plan: Plan, leaf: Any, phi: Value) -> int:
    """How many uses of a carried value pass it on unchanged, by the tests that end a trip."""
    found, met, todo = 0, set[Value](), [leaf]
    while todo:
        value = plan.resolve(todo.pop())
        if value is phi:
            found += 1
        elif type(value) is Value and is_test(value.node) and value not in met:
            met.add(value)
            todo += [outputs_of(r.result, len(value.node.values))[value.index - 1] for r in value.node.regions]
    return found
