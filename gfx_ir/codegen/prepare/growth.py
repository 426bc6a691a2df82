"""Whole numbers that become large: products of several that are read, and what a loop takes more than once in each trip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ...graph import Node, Value

Parts = Mapping[Value, int]
_POLYNOMIAL = frozenset(("add", "subtract", "multiply", "negative", "positive", "abs", "pow"))
_FAR = 2**64


class Extents:
    """How large a whole number may be beside those that are read: the degree of the polynomial in these that it is, and the sum of
    its coefficients but the constant one. Both are counted up to a bound that is beyond all widths."""

    def __init__(self, bounded: Callable[[Value], bool]) -> None:
        self._bounded = bounded
        self._known: dict[Value, tuple[int, int]] = {}

    def of(self, leaf: Any) -> tuple[int, int]:
        """(degree, coefficients)."""
        waiting = [leaf] if type(leaf) is Value else []
        while waiting:
            parts = [part for part in self._parts(waiting[-1]) if part not in self._known]
            if not parts:
                top = waiting.pop()
                self._known[top] = self._made(top)
            waiting += parts
        return self._read(leaf)

    def _parts(self, value: Value) -> list[Value]:
        computed = value.node.op.name in _POLYNOMIAL and not self._bounded(value)
        return [arg for arg in value.node.args if type(arg) is Value] if computed else []

    def _read(self, leaf: Any) -> tuple[int, int]:
        if type(leaf) is Value:
            return self._known[leaf]
        return 0, min(max(abs(leaf), 1), _FAR) if isinstance(leaf, int) else 1

    def _made(self, value: Value) -> tuple[int, int]:
        op, parts = value.node.op.name, self._parts(value)
        if not parts:
            return 1, 1
        found = [self._read(arg) for arg in value.node.args]
        if op == "multiply":
            (a, m), (b, n) = found
            return min(a + b, _FAR), min(m * n, _FAR)
        if op == "pow":
            return found[0][0] * value.node.args[1] if type(value.node.args[1]) is int else _FAR, found[0][1]
        highest = max(degree for degree, _ in found)
        return highest, min(sum(factor for degree, factor in found if degree or not highest), _FAR)


def doubling(
    carried: Mapping[Value, Any], made_of: Callable[[Value], list[Any]], bounded: Callable[[Value], bool]
) -> Iterator[Node]:
    """The nodes of loops that take a carried number, or what it becomes in later trips, more than once: the sum of two numbers
    that are carried in turn, or a product with a whole number. `carried`: what each is after a trip."""
    taken = {phi: _parts(result, carried, made_of, bounded) for phi, result in carried.items()}
    reached = {phi: _reached(phi, taken) for phi in taken}
    for phi, parts in taken.items():
        again = sum(count for part, count in parts.items() if phi in reached[part])
        if again > 1 and type(carried[phi]) is Value:
            yield carried[phi].node


def _reached(phi: Value, taken: Mapping[Value, Parts]) -> set[Value]:
    """The carried numbers that one is made of after some trips."""
    found, todo = {phi}, [phi]
    while todo:
        more = set(taken[todo.pop()]) - found
        found |= more
        todo += more
    return found


def _parts(
    result: Any, carried: Mapping[Value, Any], made_of: Callable[[Value], list[Any]], bounded: Callable[[Value], bool]
) -> Parts:
    """How often each carried number is taken for what one becomes in a trip."""
    known: dict[Value, Parts] = {}
    waiting = [result] if type(result) is Value else []
    while waiting:
        top = waiting[-1]
        below = [] if top in carried or bounded(top) else [leaf for leaf in made_of(top) if type(leaf) is Value]
        missing = [leaf for leaf in below if leaf not in known and leaf is not top]
        waiting += missing
        if missing:
            continue
        waiting.pop()
        known[top] = {top: 1} if top in carried else _sum(top, below, known)
    return known.get(result, {})


def _sum(value: Value, below: list[Value], known: Mapping[Value, Parts]) -> Parts:
    node, found = value.node, Counter[Value]()
    if node.op.name in ("add", "subtract", "multiply"):
        for leaf in below:
            found.update(known.get(leaf, {}))
        factor = next((arg for arg in node.args if type(arg) is int), 1) if node.op.name == "multiply" else 1
        return {part: min(count * abs(factor), 2) for part, count in found.items()}
    for leaf in below:
        for part, count in known.get(leaf, {}).items():
            found[part] = max(found[part], count)
    return found
