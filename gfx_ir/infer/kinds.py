"""Kinds of what Python has for each value of a program: the least fixpoint of sets, which only grow.

It is asked of the program that is emitted, as it stands: `n * 2` of a number is a number of Python's, of an array an array, and
what a loop carries may be one and then the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from ..graph import Graph, Node, Value
from ..python_numbers import KINDS, OPERATORS, function_kind, operator_kinds
from ..regions import is_range
from ..trees import leaves
from ..types import LogicalTensor
from .abstract import ARRAY, NUMBERS, Kinds
from .made import MadeTypes

_OTHER: Kinds = frozenset(("other",))
"""Host values that are no numbers."""
_ARRAY: Kinds = frozenset((ARRAY,))
_NOTHING: Kinds = frozenset()
_LETTERS = {"b": "bool", "i": "int", "u": "int", "f": "float", "c": "complex"}
_CHOOSING = ("min", "max")
_EITHER = frozenset(
    "maximum minimum acos acosh asin asinh atan atanh cos cosh erf erfc exp expm1 lgamma log log1p log2 log10 sin sinh sqrt tan"
    " tanh".split()
)
"""Ops that a target may write by a function of Python's where it takes numbers alone."""
_BRANCHES = ("cond", "host_if")
_LOOPS = ("for", "host_for", "while", "host_while")


class ValueKinds:
    """What each value of some graphs may be: an array, or numbers of Python's of some kinds."""

    def __init__(self, graphs: Iterable[Graph], functions: Mapping[str, Graph]) -> None:
        """`graphs`: those that are asked for, each an entry; `functions`: what their calls call."""
        self._known: dict[Value, Kinds] = {}
        self._functions = functions
        self._types = MadeTypes()
        self._grew = False
        self._rules: dict[str, Callable[[Node], None]] = {
            **dict.fromkeys(_BRANCHES, self._branch),
            **dict.fromkeys(_LOOPS, self._loop),
            **dict.fromkeys(("call", "repeat_calls"), self._call),
        }
        entries = list(graphs)
        for graph in (*entries, *functions.values()):
            for value in graph.placeholders:
                self._give(value, _given(value))
        self._settle([*entries, *functions.values()])

    def of(self, leaf: Any) -> Kinds:
        """The kinds that a value or a constant may have."""
        if type(leaf) is Value:
            return self._known.get(leaf) or (_NOTHING if leaf in self._known else _given(leaf))
        return frozenset((type(leaf).__name__,)) if isinstance(leaf, (bool, int, float, complex)) else _OTHER

    def stands_for(self, new: Value, old: Value) -> None:
        """Note that a value takes the place of another one."""
        self._known[new] = self.of(old)

    def is_number(self, leaf: Any) -> bool:
        """Whether a leaf is surely a number of Python's."""
        found = self.of(leaf)
        return bool(found) and found <= NUMBERS

    def may_be_number(self, leaf: Any) -> bool:
        """Whether a leaf may be a number of Python's."""
        return bool(self.of(leaf) & NUMBERS)

    # ------------------------------------------------------------------ the fixpoint
    def _settle(self, graphs: list[Graph]) -> None:
        self._grew = True
        while self._grew:
            self._grew = False
            for graph in graphs:
                self._sweep(graph)

    def _sweep(self, graph: Graph) -> None:
        for value in graph.parameters.values():
            self._give(value, _ARRAY)
        for node in graph:
            rule = self._rules.get(node.op.name)
            if rule is not None:
                rule(node)
            else:
                for value in node.values:
                    self._give(value, self._made(node, value))

    def _give(self, value: Value, kinds: Kinds) -> None:
        before = self._known.get(value)
        after = kinds if before is None else before | kinds
        if after != before:
            self._known[value] = after
            self._grew = True

    def _hand(self, values: Iterable[Value], leaves: Iterable[Any]) -> None:
        for value, leaf in zip(values, leaves):
            self._give(value, self.of(leaf) if _countable(value) else _OTHER)

    # ------------------------------------------------------------------ what holds regions
    def _branch(self, node: Node) -> None:
        for region in node.regions:
            self._hand(region.placeholders, node.args[1])
            self._sweep(region)
            self._hand(node.values, _outputs(region.result, len(node.values)))

    def _loop(self, node: Node) -> None:
        items = node.arg("items") if "items" in node.op.params else ()
        init, operands = node.arg("init"), node.arg("operands")
        body = node.regions[-1]
        before = len(items)
        for region in node.regions:
            for value, item in zip(region.placeholders, items):
                self._give(value, frozenset(("int",)) if is_range(item) else _given(value))
            self._hand(region.placeholders[before:], (*init, *operands))
            self._sweep(region)
        left = _outputs(body.result, len(node.values) if items else len(init))
        for region in node.regions:
            self._hand(region.placeholders[before:], left[: len(init)])
        self._hand(node.values, left)
        if not _runs(node):
            self._hand(node.values, init)
        for value in node.values[len(init) :]:
            self._give(value, _ARRAY)

    def _call(self, node: Node) -> None:
        callee = self._functions.get(node.args[0])
        if callee is None or node.op.name != "call":
            for value in node.values:
                self._give(value, _given(value))
            return
        self._hand(callee.placeholders, node.args[2])
        self._hand(node.values, _outputs(callee.result, len(node.values)))

    # ------------------------------------------------------------------ what an op makes
    def _made(self, node: Node, value: Value) -> Kinds:
        op = node.op.name
        if not value.is_tensor:
            return self._host(node) if op == "host" and node.args[0] in _CHOOSING else _given(value)
        if node.op.family == "number":
            return self._number(node)
        if op not in OPERATORS and op not in _EITHER:
            return _ARRAY
        taken = [self.of(arg) for arg in node.args]
        if not all(taken):
            return _NOTHING
        if op in _EITHER:
            return _ARRAY | {"float"} if all(kinds & NUMBERS for kinds in taken) else _ARRAY
        found = _ARRAY if any(not kinds <= NUMBERS for kinds in taken) else _NOTHING
        numbers = [kinds & NUMBERS for kinds in taken]
        return found | operator_kinds(op, numbers, node.args) if all(numbers) else found

    def _number(self, node: Node) -> Kinds:
        op = node.op.name
        if op.startswith("to_"):
            return frozenset((op[3:],))
        if op == "python":
            taken = [self.of(arg) for arg in node.args[1]]
            kinds = {function_kind(node.args[0], [kind]) for kind in (taken[0] if taken else ())}
            return frozenset(kinds)
        element = self._types.of(node.args[0]).dtype
        return frozenset(KINDS if element is None else (_LETTERS[element.kind],))

    def _host(self, node: Node) -> Kinds:
        return frozenset[str]().union(*map(self.of, node.args[1]))


