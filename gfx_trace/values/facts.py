"""What open host tests have settled so far: a test that is known is not asked again.

Tests are compared by structure (op and operands, captures followed to what they capture), so that `z is None` asked twice, here and
in a callee, is one test.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from gfx_ir import ops
from gfx_ir.codegen.sides import outer
from gfx_ir.control import host_operator, is_given, is_none_test, is_test, is_truth, negated
from gfx_ir.dtypes import DType
from gfx_ir.graph import Value, values_in
from gfx_ir.infer.demand import Question, Rule
from gfx_ir.op import Trait


class Known(dict[Any, Any]):
    """Facts that a part of the code finds out; `asked` holds those that were known before it (`before`) and asked for."""

    def __init__(self, before: dict[Any, Any], asked: list[Any]) -> None:
        super().__init__()
        self.before, self.asked = before, asked

    def get(self, key: Any, default: Any = None) -> Any:
        """What is known under a key."""
        if key in self:
            return self[key]
        found = self.before.get(key)
        if found is None:
            return default
        self.asked.append(key)
        return found

    def copy(self) -> Known:
        """The same facts, to which others come."""
        made = Known(self.before, self.asked)
        made.update(self)
        return made


class Facts:
    """A dictionary of known tests, and what captured placeholders stand for."""

    def __init__(self) -> None:
        self.known: dict[Any, Any] = {}  # truths of tests, and ranks
        self.chosen: list[Any] = []  # tensors that are one of several, read by what is known at this place
        self.origin: dict[Value, Value] = {}
        self.ranks = False  # whether any rank was settled, so that asking is worth it
        self.dtype_tests = 0  # how many tests around this place ask for dtypes
        self._numbers: dict[Any, int] = {}  # a number for each structure met, so that a key is as small as its node
        self._structure, self._dtypes = Question(self._number, self.origin.get), Question(self._asks_dtype)

    def alias(self, inner: Value, outer: Value) -> None:
        """`inner` is `outer` as a region sees it."""
        if inner is not outer:
            self.origin.setdefault(inner, outer)

    def key(self, value: Any) -> Any:
        """The structural key of a value or tree of values."""
        if isinstance(value, Value):
            return self._structure.ask(value)
        if isinstance(value, (tuple, list)):
            return (type(value).__name__, *map(self.key, value))
        if isinstance(value, slice):
            return ("slice", *map(self.key, (value.start, value.stop, value.step)))
        if isinstance(value, (int, float, str, bool, type(None), DType)):
            return type(value).__name__, value
        return id(value)

    def _number(self, value: Value) -> Rule:
        """The number that stands for a value, and for whatever is computed alike."""
        if _own(value):
            return self._numbered((id(value), value))
        for part in values_in(value.node.args):
            yield self._structure, part
        return self._numbered((value.node.op.name, *map(self.key, value.node.args)))

    def _numbered(self, structure: tuple) -> int:
        return self._numbers.setdefault(structure, len(self._numbers))

    def decide(self, value: Any) -> bool | None:
        """True or False where the facts at hand settle the test, else None."""
        if not isinstance(value, Value):
            return bool(value)
        inverse = opposite(value)
        if inverse is not None:
            inner = self.decide(inverse)
            return None if inner is None else not inner
        if is_none_test(value.node) and isinstance(value.node.args[0], Value):
            if self.root(value.node.args[0]).kind not in ("optional", "any"):
                return False
        known = self.known.get(self.key(value))
        if known is None and _chosen(value):
            test = self.decide(value.node.args[0])
            settled = {truth for at, (_, truth) in enumerate(self._sides(value)) if test is None or test is (at == 0)}
            known = settled.pop() if len(settled) == 1 else None
        return known

    def there(self, value: Value) -> bool:
        """Whether a value is not None, for all that is known here."""
        known = self.known.get(self._numbered(("is_none", self.key(value))))
        return self.root(value).kind not in ("optional", "any") or known is False

    def found(self, value: Value) -> None:
        """From here on, an optional value is known not to be None."""
        self.known[self._numbered(("is_none", self.key(value)))] = False

    def ranked(self, value: Value, rank: int) -> None:
        """From here on, a tensor is known to have so many axes: the code goes on nowhere else."""
        self.ranks = True
        self.known[self._rank_key(value)] = rank

    def rank(self, value: Value) -> int | None:
        """The rank of a tensor, for all that the code settled so far."""
        found: int | None = self.known.get(self._rank_key(value))
        return found

    def _rank_key(self, value: Value) -> int:
        return self._numbered(("rank", self.root(value)))

    def root(self, value: Value) -> Value:
        """What a captured placeholder stands for, outermost."""
        while value in self.origin:
            value = self.origin[value]
        return value

    @contextmanager
    def given(self, value: Any, truth: bool) -> Iterator[None]:
        """Inside, `value` is known to be true or false."""
        asked = self.dtype_tests
        with self.alone():
            self.dtype_tests += type(value) is Value and self._dtypes.ask(value)
            self.assume(value, truth)
            try:
                yield
            finally:
                self.dtype_tests = asked

    @contextmanager
    def alone(self) -> Iterator[None]:
        """What is found out inside holds there alone, and what was chosen by it is chosen anew behind it."""
        known, chosen = self.known, self.chosen
        self.known, self.chosen = known.copy(), []
        try:
            yield
        finally:
            for derived in self.chosen:
                derived.seen = -1
            self.known, self.chosen = known, chosen

    def assume(self, value: Any, truth: bool) -> None:
        """From here on, `value` is known to be true or false, and what follows from that."""
        if not isinstance(value, Value):
            return
        key = self.key(value)
        if self.known.get(key) is truth:
            return  # and so is what follows from it
        self.known[key] = truth
        inverse = opposite(value)
        if inverse is not None:
            self.assume(inverse, not truth)
        node = value.node
        if _asks_truth(node):
            self.assume(node.args[0], truth)
        if truth and (of := _ranked(node)) is not None:
            self.ranked(*of)
        if _chosen(value):
            self._assume_sides(value, truth)

    def given_by(self, value: Value) -> Any:
        """What a value is where it is settled which side of a test gave it, and of a test in that side: it may stand in a region."""
        found: Any = value
        while type(found) is Value and _chosen(found) and (known := self.decide(found.node.args[0])) is not None:
            found = outer(found.node.regions[0 if known else 1].result[found.index - 1])
        return found

    def _assume_sides(self, value: Value, truth: bool) -> None:
        """`a and b` is a test with a side that is False: where it is true, both are; `a or b` the other way round."""
        sides = self._sides(value)
        excluded = [at for at, (_, settled) in enumerate(sides) if settled is (not truth)]
        if len(excluded) == 1:  # both: what hangs on this is never reached
            self.assume(value.node.args[0], excluded[0] == 1)
            self.assume(sides[1 - excluded[0]][0], truth)

    def _sides(self, value: Value) -> list[tuple[Any, bool | None]]:
        """(what a side of a test gives for a value, its truth as far as it is settled there) of both."""
        found, asked = [], self._asked(value.node.args[0])
        for at, region in enumerate(value.node.regions):
            side = outer(region.result[value.index - 1])
            of_test = isinstance(side, Value) and any(key in asked for key in self._asked(side))
            found.append((side, side if isinstance(side, bool) else at == 0 if of_test else self.decide(side)))
        return found

    def _asked(self, test: Any) -> list[Any]:
        """Keys of what a test asks for its truth: itself, and x where it is x != 0."""
        found = [self.key(test)]
        while isinstance(test, Value) and _asks_truth(self.root(test).node):
            test = self.root(test).node.args[0]
            found.append(self.key(test))
        return found

    def _asks_dtype(self, value: Value) -> Rule:
        """Whether what Python tests asks a tensor for its dtype, or follows from that."""
        if value.is_tensor:
            return False
        parts = values_in(value.node.args)
        if value.node.op.traits & Trait.ASKS and value.kind in ("dtype", "bool") and any(x.is_tensor for x in parts):
            return True
        for part in parts:
            if (yield self._dtypes, part):
                return True
        return False


def _asks_truth(node: Any) -> bool:
    """Whether a node is true where its first argument is."""
    return is_truth(node) or bool(node.op.traits & Trait.TRUTH)


def _chosen(value: Value) -> bool:
    """Whether a test gives a value, one of two."""
    return is_test(value.node) and len(value.node.regions) == 2


def _own(value: Value) -> bool:
    """Whether a value is only equal to itself: a tensor, and what is given, handed on by a region or made by an effect."""
    node = value.node
    return is_given(node) or bool(node.regions or node.op.effect) or len(node.values) != 1 or value.is_tensor


def _ranked(node: Any) -> tuple[Value, int] | None:
    """The tensor whose rank a test compares with a number, and this number."""
    a, b = node.args[1] if host_operator(node) == "==" else (None, None)
    if type(a) is not Value or type(b) is not int:
        return None
    if host_operator(a.node) == "len" and type(a.node.args[1][0]) is Value:
        a = a.node.args[1][0]
    return (a.node.args[0], b) if a.node.op is ops.rank or a.node.op.asks == "shape" else None


def opposite(test: Value) -> Value | None:
    """What a test is the negation of; None where it is none of something open."""
    found = negated(test.node)
    return found if isinstance(found, Value) else None
