"""Demand-driven analysis: a question about a value is answered when it is asked, from the answers that it needs, and once.

A rule is a generator: it yields what it needs, one question and the value that it is asked of at a time, is sent the answer,
and returns its own; what a rule raises reaches the one that asked. It asks for no more than it needs, and no chain of values is
too deep. Where an answer is that for another
value, no rule is needed: `same` says which.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

Rule = Generator[tuple["Question", Any], Any, Any]


class Question:
    """One question, with the answers that are known, by what it was asked of."""

    __slots__ = ("rule", "same", "known")

    def __init__(self, rule: Callable[[Any], Rule], same: Callable[[Any], Any] | None = None) -> None:
        self.rule, self.same, self.known = rule, same, dict[Any, Any]()

    def ask(self, value: Any) -> Any:
        """The answer for a value."""
        if value in self.known:
            return self.known[value]
        stack: list[tuple[Question, list[Any], Rule]] = []
        needed, part, answer = self, value, None
        while True:
            asked = needed.alike(part) if needed.same is not None else [part]
            if asked[-1] not in needed.known:
                stack.append((needed, asked, needed.rule(asked[-1])))
                answer = None
            else:
                answer = needed.settle(asked, needed.known[asked[-1]])
            raised: Exception | None = None
            while True:
                if not stack:
                    return answer
                question, asked, rule = stack[-1]
                try:
                    needed, part = rule.send(answer) if raised is None else rule.throw(raised)
                    break
                except StopIteration as done:
                    answer, raised = question.settle(asked, done.value), None
                    stack.pop()
                except Exception as error:
                    stack.pop()
                    if not stack:
                        raise
                    raised = error

    def alike(self, value: Any) -> list[Any]:
        """A value and those that have its answer, up to one whose answer is known or follows from a rule."""
        found, same, known = [value], self.same, self.known
        while value not in known and (value := same(value)) is not None:  # type: ignore[misc]
            found.append(value)
        return found

    def settle(self, asked: list[Any], answer: Any) -> Any:
        """Remember one answer for several values."""
        for value in asked:
            self.known[value] = answer
        return answer
