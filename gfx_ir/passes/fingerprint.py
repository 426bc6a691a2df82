"""Fingerprints: what nodes compute, equal where they compute the same of inputs and of parameters under a path of their own."""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterable
from typing import Any

from ..control import is_call, is_parameter
from ..graph import Graph, Node, Value
from ..keys import constant_key, tree_key
from ..trees import BRANCHES, leaves

_INTS = frozenset((int,))

Print = tuple[tuple, dict[Value, int]]


def fingerprint(nodes: list[Node], outputs: tuple, path: str, ends: Iterable[Value] = ()) -> Print:
    """What nodes compute, whatever their inputs are called: equal for equal computations.

    Beside it the values that they take from outside, parameters under `path` apart: their numbers, by first use.
    """
    numbered = _Numbered(path, ends)
    numbers, rows = numbered.numbers, []
    for node in nodes:
        name, args = node.op.name, node.args
        keys = numbered.keys(relative_call(args, path) if is_call(node) else args)
        rows.append(
            (name, node.in_place, keys, *[region_key(region, path) for region in node.regions])
            if node.regions
            else (name, node.in_place, keys)
        )
        for value in node.values:
            numbers[value] = len(numbers)
    return (tuple(rows), numbered.keys(outputs)), numbered.needed


class _Numbered:
    """Values by numbers, in the order in which they are met, and parameters under a path by what their paths have beyond it."""

    __slots__ = ("prefix", "numbers", "needed")

    def __init__(self, path: str, ends: Iterable[Value]) -> None:
        self.prefix = f"{path}." if path else ""
        self.numbers: dict[Value, int] = dict(zip(ends, itertools.count()))
        self.needed: dict[Value, int] = {}

    def keys(self, args: Iterable[Any]) -> tuple:
        """Keys of arguments."""
        numbers, found = self.numbers, list[Hashable]()
        for leaf in args:
            kind = type(leaf)
            if kind is Value:
                if leaf not in numbers:
                    node = leaf.node
                    if is_parameter(node) and node.args[0].startswith(self.prefix):
                        found.append(("parameter", node.args[0][len(self.prefix) :]))
                        continue
                    numbers[leaf] = self.needed[leaf] = len(numbers)
                found.append(("%", numbers[leaf]))
            elif kind is tuple:
                found.append(leaf if _INTS.issuperset(map(type, leaf)) else ("tuple", *self.keys(leaf)))
            elif kind in BRANCHES:
                found.append(tree_key(leaf, lambda part: self.keys((part,))[0]))
            else:
                found.append(constant_key(leaf) if kind is float or kind is complex else (kind, leaf))
        return tuple(found)


def stands_under(path: str, base: str) -> bool:
    return not base or path == base or path.startswith(base + ".")


def relative_call(args: tuple, path: str) -> tuple:
    """A call's arguments with the prefix of its parameters relative to `path`, which it stands under."""
    callee, prefix, values = args
    return callee, below(prefix, path), values


def below(prefix: str, path: str) -> str:
    """What a path has beyond another, where it stands under it."""
    return prefix[len(path) :].lstrip(".") if stands_under(prefix, path) else prefix


def region_key(region: Graph, path: str = "") -> Hashable:
    """What a region computes of its placeholders, and of parameters under a path."""
    content, needed = fingerprint(list(region), tuple(leaves(region.result)), path, region.placeholders)
    return content, *[value.node.args[0] for value in needed]
