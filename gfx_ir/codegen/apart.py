"""What the dtype of a tensor comes from, where no types are known."""

from __future__ import annotations

from typing import Any

from ..graph import Node, Value
from ..trees import leaves
from .control import is_boolean
from .liveness import Liveness, loop_results, placeholders
from .numbers import strong
from .weak import Weak

_POSITIONS = frozenset(("index", "indices", "condition", "axis", "shape"))
"""Parameters of ops that leave the dtype of the result as it is."""


_OWN = "its own"
"""The dtype of an array that is made without one."""


class Origins:
    """Answers for the values of one function."""

    def __init__(self, liveness: Liveness, weak: Weak) -> None:
        self.liveness, self.weak = liveness, weak
        self._apart: dict[tuple[Node, int], bool] = {}

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
        before, after = self._of(init, phi), self._of(result, phi)
        if before is None:
            return False
        if after is None:
            return _OWN in (self._of(result) or ())  # arrays that are told no dtype may be wider than an argument
        return not before & after if type(init) is Value else isinstance(init, float)

    def differ(self, first: Any, second: Any) -> bool:
        """Whether two tensors have nothing to do with each other, so that their dtypes may differ."""
        one, other = self.liveness.resolve(first), self.liveness.resolve(second)
        if type(one) is not Value or type(other) is not Value or (is_boolean(one) and is_boolean(other)):
            return False
        return not (self._of(one) or set()) & (self._of(other) or set())

    def _of(self, root: Any, own: Value | None = None) -> set[Any] | None:
        """The tensors, or dtypes, that a value has its dtype from; None where `own` is among them."""
        found: set[Any] = set()
        todo, seen = [root], set()
        while todo:
            value = self.liveness.resolve(todo.pop())
            if type(value) is not Value or value in seen:
                continue
            if value is own:
                return None
            seen.add(value)
            sources = self._sources(value)
            todo.extend(sources)
            if not sources:
                found.add(strong(value) or self._made(value.node) or value)
        return found

    def _sources(self, value: Value) -> list[Any]:
        """The values that have the dtype of this one, or a part in it."""
        if strong(value) is not None:
            return []
        sources = self.weak.sources(value)
        if sources is not None:
            return [leaf for leaf in sources if type(leaf) is Value]
        node, at = self.liveness.phis.get(value, (value.node, 0))
        if at < 0:  # a row, or the index of a range
            rows = node.args[0][at]
            return [rows] if type(rows) is Value else []
        if self._made(node) is not None:
            return []
        data = (arg for text, arg in zip(node.op.params, node.args) if text not in _POSITIONS)
        return [leaf for arg in data for leaf in leaves(arg) if type(leaf) is Value and leaf.is_tensor]

    def _made(self, node: Node) -> Any:
        """The dtype that an op is told, or "its own" for one that makes tensors of no others; None: it goes by its arguments."""
        told = node.arg("dtype") if "dtype" in node.op.params else None
        if told is not None:
            return told
        tensors = any(type(leaf) is Value and leaf.is_tensor for leaf in leaves(node.args))
        return _OWN if node.op.family == "create" and not tensors else None
