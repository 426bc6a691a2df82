"""Random programs against plain Python: 200 of fixed seeds, and those that were captured wrongly once. `make fuzz` runs more."""

from __future__ import annotations

import pytest

from differential import TARGETS, TRACED, check
from fuzz_failures import FAILURES
from fuzz_failures_numbers import NUMBERS
from fuzz_failures_sources import SOURCES
from fuzz_failures_state import STATE
from fuzz_failures_types import TYPES
from fuzz_programs import program_of

COUNT, BATCH = 200, 25
WITH_JAX = 10  # compiling with XLA takes longest: one in so many runs as JAX source too, the others are traced
ONCE = {**FAILURES, **NUMBERS, **SOURCES, **TYPES, **STATE}
pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize("start", range(0, COUNT, BATCH))
def test_random_programs(start):
    refused = []
    for seed in range(start, start + BATCH):
        text, how = program_of(seed)
        found = check(text, seed, how, TARGETS if seed % WITH_JAX == 0 else TRACED)
        assert found.kind in ("equal", "refused"), f"seed {seed}: {found.kind}: {found.why}\n{text}"
        refused += [(seed, found.why)] * (found.kind == "refused")
    assert len(refused) <= BATCH // 4, refused


@pytest.mark.parametrize("name", ONCE)
def test_failures(name):
    failure = ONCE[name]
    found = check(failure.text.lstrip(), failure.seed, failure.how)
    assert found.kind in failure.right.split("|"), found.why
