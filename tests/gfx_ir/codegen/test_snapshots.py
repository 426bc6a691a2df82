"""Emitted source is what it was: it changes only where a commit says why, with `make snapshots`."""

import difflib

import pytest

from conformance import load_cases
from docs.measured import same
from places import CONFORMANCE
from snapshot import FOLDER, TARGETS, TOLERANCE, groups, narrow

GROUPS = groups(load_cases())
CASES = {f"conformance_{flavour}" for flavour in TARGETS}


@pytest.mark.parametrize("name", sorted({*GROUPS, *CASES}))
def test_source_is_what_it_was(name):
    if name not in GROUPS:
        pytest.skip(f"the conformance cases are not there: {CONFORMANCE}")
    stored = (FOLDER / f"{name}.txt").read_text()
    with narrow():
        now = GROUPS[name]()
    lines = difflib.unified_diff(stored.splitlines(), now.splitlines(), "stored", "now", lineterm="", n=6)
    assert same(stored, now, *TOLERANCE), "\n".join(["`make snapshots` writes it anew", *list(lines)[:200]])


def test_every_file_is_written_by_a_group():
    assert {path.stem for path in FOLDER.iterdir()} == {*GROUPS, *CASES}
