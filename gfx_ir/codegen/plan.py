"""Plan: what of a function is a statement and what stands inside an expression, found before its first line is written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..graph import Graph, Node, Value
from ..infer.facts import Facts
from ..infer.shapes import Shapes
from .agreement import Agreement
from .liveness import Liveness, tested
from .positions import Positions
from .writer import ControlWriter
from .written import Writes

Test = Callable[[Node], bool]


class Plan:
    """`order`: the statements of each graph; `inside`: nodes written inside another; `always`: written at each use; `whole`: nodes
    that a graph's result is all of; `tails`: tests that end a graph; `ternary`: tests that are expressions; `returning`: loops
    out of which one side of a test behind them is returned; `returned`: these tests; `in_place`: nodes that overwrite their
    first argument; `writes`: those that write a part of it. The planner fills it; who writes source only reads it.
    """

    def __init__(
        self,
        graph: Graph,
        effectful: Test,
        functional: Test,
        overwriting: Callable[[Liveness], set[Node]],
        writing: Callable[[Liveness], Writes],
        facts: Facts,
        control: type[ControlWriter],
    ) -> None:
        """`functional`: tests and loops that are functions which the target calls; `facts`: what is known of the values of the program."""
        self.graph, self.functional, self.effectful, self.control, self.facts = (
            graph,
            functional,
            effectful,
            control,
            facts,
        )
        self.liveness = Liveness(graph, effectful)
        self.resolve, self.users = self.liveness.resolve, self.liveness.users
        self.shapes = Shapes(facts, tested(self.liveness))
        self.agreement = Agreement(self.liveness, facts, self.shapes)
        self.in_place = overwriting(self.liveness)
        self.writes = writing(self.liveness)
        self.order: dict[Graph, list[Node]] = {}
        self.inside: set[Node] = set()
        self.always: set[Node] = set()
        self.whole: dict[Graph, Node] = {}
        self.tails: dict[Graph, Node] = {}
        self.ternary: set[Node] = set()
        self.returning: dict[Node, Node] = {}
        self.returned: set[Node] = set()
        self.positions = Positions(self.liveness, self.inside, self.always)

    def counts(self, value: Value) -> bool:
        """Whether a value is a number that nothing else sees change where `+=` changes it: compiled code has arrays of these."""
        weak = self.control.compiled and self.facts.whole_kind(value) is not None
        return not self.control.of_tensors and (weak or self.facts.is_number(value))

    def inverts(self, leaf: Any, asked: bool) -> bool:
        """Whether `~` of a truth is its opposite also where compiled code runs as it is. `asked`: whether a test asks for it alone:
        -1, of Python's False, holds there as True does."""
        truths = self.facts.truths.of(self.resolve(leaf)) if self.control.compiled else ()
        return not truths or (asked and True not in truths)

    def seen(self, leaf: Any) -> Any:
        """A resolved leaf as the spelling of an op sees it: what Python has a number for is a host value, not a tensor."""
        if self.control.compiled or type(leaf) is not Value or not leaf.is_tensor or not self.facts.is_number(leaf):
            return leaf
        kinds = self.facts.kinds(leaf)
        return Value(leaf.node, leaf.index, next(iter(kinds)) if len(kinds) == 1 else "any", leaf.name, leaf.type)
