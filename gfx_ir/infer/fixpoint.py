"""Least fixpoints over the values of a program: monotone equations, solved by a worklist for what is asked, each value once."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from typing import Generic, TypeVar

from ..graph import Value

T = TypeVar("T")
_LEAST = 64
"""How often a value may change in any case: as often as a few constants differ."""


class Fixpoint(Generic[T]):
    """`parts` gives the values that an equation reads, `rule` its right-hand side, which reads them by `now`.

    A value is looked at again only where one that it reads has changed; one that changes more often than there are things that
    it can hang on is given up: it becomes `top`.
    """

    def __init__(
        self, parts: Callable[[Value], Iterable[Value]], rule: Callable[[Value], T], bottom: T, top: T
    ) -> None:
        self._parts, self._rule, self._bottom, self._top = parts, rule, bottom, top
        self._found: dict[Value, T] = {}

    def now(self, value: Value) -> T:
        """What is known of a value so far: for the rule."""
        return self._found.get(value, self._bottom)

    def of(self, value: Value) -> T:
        """The solution for a value."""
        found = self._found.get(value)
        if found is None:
            if all(part in self._found for part in self._parts(value)):
                self._found[value] = self._rule(value)
            else:
                self._solve(value)
            found = self._found[value]
        return found

    def set(self, value: Value, fact: T) -> None:
        """State what a value is that stands in the place of another one."""
        self._found[value] = fact

    def _solve(self, root: Value) -> None:
        order, readers, cyclic = self._open(root)
        if not cyclic:  # each after what it reads: one look at each is the solution
            for value in order:
                self._found[value] = self._rule(value)
            return
        changes = dict.fromkeys(order, 0)
        most = _LEAST + sum(map(len, readers.values()))
        todo, waiting = deque(order), set(order)
        for value in order:
            self._found[value] = self._bottom
        while todo:
            value = todo.popleft()
            waiting.discard(value)
            before = self._found[value]
            after = self._rule(value) if changes[value] < most else self._top
            if after == before:
                continue
            self._found[value] = after
            changes[value] += 1
            for reader in readers.get(value, ()):
                if reader not in waiting:
                    waiting.add(reader)
                    todo.append(reader)

    def _open(self, root: Value) -> tuple[list[Value], dict[Value, list[Value]], bool]:
        """What the root hangs on and is not solved, parts first as far as they are no cycle; who reads what; whether there is a cycle."""
        order: list[Value] = []
        readers: dict[Value, list[Value]] = {}
        met, left, cyclic = {root}, set[Value](), False
        stack = [(root, iter(self._parts(root)))]
        while stack:
            value, parts = stack[-1]
            for part in parts:
                if part in self._found:
                    continue
                readers.setdefault(part, []).append(value)
                if part not in met:
                    met.add(part)
                    stack.append((part, iter(self._parts(part))))
                    break
                cyclic = cyclic or part not in left
            else:
                order.append(value)
                left.add(value)
                stack.pop()
        return order, readers, cyclic
