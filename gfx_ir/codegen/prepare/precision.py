"""What Python's numbers can do that numbers of 32 or 64 bits cannot: grow without end, tell a double apart, be complex, be text."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ...control import (
    calls_python,
    host_operator,
    is_evaluation,
    is_for,
    is_loop,
    is_output,
    is_test,
    operands_of,
    operator_of,
)
from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...infer.abstract import NUMBERS
from ...infer.facts import Facts
from ...infer.fixpoint import Fixpoint
from ...python_numbers import COMPARISONS, EQUALITIES
from ...reach import reached
from ...regions import outputs_of
from ...trees import leaves
from ..style import Style
from .growth import Extents, doubling
from .made_of import MOST_POWER, MadeOf, is_literal

_WHOLE = frozenset(("int", "bool"))
_MOST_SHIFT = 8
_MOST_FACTOR = 2**16
_MOST_WHOLE = 2**31 - 1
_MOST_BITS = 63
_LARGEST, _SMALLEST = 3.4e38, 1.2e-38
_BOUNDING = frozenset(("%", "//", "&", ">>"))
_CANCELLING = frozenset(("-", "*", "/", "%", "//"))
TEXTS = frozenset(("format", "str", "repr"))
"""What makes a text of host values."""
_TELLING = TEXTS | {"int", "float", "bool", "item"}


def refused(node: Node, style: Style, what: str, why: str, hint: str = "") -> UnsupportedConstruct:
    """The error for what compiled code cannot do with a number, at the user's line."""
    told = f"GFX cannot write {what}, {why}, as {style.name} source: there it is an array without axes"
    otherwise = "compute with tensors instead, or run the code as PyTorch or NumPy source"
    return UnsupportedConstruct(told, node.span, hint or otherwise)


def _is_of_a_double(leaf: Any) -> bool:
    """Whether a leaf is a fraction whose digits 32 bits do not hold, so that none that is read from them equals it."""
    return type(leaf) is float and math.isfinite(leaf) and struct.unpack("f", struct.pack("f", leaf))[0] != leaf


def is_wide(leaf: Any) -> bool:
    """Whether a leaf is a whole number that no array holds."""
    return type(leaf) is int and leaf.bit_length() > _MOST_BITS


def check_numbers(graphs: Iterable[Graph], facts: Facts, style: Style, counts: bool) -> None:
    """Refuse what would come out otherwise of numbers that are read from tensors, or (`counts`) that loops on data carry and count.
    Raises UnsupportedConstruct."""
    Checks(facts, style, counts).run(graphs)


