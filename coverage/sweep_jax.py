"""The sweep over JAX's primitives and functions: each with its own test inputs, in NumPy, JAX and PyTorch."""

from typing import Any

import numpy as np

from attempt import TARGETS
from cases_jax import APART, RANDOM, by_group, case_of
from records import record


def names() -> list[str]:
    """Groups of test inputs, in parts of at most 200 so that no job is long."""
    return [
        f"{group}/{at}" if at else group for group, found in by_group().items() for at in range(0, len(found), PART)
    ]


PART = 200


def run(name: str, options: dict[str, Any]) -> dict[str, Any]:
    """The record of one group of inputs, or of one part of it."""
    group, _, start = name.partition("/")
    found = by_group()[group][int(start or 0) :][:PART][: options.get("most")]
    dtypes = options.get("dtypes")
    cases = ((np.dtype(h.dtype).name, lambda h=h: case_of(h)) for h in found)
    rows = ((dtype, case) for dtype, case in cases if not dtypes or dtype in dtypes)
    made = record(name, rows, TARGETS, random=group.startswith(RANDOM))
    return made | ({"apart": APART[group]} if group in APART else {})
