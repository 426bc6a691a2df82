"""Value numbering: which values of a graph are computed in the same way, and which shapes theirs are broadcast from."""

from __future__ import annotations

from typing import Any

from ...graph import Graph, Node, Value
from ...op import Trait
from ...trees import leaves
from ...types import LogicalTensor
from ..control import outer


class Numbering:
    """Of one graph and its regions as they stand, in one pass."""

    def __init__(self, graph: Graph) -> None:
        self._numbers: dict[Any, int] = {}
        self._of: dict[Value, int] = {}
        self._shapes: dict[Value, frozenset[Value]] = {}
        for node in graph.walk():
            self._take(node)

    def _take(self, node: Node) -> None:
        first = node.args[0] if node.args else None
        if node.op.family == "elementwise" and len(node.values) == 1:
            self._of[node.value] = self._number((node.op.name, *map(self._key, node.args)), node.value)
            shapes = frozenset().union(*[self.shapes(v) for v in leaves(node.args) if type(v) is Value and v.is_tensor])
        elif node.op.traits & Trait.SHAPE_OF_FIRST and type(first) is Value:
            shapes = self.shapes(first)
        else:
            return
        self._shapes[node.value] = shapes

    def _number(self, key: Any, instead: Value) -> int:
        try:
            return self._numbers.setdefault(key, len(self._numbers))
        except TypeError:  # an argument that is no key
            return self._numbers.setdefault(instead, len(self._numbers))

    def _key(self, arg: Any) -> Any:
        return (Value, self.of(arg)) if type(arg) is Value else (type(arg), arg)

    def of(self, value: Value) -> int:
        """The number of a value: two that are computed by the same ops from the same values have one."""
        found = self._of.get(value)
        if found is None:
            found = self._of[value] = self._number(value, value)
        return found

    def shapes(self, value: Value) -> frozenset[Value]:
        """Values whose shapes together broadcast to that of this one."""
        found = self._shapes.get(value)
        if found is None:
            known, given = value.type, outer(value)
            if isinstance(known, LogicalTensor) and known.dims == ():
                found = frozenset()
            else:
                found = self.shapes(given) if type(given) is Value and given is not value else frozenset((value,))
            self._shapes[value] = found
        return found

    def stands_for(self, new: Value, old: Value) -> None:
        """Note that a value takes the place of another one."""
        self._of[new], self._shapes[new] = self.of(old), self.shapes(old)
