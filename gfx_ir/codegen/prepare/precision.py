"""What Python's numbers can do that numbers of 32 or 64 bits cannot: grow without end, tell a double apart, be complex, be text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from ...errors import UnsupportedConstruct
from ...graph import Graph, Node, Value
from ...infer.abstract import NUMBERS
from ...infer.facts import Facts, is_made
from ...python_numbers import OPERATORS, TESTS
from ...trees import leaves, tree_map
from ..control import IFS, LOOPS, came_from
from ..copying import outputs_of
from ..style import Style
from .growth import Extents, doubling

_WHOLE = frozenset(("int", "bool"))
_MOST_POWER = 3
_MOST_SHIFT = 8
_MOST_FACTOR = 2**16
_MOST_WHOLE = 2**31 - 1
_LARGEST, _SMALLEST = 3.4e38, 1.2e-38
_BOUNDING = frozenset(("remainder", "floor_divide", "bitwise_and", "bitwise_right_shift"))
_NOT_NEGATIVE = frozenset(
    "abs square exp exp2 sqrt sigmoid softmax relu vector_norm matrix_norm norm var std count_nonzero cosh softplus".split()
)
_KEEPING = frozenset(
    "add multiply divide maximum minimum sum mean max min prod item to_float to_int getitem reshape astype".split()
)
_HUGE = frozenset(f"math.{name}" for name in ("exp", "exp2", "expm1", "cosh", "sinh", "gamma", "pow"))
_CANCELLING = frozenset(("subtract", "multiply", "divide", "remainder", "floor_divide"))
TEXTS = frozenset(("format", "str", "repr"))
"""What makes a text of host values."""
_TELLING = TEXTS | {"int", "float", "bool", "item"}


def refused(node: Node, style: Style, what: str, why: str, hint: str = "") -> UnsupportedConstruct:
    """The error for what compiled code cannot do with a number, at the user's line."""
    told = f"GFX cannot write {what}, {why}, as {style.name} source: there it is an array without axes"
    otherwise = "compute with tensors instead, or run the code as PyTorch or NumPy source"
    return UnsupportedConstruct(told, node.span, hint or otherwise)


def check_numbers(graphs: Iterable[Graph], facts: Facts, style: Style) -> None:
    """Refuse what would come out otherwise of numbers that are read from tensors. Raises UnsupportedConstruct."""
    Checks(facts, style).run(graphs)


class SameValues:
    """Which values are the same by the way they are made: one stands for all that are."""

    def __init__(self) -> None:
        self._found: dict[Value, Value] = {}
        self._first: dict[tuple[str, int, str], Value] = {}

    def of(self, value: Value) -> Value:
        """The one that stands for a value."""
        waiting = [value]
        while waiting:
            top = waiting[-1]
            parts = [part for part in self._parts(top) if part not in self._found] if top not in self._found else []
            waiting += parts
            if not parts:
                waiting.pop()
                if top not in self._found:
                    self._found[top] = self._found_for(top)
        return self._found[value]

    def _parts(self, value: Value) -> list[Value]:
        came = came_from(value)
        if came is not None:
            return [came[0]] if len(came) == 1 and type(came[0]) is Value else []
        known = value.node.regions or value.node.op.effect or value.node.op.name in ("placeholder", "parameter", "call")
        return [] if known else [leaf for leaf in leaves(value.node.args) if type(leaf) is Value]

    def _found_for(self, value: Value) -> Value:
        parts = self._parts(value)
        if not parts:
            return value
        if came_from(value) is not None:
            return self._found[parts[0]]
        told = tree_map(lambda leaf: id(self._found[leaf]) if type(leaf) is Value else leaf, value.node.args)
        return self._first.setdefault((value.node.op.name, value.index, repr(told)), value)


