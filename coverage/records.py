"""The record of one name: its cases, each attempted within its limit of time."""

from collections.abc import Callable, Iterable
from statistics import fmean
from typing import Any

from attempt import Case, attempt
from limits import limited


def record(
    name: str,
    cases: Iterable[tuple[str, Callable[[], Case | None]]],
    targets: tuple[str, ...],
    family: str = "",
    random: bool = False,
) -> dict[str, Any]:
    """`cases` are (dtype, what makes the case; None: it is none). As JSON has it: the outcomes by case and target, and the mean
    number of calls emitted by target."""
    calls: dict[str, list[int]] = {}
    rows = []
    for dtype, make in cases:
        case = make()
        if case is None:
            continue
        outcomes, counted = limited(lambda case=case: attempt(case, targets), targets)
        for target, count in counted.items():
            calls.setdefault(target, []).append(count)
        rows.append({"case": case.label, "dtype": dtype, **{t: outcome.packed() for t, outcome in outcomes.items()}})
    mean = {t: round(fmean(n), 2) for t, n in calls.items()}
    return {"name": name, "family": family, "random": random, "calls": mean, "cases": rows}
