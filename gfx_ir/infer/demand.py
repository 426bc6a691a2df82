"""Demand-driven analysis: a question about a value is answered when it is asked, from the answers that it needs, and once.

A rule is a generator: it yields what it needs, one question and the value that it is asked of at a time, is sent the answer,
and returns its own. It asks for no more than it needs, and no chain of values is too deep.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any

Rule = Generator[tuple["Question", Any], Any, Any]


class Question:
    """One question, with the answers that are known, by what it was asked of."""

    __slots__ = ("rule", "known")

    def __init__(self, rule: Callable[[Any], Rule]) -> None:
        self.rule, self.known = rule, dict[Any, Any]()

    def ask(self, value: Any) -> Any:
        """The answer for a value."""
        if value in self.known:
            return self.known[value]
        stack: list[tuple[Question, Any, Rule]] = [(self, value, self.rule(value))]
        answer = None
        while stack:
            question, asked, rule = stack[-1]
            try:
                needed, part = rule.send(answer)
            except StopIteration as done:
                answer = question.known[asked] = done.value
                stack.pop()
                continue
            if part in needed.known:
                answer = needed.known[part]
            else:
                stack.append((needed, part, needed.rule(part)))
                answer = None
        return answer
