"""A return out of a loop: every form of loop, with what the trip computes before and behind it, needed or not."""

from __future__ import annotations

import itertools

import pytest

from differential import TRACED, check

LOOPS = {
    "range": "for i in range(3):",
    "rows": "for e in x:",
    "open": "for i in range(n):",
    "while": "while g < 3.0:",
    "counted": "while n > 0:\n        n = n - 1",
}
DEAD = {"none": "pass", "new": "unused = torch.tanh(x)", "written": "m = m + 1", "rows": "unused = [e * 2 for e in x]"}
RETURNED = {"outer": "t", "carried": "g", "computed": "m.sum() * g", "several": "g, t", "number": "1.5"}
PROGRAM = """
import torch


def f(x, n, k):
    g, t, m = torch.min(x), torch.sum(x), x
    {loop}
        {before}
        {test}: return {early}
        {behind}
        {step}
    {end}
    return {late}
"""
STEPS = {"none": "pass", "step": "g = g + 0.7", "step behind a test": "g = g + 0.7 if m[0] > 0 else g + 0.9"}
TESTS = {"one": "if g > -0.8", "two": "if g > -0.8 and t < 2.0"}
ENDS = {"none": "pass", "dead": "unused = t * 2", "used": "g = g * 2"}


def programs():
    for loop, before, behind, early in itertools.product(LOOPS, DEAD, DEAD, RETURNED):
        at = hash_free(loop, before, behind, early)
        step, test, end = (list(table)[at % len(table)] for table in (STEPS, TESTS, ENDS))
        step = "step" if loop == "while" and step == "none" else step  # or it may never end
        text = PROGRAM.format(
            loop=LOOPS[loop],
            before=DEAD[before],
            behind=DEAD[behind],
            test=TESTS[test],
            early=RETURNED[early],
            step=STEPS[step],
            end=ENDS[end],
            late="g, m.sum()" if early == "several" else "g" if early != "number" else "2.5",
        )
        yield f"{loop}-{before}-{behind}-{early}", text


def hash_free(*words: str) -> int:
    """A number of some words that is the same in every run."""
    return sum(ord(letter) * at for at, letter in enumerate("".join(words), 1))


pytestmark = pytest.mark.usefixtures("wide")
EVERY = list(programs())


@pytest.mark.parametrize("part", range(8))
def test_returns_out_of_loops(part):
    for at, (name, text) in enumerate(EVERY[part::8]):
        found = check(text, name, targets=TRACED if at % 8 else (*TRACED, "jax"))
        assert found.kind == "equal", f"{name}: {found.kind}: {found.why}\n{text}"
