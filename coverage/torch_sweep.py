"""The sweep over PyTorch's operators: every one with its own test inputs, in PyTorch, NumPy and JAX."""

from statistics import fmean
from typing import Any

from attempt import TARGETS, attempt
from limits import limited
from torch_cases import SAMPLES, cases, operators


def names() -> list[str]:
    """Names of the operators."""
    return list(operators())


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one operator: its cases with their outcomes, and the mean number of calls emitted."""
    dtypes, most = options.get("dtypes") or SAMPLES, options.get("most")
    found, random = cases(name, {t: most or SAMPLES[t] for t in SAMPLES if t in dtypes})
    calls: dict[str, list[int]] = {}
    rows = []
    for dtype, case in found:
        outcomes, counted = limited(lambda case=case: attempt(case), TARGETS)
        for target, count in counted.items():
            calls.setdefault(target, []).append(count)
        rows.append({"case": case.label, "dtype": dtype, **{t: outcome.packed() for t, outcome in outcomes.items()}})
    return {"name": name, "random": random, "calls": {t: round(fmean(n), 2) for t, n in calls.items()}, "cases": rows}
