"""A return out of a loop: every form of loop, with what the trip computes before and behind it, needed or not."""

from __future__ import annotations

import itertools

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from differential import TRACED, check
from sweeps import one_in

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
EVERY = one_in(4, programs())


@pytest.mark.parametrize("start", range(0, len(EVERY), 25))
def test_returns_out_of_loops(start):
    for at, (name, text) in enumerate(EVERY[start : start + 25]):
        found = check(text, name, targets=TRACED if at % 8 else (*TRACED, "jax"))
        assert found.kind == "equal", f"{name}: {found.kind}: {found.why}\n{text}"


def asked_again(k):
    """A flag that is asked again behind the test that sets it, as true or as false."""

    def when_true(x, n, k=2):
        s, r = 0.0, 0.5
        for t in n:
            if k:
                pass
            else:
                return x, s, r
            x = x + t
        return x, r, s

    def with_more_behind(x, n, k=2):
        s, r = 0.0, 0.5
        for t in n:
            if k:
                s = s + 1.0
            elif r:
                return x, s, r
            if x.sum() > 0:
                x = x + t
        return x, r, s

    def nested(x, n, k=2):
        for t in n:
            for u in n:
                if not k:
                    return x, 0.5, u
                x = x + u
            x = x * t
        return x, 1.5, t

    return (when_true, with_more_behind, nested)[k]


@pytest.mark.parametrize("at", range(3))
@pytest.mark.parametrize("k", (0, 2))
@pytest.mark.parametrize("flavour", ("numpy", "torch"))
def test_what_only_a_return_takes(at, k, flavour):
    fn, x, n = asked_again(at), np.array([1.0, 2.0]), np.array([0.5, -1.5])
    program = gfx.symbolic_trace(fn, backend=flavour)
    given = tuple(map(torch.from_numpy, (x, n)))
    wanted = fn(*given, k) if flavour == "torch" else fn(x, n, k)
    for one, other in zip(program.to("torch")(*given, k), wanted):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other))


def twice_a_trip(x, k):
    v, w, o = x, x, [x[2], 1.0]
    for _ in range(k):
        for _ in o:
            if o[0] >= 1:
                while x.sum() > -9:
                    return v, w
            w = 0.5 * (x if o[0] else w)
        v = w
    return v, w


@pytest.mark.parametrize("k", (0, 1, 3))
@pytest.mark.parametrize("value", (1.0, 0.0, -1.2))
def test_what_no_return_has_set_yet_is_handed_on(value, k):
    """One side of a test sets what is returned; the test around it calls that otherwise."""
    x = torch.full((3,), value)
    made = gfx.symbolic_trace(twice_a_trip, x, k=gfx.Open).to("torch")
    for want, got in zip(twice_a_trip(x, k), made(x, k), strict=True):
        torch.testing.assert_close(got, want)


def behind_a_search(x, n):
    for row in x:
        for _ in range(1):
            for _ in x:
                if not n:
                    break
            else:
                return x, row
    return x, 0.5


@pytest.mark.parametrize("n", (0, 2))
@pytest.mark.parametrize("target", ("torch", "numpy", "jax"))
def test_a_search_within_a_loop_says_nothing_of_the_return_around_it(target, n):
    """The search's own flag takes the variable of the one that says whether there was a return."""
    made = gfx.symbolic_trace(
        behind_a_search, gfx.TensorSpec((3,), "float64"), gfx.TensorSpec((), "int64"), backend="numpy"
    )
    x = np.array([1.0, 2.0, 3.0])
    arrays = {"torch": torch.tensor, "numpy": np.array, "jax": jnp.asarray}[target]
    for one, other in zip(made.to(target)(arrays(x), arrays(n)), behind_a_search(x, n)):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other))


def left_by_a_later_test(x, n, k: int = 2):
    s, t = x.sum(), 0
    while t < n:
        t = t + 1
        for _ in (1, 0.5):
            while 0 < k and x[1] > 0:
                return s
            else:
                s = x[1]
    s = x[0]
    return s


@pytest.mark.parametrize("target", ("torch", "numpy", "jax"))
def test_what_is_returned_may_be_carried_for_another_value_too(target):
    """It passes through two tests that end a trip, and is what the return takes besides."""
    made = gfx.symbolic_trace(left_by_a_later_test, backend="numpy").to(target)
    arrays = {"torch": torch.tensor, "numpy": np.array, "jax": jnp.asarray}[target]
    for x, n, k in (([1.0, 2.0], 2, 1), ([1.0, -2.0], 2, 1), ([1.0, 2.0], 1, 0), ([1.0, 2.0], 0, 1)):
        want = left_by_a_later_test(np.array(x), n, k)
        np.testing.assert_allclose(np.asarray(made(arrays(x), arrays(n), k)), want)


def left_without_gradients(x):
    y = x * 2
    for _ in range(2):
        with torch.no_grad():
            for i in range(3):
                if y.var() > 2:
                    return torch.ones(3)
            n = 0
            while n < 4:
                n += 1
                if n == 2:
                    return y + n
    return x


@pytest.mark.parametrize("typed", [True, False])
def test_whether_code_has_returned_has_no_gradient_to_lose(typed):
    program = gfx.symbolic_trace(left_without_gradients, *[torch.ones(3)] * typed, backend="torch")
    for x in ([1.0, 1.5, 1.0], [1.0, 2.0, 9.0]):
        want = left_without_gradients(torch.tensor(x))
        for target, array in (("torch", torch.tensor), ("jax", np.float32), ("numpy", np.float32)):
            np.testing.assert_allclose(np.asarray(program.to(target)(array(x))), want)
