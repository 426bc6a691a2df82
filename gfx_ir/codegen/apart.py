"""What the dtype of a tensor comes from, where no types are known: which may differ, and which are surely one."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

from ..graph import Node, Value
from ..trees import leaves
from .ancestors import Ancestors
from .control import ALIKE, LOOPS, is_boolean
from .liveness import Liveness, loop_results, placeholders
from .numbers import STEPS, strong
from .weak import Weak

_POSITIONS = frozenset(("index", "indices", "condition", "axis", "shape"))
"""Parameters of ops that leave the dtype of the result as it is."""
_LIKE = frozenset(("zeros_like", "ones_like", "full_like", "empty_like"))
_KEEPS = frozenset(("add", "subtract", "multiply"))

_OWN = "its own"
"""The dtype of an array that is made without one."""
_NUMBER = "a number"


class Origins:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness, weak: Weak) -> None:
        self.liveness, self.weak = liveness, weak
        self._apart: dict[tuple[Node, int], bool] = {}
        self._from_others = Ancestors(liveness, lambda value: self._sources(value) or self._end(value) is not _OWN)

    def apart(self, node: Node, at: int) -> bool:
        """Whether a trip of a loop puts a tensor in the place of a value that has nothing to do with it, so that their dtypes
        may differ: `last = x[0]`, and then `last = count`."""
        found = self._apart.get((node, at))
        if found is None:
            found = self._apart[node, at] = at != node.arg("exit") and self._search(node, at)
        return found

    def _search(self, node: Node, at: int) -> bool:
        init, result = (self.liveness.resolve(leaf) for leaf in (node.arg("init")[at], loop_results(node)[at]))
        if type(result) is not Value or not result.is_tensor or strong(node.values[at]) is not None:
            return False
        if is_boolean(result) or self.weak.maybe_number(result):
            return False
        phi = placeholders(node, node.regions[-1])[1][at]
        after = self._of(result, phi)
        if after is None and self._from_others.all(result):
            return False  # where an array is told no dtype it may be wider than an argument
        before = self._of(init, phi)
        if before is None or after is None:
            return before is not None
        return not before & after if type(init) is Value else isinstance(init, float)

    def differ(self, first: Any, second: Any) -> bool:
        """Whether two tensors have nothing to do with each other, so that their dtypes may differ."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if type(one) is not Value or type(other) is not Value or (is_boolean(one) and is_boolean(other)):
            return False
        return not (self._of(one) or set()) & (self._of(other) or set())

    def same(self, first: Any, second: Any) -> bool:
        """Whether two values surely have one dtype, be it known or not."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if strong(one) is not None and strong(other) is not None:
            return strong(one) == strong(other)
        ends = [self._ends(leaf, self._same, steps=STEPS) for leaf in (one, other)]
        return ends[0] == ends[1] and ends[0] is not None and len(ends[0]) == 1 and _NUMBER not in ends[0]

    def _of(self, root: Any, own: Value | None = None) -> set[Any] | None:
        """The tensors, or dtypes, that a value has its dtype from; None where `own` is among them."""
        ends = self._ends(root, self._sources, own)
        return ends and {self._end(end) for end in ends if type(end) is Value}

    def _end(self, value: Value) -> Any:
        return strong(value) or self._made(value.node) or value

    def _ends(
        self, root: Any, sources: Callable[[Value], Sequence[Any]], own: Value | None = None, steps: float = math.inf
    ) -> set[Any] | None:
        """The values without `sources` that a value comes from (no more than `steps` are asked for theirs), and "a number" for
        what is none; None where `own` is among them."""
        ends: set[Any] = set()
        seen: set[Value] = set()
        todo = deque([root])
        while todo:
            value = self.liveness.resolve(todo.popleft())
            if type(value) is not Value:
                ends.add(_NUMBER)
            elif value is own:
                return None
            elif value not in seen:
                found = sources(value) if len(seen) < steps else ()
                seen.add(value)
                todo.extend(found)
                ends.update(() if found else (value,))
        return ends

    def _sources(self, value: Value) -> list[Value]:
        """The values that have the dtype of this one, or a part in it."""
        if strong(value) is not None:
            return []
        parts = self.weak.sources(value)
        if parts is None:
            node, at = self.liveness.phis.get(value, (value.node, 0))
            if at < 0:  # a row, or the index of a range
                parts = [node.args[0][at]]
            elif self._made(node) is not None:
                return []
            else:
                data = (arg for text, arg in zip(node.op.params, node.args) if text not in _POSITIONS)
                parts = [leaf for arg in data for leaf in leaves(arg) if type(leaf) is Value and leaf.is_tensor]
        return [leaf for leaf in parts if type(leaf) is Value]

    def _same(self, value: Value) -> Sequence[Any]:
        """Values whose dtype the value has, if they all have one; none where it has its own. Whole numbers take what they meet."""
        parts = self.weak.sources(value)
        if parts is not None:
            return parts
        node, at = self.liveness.phis.get(value, (value.node, 0))
        op = node.op.name
        if at < 0:
            return [node.args[0][at]]
        if op in LOOPS:  # what its trips stack
            return [loop_results(node)[value.index - 1]]
        if op in ALIKE or (op in _LIKE and node.arg("dtype") is None):
            return [node.args[0]]
        numbers = sum(type(arg) is int for arg in node.args)
        return [arg for arg in node.args if type(arg) is not int] if op in _KEEPS and numbers < 2 else []

    def _made(self, node: Node) -> Any:
        """The dtype that an op is told, or "its own" for one that makes tensors of no others; None: it goes by its arguments."""
        told = node.arg("dtype") if "dtype" in node.op.params else None
        if told is not None:
            return told
        tensors = any(type(leaf) is Value and leaf.is_tensor for leaf in leaves(node.args))
        return _OWN if node.op.family == "create" and not tensors else None