class Checks:
    """The checks of one program."""

    def __init__(self, facts: Facts, style: Style, counts: bool) -> None:
        self.facts, self.style, self.counts = facts, style, counts
        self.made = MadeOf(facts)
        self._sums = Fixpoint[Mapping[Any, int]](
            lambda value: [leaf for leaf, _ in self._terms(value) or () if type(leaf) is Value], self._sum, {}, {}
        )
        self._extents = Extents(lambda value: operator_of(value.node) in _BOUNDING)

    def run(self, graphs: Iterable[Graph]) -> None:
        """Look at every node."""
        for graph in graphs:
            for node in graph.walk():
                self._handed(node)
                if is_loop(node):
                    self._growing(node)
                elif host_operator(node) in _TELLING:
                    self._told(node)
                elif calls_python(node) and any(map(self.made.is_huge, node.args[1])):
                    raise self._beyond(node)
                elif is_evaluation(node) and node.args[1]:
                    hint = "leave it out, or check what it is made of: assert n != 0"
                    raise refused(node, self.style, "this number", f"whose {node.args[1]} is all that it is for", hint)
                elif operator_of(node) and all(map(self.facts.is_number, operands_of(node))):
                    if any(map(self.made.is_read, operands_of(node))):
                        self._operator(node)
                    elif self.counts and any(map(self.made.is_of_trips, operands_of(node))):
                        self._whole(node)

    def _handed(self, node: Node) -> None:
        """Refuse a number that no array holds as what a test on a tensor gives, or a loop begins with."""
        given = [region.result for region in node.regions] if _on_data(node) else []
        given += [node.arg("init")] if is_loop(node) else []
        if any(map(is_wide, leaves(tuple(given)))):
            hint = "compute with a float: float(n)"
            raise refused(node, self.style, "this number", "which has more than 64 bits", hint)

    def _whole(self, node: Node) -> None:
        """Refuse an operator that may take whole numbers beyond their width."""
        sign, args = operator_of(node), operands_of(node)
        if any(type(arg) is int and abs(arg) > (_MOST_FACTOR if sign == "*" else _MOST_WHOLE) for arg in args):
            hint = "compute with a float: float(n) * c"
            raise refused(node, self.style, "this number", "which leads beyond the width of whole numbers", hint)
        if not all(self.facts.kinds(arg) <= _WHOLE for arg in args):
            return
        if sign == "<<" and not is_literal(args[1], _MOST_SHIFT):
            raise refused(node, self.style, "this shift", "which may leave the width of whole numbers")
        if sign == "**" and not is_literal(args[1], MOST_POWER):
            hint = "take a power of a float: float(n) ** k"
            raise refused(node, self.style, "this power", "which may leave the width of whole numbers", hint)
        if sign in ("+", "-", "*"):
            degree, factor = self._extents.of(node.values[0])
            if degree > MOST_POWER or (degree and factor > _MOST_FACTOR):
                hint = "take a remainder before, or compute with a float: float(n) * c"
                raise refused(node, self.style, "this number", "which leads beyond the width of whole numbers", hint)

    def _operator(self, node: Node) -> None:
        self._whole(node)
        sign = node.op.sign
        if sign == "**":
            self._power(node)
        if sign in _CANCELLING and len(node.args) == 2 and all(map(self.made.is_huge, node.args)):
            raise self._beyond(node)
        if any(isinstance(arg, float) and 0 < abs(arg) and not _SMALLEST < abs(arg) < _LARGEST for arg in node.args):
            raise refused(node, self.style, "this number", "which only a double holds")
        told = sign in EQUALITIES and any(map(_is_of_a_double, node.args))
        if told or ((sign in COMPARISONS or sign == "-") and len(node.args) == 2 and self._cancels(*node.args)):
            hint = "compare with a tolerance of your own, or give the code a tensor of dtype float64"
            raise refused(node, self.style, "this comparison", "which hangs on the digits of a double", hint)

    def _beyond(self, node: Node) -> UnsupportedConstruct:
        hint = "compute with tensors, as log_softmax and logsumexp do"
        return refused(node, self.style, "this number", "which only a double holds before it is small again", hint)

    def _power(self, node: Node) -> None:
        base, exponent = node.args
        if "complex" in self.facts.kinds(node.values[0]) and self._of_reals(base, exponent):
            if not self.made.not_negative(base):
                hint = "take math.sqrt(x) or math.pow(x, y), or abs(x), where it is not negative"
                raise refused(node, self.style, "this power", "which is complex for a negative number", hint)

    def _of_reals(self, base: Any, exponent: Any) -> bool:
        """Whether a power may be one of a real number, and what is complex in it no part of that; of a number whose kind is open
        a power that is no whole one."""
        kinds, by = self.facts.kinds(base), self.facts.kinds(exponent)
        if "complex" not in kinds | by:
            return True
        whole = by <= _WHOLE or (isinstance(exponent, float) and exponent.is_integer())
        return not whole and not {"int", "float"}.isdisjoint(kinds) and by != {"complex"}

    # ------------------------------------------------------------------ whole numbers
    def _growing(self, loop: Node) -> None:
        """Refuse a whole number that a loop multiplies by numbers read from tensors, trip by trip."""
        init = loop.arg("init")
        body = loop.regions[-1]
        first = len(loop.args[0]) if is_for(loop) else 0
        results = outputs_of(body.result, len(loop.values) if first else len(init))
        pairs = zip(body.placeholders[first:], results[: len(init)])
        whole = {phi: result for phi, result in pairs if phi.is_tensor and self.facts.kinds(phi) <= _WHOLE}
        for phi, result in whole.items():
            self._multiplied(phi, result)
        for node in doubling(whole, self.made.parts, lambda value: operator_of(value.node) in _BOUNDING):
            if any(map(self.made.is_read, node.values)):
                hint = "take a remainder in each trip, or begin with a float"
                raise refused(
                    node, self.style, "this number", "which a loop takes beyond the width of whole numbers", hint
                )

    def _multiplied(self, phi: Value, result: Any) -> None:
        """Refuse a carried number of which a trip makes a product with numbers that are read."""

        def parts(value: Value) -> list[Value]:
            ends = value is phi or value.node.op.sign in _BOUNDING or not self.facts.may_be_number(value)
            return [] if ends else [part for part in self.made.parts(value) if type(part) is Value]

        for value in reached([result] if type(result) is Value else [], parts):
            if value.node.op.sign != "*" or self.made.handed(value) is not None or not parts(value):
                continue
            one, other = value.node.args
            scaled = [x for x, by in ((one, other), (other, one)) if type(x) is Value and self._scales(by)]
            if phi in reached(scaled, parts):
                hint = "begin with a float, or take the product of a tensor"
                why = "which a loop may take beyond the width of whole numbers"
                raise refused(value.node, self.style, "this product", why, hint)

    def _scales(self, leaf: Any) -> bool:
        return type(leaf) is Value and self.made.is_read(leaf)

    # ------------------------------------------------------------------ doubles
    def _cancels(self, one: Any, other: Any) -> bool:
        """Whether two sums of fractions have a part in common, so that what is left may be lost in fewer digits."""
        left, right = self._parts(one), self._parts(other)
        return left != right and bool(left.keys() & right.keys())

    def _parts(self, leaf: Any) -> Mapping[Any, int]:
        """What a number is the sum of, each with how often."""
        return self._sums.of(leaf) if type(leaf) is Value else {repr(leaf): 1}

    def _terms(self, value: Value) -> list[tuple[Any, int]] | None:
        """What a number is the sum of at once, each with its sign; None where it is none."""
        came, args = self.made.handed(value), value.node.args
        if came is not None:
            return [(came[0], 1)] if len(came) == 1 else None
        if value.node.op.sign == "+":
            return [(arg, 1) for arg in args]
        return [(args[0], 1), (args[1], -1)] if value.node.op.sign == "-" else None

    def _sum(self, value: Value) -> Mapping[Any, int]:
        terms = self._terms(value)
        if terms is None:
            return {} if self.facts.kinds(value) <= _WHOLE else {self.made.same.of(value): 1}
        parts = Counter[Any]()
        for leaf, sign in terms:
            for part, count in (self._sums.now(leaf) if type(leaf) is Value else {repr(leaf): 1}).items():
                parts[part] += sign * count
        return {part: count for part, count in parts.items() if count}

    # ------------------------------------------------------------------ text
    def _told(self, node: Node) -> None:
        """Refuse a text of data that the code goes on with: it is made while the code is traced."""
        if not self.style.control.compiled or not any(type(x) is Value and x.is_tensor for x in leaves(node.args[1])):
            return
        if goes_on(node):
            raise refused(node, self.style, "this text", "which holds what is in a tensor", "compare the number itself")


