"""Facts about the values of a program as it is emitted: what Python has there, and of which dtype, found by one fixpoint when asked.

`n * 2` of a number is a number of Python's, of an array an array, and what a loop carries may be one and then the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ..graph import Graph, Node, Value
from ..python_numbers import KINDS, OPERATORS, function_kind, operator_kinds
from ..regions import is_range
from ..trees import leaves
from ..types import LogicalTensor
from . import elements
from .abstract import ARRAY, NUMBERS, Kinds
from .elements import ANYTHING, NOTHING, UNTOLD, Elements
from .fixpoint import Fixpoint
from .flow import Flow, Source
from .shape_rules import ShapeRules

_OTHER: Kinds = frozenset(("other",))
"""Host values that are no numbers."""
_ARRAY: Kinds = frozenset((ARRAY,))
_NONE_YET: Kinds = frozenset()
_LETTERS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_CHOOSING = ("min", "max")


@dataclass(frozen=True, slots=True)
class Fact:
    """What is known of a value. `kinds`: what Python may have there; `elements`: the dtypes that it may have; `bare`: whether it may
    be a number where the program is called with numbers in the places of arrays."""

    kinds: Kinds
    elements: Elements
    bare: bool = False


BOTTOM = Fact(_NONE_YET, NOTHING)
TOP = Fact(_ARRAY | NUMBERS, ANYTHING, True)
_HOST = Fact(_OTHER, UNTOLD, True)


class Facts:
    """The facts of some graphs, each an entry, and of the functions that they call."""

    def __init__(
        self,
        graphs: Iterable[Graph],
        functions: Mapping[str, Graph],
        promotion: str,
        settles: Callable[[Node], bool],
        of_numbers: Iterable[str] = (),
    ) -> None:
        """`settles`: whether the target makes one value of those of a test or loop, and one dtype; `of_numbers`: the ops that it
        writes by a function of Python's where they take numbers alone."""
        self._flow, self._rules, self._settles = Flow(graphs, functions), ShapeRules(promotion), settles
        self._of_numbers = frozenset(of_numbers)
        self._found = Fixpoint(self._parts, self._rule, BOTTOM, TOP)

    # ------------------------------------------------------------------ what is asked
    def of(self, leaf: Any) -> Fact:
        """The fact of a value or a constant."""
        return self._found.of(leaf) if type(leaf) is Value else self._constant(leaf)

    def kinds(self, leaf: Any) -> Kinds:
        """What Python may have there: an array, or numbers of some kinds."""
        return self.of(leaf).kinds

    def elements(self, leaf: Any) -> Elements:
        """The dtypes that it may have."""
        return self.of(leaf).elements

    def is_number(self, leaf: Any) -> bool:
        """Whether it is surely a number of Python's."""
        found = self.of(leaf).kinds
        return bool(found) and found <= NUMBERS

    def may_be_number(self, leaf: Any) -> bool:
        """Whether it may be a number of Python's."""
        return bool(self.of(leaf).kinds & NUMBERS)

    def is_array(self, leaf: Any) -> bool:
        """Whether it is an array even where the program is called with numbers in the places of arrays."""
        return type(leaf) is Value and leaf.is_tensor and not self.of(leaf).bare

    def is_boolean(self, leaf: Any) -> bool:
        """Whether it is surely a boolean, or an array of them."""
        found = self.of(leaf).elements
        return bool(found) and all(dtype is not None and dtype.kind == "b" for dtype, _ in found)

    def find(self, graphs: Iterable[Graph]) -> None:
        """Find all facts of these graphs at once, before they are changed."""
        for graph in graphs:
            for node in graph.walk():
                for value in (*node.values, *(value for region in node.regions for value in region.placeholders)):
                    self._found.of(value)

    def stands_for(self, new: Value, old: Value) -> None:
        """Note that a value takes the place of another one."""
        self._found.set(new, self.of(old))

    # ------------------------------------------------------------------ equations
    def _parts(self, value: Value) -> list[Value]:
        """What a value's equation reads."""
        flow = self._flow
        if (source := flow.sources.get(value)) is not None:
            asked = [source.node.args[0]] if source.node is not None and source.node.op.name == "cond" else []
            return _values([*source.leaves, *asked])
        if value in flow.rows:
            return _values(leaves(flow.rows[value][1]))
        if value in flow.stacked:
            return _values([flow.stacked[value]])
        return _values(leaves(value.node.args)) if value.is_tensor or value.node.op.name == "host" else []

    def _rule(self, value: Value) -> Fact:
        flow = self._flow
        if (source := flow.sources.get(value)) is not None:
            return self._joined(value, source)
        if value in flow.rows:
            return self._row(value, *flow.rows[value])
        if value in flow.stacked:
            return Fact(_ARRAY, self._arrays(flow.stacked[value]))
        if not value.is_tensor:
            return self._host(value)
        if value.node.op.name in ("placeholder", "parameter", "call", "repeat_calls"):
            return self._given(value)
        return self._made(value)

    def _now(self, leaf: Any) -> Fact:
        return self._found.now(leaf) if type(leaf) is Value else self._constant(leaf)

    def _constant(self, leaf: Any) -> Fact:
        number = isinstance(leaf, (bool, int, float, complex))
        kinds = frozenset((type(leaf).__name__,)) if number else _OTHER
        return Fact(kinds, elements.of_constant(leaf, self._rules.promotion), True)

    # ------------------------------------------------------------------ where no op makes it
    def _joined(self, value: Value, source: Source) -> Fact:
        if not (value.is_tensor or value.kind in KINDS):
            return _HOST
        found = [self._now(leaf) for leaf in source.leaves] + ([self._given(value)] if source.outside else [])
        kinds = _NONE_YET.union(*[fact.kinds for fact in found])
        node = source.node
        if node is None or not self._settles(node):
            return Fact(kinds, NOTHING.union(*[fact.elements for fact in found]), any(fact.bare for fact in found))
        told = elements.declared(value) if node.op.name != "cond" else None
        made = (
            frozenset(((told, False),))
            if told
            else elements.settled([x.elements for x in found], self._rules.promotion)
        )
        asked = [*found, self._now(node.args[0])] if node.op.name == "cond" and _of_booleans(made) else []
        return Fact(
            kinds, made, bool(asked) and all(fact.bare for fact in asked)
        )  # written `a & b`, of Python's booleans it is one

    def _row(self, value: Value, loop: Node, rows: Any) -> Fact:
        """An item of a loop: a number of a range, or a row."""
        if not is_range(rows):
            return Fact(_ARRAY, self._arrays(rows)) if value.is_tensor else self._host(value)
        bounds = [self._now(bound).elements for bound in rows[1:]]
        return Fact(frozenset(("int",)), elements.settled(bounds, self._rules.promotion), not self._settles(loop))

    def _arrays(self, leaf: Any) -> Elements:
        """The dtypes of arrays of what this is."""
        return frozenset((dtype, False) for dtype, _ in self._now(leaf).elements)

    def _host(self, value: Value) -> Fact:
        node = value.node
        if node.op.name == "host" and node.args[0] in _CHOOSING:
            found = [self._now(leaf) for leaf in node.args[1]]
            return Fact(_NONE_YET.union(*[x.kinds for x in found]), NOTHING.union(*[x.elements for x in found]), True)
        if value.kind not in KINDS:
            return _HOST
        return Fact(frozenset((value.kind,)), elements.of_kinds((value.kind,), self._rules.promotion), True)

    def _given(self, value: Value) -> Fact:
        """What comes from outside: an argument, a parameter, what a call gives that nothing is known of."""
        if not value.is_tensor:
            return self._host(value)
        known = value.type if isinstance(value.type, LogicalTensor) else LogicalTensor()
        weak = known.weak and known.dtype is not None
        kinds = frozenset((_LETTERS[known.dtype.kind],)) | _ARRAY if weak else _ARRAY  # type: ignore[union-attr]
        return Fact(
            kinds, frozenset(((known.dtype, known.weak),)), value.node.op.name == "placeholder" and not known.dims
        )

    # ------------------------------------------------------------------ what an op makes
    def _made(self, value: Value) -> Fact:
        node = value.node
        taken = [(arg, self._now(arg)) for arg in elements.tensors(node)]
        kinds = self._kinds(node, taken)
        python = node.op.name in OPERATORS or node.op.name in self._of_numbers
        bare = is_made(value) or (python and all(self._now(arg).bare for arg in node.args))
        if kinds and kinds <= NUMBERS:
            return Fact(kinds, elements.of_kinds(kinds, self._rules.promotion), bare)
        made = elements.of_op(node, value.index - 1, [(arg, fact.elements) for arg, fact in taken], self._rules)
        return Fact(kinds, made, bare)

    def _kinds(self, node: Node, taken: list[tuple[Value, Fact]]) -> Kinds:
        op = node.op.name
        if node.op.family == "number":
            return self._number(node)
        if op not in OPERATORS and op not in self._of_numbers:
            return _ARRAY
        args = [self._now(arg).kinds for arg in node.args]
        if not all(args):
            return _NONE_YET
        numbers = [kinds & NUMBERS for kinds in args]
        found = _ARRAY if any(not kinds <= NUMBERS for kinds in args) else _NONE_YET
        if not all(numbers):
            return found
        return found | (frozenset(("float",)) if op in self._of_numbers else operator_kinds(op, numbers, node.args))

    def _number(self, node: Node) -> Kinds:
        op = node.op.name
        if op.startswith("to_"):
            return frozenset((op[3:],))
        taken = node.args[1] if op == "python" else node.args[:1]
        if op == "python":
            return frozenset(
                function_kind(node.args[0], [kind]) for kind in (self._now(taken[0]).kinds if taken else ())
            )
        letters = [dtype and dtype.kind for dtype, _ in self._now(taken[0]).elements]
        return frozenset(KINDS if None in letters else [_LETTERS[letter] for letter in letters])  # type: ignore[index]


def is_made(value: Any) -> bool:
    """Whether an op made a number of Python's."""
    return type(value) is Value and value.node.op.family == "number"


def _of_booleans(made: Elements) -> bool:
    return all(dtype is not None and dtype.kind == "b" for dtype, _ in made)


def _values(found: Iterable[Any]) -> list[Value]:
    return [leaf for leaf in found if type(leaf) is Value]
