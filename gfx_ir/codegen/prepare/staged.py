"""Loops over open host ranges in a functional target.

A loop over `range(x.shape[0])` is a Python loop: a tracing compiler would unroll it. Where its body treats the index as
data and keeps the shapes of what it carries, it is staged as a loop over data is.
"""

from __future__ import annotations

from typing import Any

from ...graph import Graph, Node, Value
from ...op import lookup
from ...trees import leaves
from ..control import IFS, LOOPS
from ..copying import outputs_of
from ..unrolling import Unrolling

_KEEPS_SHAPE = frozenset(
    "add subtract multiply divide pow floor_divide remainder negative abs exp log sin cos tan tanh sqrt square maximum"
    " minimum where clip astype relu sigmoid gelu silu softplus logical_and logical_or logical_not equal not_equal less"
    " less_equal greater greater_equal index_put matmul linear stop_gradient".split()
)
_INDEXED = frozenset(("getitem", "index_put"))


def stage_ranges(graph: Graph, unrolling: Unrolling) -> None:
    """Rewrite such loops in the graph and its regions; one that is to be unrolled stays."""
    for node in list(graph.walk()):
        if node.op.name == "host_for" and _can(node, unrolling):
            _stage(node)


def _can(node: Node, unrolling: Unrolling) -> bool:
    items, init = node.args[0], node.arg("init")
    if len(items) != 1 or type(items[0]) is not tuple or node.arg("exit") is not None or node.graph is None:
        return False
    if len(init) != len(node.values) or not init or items[0][3] != 1:
        return False
    if unrolling.takes(node):
        return False
    starts = (value.kind == "tensor" if type(value) is Value else isinstance(value, (int, float)) for value in init)
    body = node.regions[0]
    if any(inner.op.name in ("to_python", "holder") for inner in body.walk()):
        return False
    if not all(starts) or any(value.kind not in ("tensor", "int", "float") for value in node.values):
        return False
    carried = body.placeholders[1 : 1 + len(init)]
    results = outputs_of(body.result, len(init))
    return (
        _is_data(body.placeholders[0])
        and all(_is_data(value) for value in (*carried, *node.values))
        and all(_keeps(result, body, set(carried)) for result in results)
    )


def _is_data(value: Value) -> bool:
    """Whether the value is only computed with, and Python never asked for it."""
    todo, seen = [value], set()
    while todo:
        found = todo.pop()
        if found in seen:
            continue
        seen.add(found)
        for user in found.uses:
            if user.op.name == "output":
                todo.extend(_behind(user, found))
                continue
            if user.op.name in ("cond", "while", "for"):
                todo.extend(_inner(user, found))
            elif user.op.name == "host" and user.args[0] in ("+", "-", "*", "//", "%"):
                todo.append(user.value)
            elif user.op.name in _INDEXED:
                if any(type(part) is slice and found in leaves(part) for part in _parts(user.args[1])):
                    return False
            elif user.op.name not in _KEEPS_SHAPE and not found.is_tensor:
                return False
    return True


def _parts(index: Any) -> tuple:
    return index if type(index) is tuple else (index,)


def _inner(node: Node, value: Value) -> list[Value]:
    """The placeholders of regions that stand for an operand."""
    found: list[Value] = []
    operands = node.args[1] if node.op.name in IFS else node.arg("operands")
    for region in node.regions:
        offset = len(region.placeholders) - len(operands)
        found.extend(region.placeholders[offset + at] for at, operand in enumerate(operands) if operand is value)
    return found


def _behind(output: Node, value: Value) -> list[Value]:
    """What a result of a region is behind it; in the next trip of a loop it is what the loop carries, which is asked apart."""
    owner = output.graph.owner if output.graph is not None else None
    if owner is None or owner.op.name in LOOPS:
        return []
    return [made for made, leaf in zip(owner.values, outputs_of(output.args[0], len(owner.values))) if leaf is value]


def _keeps(result: Any, body: Graph, carried: set[Value]) -> bool:
    """Whether a result has the shape of what is carried: no op on the way from there to it changes it."""
    todo, seen = [result], set()
    while todo:
        value = todo.pop()
        if type(value) is not Value or value in seen or value in carried:
            continue
        seen.add(value)
        node = value.node
        if node.op.name == "placeholder":
            continue
        if node.op.name == "cond":
            for region in node.regions:
                inner = outputs_of(region.result, len(node.values))[value.index - 1]
                if not _keeps(inner, region, set(region.placeholders)):
                    return False
        elif node.op.name == "index_put":
            todo.append(node.args[0])
        elif node.op.name in _KEEPS_SHAPE:
            todo.extend(leaf for leaf in leaves(node.args) if type(leaf) is Value and leaf.node.graph is body)
        elif _depends(node, carried):
            return False
    return True


def _depends(node: Node, carried: set[Value]) -> bool:
    todo, seen = [node], set()
    while todo:
        for leaf in leaves(todo.pop().args):
            if type(leaf) is Value and leaf not in seen:
                seen.add(leaf)
                if leaf in carried:
                    return True
                if leaf.node.op.name != "placeholder":
                    todo.append(leaf.node)
    return False


def _stage(node: Node) -> None:
    graph = node.graph
    assert graph is not None
    made = Node(lookup("for"), node.args, ("tensor",) * len(node.values), node.span, node.regions)
    graph.insert(made, node)
    for old, new in zip(node.values, made.values):
        new.name, new.type = old.name, old.type
        old.replace_by(new)
    graph.erase(node)
