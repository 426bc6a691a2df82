"""Emitted source is what it was: it changes only where a commit says why, with `make snapshots`."""

import difflib

import pytest

from conformance import load_cases
from docs.measured import same
from places import CONFORMANCE
from snapshot import FOLDER, TARGETS, TOLERANCE, each, entry, families, groups, narrow, sampled
from sweeps import one_of_each

GROUPS = groups(load_cases())
FAMILIES = families()
CASES = {f"conformance_{flavour}" for flavour in TARGETS}


def compare(stored, now):
    lines = difflib.unified_diff(stored.splitlines(), now.splitlines(), "stored", "now", lineterm="", n=6)
    assert same(stored, now, *TOLERANCE), "\n".join(["`make snapshots` writes it anew", *list(lines)[:200]])


@pytest.mark.parametrize("name", sorted({*GROUPS, *CASES} - {f"ops_{name}" for name in FAMILIES}))
def test_source_is_what_it_was(name):
    if name not in GROUPS:
        pytest.skip(f"the conformance cases are not there: {CONFORMANCE}")
    with narrow():
        compare((FOLDER / f"{name}.txt").read_text(), GROUPS[name]())


@pytest.mark.parametrize("family", FAMILIES)
def test_source_of_an_op_is_what_it_was(family):
    stored, samples = each((FOLDER / f"ops_{family}.txt").read_text()), FAMILIES[family].SAMPLES
    assert [text.split("\n")[0] for text in stored] == [f"== {sample}" for sample in samples]
    with narrow():
        for text, sample in one_of_each(lambda pair: pair[1].op, zip(stored, samples)):
            compare(text, entry(sample, sampled(sample)).rstrip())


def test_every_file_is_written_by_a_group():
    assert {path.stem for path in FOLDER.iterdir()} == {*GROUPS, *CASES}
