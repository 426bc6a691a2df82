"""Transfer functions: what an op gives, from what is known of its arguments. Each answers one question, and asks what it needs.

Rank and dtype follow from the op's own shape rule, also where ranks are open: the rule is asked for several ranks, and how
the answers hang on them is the rank in terms of the arguments'. What Python has there follows from the op's row. Of an op
that no rule tells of nothing is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Protocol

import numpy as np

from ..control import is_parameter
from ..graph import Node, Value
from ..op import Point, Trait
from ..python_numbers import OF_LETTERS
from ..rules import UNKNOWN
from ..types import LogicalTensor
from .abstract import (
    ARRAYS,
    ELEMENTS,
    MOST,
    NUMBERS,
    PYTHON,
    SCALAR,
    Kinds,
    Ranks,
    Terms,
    rank_of,
    ranks_of,
)
from .demand import Question, Rule
from .shape_rules import OTHER, VARIES, Call, ShapeRules, of_rank

_RANK_OF_FIRST = Trait.SHAPE_OF_FIRST | Trait.RANK_OF_FIRST
_EITHER: Kinds = ELEMENTS | ARRAYS
"""A number or an array where it has no axes: which of them hangs on the function that the op was made for."""
_POINTS = {Point.NUMBER: ELEMENTS, Point.ARRAY: ARRAYS, Point.EITHER: _EITHER}


class Questions(Protocol):
    """What is asked of a value, and what is given of its type without asking."""

    kinds: Question
    element: Question
    ranks: Question  # in terms of the arguments'
    rank: Question  # the same; None where that hangs on an argument
    dims: Question
    rules: ShapeRules

    def given(self, value: Value) -> LogicalTensor | None:
        """The type that a value was captured with."""


# ---------------------------------------------------------------------- what Python has there
def kinds(call: Call, asked: Questions) -> Rule:
    """The kinds of an output."""
    point, tensors = call.op.point, call.tensors
    if point is Point.PYTHON:
        dtype = (yield from element(call, asked)).dtype
        return frozenset(PYTHON if dtype is None else (OF_LETTERS[dtype.kind],))
    if point is Point.INDEXED:
        return (yield from _kinds_of_item(call, asked))
    if point is Point.GIVEN:
        return ARRAYS if np.ndim(call.args[0]) else frozenset((SCALAR,))
    own = _POINTS.get(point, _EITHER)
    if point is Point.KEPT and tensors and (yield asked.kinds, tensors[0]) == ARRAYS:
        own = ARRAYS
    return own if call.op.family != "elementwise" else (yield from _with_numbers(own, tensors, asked))


def _with_numbers(own: Kinds, tensors: tuple[Value, ...], asked: Questions) -> Rule:
    """What is made of what may be numbers of Python's, all of it, may be one, too. Of what surely is one capture says what an
    operator makes; a function makes a tensor of it."""
    surely = True
    for tensor in tensors:
        found = yield asked.kinds, tensor
        if found.isdisjoint(NUMBERS):
            return own
        surely = surely and found <= NUMBERS
    return own if surely else own | NUMBERS


# ---------------------------------------------------------------------- dtypes
def element(call: Call, asked: Questions) -> Rule:
    """The dtype of an output, as a type without dims. Where one that is not known leaves it open, no other is asked for."""
    rules, tensors = asked.rules, call.tensors
    found: list[Any] = [OTHER] * len(tensors)
    for left, at in enumerate(_nearest(tensors, asked.element), 1):
        found[at] = yield asked.element, tensors[at]
        if found[at].dtype is None and left < len(tensors):
            told = rules.element(call, tuple(found))
            if told is not VARIES:
                return _without_dims(told)
    made = rules.type(call, tuple(found))
    if made.dtype is None and len(found) > 1 and all(known.dtype is not None for known in found):
        ranked = yield from _ranked(tensors, asked)  # PyTorch's hangs on ranks as well
        made = rules.type(call, tuple([a.with_(dtype=b.dtype, weak=b.weak) for a, b in zip(ranked, found)]))
    return _without_dims(made)


def _nearest(tensors: tuple[Value, ...], question: Question) -> list[int]:
    """The places of tensors, in the order in which they are asked: what is known, and then what was handed on from farther back;
    parameters last, as what they are leaves little open."""
    if len(tensors) < 2:
        return [0] * len(tensors)
    known, places = question.known, range(len(tensors) - 1, -1, -1)
    return sorted(places, key=lambda at: 0 if (x := tensors[at]) in known else 2 if is_parameter(x.node) else 1)


def _without_dims(made: LogicalTensor) -> LogicalTensor:
    return made if made.dims is None else LogicalTensor(made.dtype, weak=made.weak)


# ---------------------------------------------------------------------- ranks
def rank_source(node: Node) -> Value | None:
    """The argument whose rank the results of a node have, whatever that is."""
    first = node.args[0] if node.args else None
    if type(first) is not Value or not first.is_tensor:
        return None
    traits = node.op.traits
    return first if traits & _RANK_OF_FIRST or (len(node.args) == 1 and traits & Trait.ELEMENTWISE) else None


def ranks(call: Call, asked: Questions, question: Question) -> Rule:
    """The ranks of an output: one whatever those of its arguments are, or those of the only argument of open rank, each less the same.

    `question`: which of the two that is."""
    op, rules = call.op, asked.rules
    if op.point is Point.INDEXED:
        return (yield from _ranks_of_item(call, asked, question))
    tensors = call.tensors
    if op.traits & Trait.ELEMENTWISE and tensors:
        return (yield from _broadcast(tensors, question))
    nothing = (UNKNOWN,) * len(tensors)
    if tensors:
        told = rules.rank(call, (OTHER, *nothing[1:]))
        if told is not VARIES and (found := (yield from _by_rank(told, tensors[0], question))) is not None:
            return found
    alone = rules.type(call, nothing).dims
    return ranks_of(len(alone)) if alone is not None else (yield from _ranks_of_all(call, asked, question))


def _by_rank(told: Ranks, tensor: Value | None, question: Question) -> Rule:
    """The ranks of what hangs on that of one tensor, which is OTHER in what was told."""
    if not any(argument is OTHER for terms in told for argument, _ in terms):
        return told
    ranks: Ranks | None = yield question, tensor
    if ranks is None:
        return None
    found: Ranks = frozenset()
    for terms in told:
        less = sum(k or 0 for argument, k in terms if argument is OTHER)
        rest = frozenset((argument, k) for argument, k in terms if argument is not OTHER)
        found |= {greatest(one, rest) for one in dropped(ranks, less) or ()}
    return found if len(found) <= MOST else None


def _ranks_of_all(call: Call, asked: Questions, question: Question) -> Rule:
    """The ranks of an output by all that is known of the arguments: their ranks, and where these do not tell their sizes."""
    ranked = yield from _ranked(call.tensors, asked)
    told = _told_rank(call, ranked, asked.rules)
    if told is VARIES:
        sized = [_sized(asked.given(tensor)) or other for tensor, other in zip(call.tensors, ranked)]
        told = _told_rank(call, sized, asked.rules)
    open_ = [tensor for tensor, known in zip(call.tensors, ranked) if known.dims is None]
    return None if told is VARIES else (yield from _by_rank(told, open_[0] if open_ else None, question))


def _ranked(tensors: Iterable[Value], asked: Questions) -> Rule:
    """Types of which no more is known than the rank, if that."""
    found = []
    for tensor in tensors:
        found.append(of_rank(rank_of((yield asked.rank, tensor))))
    return found


def _sized(given: LogicalTensor | None) -> LogicalTensor | None:
    """The dims of a type, if it has any."""
    return None if given is None or given.dims is None else LogicalTensor(None, given.dims)


def _told_rank(call: Call, types: list[Any], rules: ShapeRules) -> Any:
    """The ranks of an output in terms of the only tensor whose own is open, as ShapeRules.rank gives them, or VARIES."""
    made = rules.type(call, tuple(types)).dims
    if made is not None:
        return ranks_of(len(made))
    if sum(known.dims is None for known in types) != 1:
        return VARIES
    return rules.rank(call, tuple([OTHER if known.dims is None else known for known in types]))


def _broadcast(tensors: tuple[Value, ...], question: Question) -> Rule:
    """The ranks of what several are broadcast to: the greatest, for each choice of theirs."""
    found = ranks_of(0)
    for at in _nearest(tensors, question):
        other = yield question, tensors[at]
        if other is None:
            return None
        found = other if found == ranks_of(0) else frozenset({greatest(a, b) for a in found for b in other})
        if len(found) > MOST:
            return None
    return found


def greatest(a: Terms, b: Terms) -> Terms:
    """The greatest of two ranks: of several terms of one argument it is the one that takes the least from it."""
    least: dict[Any, int] = {}
    for argument, k in a | b:
        if k is not None:
            least[argument] = min(k, least.get(argument, k))
    return frozenset((argument, k if k is None else least[argument]) for argument, k in a | b)


def dropped(ranks: Ranks | None, axes: int) -> Ranks | None:
    """Ranks, less so many axes."""
    if ranks is None or (not axes and all(k is not None for terms in ranks for _, k in terms)):
        return ranks
    return frozenset(frozenset(_less(terms, axes)) for terms in ranks)


def _less(terms: Terms, axes: int) -> Iterator[tuple[Any, int | None]]:
    for argument, k in terms or (((None, 0),) if axes < 0 else ()):
        if k is not None and (argument is not None or -k > axes):
            yield argument, k + axes


# ---------------------------------------------------------------------- sizes
def dims(call: Call, asked: Questions) -> Rule:
    """The dims of an output, as far as they follow from those of the arguments."""
    if call.op.traits & Trait.SHAPE_OF_FIRST:
        return (yield asked.dims, call.tensors[0])
    types = [UNKNOWN] * len(call.tensors)
    for at in _nearest(call.tensors, asked.dims):
        tensor, position = call.tensors[at], at > 0 and call.op.point is Point.INDEXED  # which may be a mask
        dtype = (yield asked.element, tensor).dtype if position else None
        types[at] = LogicalTensor(dtype, (yield asked.dims, tensor))
        if types[at].dims is None and call.op.traits & Trait.ELEMENTWISE:
            return None
    return asked.rules.type(call, tuple(types)).dims


# ---------------------------------------------------------------------- an index
def _kinds_of_item(call: Call, asked: Questions) -> Rule:
    """An index of integers alone gives an element or an array of them, one with slices or new axes a view."""
    items, integers, others = yield from _items(call, asked)
    if integers + 1 < len(items) or not any(type(item) is Value and item.is_tensor for item in others):
        return ELEMENTS if integers == len(items) else ARRAYS
    picks = integers + 1 == len(items) and (yield from _picks(call.tensors[0], others, asked))
    return ELEMENTS if picks else _EITHER  # positions that may be one number


def _ranks_of_item(call: Call, asked: Questions, question: Question) -> Rule:
    """The rank of what is indexed, less one for each integer, more one for each new axis; an axis becomes those of positions."""
    x, *positions = call.tensors
    ranked = yield from _ranked(call.tensors, asked)
    for at, tensor in enumerate(positions, 1):
        ranked[at] = ranked[at].with_(dtype=(yield asked.element, tensor).dtype)
    made = asked.rules.type(call, tuple(ranked)).dims
    if made is not None:
        return ranks_of(len(made))
    items, integers, others = yield from _items(call, asked)
    less = integers - sum(item is None for item in items)
    if not others:
        return dropped((yield question, x), less)
    if not (yield from _picks(x, others, asked)):
        return None
    return dropped((yield question, others[0]), less + 1 - len(ranked[0].dims))


def _items(call: Call, asked: Questions) -> Rule:
    """The items of an index, how many of them are surely one integer, and those that are neither that nor a slice or the like."""
    index = call.args[1]
    items = index if type(index) is tuple else (index,)
    integers, others = 0, list[Any]()
    for item in items:
        if type(item) is Value and item.is_tensor:
            tensor = call.root(item)
            single = rank_of((yield asked.rank, tensor)) == 0 and not _is_mask((yield asked.element, tensor))
            others += [] if single else [tensor]
        else:
            single = type(item) is int or (type(item) is Value and item.kind == "int")
            others += [] if single or isinstance(item, slice) or item is None or item is ... else [item]
        integers += single
    return items, integers, others


def _picks(x: Value, others: list[Any], asked: Questions) -> Rule:
    """Whether an index picks rows by positions, of something whose rank is known."""
    if (
        len(others) != 1
        or type(others[0]) is not Value
        or not others[0].is_tensor
        or rank_of((yield asked.rank, x)) is None
    ):
        return False
    return not _is_mask((yield asked.element, others[0]))


def _is_mask(known: LogicalTensor) -> bool:
    return known.dtype is not None and known.dtype.kind == "b"
