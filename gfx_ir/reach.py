"""Reachability: all that a relation between things leads to, each once, and an order in which what is needed comes first."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def reached(roots: Iterable[T], further: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """What is reached from the roots, these among it, each once. `further`: where one leads to at once."""
    todo = list(dict.fromkeys(roots))
    met = set(todo)
    while todo:
        current = todo.pop()
        yield current
        for other in further(current):
            if other not in met:
                met.add(other)
                todo.append(other)


def needed_first(root: T, needs: Callable[[T], Iterable[T]]) -> list[T]:
    """What is reached from the root, each behind what it needs, as far as they do not need each other; the root is the last."""
    order: list[T] = []
    met = {root}
    stack = [(root, iter(needs(root)))]
    while stack:
        current, others = stack[-1]
        for other in others:
            if other not in met:
                met.add(other)
                stack.append((other, iter(needs(other))))
                break
        else:
            order.append(current)
            stack.pop()
    return order