def is_made(value: Any) -> bool:
    """Whether an op made a number of Python's."""
    return type(value) is Value and value.node.op.family == "number"


def _outputs(result: Any, count: int) -> list[Any]:
    """What of a graph's result stands for each value of the node that holds or calls it."""
    if type(result) in (tuple, list) and len(result) == count:
        return list(result)
    found = [result] if count == 1 else list(leaves(result))
    return found if len(found) == count else [leaf for leaf in found if type(leaf) is Value]


def _countable(value: Value) -> bool:
    return value.is_tensor or value.kind in KINDS


def _given(value: Value) -> Kinds:
    """What a value is that comes from outside: an argument, a row, what a call gives that nothing is known of."""
    if value.is_tensor:
        known = value.type
        weak = isinstance(known, LogicalTensor) and known.weak and known.dtype is not None
        return frozenset((_LETTERS[known.dtype.kind],)) | _ARRAY if weak else _ARRAY  # type: ignore[union-attr]
    return frozenset((value.kind,)) if value.kind in KINDS else _OTHER


def _runs(node: Node) -> bool:
    """Whether a loop has a trip in any case."""
    if node.op.name not in ("for", "host_for"):
        return False
    items = node.args[0]
    fixed = len(items) == 1 and is_range(items[0]) and all(type(bound) is int for bound in items[0][1:])
    return fixed and len(range(*items[0][1:])) > 0