class Checks:
    """The checks of one program."""

    def __init__(self, facts: Facts, style: Style) -> None:
        self.facts, self.style = facts, style
        self._same = SameValues()
        self._extents = Extents(lambda value: value.node.op.name in _BOUNDING)

    def run(self, graphs: Iterable[Graph]) -> None:
        """Look at every node."""
        for graph in graphs:
            for node in graph.walk():
                op = node.op.name
                if op in LOOPS:
                    self._growing(node)
                elif op == "host" and node.args[0] in _TELLING:
                    self._told(node)
                elif op == "python" and any(map(self._is_huge, node.args[1])):
                    raise self._beyond(node)
                elif op in OPERATORS and self._of_read_numbers(node):
                    self._operator(node)

    def _of_read_numbers(self, node: Node) -> bool:
        return all(map(self.facts.is_number, node.args)) and any(map(self._is_read, node.args))

    def _operator(self, node: Node) -> None:
        op = node.op.name
        if op == "bitwise_left_shift" and not _literal(node.args[1], _MOST_SHIFT):
            raise refused(node, self.style, "this shift", "which may leave the width of whole numbers")
        if op == "pow":
            self._power(node)
        elif op in ("add", "subtract", "multiply") and self.facts.kinds(node.values[0]) <= _WHOLE:
            degree, factor = self._extents.of(node.values[0])
            if degree > _MOST_POWER or (degree and factor > _MOST_FACTOR):
                hint = "take a remainder before, or compute with a float: float(n) * c"
                raise refused(node, self.style, "this number", "which leads beyond the width of whole numbers", hint)
        if op in _CANCELLING and len(node.args) == 2 and all(map(self._is_huge, node.args)):
            raise self._beyond(node)
        if any(
            type(arg) is int and abs(arg) > (_MOST_FACTOR if op == "multiply" else _MOST_WHOLE) for arg in node.args
        ):
            hint = "compute with a float: float(n) * c"
            raise refused(node, self.style, "this number", "which leads beyond the width of whole numbers", hint)
        if any(isinstance(arg, float) and 0 < abs(arg) and not _SMALLEST < abs(arg) < _LARGEST for arg in node.args):
            raise refused(node, self.style, "this number", "which only a double holds")
        if (op in TESTS or op == "subtract") and len(node.args) == 2 and self._cancels(*node.args):
            hint = "compare with a tolerance of your own, or give the code a tensor of dtype float64"
            raise refused(node, self.style, "this comparison", "which hangs on the digits of a double", hint)

    def _beyond(self, node: Node) -> UnsupportedConstruct:
        hint = "compute with tensors, as log_softmax and logsumexp do"
        return refused(node, self.style, "this number", "which only a double holds before it is small again", hint)

    def _power(self, node: Node) -> None:
        base, exponent = node.args
        whole = self.facts.kinds(base) <= _WHOLE and self.facts.kinds(exponent) <= _WHOLE
        if whole and not _literal(exponent, _MOST_POWER):
            hint = "take a power of a float: float(n) ** k"
            raise refused(node, self.style, "this power", "which may leave the width of whole numbers", hint)
        if "complex" in self.facts.kinds(node.values[0]) and "complex" not in self.facts.kinds(base) | self.facts.kinds(
            exponent
        ):
            if not self._not_negative(base):
                hint = "take math.sqrt(x) or math.pow(x, y), or abs(x), where it is not negative"
                raise refused(node, self.style, "this power", "which is complex for a negative number", hint)

    # ------------------------------------------------------------------ where numbers come from
    def _is_read(self, leaf: Any) -> bool:
        """Whether a number is read from a tensor, or computed from such a one."""
        return any(is_made(value) for value in self._sources(leaf))

    def _sources(self, leaf: Any) -> Iterator[Value]:
        """The numbers that a number is computed from, itself first."""
        todo, seen = [leaf], set[Value]()
        while todo:
            value = todo.pop()
            if type(value) is Value and value not in seen and self.facts.may_be_number(value):
                seen.add(value)
                yield value
                todo += self._made_of(value)

    def _made_of(self, value: Value) -> list[Any]:
        came = came_from(value)
        if came is not None:
            return came
        if value.node.op.name == "python":
            return list(value.node.args[1])
        return list(value.node.args) if value.node.op.name in OPERATORS else []

    def _is_huge(self, leaf: Any) -> bool:
        """Whether a number is computed from what leaves the range of 32 bits long before that of a double."""
        return any(_grows(value.node) for value in self._sources(leaf))

    def _not_negative(self, leaf: Any) -> bool:
        """Whether a number is nowhere negative, as the ops tell that made it."""
        todo, seen = [leaf], set[Value]()
        while todo:
            value = todo.pop()
            if type(value) is not Value:
                if not isinstance(value, (int, float)) or value < 0:
                    return False
            elif value not in seen:
                seen.add(value)
                node, came = value.node, came_from(value)
                if came is None and (node.op.name in _NOT_NEGATIVE or _is_square(node)):
                    continue
                if came is None and node.op.name not in _KEEPING:
                    return False
                several = node.op.name in ("add", "multiply", "divide", "maximum", "minimum")
                todo += came if came is not None else node.args if several else node.args[:1]
        return True

    # ------------------------------------------------------------------ whole numbers
    def _growing(self, loop: Node) -> None:
        """Refuse a whole number that a loop multiplies by numbers read from tensors, trip by trip."""
        init = loop.arg("init")
        body = loop.regions[-1]
        first = len(loop.args[0]) if loop.op.name in ("for", "host_for") else 0
        results = outputs_of(body.result, len(loop.values) if first else len(init))
        pairs = zip(body.placeholders[first:], results[: len(init)])
        whole = {phi: result for phi, result in pairs if phi.is_tensor and self.facts.kinds(phi) <= _WHOLE}
        for phi, result in whole.items():
            self._follow(loop, phi, result)
        for node in doubling(whole, self._made_of, lambda value: value.node.op.name in _BOUNDING):
            if any(map(self._is_read, node.values)):
                hint = "take a remainder in each trip, or begin with a float"
                raise refused(
                    node, self.style, "this number", "which a loop takes beyond the width of whole numbers", hint
                )

    def _follow(self, loop: Node, phi: Value, result: Any) -> None:
        todo: list[tuple[Any, Node | None]] = [(result, None)]
        seen = set[tuple[Value, bool]]()
        while todo:
            value, factor = todo.pop()
            if type(value) is not Value or (value, factor is not None) in seen:
                continue
            seen.add((value, factor is not None))
            if value is phi and factor is not None:
                hint = "begin with a float, or take the product of a tensor"
                raise refused(
                    factor, self.style, "this product", "which a loop may take beyond the width of whole numbers", hint
                )
            node = value.node
            if value is phi or node.op.name in _BOUNDING or not self.facts.may_be_number(value):
                continue
            if node.op.name == "multiply" and came_from(value) is None:
                one, other = node.args
                todo += [(one, factor or (node if self._scales(other) else None))]
                todo += [(other, factor or (node if self._scales(one) else None))]
            else:
                todo += [(part, factor) for part in self._made_of(value)]

    def _scales(self, leaf: Any) -> bool:
        return type(leaf) is Value and self._is_read(leaf)

    # ------------------------------------------------------------------ doubles
    def _cancels(self, one: Any, other: Any) -> bool:
        """Whether two sums of fractions have a part in common, so that what is left may be lost in fewer digits."""
        left, right = self._parts(one), self._parts(other)
        return left != right and bool(left.keys() & right.keys())

    def _parts(self, leaf: Any) -> Counter[Any]:
        """What a number is the sum of, each with how often."""
        parts: Counter[Any] = Counter()
        todo = [(leaf, 1)]
        while todo and len(parts) < 64:
            value, sign = todo.pop()
            if type(value) is not Value:
                parts[repr(value)] += sign
                continue
            came = came_from(value)
            if came is not None and len(came) == 1:
                todo.append((came[0], sign))
            elif came is None and value.node.op.name == "add":
                todo += [(arg, sign) for arg in value.node.args]
            elif came is None and value.node.op.name == "subtract":
                todo += [(value.node.args[0], sign), (value.node.args[1], -sign)]
            elif not self.facts.kinds(value) <= _WHOLE:
                parts[self._same.of(value)] += sign
        return Counter({part: count for part, count in parts.items() if count})

    # ------------------------------------------------------------------ text
    def _told(self, node: Node) -> None:
        """Refuse a text of data that the code goes on with: it is made while the code is traced."""
        if self.style.control != "functional" or not any(
            type(x) is Value and x.is_tensor for x in leaves(node.args[1])
        ):
            return
        if goes_on(node):
            raise refused(node, self.style, "this text", "which holds what is in a tensor", "compare the number itself")


