"""How many axes values have where no type says so, on the first trip of the loops around them: at least, and at most."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..control import is_loop
from ..graph import Node, Value
from ..op import Trait
from ..trees import leaves
from ..types import LogicalTensor
from .fixpoint import Fixpoint
from .flow import Flow


class Axes(NamedTuple):
    """`least` and `most` (None: any number) axes of a value."""

    least: int
    most: int | None

    def differ(self, other: Axes) -> bool:
        """Whether two values surely have different numbers of axes."""
        return any(one.most is not None and one.most < two.least for one, two in ((self, other), (other, self)))


_NUMBER, _ANY = Axes(0, 0), Axes(0, None)


class FirstAxes:
    """The axes of the values of some graphs. `settles`: whether the target makes one value of those of a test or loop."""

    def __init__(self, flow: Flow, settles: Callable[[Node], bool]) -> None:
        self._flow, self._settles = flow, settles
        self._found = Fixpoint(self._parts, self._rule, _ANY, _ANY)

    def of(self, leaf: Any) -> Axes:
        """The axes of a value or constant."""
        if type(leaf) is Value:
            return self._found.of(leaf)
        return _NUMBER if isinstance(leaf, (bool, int, float, complex)) else _ANY

    def _parts(self, value: Value) -> list[Value]:
        return [leaf for leaf in self._made_of(value) if type(leaf) is Value]

    def _made_of(self, value: Value) -> list[Any]:
        """What has the axes that a value has, or those that it is broadcast from."""
        if not value.is_tensor or (isinstance(value.type, LogicalTensor) and value.type.rank is not None):
            return []
        source = self._flow.sources.get(value)
        if source is not None:
            begun = source.node is not None and is_loop(source.node) and self._settles(source.node)
            return source.leaves[:1] if begun and value.node is not source.node else []
        return list(leaves(value.node.args)) if value.node.op.traits & Trait.ELEMENTWISE else []

    def _rule(self, value: Value) -> Axes:
        if not value.is_tensor:
            return _NUMBER
        rank = value.type.rank if isinstance(value.type, LogicalTensor) else None
        if rank is not None:
            return Axes(rank, rank)
        found = [self._found.now(part) if type(part) is Value else self.of(part) for part in self._made_of(value)]
        if not found:
            return _ANY
        most = [axes.most for axes in found]
        return Axes(max(axes.least for axes in found), None if None in most else max(most))  # type: ignore[type-var]