def goes_on(node: Node) -> bool:
    """Whether code goes on with the text that a node makes: it is not only printed or raised."""
    return _is_taken(node.values[0])


def _is_taken(text: Value) -> bool:
    """Whether something takes a text that neither tells it nor gives it out of a test to what only tells it."""
    for user in _users(text):
        if user.op.effect or _tells(user):
            continue
        test = user.graph.owner if is_output(user) and user.graph is not None else None
        places = [at for at, leaf in enumerate(leaves(user.args)) if leaf is text]
        if test is None or not is_test(test) or not places or any(_is_taken(test.values[at]) for at in places):
            return True
    return False


def _tells(node: Node) -> bool:
    return host_operator(node) in TEXTS


def _users(value: Value) -> Iterator[Node]:
    """The nodes that take a value, also within regions; an output of a graph is one."""
    for inner in reached(
        [value], lambda held: [placeholder for user in held.uses for placeholder in _given(user, held)]
    ):
        for user in inner.uses:
            regions = max(len(user.regions), 1)
            if len(_given(user, inner)) != regions * sum(leaf is inner for leaf in leaves(user.args)):
                yield user


def _given(user: Node, value: Value) -> list[Value]:
    """What a value is within the regions of a node that takes it for them."""
    operands = () if not user.regions else user.args[1] if is_test(user) else user.arg("operands")
    given = [at - len(operands) for at, operand in enumerate(operands) if operand is value]
    return [region.placeholders[at] for region in user.regions for at in given]


__all__ = ["NUMBERS", "check_numbers", "is_wide", "refused"]


def _on_data(node: Node) -> bool:
    """Whether a node is a test of a tensor."""
    return is_test(node) and type(node.args[0]) is Value and node.args[0].is_tensor
