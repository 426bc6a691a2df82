"""Names for what the rewriter adds, never equal to a name of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


def own_name(name: str) -> str:
    """What a variable that stands beside those of the user is called where it must not be taken for one of them: no identifier."""
    return f".{name}"


class Fresh:
    """Hands out unused names; `used` holds every name of the function, `made` those handed out."""

    def __init__(self, used: set[str]) -> None:
        self.used = used
        self.made: set[str] = set()
        self.count: dict[str, int] = {}
        self.walrus = False

    def __call__(self, base: str) -> str:
        return self.group(base)[0]

    @contextmanager
    def lent(self, *bases: str) -> Iterator[list[str]]:
        """Names that share a number, for functions of one statement: the next one may have them again. (A function of many names
        takes Python long to compile.)"""
        before = {b: self.count.get(b, 0) for b in bases}
        yield self.group(*bases)
        self.count.update(before)

    def group(self, *bases: str) -> list[str]:
        """Names that share one number: then_2, else_2."""
        n = max(self.count.get(b, 0) for b in bases) + 1
        while any(f"{b}_{n}" in self.used for b in bases):
            n += 1
        names = [f"{b}_{n}" for b in bases]
        for b in bases:
            self.count[b] = n
        self.made.update(names)
        return names
