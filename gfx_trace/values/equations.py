"""The equations of the record of a capture: kinds, dtype, rank, dims and content of a value, by its op and what that takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

from gfx_ir import dtypes
from gfx_ir.control import host_operator, is_call, is_given, is_loop, is_parameter, is_test
from gfx_ir.graph import Value
from gfx_ir.host import Dim, Expr
from gfx_ir.infer import transfer
from gfx_ir.infer.abstract import (
    ARRAYS,
    DATA,
    ELEMENTS,
    NUMBERS,
    TOP,
    Abstract,
    Kinds,
    joined_dims,
    joined_element,
    joined_ranks,
    number,
    of_constant,
    rank_of,
    ranks_of,
)
from gfx_ir.infer.content import UNTOLD, Content, content, joined
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.infer.shape_rules import Call, ShapeRules
from gfx_ir.infer.signs import sign_sources
from gfx_ir.op import Trait
from gfx_ir.python_numbers import ARITHMETIC, is_not_negative, operator_kinds
from gfx_ir.rules import UNKNOWN
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

from .facts import Facts

_SIZES = (int, Dim, Expr)


class Given(Protocol):
    """What is taken as given of arguments."""

    depths: dict[Value, int]

    def is_argument(self, value: Any) -> bool:
        """Whether a value is a tensor that the captured function takes."""


class Equations:
    """What follows for each value. `assumed` and `type_of` tell of placeholders; `promotion`: whose rules hold."""

    def __init__(self, facts: Facts, promotion: str, assumed: Given, type_of: Callable[[Value], Any]) -> None:
        self.facts, self.rules, self.assumed, self.type_of = facts, ShapeRules(promotion), assumed, type_of
        self.called: dict[Value, Value] = {}  # what calls of functions that were captured give, and what it is in these
        told = self.called.get
        self.kinds, self.element = Question(self._kinds, told), Question(self._element, told)
        self.ranks = Question(partial(self._ranks, True), self._same_rank)
        self.rank = Question(partial(self._ranks, False), self._same_rank)
        self.dims, self.contents = Question(self._dims, told), Question(self._content, told)
        self.host_kinds, self.lengths = Question(self._host_kinds, told), Question(self._length, told)
        self.signs = Question(self._sign, told)
        self.stated: dict[Value, Kinds] = {}  # kinds that no op tells
        self.like: dict[Value, Value] = {}  # what was written in place, and what was there before
        self.begins: dict[Value, Any] = {}  # what a loop carries, and what it begins with
        self.rows_of: dict[Value, Value] = {}  # what the items of a loop under construction are rows of

    def source(self, value: Value) -> Any:
        """What a value has the dtype and shape of, as what it was before it was written in place; None: that follows from its op."""
        return self.like.get(value)

    def given(self, value: Value) -> LogicalTensor | None:
        """The type that a value was captured with."""
        known = self.type_of(value) if value.type is not None or is_parameter(value.node) else None
        return known if isinstance(known, LogicalTensor) else None

    def numbers_of(self, value: Any) -> Kinds:
        """The kinds of a value that is surely a number of Python's; none of any other."""
        if not self.stated or type(value) is not Value:
            return frozenset()
        stated = self.stated.get(self.facts.root(value))
        return frozenset() if stated is None or not stated <= NUMBERS else stated

    def _kinds(self, value: Value) -> Rule:
        if value in self.stated:
            return self.stated[value]
        if value in self.rows_of:
            return ELEMENTS
        node = value.node
        if value in self.like or is_given(node):
            return ARRAYS
        if not node.regions:
            return (yield from transfer.kinds(self._call(value), self))
        found: Kinds = frozenset()
        for side in self.sides(value):
            found |= (yield self.kinds, side) if is_tensor(side) else plain(side).kinds
        return found or DATA

    def _host_kinds(self, value: Value) -> Rule:
        """The kinds that an open number of Python's may be of: a test and a loop join several."""
        node, found = value.node, set[str]()
        if value.kind not in NUMBERS:
            return frozenset((value.kind,))
        if is_test(node):
            parts = [region.result[value.index - 1] for region in node.regions]
        elif is_loop(node):
            at = value.index - 1
            parts = [node.arg("init")[at], node.regions[-1].result[at]]
        elif host_operator(node) in ARITHMETIC:
            kinds = []
            for part in node.args[1]:
                kinds.append((yield self.host_kinds, self.facts.root(part)) if type(part) is Value else _literal(part))
            return operator_kinds(ARITHMETIC[node.args[0]], kinds, node.args[1])
        else:
            found.add(value.kind)
            parts = [self.begins[value]] if value in self.begins else []
        for part in parts:
            found |= (yield self.host_kinds, self.facts.root(part)) if type(part) is Value else _literal(part)
        return frozenset(found)

    def _length(self, value: Value) -> Rule:
        """How many items a shape, or a tuple made of shapes, has; None: that is open."""
        node = value.node
        if node.op.asks == "shape":
            return rank_of((yield self.rank, self.facts.root(node.args[0])))
        if host_operator(node) not in ("+", "getitem"):
            return None
        first, second = node.args[1]
        found: list[int | None] = []
        for part in (first, second) if node.args[0] == "+" else (first,):
            whole = type(part) is Value and part.kind == "shape"
            found.append(
                (yield self.lengths, self.facts.root(part)) if whole else len(part) if type(part) is tuple else None
            )
        if None in found or not (node.args[0] == "+" or _is_slice(second)):
            return None
        return sum(found) if node.args[0] == "+" else len(range(found[0])[second])  # type: ignore[arg-type]

    def _element(self, value: Value) -> Rule:
        given = self.given(value)
        if given is not None and given.dtype is not None:
            return given if given == LogicalTensor(given.dtype) else LogicalTensor(given.dtype, weak=given.weak)
        if self.numbers_of(value):
            return self._number(self.stated[value])
        source = self.rows_of.get(value) or self.source(value)
        if source is not None:
            return (
                (yield self.element, self.facts.root(source))
                if is_tensor(source)
                else self._number(plain(source).kinds)
            )
        node = value.node
        if is_given(node):
            return UNKNOWN
        if not node.regions:
            return (yield from transfer.element(self._call(value), self))
        found: LogicalTensor | None = None
        for side in self.sides(value):
            other = (yield self.element, side) if is_tensor(side) else self._number(plain(side).kinds)
            found = other if found is None else joined_element(found, other)
        return found or UNKNOWN

    def _number(self, kinds: Kinds) -> LogicalTensor:
        """The dtype by which a number of Python's counts."""
        (kind,) = kinds if len(kinds) == 1 else ("",)
        return LogicalTensor(dtypes.default(kind[0], self.rules.promotion), weak=True) if kind in NUMBERS else UNKNOWN

    def _same_rank(self, value: Value) -> Value | None:
        """The value whose rank a value has, whatever that is."""
        if value in self.called:
            return self.called[value]
        if value.type is not None or value in self.rows_of or (self.stated and self.numbers_of(value)):
            return None
        source = self.like.get(value) or transfer.rank_source(value.node)
        return None if source is None else self.facts.root(source)

    def _ranks(self, terms: bool, value: Value) -> Rule:
        question = self.ranks if terms else self.rank
        given = self.given(value)
        if given is not None and given.dims is not None:
            return ranks_of(len(given.dims))
        if not terms and value in self.ranks.known:
            known = self.ranks.known[value]
            return known if rank_of(known) is not None else None
        if self.numbers_of(value):
            return ranks_of(0)
        if value in self.rows_of:
            return transfer.dropped((yield question, self.facts.root(self.rows_of[value])), 1)
        node = value.node
        if is_given(node):
            return frozenset((frozenset(((value, 0),)),)) if terms and self.assumed.is_argument(value) else None
        if not node.regions:
            return (yield from transfer.ranks(self._call(value), self, question))
        found, first = None, True
        for side in self.sides(value):
            other = (yield question, side) if is_tensor(side) else plain(side).ranks
            found, first = other if first else joined_ranks(found, other), False
        return found

    def _dims(self, value: Value) -> Rule:
        given = self.given(value)
        if given is not None and given.dims is not None:
            return given.dims
        if self.numbers_of(value):
            return ()
        source = self.rows_of.get(value) or self.source(value)
        if source is not None:
            found = (yield self.dims, self.facts.root(source)) if is_tensor(source) else ()
            return found[1:] if found and value in self.rows_of else found
        node = value.node
        if is_given(node):
            return None
        if not node.regions:
            return (yield from transfer.dims(self._call(value), self))
        sides = []
        for side in self.sides(value):
            sides.append((yield self.dims, side) if is_tensor(side) else () if plain(side).ranks else None)
        return joined_dims(sides)

    def _content(self, value: Value) -> Rule:
        node = value.node
        if is_test(node):
            sides = []
            for side in self.sides(value):
                sides.append((yield self.contents, side) if is_tensor(side) else None)
            return joined(sides)
        if is_given(node) or is_call(node) or node.regions or node.op.effect or len(node.values) != 1:
            return None
        found = dict[Value, Content]()
        if node.op.family != "create" or node.op.traits & Trait.MOVES:
            for part in leaves(node.args):
                if is_tensor(part):
                    found[part] = yield self.contents, self.facts.root(part)
                    if found[part] is None:
                        return None
            if not found:
                return None
        element = yield self.element, value
        if element.dtype is None:
            return None
        rank = rank_of((yield self.rank, value))

        def seen(leaf: Any) -> Any:
            if type(leaf) is not Value:
                return leaf
            if leaf.is_tensor:
                return found.get(leaf, UNTOLD)
            number = self.facts.root(leaf)
            return number.type if number.kind == "int" and type(number.type) in _SIZES else number

        return content(node.op, tree_map(seen, node.args), element.dtype, rank)

    def not_negative(self, leaf: Any) -> bool:
        """Whether a number is nowhere negative; of what loops carry that is not known while they are captured."""
        return self.signs.ask(self.facts.root(leaf)) if type(leaf) is Value else is_not_negative(leaf)

    def _sign(self, value: Value) -> Rule:
        parts = self.sides(value) or (None if value.node.regions else sign_sources(value.node))
        for part in () if parts is None else parts:
            whole = (yield self.signs, self.facts.root(part)) if type(part) is Value else is_not_negative(part)
            if not whole:
                return False
        return parts is not None

    def _call(self, value: Value) -> Call:
        return Call(value.node.op, value.node.args, value.index - 1, self.facts.root)

    def sides(self, value: Value) -> list[Any]:
        """What the regions of a test may give as one of its values."""
        node = value.node
        sides = [region.result[value.index - 1] for region in node.regions] if is_test(node) else []
        return [self.facts.root(leaf) if is_tensor(leaf) else leaf for leaf in sides]


def plain(leaf: Any) -> Abstract:
    """What a side of a test gives that is no tensor."""
    if type(leaf) is not Value:
        return of_constant(leaf)
    return number(leaf.kind) if leaf.kind in NUMBERS else TOP


def _is_slice(index: Any) -> bool:
    """Whether an index is a slice between known ends."""
    return type(index) is slice and all(type(end) in (int, type(None)) for end in (index.start, index.stop, index.step))


def _literal(leaf: Any) -> Kinds:
    return frozenset((type(leaf).__name__,))


def is_tensor(leaf: Any) -> bool:
    """Whether a leaf is a tensor of the graph."""
    return type(leaf) is Value and leaf.is_tensor
