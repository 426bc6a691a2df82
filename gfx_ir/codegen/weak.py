"""Values that may be Python numbers where the source runs, and what that asks of a target.

A carried value that starts as `0` is a Python number until a trip makes it an array; a test may give a number on one
side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from ..dtypes import kind_of
from ..graph import Node, Value
from ..infer.facts import Facts, is_made
from .ancestors import Ancestors
from .control import IFS, LOOPS, is_boolean
from .copying import outputs_of
from .liveness import Liveness, fors, loop_results
from .lowest import Lowest
from .numbers import ARITHMETIC, COMPARISONS, HOST, ORDER, is_number, strong


class Weak(Lowest):
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness, kinds: Facts) -> None:
        super().__init__(liveness, kinds)
        self._loose = Ancestors(liveness, self._loose_from)
        self._numbers = Ancestors(liveness, self._number_from)
        self._indices = Ancestors(liveness, partial(self._number_from, indices=True))

    def loose(self, leaf: Any) -> bool:
        """Whether a functional target may have a number there, or an array of a number's dtype: what it is joined with decides.

        A loop settles what it carries, and casts it to a dtype that is known; a test on a host value gives one of its sides
        as it is, a loop of Python's own what it starts from or what a trip leaves.
        """
        value = self.liveness.resolve(leaf)
        if type(value) is not Value or not value.is_tensor:
            return bool(self._is_loose(value, {}))
        found = self._loose.all(value)
        if found is None and value not in self._loose.found:
            self._loose.found[value] = bool(self._is_loose(value, {}))
        return self._loose.found[value] if found is None else found

    def _loose_from(self, value: Value) -> Sequence[Value] | bool | None:
        """What the value is loose with, where all of that has to be; None for what a loop or test of Python's own gives."""
        if self._is_cast(value):
            return False
        sources = self.sources(value)
        if sources is None:
            return (
                is_made(value)
                or self._counts(value)
                or (value.node.op.name in ARITHMETIC and self._tensors(value.node.args))
            )
        return None if self._maker(value).op.name in HOST else self._tensors(sources)

    def _tensors(self, leaves: Sequence[Any]) -> list[Value] | bool:
        """The tensors among numbers; False where anything else is."""
        parts = [self.liveness.resolve(leaf) for leaf in leaves]
        tensors = [part for part in parts if type(part) is Value and part.is_tensor]
        numbers = sum(
            part.kind in ("int", "float", "bool") if type(part) is Value else is_number(part) for part in parts
        )
        return tensors if len(tensors) + numbers == len(parts) else False

    def _is_loose(self, leaf: Any, seen: dict[Value, bool | None]) -> bool | None:
        """The answer; None for what is being asked already: what a loop makes of itself alone says nothing."""
        value = self.liveness.resolve(leaf)
        if type(value) is not Value:
            return is_number(value)
        if not value.is_tensor:
            return value.kind in ("int", "float", "bool")
        if value not in seen:
            seen[value] = None
            seen[value] = not self._is_cast(value) and self._from_loose(value, seen)
        return seen[value]

    def _is_cast(self, value: Value) -> bool:
        """Whether a loop carries the value in a dtype that is known."""
        node, at = self.liveness.phis.get(value, (value.node, value.index - 1))
        return strong(value) is not None and node.op.name in LOOPS and 0 <= at < len(node.arg("init"))

    def _from_loose(self, value: Value, seen: dict[Value, bool | None]) -> bool:
        sources = self.sources(value)
        if sources is None:
            if is_made(value) or self._counts(value) or value.node.op.name not in ARITHMETIC:
                return is_made(value) or self._counts(value)
            sources = list(value.node.args)
        phi = self.liveness.phis.get(value)
        node = value.node if phi is None else phi[0]
        if phi is not None and node.op.name in HOST:  # a trip is asked for what it makes of what it is given
            init, result = sources
            given = {found: known for found, known in seen.items() if self._is_host_phi(found)}
            return bool(self._is_loose(init, seen) or self._is_loose(result, {**given, value: False}))
        pick = any if node.op.name in HOST else all
        return pick(found for found in [self._is_loose(source, seen) for source in sources] if found is not None)

    def _is_host_phi(self, value: Value) -> bool:
        return value in self.liveness.phis and self.liveness.phis[value][0].op.name in HOST

    def kind(self, leaf: Any) -> str | None:
        """Kind of what is weak for sure (computed from Python numbers alone), else None."""
        return self._search(leaf)

    def narrower(self, leaf: Any, than: Value) -> str | None:
        """Kind of `than` where the leaf is a number of a lower kind, as an index is beside a float; "" where `than` is an array."""
        if not self.loose(leaf):
            return None
        element = strong(than)
        if element is not None and element.kind == "b":  # nothing is less, and True is no number beside an array
            return None
        whole = self._search(than, True) if element is None else element.kind.replace("u", "i")
        if whole is None:
            return None if self.loose(than) else ""
        own = self._lowest(leaf)
        if own is None and element is not None:
            return whole
        return whole if own is not None and ORDER.index(own) < ORDER.index(whole) else None

    def lags(self, node: Node, at: int) -> bool:
        """Whether a trip puts what may be a number in the place of a value that it does not come from: while a loop around this
        one is being settled, or in a later trip of Python's own, it may be of a lower kind than that value."""
        result = self.liveness.resolve(loop_results(node)[at])
        if is_boolean(node.values[at]) or not self.maybe_number(result):
            return False
        if self.loose(result) and self._search(node.values[at], True) is not None:
            return False
        return not self._keeps_up(node, at, result)

    def _search(self, leaf: Any, indices: bool = False) -> str | None:
        """The kind of what is made of numbers alone (`indices`: those of loops count as such), else None."""
        root, numbers = self.liveness.resolve(leaf), self._indices if indices else self._numbers
        if type(root) is not Value:
            return kind_of(root) if is_number(root) else None
        if root.is_tensor and not numbers.all(root):
            return None
        if root not in numbers.found:
            numbers.found[root] = self._highest(root, numbers.found)
        return numbers.found[root]

    def _number_from(self, value: Value, indices: bool = False) -> Sequence[Value] | bool:
        """What has to be a number for the value to be one."""
        if self._is_cast(value):
            return False
        sources = self.sources(value)
        if sources is None:
            if is_made(value) or is_boolean(value) or (indices and self._counts(value)):
                return True
            sources = value.node.args if value.node.op.name in ARITHMETIC else None
        return self._tensors(sources) if sources is not None else False

    def _highest(self, root: Any, found: dict[Value, str | None]) -> str | None:
        """The highest kind among the numbers that `root` is made of; `found`: those of some values."""
        known: set[str] = set()
        todo: list[tuple[Any, bool]] = [(root, True)]  # with whether its kind is that of the root, not compared away
        seen: set[tuple[Value, bool]] = set()
        while todo:
            leaf, told = todo.pop()
            value = self.liveness.resolve(leaf)
            if type(value) is not Value or not value.is_tensor:
                plain = (
                    {"int": "i", "float": "f", "bool": "b"}.get(value.kind) if type(value) is Value else kind_of(value)
                )
                known.update(plain if told and plain else ())
                continue
            if (value, told) in seen:
                continue
            seen.add((value, told))
            if told and found.get(value) is not None:
                known.update(found[value] or ())
                continue
            sources = self.sources(value)
            if sources is None and is_made(value):
                known.update(self._letters(value) if told else ())
            elif sources is None and is_boolean(value):
                known.add("b")
            elif sources is None and self._counts(value):
                known.update("i" if told else ())
            else:
                if sources is None and value.node.op.name in COMPARISONS:
                    known.update("b" if told else ())
                    told = False
                todo.extend((source, told) for source in (value.node.args if sources is None else sources))
        return max(known, key=ORDER.index) if known else None

    def _letters(self, value: Value) -> list[str]:
        """The letters of the kinds of a number that an op made; of one of an open kind, a fraction."""
        kinds = self.kinds.kinds(value)
        return [kind[0] for kind in kinds] if len(kinds) == 1 else ["f"]

    def sides_differ(self, first: Any, second: Any) -> bool:
        """Whether the sides of a test may differ in dtype only because one is a Python number."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if self._is_mixed(one) or self._is_mixed(other):
            return True
        if not is_number(one) and not is_number(other):
            loose = self.loose(one), self.loose(other)
            if any(loose) and (not all(loose) or self.kind(one) is None or self.kind(one) != self.kind(other)):
                return True
            kinds = self.kind(one), self.kind(other)
            if None not in kinds and kinds[0] != kinds[1]:
                return True
            return one is not other and (self._unsettled(one) or self._unsettled(other))
        if isinstance(one if is_number(one) else other, bool):
            return not all(is_boolean(side) or self.kind(side) == "b" for side in (one, other))
        return self.kind(one) != self.kind(other)

    def _is_mixed(self, leaf: Any) -> bool:
        """Whether a value comes from a test or loop of Python's own that gives numbers of two kinds, as one of them."""
        kind = self.kind(leaf)
        return kind is not None and self._lowest(leaf) not in (None, kind)

    def _unsettled(self, value: Any) -> bool:
        """Whether a value is a number where a loop is entered, and an array of another dtype after a trip, for all that is known."""
        if (
            type(value) is not Value
            or not self.maybe_number(value)
            or self.kind(value) is not None
            or is_boolean(value)
        ):
            return False
        return strong(value) is None

    def widened(self, node: Node, at: int) -> str | None:
        """The kind of number that trips make of a number of a lower kind from before the loop; None: they do not."""
        if at == node.arg("exit"):
            return None
        before, after = self.kind(node.arg("init")[at]), self.kind(node.values[at])
        before = before and self._lowest(node.arg("init")[at])
        wider = before is not None and after is not None and ORDER.index(after) > ORDER.index(before)
        return after if wider else None

    def settles_late(self, node: Node) -> bool:
        """Whether a carried number changes dtype only after several trips, since it follows another one."""
        carried = self.liveness.carried(node)
        init = [self.liveness.resolve(leaf) for leaf in node.arg("init")]
        numbers = {at for at in carried if is_number(init[at]) and at != node.arg("exit")}
        if any(self._widens(init[at], node.values[at]) for at in carried if at not in numbers):
            return True
        arrays = {at for at in numbers if self.kind(node.values[at]) is None and strong(node.values[at]) is None}
        if any(isinstance(init[at], bool) and not is_boolean(node.values[at]) for at in arrays):
            return True  # no target takes a boolean for a number on its own
        follows = {at: self._follows(node, loop_results(node)[at]) for at in arrays} if len(arrays) > 1 else {}
        return any(other != at and other in arrays for at in follows for other in follows[at])

    def _widens(self, init: Any, result: Value) -> bool:
        """Whether a loop may make more of what is no literal, and so is not cast by the target itself."""
        if strong(result) is not None:
            return False
        if type(init) is not Value or not self.loose(init):
            return self._unsettled(init)
        return self.kind(init) is None or self.kind(result) is None

    def _follows(self, node: Node, result: Any) -> set[int]:
        """Carried values that a result is computed from within the body."""
        found: set[int] = set()
        todo, seen = [result], set()
        while todo:
            value = self.liveness.resolve(todo.pop())
            if type(value) is not Value or value in seen:
                continue
            seen.add(value)
            phi = self.liveness.phis.get(value)
            if phi is not None:
                found |= {phi[1]} if phi[0] is node and phi[1] >= 0 else set()
                continue
            inner = value.node
            if inner.graph is not node.regions[-1]:
                continue
            todo.extend(found_ for found_ in self._inputs(inner))
        return found

    def _keeps_up(self, node: Node, at: int, result: Any) -> bool:
        """Whether a result is computed from a carried value, whichever of its values a test or loop of Python's own gives."""
        ways: dict[Any, tuple[Callable[[Iterable[bool]], bool], Sequence[Any]]] = {}
        todo, root = [result], self.liveness.resolve(result)
        while todo:
            value = self.liveness.resolve(todo.pop())
            if type(value) is Value and value not in ways:
                ways[value] = pick, sources = self._ways(node, value)
                todo += sources
        keep = dict.fromkeys(ways, True)  # until another way says so: what a loop makes of itself alone says nothing
        settled = False
        while not settled:
            settled = True
            for value, (pick, sources) in reversed(ways.items()):
                is_it = self.liveness.phis.get(value) == (node, at)
                if keep[value] and not (is_it or pick(keep.get(self.liveness.resolve(x), False) for x in sources)):
                    keep[value] = settled = False
        return keep.get(root, False)

    def _ways(self, node: Node, value: Value) -> tuple[Callable[[Iterable[bool]], bool], Sequence[Any]]:
        """What a value is made of, within a trip of a loop: of all that, or of one of several."""
        phi, maker = self.liveness.phis.get(value), self._maker(value)
        if phi is not None and (maker is node or maker.op.name not in HOST):
            return any, ()
        chosen = self.sources(value) if maker.op.name in HOST else None
        if phi is not None and chosen is None:  # an item, of the dtype of what the loop goes over
            chosen = [maker.args[0][phi[1]]]
        return (any, self._inputs(maker)) if chosen is None else (all, chosen)

    def _inputs(self, node: Node) -> list[Any]:
        out = [found.value for found in node.inputs]
        if node.op.name in IFS or (node.op.name in LOOPS and not fors(node)):
            out.extend(leaf for region in node.regions for leaf in outputs_of(region.result, max(1, len(node.values))))
        return out
