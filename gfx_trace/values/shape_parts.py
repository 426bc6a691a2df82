"""Broadcasting where no shapes are known: of whose axes a value's are the last ones, and how many it has at least.

`tanh(x) + x[0]` fits whatever x is: the axes of both are the last ones of x. What a loop that is being captured carries is taken to be
what it is before the loop; when a pass over the body ends, what it leaves has to be so too.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

from gfx_ir.codegen.sides import outer
from gfx_ir.control import is_for, is_loop, is_placeholder, is_test
from gfx_ir.graph import Graph, Node, Value, values_in
from gfx_ir.infer.abstract import Kinds
from gfx_ir.op import Trait

from .facts import Facts


class Known(Protocol):
    """What is known of values."""

    facts: Facts
    begins: dict[Value, Any]
    like: dict[Value, Value]
    rows_of: dict[Value, Value]

    def rank_of(self, value: Any) -> int | None:
        """The rank of a value, where it is known."""

    def numbers_of(self, value: Any) -> Kinds:
        """The kinds of a value that is surely a number of Python's."""

    def is_integer(self, item: Any) -> bool:
        """Whether an item of an index is one number."""


class Part(NamedTuple):
    """A value whose last axes another one has, but for the first so many; `chosen`: it may be this one or another, or is all of it."""

    leaf: Any
    dropped: int
    chosen: bool


_WITH_AXES = frozenset(("tensor", "optional", "any", "list"))
"""Kinds of values that may have axes."""
_ALL = 0
"""Asked of what a loop carries: whether it is made of what it is made of before the loop. Other numbers: whether it has so many axes."""


