"""The record of a capture: the abstract value of each of its values, by what stands for it outside of all regions.

Its questions are answered when they are asked, each for itself: what Python has there, dtype, rank, and what follows from
constants. Stated is what no op says: that a value is a number of Python's, what a loop carries, what a function of the
framework gives where its ops may stand for others, too.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from gfx_ir import dtypes
from gfx_ir.graph import Value
from gfx_ir.infer import transfer
from gfx_ir.infer.abstract import (
    ARRAY,
    DATA,
    NUMBERS,
    TOP,
    UFUNC,
    Abstract,
    Kinds,
    Ranks,
    joined_dims,
    joined_element,
    joined_ranks,
    number,
    of_constant,
    rank_of,
    ranks_of,
)
from gfx_ir.infer.content import UNTOLD, Content, content
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.infer.shape_rules import Call, ShapeRules
from gfx_ir.python_numbers import KINDS
from gfx_ir.python_numbers import OPEN as ANY_KIND
from gfx_ir.rules import UNKNOWN
from gfx_ir.trees import leaves, tree_map
from gfx_ir.types import LogicalTensor

from .facts import Facts
from .proxy import weak_kind

NONE: Kinds = frozenset()
_TESTS = frozenset(("cond", "host_if"))
_OWN = frozenset(("placeholder", "parameter"))


class Record:
    """What is known of each value. `is_argument` and `type_of` tell of placeholders; `promotion`: whose rules hold."""

    def __init__(
        self, facts: Facts, promotion: str, is_argument: Callable[[Any], bool], type_of: Callable[[Value], Any]
    ) -> None:
        self.facts, self.rules, self.is_argument, self.type_of = facts, ShapeRules(promotion), is_argument, type_of
        self.kinds, self.element = Question(self._kinds), Question(self._element)
        self.ranks, self.rank = Question(partial(self._ranks, True)), Question(partial(self._ranks, False))
        self.dims, self.contents = Question(self._dims), Question(self._content)
        self.stated: dict[Value, Kinds] = {}  # kinds that no op tells
        self.mixed = False  # whether anything is one of several, so that asking is worth it
        self.filled = False  # whether a list stands as one tensor of rows, so that looking for one is worth it
        self.like: dict[Value, Value] = {}  # what was written in place, and what was there before
        self.begins: dict[Value, Any] = {}  # what a loop carries, and what it begins with
        self.rows_of: dict[Value, Value] = {}  # what the items of a loop under construction are rows of
        self.row_kinds: dict[Value, str] = {}  # tensors whose rows stand for numbers of Python's, and the kind of these

    # ------------------------------------------------------------------ what is stated
    def tell(self, value: Any, kind: str | Kinds) -> None:
        """Note that a value is a number of Python's of this kind, or of one of these; none: it is no number."""
        if type(value) is not Value:
            return
        if kind:
            self._state(
                value, NUMBERS if kind == ANY_KIND else frozenset((kind,)) if type(kind) is str else frozenset(kind)
            )
        elif self.weak(value):
            root = self.facts.root(value)
            del self.stated[root]
            self._forget(root)

    def put(self, value: Value, what: Abstract) -> None:
        """Note what a value is, before it is asked for."""
        root = self._state(value, what.kinds)
        if what.ranks is not None:
            self.ranks.known[root] = what.ranks

    def holds_truth(self, value: Value) -> None:
        """Note that a value is true or false."""
        self.element.known[self.facts.root(value)] = LogicalTensor(dtypes.bool_)

    def mix(self, value: Value, kinds: Kinds = NUMBERS) -> None:
        """Note that a value may be a number of Python's, too: on another way to it, or as another argument."""
        self.mixed = True
        root = self.facts.root(value)
        self.stated[root] = self.kinds.known[root] = self.kinds.ask(root) | kinds

    def spelled(self, value: Value, array: bool) -> None:
        """Note that a function gave a value which gives an array also without axes, or a number there: its ops may not tell."""
        root = self.facts.root(value)
        kinds = self.kinds.ask(root)
        if kinds <= DATA and (array or kinds == _EITHER) and self.rank_of(root) in (None, 0):
            self.stated[root] = self.kinds.known[root] = frozenset((ARRAY if array else UFUNC,))

    def written(self, new: Any, old: Any) -> None:
        """Note that a value, made for this, was written in place of another one."""
        if type(new) is Value and type(old) is Value and new is not old and not new.uses:
            self.like[new] = old
            self.kinds.known.pop(new, None)
            for question in (self.element, self.ranks, self.rank, self.dims):
                if question.known.get(new, UNKNOWN) not in (
                    None,
                    UNKNOWN,
                ):  # it was asked of the result, not of the array
                    del question.known[new]

    def copied(self, old: Value, new: Any) -> None:
        """A value stands for another one, which was made in a region: what is known of that holds of it."""
        kinds = self.numbers_of(old)
        if kinds and type(new) is Value:
            self.tell(new, kinds)

    def tell_rows(self, value: Any, kind: str) -> None:
        """Note that the rows of a tensor stand for numbers of Python's of this kind."""
        if kind:
            self.row_kinds[self.facts.root(value)] = kind

    def _state(self, value: Value, kinds: Kinds) -> Value:
        root = self.facts.root(value)
        self._forget(root)
        self.stated[root] = kinds
        return root

    def _forget(self, root: Value) -> None:
        for question in (self.kinds, self.element, self.ranks, self.rank, self.dims):
            question.known.pop(root, None)

    # ------------------------------------------------------------------ what is asked
    def kind_of_rows(self, value: Value) -> str:
        """The kind of the numbers of Python's that the rows of a tensor stand for, else ""."""
        return self.row_kinds.get(self.facts.root(value), "") if self.row_kinds else ""

    def weak(self, value: Any) -> str:
        """The kind of the number of Python's that a value surely is, the widest of several; else ""."""
        stated = self.numbers_of(value)
        return "" if not stated else ANY_KIND if stated == NUMBERS else max(stated, key=KINDS.index)

    def numbers_of(self, value: Any) -> Kinds:
        """The kinds of a value that is surely a number of Python's; none of any other."""
        if not self.stated or type(value) is not Value:
            return NONE
        stated = self.stated.get(self.facts.root(value))
        return NONE if stated is None or not stated <= NUMBERS else stated

    def may_be_python(self, leaf: Any, value: Any) -> bool:
        """Whether a leaf that holds a value is a number of Python's, or may be one: nothing writes that in place."""
        return bool(weak_kind(leaf)) or (self.mixed and not self.kinds_of(value).isdisjoint(NUMBERS))

    def kinds_of(self, value: Any) -> Kinds:
        """What Python may have there."""
        return self.kinds.ask(self.facts.root(value)) if type(value) is Value else of_constant(value).kinds

    def dtype(self, value: Value) -> dtypes.DType | None:
        """The dtype of a tensor, as far as the ops that made it tell."""
        found: LogicalTensor = self.element.ask(self.facts.root(value))
        return found.dtype

    def is_boolean(self, value: Any) -> bool:
        """Whether a value is true or false, as far as the ops that made it tell."""
        if type(value) is not Value:
            return isinstance(value, bool)
        if not value.is_tensor:
            return value.kind == "bool"
        dtype = self.dtype(value)
        return dtype is not None and dtype.kind == "b"

    def ranks_of(self, value: Any) -> Ranks | None:
        """The ranks that a value may have, in terms of the arguments'."""
        return self.ranks.ask(self.facts.root(value)) if type(value) is Value else of_constant(value).ranks

    def rank_of(self, value: Any) -> int | None:
        """The rank of a value, where the ops that made it tell."""
        return rank_of(self.rank.ask(self.facts.root(value))) if type(value) is Value else 0

    def is_integer(self, item: Any) -> bool:
        """Whether an item of an index is one number, which a tensor may tell."""
        if not isinstance(item, Value):
            return type(item) is int
        return self.rank_of(item) == 0 and not self.is_boolean(item) if item.is_tensor else item.kind == "int"

    def content(self, value: Value) -> Content:
        """What a value holds where that follows from constants and shapes; None where it hangs on data."""
        found: Content = self.contents.ask(self.facts.root(value))
        return found

    def of(self, value: Any) -> Abstract:
        """What Python may have there, and at which ranks."""
        if type(value) is not Value:
            return of_constant(value)
        return Abstract(self.kinds_of(value), ranks=self.ranks_of(value))

    # ------------------------------------------------------------------ rules
    def source(self, value: Value) -> Any:
        """What a value has the dtype and shape of, as what it was before it was written in place; None: that follows from its op."""
        return self.like.get(value)

    def given(self, value: Value) -> LogicalTensor | None:
        """The type that a value was captured with."""
        known = self.type_of(value) if value.type is not None or value.node.op.name == "parameter" else None
        return known if isinstance(known, LogicalTensor) else None

    def _kinds(self, value: Value) -> Rule:
        if value in self.stated:
            return self.stated[value]
        if value in self.rows_of:
            return _ELEMENT
        node = value.node
        if value in self.like or node.op.name in _OWN:
            return _ARRAY
        if not node.regions:
            return (yield from transfer.kinds(self._call(value), self))
        found: Kinds = frozenset()
        for side in self._sides(value):
            found |= (yield self.kinds, side) if _is_tensor(side) else _plain(side).kinds
        return found or DATA

    def _element(self, value: Value) -> Rule:
        given = self.given(value)
        if given is not None and given.dtype is not None:
            return given if given == LogicalTensor(given.dtype) else LogicalTensor(given.dtype, weak=given.weak)
        if self.weak(value):
            return self._number(self.stated[value])
        source = self.rows_of.get(value) or self.source(value)
        if source is not None:
            return (
                (yield self.element, self.facts.root(source))
                if _is_tensor(source)
                else self._number(_plain(source).kinds)
            )
        node = value.node
        if node.op.name in _OWN:
            return UNKNOWN
        if not node.regions:
            return (yield from transfer.element(self._call(value), self))
        found: LogicalTensor | None = None
        for side in self._sides(value):
            other = (yield self.element, side) if _is_tensor(side) else self._number(_plain(side).kinds)
            found = other if found is None else joined_element(found, other)
        return found or UNKNOWN

    def _number(self, kinds: Kinds) -> LogicalTensor:
        """The dtype by which a number of Python's counts."""
        (kind,) = kinds if len(kinds) == 1 else ("",)
        return LogicalTensor(dtypes.default(kind[0], self.rules.promotion), weak=True) if kind in NUMBERS else UNKNOWN

    def _ranks(self, terms: bool, value: Value) -> Rule:
        question = self.ranks if terms else self.rank
        given = self.given(value)
        if given is not None and given.dims is not None:
            return ranks_of(len(given.dims))
        if not terms and value in self.ranks.known:
            known = self.ranks.known[value]
            return known if rank_of(known) is not None else None
        if self.weak(value):
            return ranks_of(0)
        if value in self.rows_of:
            return transfer.dropped((yield question, self.facts.root(self.rows_of[value])), 1)
        if value in self.like:
            return (yield question, self.facts.root(self.like[value]))
        node = value.node
        if node.op.name in _OWN:
            return frozenset((frozenset(((value, 0),)),)) if terms and self.is_argument(value) else None
        if not node.regions:
            return (yield from transfer.ranks(self._call(value), self, question))
        found, first = None, True
        for side in self._sides(value):
            other = (yield question, side) if _is_tensor(side) else _plain(side).ranks
            found, first = other if first else joined_ranks(found, other), False
        return found

    def _dims(self, value: Value) -> Rule:
        given = self.given(value)
        if given is not None and given.dims is not None:
            return given.dims
        if self.weak(value):
            return ()
        source = self.rows_of.get(value) or self.source(value)
        if source is not None:
            found = (yield self.dims, self.facts.root(source)) if _is_tensor(source) else ()
            return found[1:] if found and value in self.rows_of else found
        node = value.node
        if node.op.name in _OWN:
            return None
        if not node.regions:
            return (yield from transfer.dims(self._call(value), self))
        sides = []
        for side in self._sides(value):
            sides.append((yield self.dims, side) if _is_tensor(side) else () if _plain(side).ranks else None)
        return joined_dims(sides)

    def _content(self, value: Value) -> Rule:
        node = value.node
        if node.op.name in _OWN or node.regions or node.op.effect or len(node.values) != 1:
            return None
        found = dict[Value, Content]()
        if node.op.family != "create":
            for part in leaves(node.args):
                if _is_tensor(part):
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
            return found.get(leaf, UNTOLD) if leaf.is_tensor else self.facts.root(leaf)

        return content(node.op, tree_map(seen, node.args), element.dtype, rank)

    def _call(self, value: Value) -> Call:
        return Call(value.node.op, value.node.args, value.index - 1, self.facts.root)

    def _sides(self, value: Value) -> list[Any]:
        """What the regions of a test may give as one of its values."""
        node = value.node
        sides = [region.result[value.index - 1] for region in node.regions] if node.op.name in _TESTS else []
        return [self.facts.root(leaf) if _is_tensor(leaf) else leaf for leaf in sides]


def number_if_given(argument: Value) -> Abstract:
    """What an argument is that was given as a number of NumPy's."""
    return Abstract(_ELEMENT, ranks=frozenset((frozenset(((argument, None),)),)))


def _plain(leaf: Any) -> Abstract:
    """What a side of a test gives that is no tensor."""
    if type(leaf) is not Value:
        return of_constant(leaf)
    return number(leaf.kind) if leaf.kind in NUMBERS else TOP


def _is_tensor(leaf: Any) -> bool:
    return type(leaf) is Value and leaf.is_tensor


_ARRAY: Kinds = frozenset((ARRAY,))
_ELEMENT: Kinds = frozenset((UFUNC,))
_EITHER = _ARRAY | _ELEMENT
