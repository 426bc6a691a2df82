"""What the generators of random programs share: lines of text, random choices, and the blocks of control flow."""

from __future__ import annotations

import linecache
import random
import types


class Text:
    """Lines of one function under construction. `budget`: how many statements may still hold others."""

    def __init__(self, seed: object, budget: int = 26) -> None:
        self.rng = random.Random(seed)
        self.lines: list[str] = []
        self.budget = budget
        self.count = 0

    def line(self, depth: int, text: str) -> None:
        """Add one line."""
        self.lines.append("    " * depth + text)

    def one(self, *options: str) -> str:
        """One of these."""
        return self.rng.choice(options)

    def chance(self, share: float) -> bool:
        """True in this share of the cases."""
        return self.rng.random() < share

    def fresh(self) -> int:
        """A number for a name of its own."""
        self.count += 1
        return self.count

    def test(self, depth: int = 0) -> str:
        """A test."""
        raise NotImplementedError

    def statement(self, depth: int, inner: tuple) -> None:
        """One statement; `inner` is what it stands in."""
        raise NotImplementedError

    def block(self, depth: int, inner: tuple, count: int | None = None) -> None:
        """A few statements."""
        for _ in range(count or self.rng.randint(1, 3)):
            self.statement(depth, inner)

    def if_(self, depth: int, inner: tuple, elif_share: float = 0.3, else_share: float = 0.5) -> None:
        """if, at times with elif and else."""
        self.line(depth, f"if {self.test()}:")
        self.block(depth + 1, inner)
        if self.chance(elif_share):
            self.line(depth, f"elif {self.test()}:")
            self.block(depth + 1, inner)
        if self.chance(else_share):
            self.line(depth, "else:")
            self.block(depth + 1, inner)

    def otherwise(self, depth: int, inner: tuple, share: float = 0.3, count: int | None = None) -> None:
        """The else of a loop."""
        if self.chance(share):
            self.line(depth, "else:")
            self.block(depth + 1, inner, count)


def define(text: str, file: str, **names: object) -> types.FunctionType:
    """The function `f` of a text, with the text on record as that file's."""
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space = {"__name__": "defined", **names}
    exec(compile(text, file, "exec", dont_inherit=True), space)
    return space["f"]
