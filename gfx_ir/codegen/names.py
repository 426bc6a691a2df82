"""Which name a value gets.

Three rules hold in every function that is printed. A name is taken again only where the value that had it is dead. A
name never hides a module, a builtin that is called, or a function of the module. A nested function never assigns a name
that it closes over.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..control import is_for, is_loop
from ..graph import Graph, Value
from .identifiers import usable
from .positions import Positions
from .prepare.calls import derives
from .prepare.filled import BEGIN

_KINDS = {"int": "n", "float": "value", "bool": "flag", "str": "text", "shape": "shape", "dtype": "dtype", "key": "key"}


def temporary(value: Value, is_boolean: Callable[[Value], bool]) -> str:
    """What to call a value that its author gave no name."""
    node = value.node
    if node.op is BEGIN or (is_for(node) and value.index > len(node.arg("init"))):
        return "outs"
    if is_loop(node):
        return "done" if value.index - 1 == node.arg("exit") else "value"
    if derives(node) and value.index <= len(node.args[4]):
        return "grad"
    return value.node.op.noun or _KINDS.get(value.kind) or ("test" if is_boolean(value) else "h")


class Scope:
    """The names of one printed function. `reserved` are never assigned, nor `closed`: they are read from outside."""

    def __init__(self, positions: Positions, reserved: frozenset[str], closed: Iterable[str] = ()) -> None:
        self.positions, self.reserved, self.closed = positions, reserved, frozenset(closed)
        self._holders: dict[str, list[Value]] = {}
        self._around: list[dict[str, list[Value]]] = []  # of each block around: who had the names that changed in it
        self._counts: dict[str, int] = {}
        self._given: dict[str, int] = {}

    def given(self, name: str) -> int:
        """How often the name was given to a value so far, whatever block it was in: unchanged, the variable holds what it held."""
        return self._given.get(name, 0)

    def free(self, name: str, graph: Graph, tick: int) -> bool:
        """Whether a value that is made in `graph` at `tick` may have the name."""
        if not usable(name) or name in self.reserved or name in self.closed:
            return False
        holders = self._holders.get(name)
        if not holders:
            return True
        return all(self.positions.dead(value, graph, tick) for value in holders)

    def begin(self) -> None:
        """A block begins within the one at hand."""
        self._around.append({})

    def end(self, graph: Graph) -> None:
        """The block of a graph ends: what had a name before it may be alive on the other side of a test, what is the block's is dead."""
        for name, before in self._around.pop().items():
            given = [value for value in self._holders[name] if value not in before and value.node.graph is not graph]
            if self._around:
                self._around[-1].setdefault(name, before)
            self._holders[name] = before + given

    def forget(self, name: str) -> None:
        """The name was free: what had it is dead in all that follows in this block."""
        if name in self._holders:
            self._change(name, [])

    def hold(self, name: str, value: Value) -> None:
        """Give the value the name."""
        self._given[name] = self._given.get(name, 0) + 1
        self._change(name, [*self._holders.get(name, ()), value])

    def _change(self, name: str, holders: list[Value]) -> None:
        if self._around:
            self._around[-1].setdefault(name, self._holders.get(name, []))
        self._holders[name] = holders

    def pick(self, hints: Iterable[str | None], graph: Graph, tick: int, avoid: Iterable[str] = ()) -> str:
        """The first of `hints` that is free, else the last usable one with a number behind it."""
        avoid = set(avoid)
        found = [hint for hint in hints if hint and usable(hint)] or ["h"]
        for hint in found:
            if hint not in avoid and self.free(hint, graph, tick):
                return hint
        base = found[0]
        count = 1
        while f"{base}_{count}" in avoid or not self.free(f"{base}_{count}", graph, tick):
            count = count + 1 if count < 8 else max(count, self._counts.get(base, 8)) + 1
        if count >= 8:
            self._counts[base] = count
        return f"{base}_{count}"
