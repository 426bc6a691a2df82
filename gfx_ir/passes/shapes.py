"""Shapes: of reshapes in a row the last one counts, permutations are multiplied or are reshapes, and what changes nothing goes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..edited import take_place
from ..graph import Node, Value
from ..op import Trait, evaluate, lookup
from ..rules import building
from ..trees import leaves
from .sweep import LocalPass, known_type, same_type


class Shapes(LocalPass):
    """Simplifies chains of ops that only arrange elements anew. It needs types: bind and infer the program first."""

    name = "shapes"

    def rule(self, kept: set[Value], node: Node) -> tuple | None:
        return _nothing(kept, node)

    def after(self, kept: set[Value], node: Node) -> bool:
        return _reshaped_at_once(kept, node) or _permuted_at_once(kept, node) or _permuted_in_order(kept, node)


def _nothing(kept: set[Value], node: Node) -> tuple | None:
    """What an arrangement that changes nothing is given."""
    x = _arranged(kept, node, Trait.IN_ORDER | Trait.PERMUTES)
    if x is None or node.value in kept:
        return None
    if node.op.traits & Trait.IN_ORDER:
        return (x,) if same_type(x, node.value) else None
    order = order_of(node)
    return (x,) if order is not None and order == tuple(range(len(order))) else None


def _permuted_in_order(kept: set[Value], node: Node) -> bool:
    """A permutation that moves axes of one element alone is a reshape."""
    x = _arranged(kept, node, Trait.PERMUTES)
    if x is None:
        return False
    order, type_ = order_of(node), known_type(node.value)
    if order is None or type_ is None or type_.dims is None or not all(isinstance(d, int) for d in type_.dims):
        return False
    longer = [axis for axis, size in zip(order, type_.dims) if size != 1]
    return longer == sorted(longer) and _replace(node, "reshape", (x, type_.dims))


def _arranged(kept: set[Value], node: Node, traits: Trait) -> Value | None:
    """The value that an arrangement of these traits arranges; None for any other node."""
    if not node.op.traits & traits or node.in_place or type(node.args[0]) is not Value or node.args[0] in kept:
        return None
    constant = not any(type(leaf) is Value for leaf in leaves(node.args[1:]))
    return node.args[0] if constant or node.op.traits & Trait.IN_ORDER else None


def _reshaped_at_once(kept: set[Value], node: Node) -> bool:
    """A reshape of a reshape is one of what the first was given; its shape has to be known."""
    x = _arranged(kept, node, Trait.IN_ORDER)
    inner = None if x is None else _arranged(kept, x.node, Trait.IN_ORDER)
    type_ = None if inner is None else known_type(node.value)
    if type_ is None or type_.dims is None or not all(isinstance(d, int) for d in type_.dims):
        return False
    return _replace(node, "reshape", (inner, type_.dims))


def _permuted_at_once(kept: set[Value], node: Node) -> bool:
    """A permutation of a permutation is one permutation."""
    x = _arranged(kept, node, Trait.PERMUTES)
    inner = None if x is None else _arranged(kept, x.node, Trait.PERMUTES)
    if inner is None or x is None:
        return False
    first, second = order_of(x.node), order_of(node)
    if first is None or second is None:
        return False
    order = tuple([first[axis] for axis in second])
    if order == tuple(range(len(order))) and node.value not in kept:
        assert node.graph is not None
        node.value.replace_by(inner)
        node.graph.erase(node)
        return True
    return _replace(node, "permute_dims", (inner, order))


def _replace(node: Node, name: str, args: tuple) -> bool:
    """Put another op in the place of a node with one value."""
    graph, value = node.graph, node.value
    assert graph is not None
    made = graph.insert(Node(lookup(name), args, ("tensor",), node.span), node)
    take_place([made.value], [value])
    graph.erase(node)
    return True


def order_of(node: Node) -> tuple[int, ...] | None:
    """Which axis of its argument each axis of its result is, as the op itself orders the axes of a small array."""
    type_ = known_type(node.args[0])
    if type_ is None or type_.dims is None:
        return None
    rank: Any = len(type_.dims)
    with building(None):
        out = evaluate(node.op, (np.empty(range(1, rank + 1)), *node.args[1:]))
    return tuple([size - 1 for size in out.shape])