def goes_on(node: Node) -> bool:
    """Whether code goes on with the text that a node makes: it is not only printed or raised."""
    return any(not (user.op.effect or _tells(user)) for user in _users(node.values[0]))


def _tells(node: Node) -> bool:
    return node.op.name == "host" and node.args[0] in TEXTS


def _users(value: Value) -> Iterator[Node]:
    """The nodes that take a value, also within regions; an output of a graph is one."""
    todo, seen = [value], set[Value]()
    while todo:
        value = todo.pop()
        if value in seen:
            continue
        seen.add(value)
        for user in value.uses:
            operands = () if not user.regions else user.args[1] if user.op.name in IFS else user.arg("operands")
            given = [at - len(operands) for at, operand in enumerate(operands) if operand is value]
            if len(given) != sum(leaf is value for leaf in leaves(user.args)):
                yield user
            todo += [region.placeholders[at] for region in user.regions for at in given]


def _grows(node: Node) -> bool:
    """Whether a node is a function whose result leaves the range of 32 bits early."""
    if node.op.name != "python" or node.args[0] not in _HUGE:
        return False
    return not (node.args[0] == "math.pow" and _literal(node.args[1][1], _MOST_POWER))


def _literal(leaf: Any, most: int) -> bool:
    return isinstance(leaf, int) and leaf <= most


def _is_square(node: Node) -> bool:
    """x * x, or an even power."""
    if node.op.name == "multiply":
        return node.args[0] is node.args[1]
    return node.op.name == "pow" and isinstance(node.args[1], int) and node.args[1] % 2 == 0


__all__ = ["NUMBERS", "check_numbers", "refused"]
