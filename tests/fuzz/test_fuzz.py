"""Random programs against plain Python, by the interpreter and as source of both frameworks: some of fixed seeds, and those that were
captured wrongly once. `make fuzz` and `make families` run more."""

from __future__ import annotations

import itertools

import pytest
import torch

import differential
from differential import EAGER, TARGETS, check
from dtype_checks import judged_typed
from family_checks import judged
from fuzz_failures import FAILURES
from fuzz_failures_kinds import KINDS
from fuzz_failures_numbers import NUMBERS
from fuzz_failures_sources import SOURCES
from fuzz_failures_state import STATE
from fuzz_failures_types import TYPES
from fuzz_families import chosen, written
from fuzz_families_arrays import FAMILIES
from fuzz_families_constructs import constructs
from fuzz_families_dtypes import FAMILIES as DTYPES
from fuzz_families_handlers import asked, handled
from fuzz_families_kept import asked_by_functions, judged_over_calls, kept
from fuzz_families_libraries import FAMILIES as LIBRARIES
from fuzz_families_methods import FAMILIES as METHODS
from fuzz_families_modules import FAMILIES as MODULES
from fuzz_families_pairs import FAMILIES as PAIRS
from fuzz_families_pairs import judged_pair
from fuzz_families_special import special
from fuzz_programs import load, program_of
from module_checks import judged_module
from sweeps import one_in, part

COUNT, BATCH = 75, 25
ARRAYS_TRIED = 31  # one in so many of a seventh of the families of arrays
WITH_XLA = 25  # compiling takes longest: one in so many runs under jax.jit too, the source of the others is traced, and run step by step
MOST_REFUSED = {"programs": BATCH // 4, "aimed": BATCH * 3 // 4, "ordinary": BATCH * 3 // 4}
ONCE = {**FAILURES, **NUMBERS, **SOURCES, **TYPES, **STATE, **KINDS}
FAMILIES_OF_OBJECTS = {name: (programs, 1381) for name, programs in METHODS.items()}
FAMILIES_OF_OBJECTS |= {name: (programs, 223) for name, programs in LIBRARIES.items()}
pytestmark = pytest.mark.usefixtures("wide")


@pytest.mark.parametrize("grammar", MOST_REFUSED)
@pytest.mark.parametrize("start", range(0, part(3, COUNT), BATCH))
def test_random_programs(grammar, start):
    refused = []
    for seed in range(start, start + BATCH):
        text, how = program_of(seed, grammar)
        found = check(text, seed, how, (*EAGER, "jax") if seed % WITH_XLA == 0 else EAGER)
        assert found.kind in ("equal", "refused"), f"{grammar} {seed}: {found.kind}: {found.why}\n{text}"
        refused += [(seed, found.why)] * (found.kind == "refused")
    assert len(refused) <= MOST_REFUSED[grammar], refused


def test_aimed_programs_are_python():
    for seed in (70844, 201611, 205870, *range(part(4, 2000))):  # the first three were not
        compile(program_of(seed, "aimed")[0], f"aimed {seed}", "exec")


def test_ordinary_programs_are_python():
    for seed in range(part(4, 1000)):
        compile(program_of(seed, "ordinary")[0], f"ordinary {seed}", "exec")


@pytest.mark.parametrize("name", one_in(2, ONCE))
def test_failures(name):
    failure = ONCE[name]
    found = check(failure.text.lstrip(), failure.seed, failure.how, TARGETS)
    assert found.kind in failure.right.split("|"), found.why


@pytest.mark.parametrize("family", [written, chosen])
def test_families(family):
    for program in one_in(9, family()):
        found = judged(program)
        assert found in ("equal", "refused", "skipped"), f"{program.name}: {found}\n{program.text}"


@pytest.mark.parametrize("family", FAMILIES)
def test_families_of_arrays(family):
    for program in one_in(ARRAYS_TRIED, itertools.islice(FAMILIES[family](), 0, None, 7)):
        found = judged(program)
        assert not found.startswith(("wrong", "crash")), f"{program.name}: {found}\n{program.text}"


@pytest.mark.parametrize("family", PAIRS)
def test_families_of_pairs_of_shapes(family):
    for pair in one_in(17, itertools.islice(PAIRS[family](), 0, None, 41)):
        found = judged_pair(pair)
        assert not found.startswith(("wrong", "crash")), f"{pair.name}: {found}"


@pytest.mark.parametrize("family", [*MODULES, *DTYPES])
def test_families_of_modules_and_dtypes(family):
    programs, judge, tried = (
        (MODULES[family](), judged_module, 53) if family in MODULES else (DTYPES[family](), judged_typed, 997)
    )
    for program in one_in(13, itertools.islice(programs, 0, None, tried)):
        found = judge(program)
        assert not found.startswith(("wrong", "crash")), f"{program.name}: {found}\n{program.text}"


@pytest.mark.parametrize("programs, tried", [(constructs, 47), (handled, 83), (asked, 43), (special, 71)])
def test_families_of_constructs(programs, tried):
    for program in one_in(9, itertools.islice(programs(), 0, None, tried)):
        found = judged(program)
        assert not found.startswith(("wrong", "crash")), f"{program.name}: {found}\n{program.text}"


@pytest.mark.parametrize("family", FAMILIES_OF_OBJECTS)
def test_families_of_methods_and_libraries(family):
    programs, tried = FAMILIES_OF_OBJECTS[family]
    for program in one_in(9, itertools.islice(programs(), 0, None, tried)):
        found = judged(program)
        assert not found.startswith(("wrong", "crash")), f"{program.name}: {found}\n{program.text}"


def test_families_of_what_is_kept():
    for judge, programs in ((judged_over_calls, kept()), (judged, itertools.islice(asked_by_functions(), 0, None, 9))):
        for program in one_in(7, itertools.islice(programs, 0, None, 5)):
            found = judge(program)
            assert not found.startswith(("wrong", "crash")), f"{program.name}: {found}\n{program.text}"


# ---------------------------------------------------------------------- what an error says
CAPTURE, READY = differential.capture, differential.ready
PROGRAM = "def f(x: torch.Tensor, n: torch.Tensor, k: int = 2):\n    return x * 2 + n\n"


def wrong(args):
    return torch.zeros(4)


@pytest.mark.parametrize(
    "way, stage",
    [
        ("capture", "capture"), ("interpreter", "interpreter"), ("torch", "torch printer"), ("eager", "JAX printer"),
        ("shapes", "JAX printer"),
    ],
)  # fmt: skip
def test_a_difference_names_its_stage(monkeypatch, way, stage):
    if way == "capture":
        other = load(PROGRAM.replace("* 2", "* 3"), "other")
        monkeypatch.setattr(differential, "capture", lambda _, *rest, **more: CAPTURE(other, *rest, **more))
    else:
        monkeypatch.setattr(
            differential, "ready", lambda program, w, how: wrong if w == way else READY(program, w, how)
        )
    found = check(PROGRAM, targets=EAGER)
    assert found.kind == "differ" and found.why.startswith(f"{stage}: ")
