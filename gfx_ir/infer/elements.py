"""Dtypes that a value may have where the emitted code runs, and whether each is weak, as that of a Python number is.

A target that joins the values of a test or loop itself gives what both promote to; Python gives one of them as it is.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from ..dtypes import DType, default, kind_of
from ..graph import Node, Value, values_in
from ..op import Trait
from ..promotion import as_type, promote, stays_weak
from ..rules import OPEN, RAISED
from ..trees import leaves, tree_map
from ..types import LogicalTensor
from .shape_rules import Call, ShapeRules

Element = tuple[DType | None, bool]
"""A dtype, None where it is not told, and whether it is weak."""
Elements = frozenset[Element]

NOTHING: Elements = frozenset()
UNTOLD: Elements = frozenset(((None, False),))
ANYTHING: Elements = frozenset(((None, False), (None, True)))
_ORDER = "bifc"
_KINDS = {"bool": "b", "int": "i", "float": "f", "complex": "c"}
_MOST = 32
"""How many choices of the dtypes of its arguments an op is asked for; of more nothing is told."""


def declared(leaf: Any) -> DType | None:
    """The dtype that a value is told, where that is no number's."""
    known = leaf.type if type(leaf) is Value else None
    return known.dtype if isinstance(known, LogicalTensor) and not known.weak else None


def named(node: Node) -> Any:
    """The dtype that an op is told, or what asks for it when the code runs; None where it is told none."""
    return node.arg("dtype") if "dtype" in node.op.params else None


def of_kinds(kinds: Iterable[str], promotion: str) -> Elements:
    """What numbers of Python's of these kinds have."""
    return frozenset((default(_KINDS[kind], promotion), True) for kind in kinds if kind in _KINDS)


def of_constant(leaf: Any, promotion: str) -> Elements:
    """What a constant has."""
    number = isinstance(leaf, (bool, int, float, complex))
    return frozenset(((default(kind_of(leaf), promotion), True),)) if number else UNTOLD


def settled(alternatives: Iterable[Elements], promotion: str) -> Elements:
    """What a target gives that makes one dtype of those of several values. What nothing is known of yet says nothing."""
    given = [found for found in alternatives if found]
    return frozenset(_promoted(choice, promotion) for choice in _choices(given)) if given else NOTHING


def _promoted(choice: Iterable[Element], promotion: str) -> Element:
    given = list(choice)
    try:
        dtype, weak = promote([LogicalTensor(dtype, weak=weak) for dtype, weak in given], promotion)
    except RAISED:
        return None, False
    strong = [dtype for dtype, weak in given if not weak]
    beyond = dtype is not None and all(_beyond(dtype, other) for other in strong)
    return dtype, weak or stays_weak(beyond, promotion)


def _beyond(dtype: DType, other: DType | None) -> bool:
    """Whether a dtype is of a higher kind than another one: that of a number is, which the result then is, too."""
    return other is not None and _height(dtype) > _height(other)


def _height(dtype: DType) -> int:
    """How high the kind of a dtype stands among those of Python's numbers."""
    return _ORDER.index(dtype.kind.replace("u", "i"))


def _choices(given: list[Elements]) -> Iterator[tuple[Element, ...]]:
    count = 1
    for found in given:
        count *= len(found)
    return itertools.product(*given) if count <= _MOST else iter([tuple([(None, False)] * len(given))])


def of_op(node: Node, args: list[tuple[Value, Elements]], rules: ShapeRules) -> list[Elements]:
    """What each output of an op has, whose tensors have these."""
    if not all(found for _, found in args):
        return [NOTHING] * len(node.values)
    if node.op.infer is None and node.op.body is None:
        return [_told(value, UNTOLD) for value in node.values]
    given = tuple([found for _, found in args])
    call = Call(node.op, node.args, 0)
    found = rules.once(("elements", call.key, len(node.values), given), partial(_of_choices, node, rules), call, given)
    return list(map(_told, node.values, found))


def _of_choices(node: Node, rules: ShapeRules, call: Call, given: tuple[Elements, ...]) -> list[Elements]:
    asked = [_asked(node, dict(zip(call.tensors, chosen)), rules) for chosen in _choices(list(given))]
    return list(map(frozenset, zip(*asked)))


def _told(value: Value, found: Elements) -> Elements:
    """What is declared, in the place of what is not told."""
    known = declared(value)
    return frozenset((known, False) if element == (None, False) else element for element in found) if known else found


def _asked(node: Node, chosen: dict[Value, Element], rules: ShapeRules) -> list[Element]:
    """What the op's own rule gives for one dtype of each tensor, for each output."""
    operands = bool(node.op.traits & Trait.ELEMENTWISE)

    def typed(leaf: Any) -> Any:
        if type(leaf) is not Value:
            return leaf
        if leaf in chosen:
            dtype, weak = chosen[leaf]
            return LogicalTensor(dtype, weak=weak)
        kind = _KINDS.get(leaf.kind) if operands else None
        return OPEN if kind is None else LogicalTensor(default(kind, rules.promotion), (), weak=True)

    try:
        made = rules.infer(node.op, tree_map(typed, node.args))
    except RAISED:  # said where it is captured, if it is wrong at all
        return [(None, False)] * len(node.values)
    given = [typed(leaf) for leaf in leaves(node.args)] if operands else []
    told = [_element(found, given, rules.promotion) for found in made[: len(node.values)]]
    return told + [(None, False)] * (len(node.values) - len(told))


def _element(made: Any, operands: list[Any], promotion: str) -> Element:
    """What a rule has told of an output; `operands`: the types of what meets in it."""
    if not isinstance(made, LogicalTensor):
        return None, False
    return made.dtype, made.weak or (bool(operands) and _of_number(made.dtype, operands, promotion))


def _of_number(dtype: DType | None, operands: list[Any], promotion: str) -> bool:
    """Whether a result has the kind of a number, beyond those of the arrays that the number meets: then it is weak, too."""
    if dtype is None or not stays_weak(True, promotion):
        return False
    types = [
        as_type(leaf, promotion) for leaf in operands if isinstance(leaf, (LogicalTensor, bool, int, float, complex))
    ]
    numbers = any(type_.weak and type_.dtype is not None and type_.dtype.kind == dtype.kind for type_ in types)
    return numbers and all(type_.weak or _beyond(dtype, type_.dtype) for type_ in types)


def tensors(node: Node) -> list[Value]:
    """The tensors that an op takes, each once."""
    return list(dict.fromkeys([leaf for leaf in values_in(node.args) if leaf.is_tensor]))
