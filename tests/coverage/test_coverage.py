"""A tenth of PyTorch's operators with their own test inputs: no wrong answer but those on record, and what passed before passes."""

import json

import pytest

from files import PASSING, SWEEPS
from pool import sweep_all
from summary import PASS, WRONG, reasons, status
from sweeps import ALL

DTYPES = ("float32", "int64")
SAMPLES = 3


def tenth(names):
    """Every tenth name in the order of the alphabet, so that every family has its share."""
    return sorted(names)[::10]


@pytest.mark.skipif(
    not ALL, reason="make sweeps: half a minute, most of it to load what measures in a process of its own"
)
def test_what_passed_before_passes_and_nothing_else_is_wrong():
    """One test, so that one worker measures, once."""
    records = sweep_all("sweep_torch", {"most": SAMPLES, "dtypes": DTYPES}, tenth, workers=1)
    known = json.loads(PASSING.read_text(encoding="utf-8"))["torch"]
    for target in SWEEPS["torch"]:
        wrong = {r["name"]: dict(reasons(r, target)) for r in records if status(r, target) == WRONG}
        assert not {name: why for name, why in wrong.items() if name not in known[target][WRONG]}, target
        before = set(known[target][PASS])
        asked = [r for r in records if r["name"] in before and r.get("cases", True)]  # some take complex numbers alone
        lost = {r["name"]: dict(reasons(r, target)) for r in asked if status(r, target) != PASS}
        assert asked and not lost, target
