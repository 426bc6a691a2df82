"""The sweep over PyTorch's operators: every one with its own test inputs, in PyTorch, NumPy and JAX."""

from typing import Any

from attempt import TARGETS
from records import record
from cases_torch import SAMPLES, cases, operators


def names() -> list[str]:
    """Names of the operators."""
    return list(operators())


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one operator: its cases with their outcomes, and the mean number of calls emitted."""
    dtypes, most = options.get("dtypes") or SAMPLES, options.get("most")
    found, random = cases(name, {t: most or SAMPLES[t] for t in SAMPLES if t in dtypes})
    return record(name, ((dtype, lambda case=case: case) for dtype, case in found), random, TARGETS)
