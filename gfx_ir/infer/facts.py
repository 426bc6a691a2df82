"""Facts about the values of a program as it is emitted: what Python has there, and of which dtype, found by one fixpoint when asked.

`n * 2` of a number is a number of Python's, of an array an array, and what a loop carries may be one and then the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property, reduce
from typing import Any, NamedTuple

from ..control import (
    calls_function,
    calls_python,
    host_operator,
    is_data_test,
    is_given,
    is_host,
    is_loop,
    is_placeholder,
)
from ..dtypes import DType, dtype
from ..graph import Graph, Node, Value, values_among, values_in
from ..op import OpDef
from ..python_numbers import KINDS, OF_LETTERS, computes_floats, function_kind, operator_kinds
from ..regions import is_range
from ..trees import leaves
from ..types import LogicalTensor
from . import elements
from .abstract import ARRAYS, NUMBERS, Kinds
from .elements import NOTHING, UNTOLD, Elements
from .fact import BOTTOM, HOST, TOP, Fact, either
from .fixpoint import Fixpoint
from .flow import Flow, Source
from .listed import ItemsOf, parts, taken
from .origins import Origins, asked_of
from .shape_rules import ShapeRules
from .signs import Signs
from .truths import Truths

_NONE_YET: Kinds = frozenset()
_CHOOSING = ("min", "max")


class ResultsOf(NamedTuple):
    """The values of an op that has several."""

    node: Node


_UNKNOWNS = (Value, ItemsOf, ResultsOf)
"""What equations are of."""
_ORDER = "bifc"
_BYTES: Elements = frozenset(((dtype("uint8"), False),))


class Facts:
    """The facts of some graphs, each an entry, and of the functions that they call."""

    def __init__(
        self,
        graphs: Iterable[Graph],
        functions: Mapping[str, Graph],
        promotion: str,
        settles: Callable[[Node], bool] = lambda node: False,
        casts: bool = False,
        of_numbers: bool = False,
        assumed: DType | None = None,
        handed: Mapping[Value, Fact] | None = None,
        gives_bytes: Callable[[Node], bool] = lambda node: False,
    ) -> None:
        """`settles`: whether the target makes one value of those of a test or loop, and one dtype; `casts`: whether what any loop
        carries is cast to the dtype that it is told; `of_numbers`: whether ops of a number are written by functions of
        Python's that give fractions; `assumed`: the dtype that arguments and parameters have where they are told none; `handed`: facts of what other
        graphs hand these; `gives_bytes`: whether what the target calls for an op gives bytes of bytes, where the op gives booleans."""
        self._handed = handed or {}
        self._casts, self._assumed = casts, assumed
        self._graphs, self._functions = graphs, functions
        self.settles, self.rules = settles, ShapeRules(promotion)
        self._of_numbers, self._gives_bytes = of_numbers, gives_bytes
        self._constants: dict[type, Fact] = {}
        self._found: Fixpoint[Any] = Fixpoint(self._parts, self._rule, BOTTOM, TOP)

    @cached_property
    def _signs(self) -> Signs:
        return Signs(self.flow)

    @cached_property
    def truths(self) -> Truths:
        """Which of Python's truths values are where nothing is compiled."""
        return Truths(self.flow, lambda value: self.of(value).first)

    @cached_property
    def flow(self) -> Flow:
        """How values are handed on, as the graphs stand when that is asked first."""
        return Flow(self._graphs, self._functions)

    @cached_property
    def origins(self) -> Origins:
        """What dtypes are made of where they are not known."""
        return Origins(self.flow, self.settles, self.rules)

    # ------------------------------------------------------------------ what is asked
    def of(self, leaf: Any) -> Fact:
        """The fact of a value, of the items of a list, or of a constant."""
        return self._found.of(leaf) if type(leaf) in _UNKNOWNS else self._constant(leaf)

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

    def may_be_weak(self, leaf: Any) -> bool:
        """Whether it may be a number, or an array of a number's dtype: what it meets decides."""
        return any(weak for _, weak in self.of(leaf).elements)

    def whole_kind(self, leaf: Any) -> str | None:
        """The letter of the highest kind of what may be a number, or the index of a loop, whose dtype hangs on its bounds; else None."""
        found = self.of(leaf).elements
        if not self.may_be_weak(leaf) or any(d is None or not (weak or d.kind in "biu") for d, weak in found):
            return None
        return max((dtype.kind.replace("u", "i") for dtype, _ in found if dtype is not None), key=_ORDER.index)

    def weak_kind(self, leaf: Any) -> str | None:
        """The letter of the highest kind that it may have, where it surely is weak or a boolean; else None."""
        found = self.of(leaf).elements
        if not found or any(dtype is None or not (weak or dtype.kind == "b") for dtype, weak in found):
            return None
        return max((dtype.kind for dtype, _ in found if dtype is not None), key=_ORDER.index)

    def lowest_kind(self, leaf: Any) -> str | None:
        """The letter of the lowest kind that it may have as a number or boolean; None where it is none."""
        found = [dtype.kind for dtype, weak in self.of(leaf).elements if dtype and (weak or dtype.kind == "b")]
        return min(found, key=_ORDER.index, default=None)

    def dtype(self, leaf: Any) -> DType | None:
        """The dtype that all those that it may have promote to; None where that is not told."""
        found = self.of(leaf).elements
        ((dtype, _),) = elements.settled([frozenset((element,)) for element in found], self.rules.promotion) or UNTOLD
        return dtype

    def find(self, graphs: Iterable[Graph]) -> None:
        """Find all facts of these graphs at once, before they are changed."""
        for graph in graphs:
            for node in graph.walk():
                for value in (*node.values, *(value for region in node.regions for value in region.placeholders)):
                    self._found.of(value)

    def stands_for(self, new: Value, old: Any) -> None:
        """Note that a value takes the place of another one, or gives what this constant is."""
        self._found.set(new, self.of(old))

    # ------------------------------------------------------------------ equations
    def _parts(self, value: Any) -> list[Any]:
        """What a value's equation reads."""
        flow = self.flow
        if type(value) is ItemsOf:
            return [part for part in parts(value, flow) or [value.held] if type(part) in _UNKNOWNS]
        if type(value) is ResultsOf:
            return self._taken(value.node)
        if value in self._handed:
            return []
        if (source := flow.sources.get(value)) is not None:
            asked = [source.node.args[0]] if source.node is not None and is_data_test(source.node) else []
            return values_among([*source.leaves, *asked])
        if value in flow.rows:
            return values_among(leaves(flow.rows[value][1]))
        if value in flow.stacked:
            return values_among([flow.stacked[value]])
        if (items := taken(value)) is not None:
            return [item for item in items if type(item) in _UNKNOWNS]
        if _one_of_several(value):
            return [ResultsOf(value.node)]
        return self._taken(value.node) if value.is_tensor or is_host(value.node) else []

    def _taken(self, node: Node) -> list[Any]:
        read, like = values_in(node.args), asked_of(node)
        return read if like is None else [*read, like]

    def _rule(self, value: Any) -> Any:
        flow = self.flow
        if type(value) is ItemsOf:
            return self._items(value)
        if type(value) is ResultsOf:
            return self._made(value.node)
        if value in self._handed:
            return self._handed[value]
        if (source := flow.sources.get(value)) is not None:
            return self._joined(value, source)
        if value in flow.rows:
            return self._row(value, *flow.rows[value])
        if value in flow.stacked:
            return Fact(ARRAYS, self._arrays(flow.stacked[value]))
        if not value.is_tensor:
            return self._host(value)
        if is_given(value.node) or calls_function(value.node):
            return self._given(value)
        if (items := taken(value)) is not None:
            return self._one_of(items)
        several: Any = ResultsOf(value.node)
        found = self._found.now(several) if _one_of_several(value) else self._made(value.node)
        return found[value.index - 1] if type(found) is tuple else found

    def _now(self, leaf: Any) -> Fact:
        return self._found.now(leaf) if type(leaf) in _UNKNOWNS else self._constant(leaf)

    def _constant(self, leaf: Any) -> Fact:
        found = self._constants.get(type(leaf))
        if found is None:
            found = self._constants[type(leaf)] = self._of_constant(leaf)
        return found

    def _of_constant(self, leaf: Any) -> Fact:
        number = isinstance(leaf, (bool, int, float, complex))
        kinds = frozenset((type(leaf).__name__,)) if number else HOST.kinds
        return Fact(kinds, elements.of_constant(leaf, self.rules.promotion), True, number)

    # ------------------------------------------------------------------ where no op makes it
    def _joined(self, value: Value, source: Source) -> Fact:
        if not (value.is_tensor or value.kind in KINDS):
            return HOST
        found = [self._now(leaf) for leaf in source.chosen(self.settles)] + (
            [self._given(value)] if source.outside else []
        )
        kinds = _NONE_YET.union(*[fact.kinds for fact in found])
        node, first = source.node, any(fact.first for fact in found)
        settles = node is not None and self.settles(node)
        if self._casts and node is not None and is_loop(node) and value.is_tensor:
            kinds |= ARRAYS
            if (told := elements.declared(value)) is not None:
                bare = not settles and any(fact.bare for fact in found)
                return Fact(kinds, frozenset(((told, False),)), bare, first)
        if node is None or not settles:
            return Fact(kinds, NOTHING.union(*[x.elements for x in found]), any(x.bare for x in found), first)
        made = self._settled(value, source, [fact.elements for fact in found])
        asked = [*found, self._now(node.args[0])] if is_data_test(node) and _of_booleans(made) else []
        bare = bool(asked) and all(fact.bare for fact in asked)  # written `a & b`, of Python's booleans it is one
        return Fact(ARRAYS if value.is_tensor else kinds, made, bare, first)

    def _settled(self, value: Value, source: Source, given: list[Elements]) -> Elements:
        """The dtypes of what the target makes one value of; in a loop, what it starts from may have another until that is settled."""
        made = elements.settled(given, self.rules.promotion)
        outside = value.node is source.node or all(
            weak for _, weak in made
        )  # of a number the kind is told before the loop
        return made if outside else made | given[0]

    def _row(self, value: Value, loop: Node, rows: Any) -> Fact:
        """An item of a loop: a number of a range, or a row."""
        if not is_range(rows):
            return Fact(ARRAYS, self._arrays(rows)) if value.is_tensor else self._host(value)
        made = elements.of_kinds(("int",), self.rules.promotion)
        if self.settles(loop) and any(not weak for bound in rows[1:] for _, weak in self._now(bound).elements):
            made |= frozenset((dtype, False) for dtype, _ in made)  # of the dtype of a bound, which may be another
        return Fact(frozenset(("int",)), made, not self.settles(loop), True)

    def _arrays(self, leaf: Any) -> Elements:
        """The dtypes of arrays of what this is."""
        return frozenset((dtype, False) for dtype, _ in self._now(leaf).elements)

    def _host(self, value: Value) -> Fact:
        node = value.node
        if host_operator(node) in _CHOOSING:
            found = [self._now(leaf) for leaf in node.args[1]]
            return Fact(
                _NONE_YET.union(*[x.kinds for x in found]), NOTHING.union(*[x.elements for x in found]), True, True
            )
        if value.kind not in KINDS:
            return HOST
        return Fact(frozenset((value.kind,)), elements.of_kinds((value.kind,), self.rules.promotion), True, True)

    def _given(self, value: Value) -> Fact:
        """What comes from outside: an argument, a parameter, what a call gives that nothing is known of."""
        if not value.is_tensor:
            return self._host(value)
        known = value.type if isinstance(value.type, LogicalTensor) else LogicalTensor()
        if self._assumed is not None and known.dtype is None and is_given(value.node):
            known = known.with_(dtype=self._assumed)
        weak = known.weak and known.dtype is not None and not is_given(value.node)
        kinds = frozenset((OF_LETTERS[known.dtype.kind],)) | ARRAYS if weak else ARRAYS  # type: ignore[union-attr]
        return Fact(kinds, frozenset(((known.dtype, known.weak),)), is_placeholder(value.node) and not known.dims)

    def _items(self, items: ItemsOf) -> Fact:
        """The items of a list, all of them: rows of a tensor are arrays."""
        found = parts(items, self.flow)
        return Fact(ARRAYS, self._arrays(items.held)) if found is None else self._one_of(found)

    def _one_of(self, found: list[Any]) -> Fact:
        return reduce(either, map(self._now, found), BOTTOM)

    # ------------------------------------------------------------------ what an op makes
    def _made(self, node: Node) -> tuple[Fact, ...]:
        """The facts of each value of an op."""
        given = [(arg, self._now(arg)) for arg in elements.tensors(node)]
        kinds = self._kinds(node, given)
        python = node.op.sign or self._in_python(node.op)
        number = node.op.family == "number"
        bare = number or (python and all(self._now(arg).bare for arg in node.args))
        first = number or (python and all(self._now(arg).first for arg in node.args))
        told = all(dtype is not None for _, fact in given for dtype, _ in fact.elements)
        if kinds and kinds <= NUMBERS and (told or len(kinds) == 1):
            return (Fact(kinds, elements.of_kinds(kinds, self.rules.promotion), bare, first),) * len(node.values)
        asked = asked_of(node)
        made = elements.of_op(node, [(arg, fact.elements) for arg, fact in given], self.rules)
        if self._gives_bytes(node) and not all(
            dtype and dtype.kind != "u" for _, fact in given for dtype, _ in fact.elements
        ):
            made = [own | _BYTES for own in made]
        if asked is not None:
            like = self._arrays(asked)
            made = [own if elements.declared(value) else like for value, own in zip(node.values, made)]
        return tuple([Fact(kinds, own, bare, first) for own in made])

    def _in_python(self, op: OpDef) -> bool:
        """Whether an op is written by a function of Python's, of numbers."""
        return self._of_numbers and computes_floats(op)

    def _kinds(self, node: Node, given: list[tuple[Value, Fact]]) -> Kinds:
        if node.op.family == "number":
            return self._number(node)
        if not node.op.sign and not self._in_python(node.op):
            return ARRAYS
        args = [self._now(arg).kinds for arg in node.args]
        if not all(args):
            return _NONE_YET
        numbers = [kinds & NUMBERS for kinds in args]
        found = ARRAYS if any(not kinds <= NUMBERS for kinds in args) else _NONE_YET
        if not all(numbers):
            return found
        if self._in_python(node.op):
            return found | {"float"}
        return found | operator_kinds(node.op.name, numbers, node.args, self._signs.not_negative)

    def _number(self, node: Node) -> Kinds:
        if node.op.number:
            return frozenset((node.op.number,))
        args = node.args[1] if calls_python(node) else node.args[:1]
        if calls_python(node):
            return frozenset(function_kind(node.args[0], [kind]) for kind in (self._now(args[0]).kinds if args else ()))
        letters = [dtype and dtype.kind for dtype, _ in self._now(args[0]).elements]
        return frozenset(KINDS if None in letters else [OF_LETTERS[letter] for letter in letters])  # type: ignore[index]


def _one_of_several(value: Value) -> bool:
    """Whether an op has made a value beside others, of which all are found at once."""
    node = value.node
    made = value.is_tensor and not (is_given(node) or calls_function(node) or is_host(node))
    return made and len(node.values) > 1


def is_made(value: Any) -> bool:
    """Whether an op made a number of Python's."""
    return type(value) is Value and value.node.op.family == "number"


def _of_booleans(made: Elements) -> bool:
    return all(dtype is not None and dtype.kind == "b" for dtype, _ in made)
