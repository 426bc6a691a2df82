"""Whole numbers that become large: products of several that are read, and what a loop takes more than once in each trip."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from ...control import operands_of, operator_of
from ...graph import Node, Value
from ...infer.fixpoint import Fixpoint
from ...reach import reached

Parts = Mapping[Value, int]
_POLYNOMIAL = frozenset(("+", "-", "*", "neg", "pos", "abs", "**"))
_FAR = 2**64


class Extents:
    """How large a whole number may be beside those that are read: the degree of the polynomial in these that it is, and the sum of
    its coefficients but the constant one. Both are counted up to a bound that is beyond all widths."""

    def __init__(self, bounded: Callable[[Value], bool]) -> None:
        self._bounded = bounded
        self._found = Fixpoint[tuple[int, int]](self._parts, self._made, (0, 0), (_FAR, _FAR))

    def of(self, leaf: Any) -> tuple[int, int]:
        """(degree, coefficients)."""
        return self._found.of(leaf) if type(leaf) is Value else _of_literal(leaf)

    def _parts(self, value: Value) -> list[Value]:
        computed = operator_of(value.node) in _POLYNOMIAL and not self._bounded(value)
        return [arg for arg in operands_of(value.node) if type(arg) is Value] if computed else []

    def _made(self, value: Value) -> tuple[int, int]:
        sign, args, parts = operator_of(value.node), operands_of(value.node), self._parts(value)
        if not parts:
            return 1, 1
        found = [self._found.now(arg) if type(arg) is Value else _of_literal(arg) for arg in args]
        if sign == "*":
            (a, m), (b, n) = found
            return min(a + b, _FAR), min(m * n, _FAR)
        if sign == "**":
            return found[0][0] * args[1] if type(args[1]) is int else _FAR, found[0][1]
        highest = max(degree for degree, _ in found)
        return highest, min(sum(factor for degree, factor in found if degree or not highest), _FAR)


def _of_literal(leaf: Any) -> tuple[int, int]:
    return 0, min(max(abs(leaf), 1), _FAR) if isinstance(leaf, int) else 1


def doubling(
    carried: Mapping[Value, Any], made_of: Callable[[Value], list[Any]], bounded: Callable[[Value], bool]
) -> Iterator[Node]:
    """The nodes of loops that take a carried number, or what it becomes in later trips, more than once: the sum of two numbers
    that are carried in turn, or a product with a whole number. `carried`: what each is after a trip."""
    counted = _counted(carried, made_of, bounded)
    taken = {phi: counted.of(result) if type(result) is Value else {} for phi, result in carried.items()}
    reached = {phi: _reached(phi, taken) for phi in taken}
    for phi, parts in taken.items():
        again = sum(count for part, count in parts.items() if phi in reached[part])
        if again > 1 and type(carried[phi]) is Value:
            yield carried[phi].node


def _reached(phi: Value, taken: Mapping[Value, Parts]) -> set[Value]:
    """The carried numbers that one is made of after some trips."""
    return set(reached([phi], taken.__getitem__))


def _counted(
    carried: Mapping[Value, Any], made_of: Callable[[Value], list[Any]], bounded: Callable[[Value], bool]
) -> Fixpoint[Parts]:
    """How often each carried number is taken for a value, as far as twice."""

    def below(value: Value) -> list[Value]:
        known = value in carried or bounded(value)
        return [] if known else [leaf for leaf in made_of(value) if type(leaf) is Value]

    def count(value: Value) -> Parts:
        return {value: 1} if value in carried else _taken(value.node, map(solved.now, below(value)))

    solved: Fixpoint[Parts] = Fixpoint(below, count, {}, {})
    return solved


def _taken(node: Node, below: Iterable[Parts]) -> Parts:
    """How often numbers are taken by a node whose operands take them so often."""
    found = Counter[Value]()
    if node.op.sign not in ("+", "-", "*", "<<"):
        for parts in below:
            found |= Counter(parts)
        return found
    for parts in below:
        found.update(parts)
    factor = next((arg for arg in node.args if type(arg) is int), 1) if node.op.sign in ("*", "<<") else 1
    factor *= 2 if node.op.sign == "<<" else 1
    return {part: min(count * abs(factor), 2) for part, count in found.items()}
