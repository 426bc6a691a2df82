"""The sweep over JAX's primitives and functions: each with its own test inputs, in NumPy, JAX and PyTorch."""

import collections
from typing import Any

import numpy as np

from attempt import TARGETS
from cases_jax import APART, DTYPES, RANDOM, by_group, case_of
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
    found = _chosen(by_group()[group][int(start or 0) :][:PART], options)
    rows = ((np.dtype(h.dtype).name, lambda h=h: case_of(h)) for h in found)
    made = record(name, rows, TARGETS, random=group.startswith(RANDOM))
    return made | ({"apart": APART[group]} if group in APART else {})


def _chosen(found: list[Any], options: dict[str, Any]) -> list[Any]:
    """Of each dtype that is asked for, at most so many inputs."""
    taken: collections.Counter[str] = collections.Counter()
    kept = []
    for harness in found:
        dtype = np.dtype(harness.dtype).name
        taken[dtype] += 1
        if dtype in (options.get("dtypes") or DTYPES) and taken[dtype] <= (options.get("most") or PART):
            kept.append(harness)
    return kept