class ShapeParts:
    """Answers for the values of one capture. `asked`: what was taken as given of what loops carry; `apart`: of what nothing is."""

    def __init__(self, known: Known) -> None:
        self._known = known
        self.asked: dict[Value, set[int]] = {}
        self.apart: set[Value] = set()

    def fit(self, values: Iterable[Value]) -> bool:
        """Whether tensors surely broadcast: the axes of all of them are the last ones of one value."""
        found: set[Value] = set()
        for value in values:
            ends = self._ends(value)
            if ends is None:
                return False
            found |= ends
        return len(found) < 2

    def has_axes(self, value: Value, least: int) -> bool:
        """Whether a value surely has so many axes: it was indexed so, or has the axes of another one that was."""
        met, todo = set[tuple[Value, int]](), deque[tuple[Any, int]]([(value, least)])
        while todo:
            leaf, axes = todo.popleft()
            if self._is_number(leaf):
                return False
            leaf = self._root(leaf)
            if axes <= 0 or (leaf, axes) in met or self._indexed(leaf) >= axes:
                continue
            met.add((leaf, axes))
            parts = self._parts(leaf, axes, [])
            if parts is None:
                return False
            taken = [part for part in parts if part.chosen] or self._longest([part.leaf for part in parts])
            if not taken:
                return False
            todo += [(part.leaf, axes + part.dropped) for part in taken]
        return True

    def _longest(self, operands: list[Value]) -> list[Part]:
        """Of what is broadcast, which has the axes of any of these, those that are no parts of others."""
        found = [leaf for leaf in operands if not self._is_number(leaf)]
        whole = [leaf for leaf in found if not self._root(leaf).node.op.traits & Trait.READS_AT]
        return [Part(leaf, 0, True) for leaf in whole or found]

    def within(self, value: Any, target: Value) -> bool:
        """Whether a value surely broadcasts to the shape that another one has."""
        return self._made_of(value, {self._root(target), self._whole(target)}.__contains__)

    def written(self, target: Value, index: Any, value: Any) -> bool:
        """Whether a value surely broadcasts to what stands at an index: it is a number, or made of what is as large there."""
        whole, at = self._whole(target), self._kept_by(index)

        def is_place(leaf: Value) -> bool:
            node = leaf.node
            return (
                bool(node.op.traits & Trait.READS_AT)
                and self._whole(node.args[0]) is whole
                and self._kept_by(node.args[1]) == at
            )

        return self._made_of(value, is_place)

    def _made_of(self, value: Any, whole: Callable[[Value], bool]) -> bool:
        """Whether the axes of a value are the last ones of some of which this holds."""
        found = self._ends(value, whole)
        return found is not None and all(map(whole, found))

    def stays(self, carried: Value, left: Any) -> bool:
        """Whether what a trip leaves in the place of what a loop carries is what that was taken for."""
        for asked in sorted(self.asked[carried]):
            if asked != _ALL:
                holds = self.has_axes(left, asked)
            else:
                before, after = self._ends(self._known.begins[carried]), self._ends(left)
                holds = before is not None and after is not None and after <= before
            if not holds:
                return False
        return True

    def _ends(self, value: Any, stop: Callable[[Value], bool] = lambda _: False) -> set[Value] | None:
        """The values of whose axes a value's may be the last ones, no farther back than where `stop` holds; None: they may be another's
        in each trip of a loop."""
        found, met, crossed, todo = set[Value](), set[Value](), list[Graph](), [value]
        while todo:
            leaf = todo.pop()
            if self._is_number(leaf) or (leaf := self._root(leaf)) in met:
                continue
            met.add(leaf)
            parts = None if stop(leaf) else self._parts(leaf, _ALL, crossed)
            if parts is None:
                found.add(leaf)
            else:
                todo += [part.leaf for part in parts]
        return None if any(graph in crossed for end in found for graph in _around(end)) else found

    def _whole(self, value: Value) -> Value:
        """The value whose shape a value surely has."""
        while (of := self._one_shape(value := self._root(value))) is not value:
            value = of
        return value

    def _one_shape(self, value: Value) -> Value:
        """The value of which another one has the shape, by what gives it; itself where that has a shape of its own."""
        node = value.node
        if value in self._known.like:
            return self._known.like[value]
        if node.op.traits & Trait.SHAPE_OF_FIRST and type(node.args[0]) is Value:
            return node.args[0]
        taken = values_in(node.args) if node.op.traits & Trait.ELEMENTWISE else []
        found = [leaf for leaf in taken if not self._is_number(leaf)]
        return found[0] if len(found) == 1 else outer(value)

    # ------------------------------------------------------------------ one step
    def _parts(self, value: Value, asked: int, crossed: list[Graph]) -> list[Part] | None:
        """The values of whose axes those of a value are the last ones; None: they are its own. `crossed`: bodies of loops whose last
        trip gives it."""
        node = value.node
        if value in self._known.like:
            return [Part(self._known.like[value], 0, True)]
        if value in self._known.rows_of:
            return [Part(self._known.rows_of[value], 1, True)]
        if is_placeholder(node):
            return self._given(value, asked, crossed)
        if is_test(node):
            return [Part(region.result[value.index - 1], 0, True) for region in node.regions]
        if is_loop(node):
            return self._carried(node, value.index - 1, crossed)
        return None if node.regions else self._of_op(node)

    def _of_op(self, node: Node) -> list[Part] | None:
        traits = node.op.traits
        if traits & Trait.ELEMENTWISE:
            return [Part(leaf, 0, False) for leaf in values_in(node.args)]
        if traits & Trait.SHAPE_OF_FIRST:
            return [Part(node.args[0], 0, True)]
        integers = self._integers(node) if traits & Trait.READS_AT else None
        return None if integers is None else [Part(node.args[0], integers, True)]

    def _given(self, value: Value, asked: int, crossed: list[Graph]) -> list[Part] | None:
        """What a placeholder stands for, of a region."""
        graph = value.node.graph
        owner = graph.owner if graph is not None else None
        if graph is None or owner is None:
            if value not in self._known.begins or value in self.apart:
                return None
            self.asked.setdefault(value, set()).add(asked)
            return [Part(self._known.begins[value], 0, True)]
        if (outside := outer(value)) is not value:
            return [Part(outside, 0, True)]
        at, items = graph.placeholders.index(value), owner.args[0] if is_for(owner) else ()
        return [Part(items[at], 1, True)] if at < len(items) else self._carried(owner, at - len(items), crossed)

    def _carried(self, loop: Node, at: int, crossed: list[Graph]) -> list[Part] | None:
        """What a loop carries is what it is before it, or what a trip leaves."""
        init, body = loop.arg("init"), loop.regions[-1]
        if at >= len(init):
            return None
        crossed.append(body)
        return [Part(leaf, 0, True) for leaf in (init[at], body.result[at])]

    # ------------------------------------------------------------------ what is known of one value
    def _root(self, value: Value) -> Value:
        return self._known.facts.root(value)

    def _is_number(self, leaf: Any) -> bool:
        """Whether there are surely no axes."""
        if type(leaf) is not Value or leaf.kind not in _WITH_AXES:
            return True
        return leaf.is_tensor and (bool(self._known.numbers_of(leaf)) or self._known.rank_of(leaf) == 0)

    def _kept_by(self, index: Any) -> list[Any]:
        """What tells which axes an index keeps, and how much of them: each integer takes one away, whichever it is."""
        items = index if type(index) is tuple else (index,)
        return [int if self._known.is_integer(item) else self._known.facts.key(item) for item in items]

    def _integers(self, node: Node) -> int | None:
        """How many integers an index consists of; None: it has other items."""
        index = node.args[1]
        items = index if type(index) is tuple else (index,)
        return len(items) if all(map(self._known.is_integer, items)) else None

    def _indexed(self, value: Value) -> int:
        """How many axes a value has, as far as the code around it has indexed them."""
        rank = self._known.rank_of(value) if value.is_tensor else None
        return rank if rank is not None else max((self._integers(node) or 0 for node in self._reads(value)), default=0)

    def _reads(self, value: Value) -> Iterator[Node]:
        """Where the graph in which a value stands takes parts of it: it goes on behind these only where they are there."""
        graph = value.node.graph
        for node in value.uses:
            if node.graph is graph and node.op.traits & Trait.READS_AT and node.args[0] is value:
                yield node


def _around(value: Value) -> Iterator[Graph]:
    """The graphs in which a value stands."""
    graph = value.node.graph
    while graph is not None:
        yield graph
        graph = graph.owner.graph if graph.owner is not None else None
