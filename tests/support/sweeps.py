"""Sweeps: laws over many cases, of which `make test` tries a share and `make sweeps` all."""

import os
from collections.abc import Callable, Iterable
from typing import TypeVar

ALL = os.environ.get("SWEEPS") == "all"
Case = TypeVar("Case")


def one_in(count: int, cases: Iterable[Case]) -> list[Case]:
    """One case of so many, in their order."""
    return [case for at, case in enumerate(cases) if ALL or at % count == 0]


def one_of_each(group: Callable[[Case], object], cases: Iterable[Case]) -> list[Case]:
    """The first case of each group."""
    cases = list(cases)
    return cases if ALL else list({group(case): case for case in reversed(cases)}.values())[::-1]


def part(share: int, count: int) -> int:
    """How many of `count` random cases are tried: one in `share`."""
    return count if ALL else max(1, count // share)
