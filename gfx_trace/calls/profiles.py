"""Profiles: all that a capture knows of a value. It is the value's part of an abstract signature, and what is told of the
parameter that stands for it in a function that is captured for such a signature: that knows no more than what the key says.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np

from gfx_ir.graph import Value
from gfx_ir.infer.abstract import ARRAYS, ELEMENTS, NUMBERS
from gfx_ir.infer.content import Content
from gfx_ir.infer.demand import Question

from ..frameworks.castable import Castable
from ..values.record import Record


@dataclass(eq=False, slots=True)
class Profile:
    """`content` and `answers`: to each question about a value of this kind, in their order; `mode`: in which it was made. There is one
    of what is the same."""

    kind: str
    type: Any
    content: Hashable
    answers: tuple
    mode: Any
    rows: str

    @property
    def told(self) -> tuple:
        """All of it."""
        return self.kind, self.type, self.content, self.answers, self.mode, self.rows


class Profiles:
    """What the record of a capture, and the sources of its dtypes, tell."""

    def __init__(self, record: Record, castable: Castable) -> None:
        self._record = record
        self._tensor: tuple[Question, ...] = (
            record.kinds, record.element, record.ranks, record.rank, record.dims, record.signs, *castable.sources.questions,
        )  # fmt: skip
        self._host: tuple[Question, ...] = record.host_kinds, record.lengths, record.signs
        self._contents: dict[Hashable, Content] = {}
        self._made: dict[Hashable, Profile] = {}
        self._known: dict[Value, tuple[Any, Profile]] = {}  # beside the kinds that were stated of the value

    def _questions(self, kind: str) -> tuple[Question, ...]:
        return self._tensor if kind == "tensor" else () if kind == "key" else self._host

    def of(self, value: Value) -> Profile | None:
        """The profile of a value; None where there is more to know than that."""
        record = self._record
        root = record.facts.root(value)
        if record.marks and (value in record.marks or root in record.marks):
            return None
        asked = record.called.get(root, root)  # what a call gives is known as the function knows it
        stated, known = record.stated.get(root), self._known.get(asked)
        if known is None or known[0] is not stated or known[1].type is not value.type:
            known = self._known[asked] = stated, self._found(value, root)
        return known[1]

    def _found(self, value: Value, root: Value) -> Profile:
        record = self._record
        kind = "tensor" if value.kind == "optional" else value.kind
        content: Hashable = None
        if kind == "tensor":
            found = record.contents.ask(root)
            content = found if not isinstance(found, np.ndarray) else (found.shape, found.dtype.str, found.tobytes())
            self._contents[content] = found
        answers = tuple([question.ask(root) for question in self._questions(kind)])
        if kind == "tensor" and answers[0] == ELEMENTS and (record.rank_of(value) or 0) > 0:
            answers = ARRAYS, *answers[1:]
        told = kind, value.type, content, answers, record.mode_of(value), record.kind_of_rows(value)
        found = self._made.get(told)
        if found is None:
            found = self._made[told] = Profile(*told)
        return found

    def tell(self, value: Value, profile: Profile) -> None:
        """Let a new value be one of this profile."""
        record = self._record
        for question, answer in zip(self._questions(profile.kind), profile.answers):
            question.known[value] = answer
        if profile.kind == "tensor":
            record.contents.known[value] = self._contents[profile.content]
            self._state(value, record.kinds.known[value])
        if profile.mode is not None:
            record.made_in(profile.mode, [value])
        record.tell_rows(value, profile.rows)

    def _state(self, value: Value, kinds: Any) -> None:
        """Note what no op says of a value."""
        if kinds != ARRAYS:
            self._record.stated[value] = kinds
            self._record.mixed |= not kinds <= NUMBERS and not kinds.isdisjoint(NUMBERS)

    def follow(self, value: Value, inner: Value) -> None:
        """Let a value be what a function gives, in which it is `inner`."""
        record, root = self._record, self._record.facts.root(inner)
        record.called[value] = root
        if value.kind == "tensor" and root in record.stated:
            record.stated[value] = record.stated[root]
        mode, rows = record.mode_of(root), record.kind_of_rows(root)
        if mode is not None:
            record.made_in(mode, [value])
        record.tell_rows(value, rows)
