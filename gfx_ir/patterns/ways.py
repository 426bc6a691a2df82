"""Ways: a pattern's function is run once for each way through it; what it asks is answered by a script."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any

from ..build import Builder
from ..dtypes import DTYPES, bool_, dtype
from ..edges import UNBOUND
from ..graph import Graph, Node, Value
from ..keys import tree_key
from ..op import active
from ..rules import OPEN, infer_at
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .holes import Hole

TYPES = (None, *[LogicalTensor(element) for element in (bool_, DTYPES["float16"], DTYPES["bfloat16"])])
"""What a body that asks for the type of an argument tells apart: masks, and numbers so narrow that it widens them."""
_TESTS = frozenset(("==", "!=", "<", "<=", ">", ">=", "not", "bool", "is", "in"))

Test = Callable[[Any], Any]


class Way(Builder):
    """One way through the function: the script says how the first questions are answered, all others get their first answer."""

    def __init__(self, script: Sequence[int], promotion: str = "torch", wild: Sequence[Any] | None = None) -> None:
        super().__init__(Graph("pattern"), promotion)
        self.script, self.concrete = script, wild is not None
        self.stands, self.wild = wild or (), list[Any]()
        self.answers: list[tuple[int, int]] = []
        self.chosen: list[int] = []
        self.known: dict[Hole, Any] = {}
        self.told: dict[Hashable, Any] = {}
        self.required: list[tuple[Any, Test, str]] = []

    # ------------------------------------------------------------------ answers
    def pick(self, count: int) -> int:
        """One of so many answers."""
        at = len(self.answers)
        found = self.script[at] if at < len(self.script) else 0
        self.answers.append((found, count))
        return found

    def choose(self, count: int) -> int:
        """One of so many alternatives that the pattern's author named."""
        found = self.pick(count)
        self.chosen.append(found)
        return found

    def others(self) -> Iterator[list[int]]:
        """The scripts of the ways that leave this one behind its own script, the farthest first."""
        for at in range(len(self.script), len(self.answers)):
            taken, count = self.answers[at]
            before = [answer for answer, _ in self.answers[:at]]
            for other in range(count - 1, taken, -1):
                yield [*before, other]

    def wildcard(self, hole: Hole) -> Any:
        """A new wildcard, or what it stands for."""
        self.wild.append(hole)
        at = len(self.wild) - 1
        return self.stands[at] if at < len(self.stands) else hole

    # ------------------------------------------------------------------ what holes ask
    def truth(self, hole: Hole) -> bool:
        if hole in self.known:
            return bool(self.known[hole])
        found = (self._once(("bool", hole), 2) == 0) is (hole.default is UNBOUND or bool(hole.default))
        if type(hole.default) is bool:
            self.known[hole] = found
        return found

    def compared(self, hole: Hole, how: str, other: Any) -> bool:
        if other is None:  # an argument that may be missing has a variant of its own for that
            return False
        if how == "==" and hole in self.known:
            return bool(self.known[hole] == other)
        found = self._once((how, hole, other if isinstance(other, Hole) else tree_key(other)), 2) == 0
        if how == "==" and found and not isinstance(other, Hole):
            self.known[hole] = hole.default if hole.default == other else other
        return found

    def type_of(self, hole: Hole) -> Any:
        return TYPES[self._once(("type", hole), len(TYPES))] if hole.name else None

    def _once(self, question: Hashable, count: int) -> int:
        if question not in self.told:
            self.told[question] = self.pick(count)
        found: int = self.told[question]
        return found

    # ------------------------------------------------------------------ building
    def append(self, node: Node, taken: list[Value] | None = None) -> Node:
        super().append(node, taken)
        if not self.concrete:
            self._follow_types(node)
        return node

    def _follow_types(self, node: Node) -> None:
        """Type a node where the types of all holes that it takes are given, or taken for granted on this way."""
        found = [leaf for leaf in leaves(node.args) if type(leaf) is Hole or (type(leaf) is Value and leaf.is_tensor)]
        types = {leaf: self._assumed(leaf) if type(leaf) is Hole else leaf.type for leaf in found}
        if None not in types.values():
            args = tree_map(lambda leaf: types.get(leaf, OPEN) if type(leaf) in (Hole, Value) else leaf, node.args)
            for value, known in zip(node.values, infer_at(node.op, args, self.promotion, None)):
                value.type = None if known is OPEN else known

    def _assumed(self, hole: Hole) -> LogicalTensor | None:
        return hole.given or TYPES[self.told.get(("type", hole), 0)]

    def typed(self, node: Node) -> bool:
        taken = list(leaves(node.args))
        return self.concrete and not any(
            type(leaf) is Hole or (type(leaf) is Value and leaf.is_tensor and leaf.type is None) for leaf in taken
        )

    def host(self, operator_: str, *args: Any) -> Any:
        """Python's operator; of holes it is a hole, a test apart."""
        holes = [leaf for leaf in leaves(args) if type(leaf) is Hole]
        if holes and operator_ not in _TESTS and not any(type(leaf) is Value for leaf in leaves(args)):
            return Hole(self, of=holes[0].of)
        return super().host(operator_, *args)


def one_of(*alternatives: Any) -> Any:
    """Any of these: the pattern has a variant for each. Where no pattern is made it is the first."""
    way = active.builder
    return alternatives[way.choose(len(alternatives)) if isinstance(way, Way) else 0]


def optional(value: Any) -> Any:
    """A node that may be missing; then its first argument stands in its place."""
    way = active.builder
    if not isinstance(way, Way) or type(value) is not Value:
        return value
    return one_of(value, value.node.args[0])


def anything(type: LogicalTensor | str | None = None) -> Any:
    """A wildcard: any value or constant; with a type or dtype any value of it."""
    made = Hole(None, given=LogicalTensor(dtype(type)) if isinstance(type, str) else type)
    return active.builder.wildcard(made) if isinstance(active.builder, Way) else made


def require(value: Any, test: Test, what: str = "") -> Any:
    """Let a value or an argument (or a tuple of them) match only where test(what stands there) holds; returns it. The test gets
    Values and constants; `what` ends the sentence "... is not". It holds of each variant, whichever alternative was taken."""
    way = active.builder
    if isinstance(way, Way):
        way.required.append((value, test, what or getattr(test, "__name__", "a test")))
    return value


def number(wanted: float) -> Any:
    """A constant number of this value, whole or not; where no pattern is made, the number."""
    if not isinstance(active.builder, Way):
        return wanted
    return require(anything(), lambda x: type(x) in (int, float) and x == wanted, f"the number {wanted}")
