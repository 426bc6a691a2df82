"""Policy: how large the partitions are that a graph is cut into."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ArgumentError


@dataclass(frozen=True)
class Policy:
    """`max_ops`: the most nodes of a partition (None: as many as there are). A pattern that a device runs as one is never cut."""

    name: str
    max_ops: int | None = None

    def __str__(self) -> str:
        return self.name


FUSION = Policy("fusion")
"""As large as can be."""
DEBUG = Policy("debug", 1)
"""One op each."""


def max_ops(count: int) -> Policy:
    """Partitions of at most so many ops. Raises ArgumentError for less than one."""
    if count < 1:
        raise ArgumentError(f"a partition has one op at least, not {count}")
    return Policy(f"max_ops={count}", count)


def policy_of(given: Policy | str) -> Policy:
    """A policy, or that of a name: "fusion", "debug", "max_ops=8". Raises ArgumentError."""
    if isinstance(given, Policy):
        return given
    name, _, count = given.partition("=")
    if name == "max_ops" and count.isdecimal():
        return max_ops(int(count))
    for known in (FUSION, DEBUG):
        if known.name == given:
            return known
    raise ArgumentError(f"there is no policy {given!r}", hint="there are: fusion, debug, max_ops=N")
