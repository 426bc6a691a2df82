"""Variables that are None on one way through the code, and are asked for that: `y = None; if x.sum() > 0: y = …; if y is not None: …`."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def returned_where_there(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    if y is not None:
        return y + 1
    return x


def asked_beside_data(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    if torch.max(x) > 1 and y is not None:
        x = x + y
    return x


def chosen(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    return x if y is None else y


def behind_a_python_test(x, k: int):
    y = None
    if k > 0 and torch.sum(x) > 0:
        y = x * 2
    if y is not None:
        return y + 1
    return x


def within_a_python_test(x, k: int):
    y = None
    if k > 0:
        if torch.sum(x) > 0:
            y = x * 2
    if y is not None:
        return y + 1
    return x


def within_a_test(x):
    y = None
    if torch.sum(x) > 0:
        if torch.max(x) > 1:
            y = x * 2
    if y is not None:
        return y + 1
    return x


def one_of_two_ways(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    elif torch.max(x) > 1:
        y = x * 3
    if y is None:
        return x
    return y


def two_at_once(x):
    y = None
    z = None
    if torch.sum(x) > 0:
        y = x * 2
        z = x
    if y is not None and z is not None:
        x[0] = y[1]
        x = torch.add(x, y) + z
        x -= y
    return x


def of_several_parts(x):
    y = None
    if torch.sum(x) > 0:
        y = (x * 2, 3)
    if y is None:
        return x
    a, b = y
    return a * b


def a_number(x):
    y = None
    if torch.sum(x) > 0:
        y = 1.5
    if y is not None:
        x = x * y
    return x


def taken_back(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    if torch.max(x) > 2:
        y = None
    return x if y is None else y - x


def replaced(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    y = y if y is not None else torch.zeros_like(x)
    return y + 1


def handed_to_a_function(x):
    def helper(x, y=None):
        if y is None:
            return x * 5
        return x + y

    y = None
    if torch.sum(x) > 0:
        y = x * 2
    return helper(x, y)


def asserted(x):
    y = None
    if torch.sum(x) > 0:
        y = x * 2
    assert y is not None or torch.max(x) <= 1
    return y if y is not None else -x


def an_item(x):
    d = {"y": None}
    if torch.sum(x) > 0:
        d["y"] = x * 2
    if d["y"] is not None:
        return d["y"]
    return -x


GIVEN = ((1.0, 2.0, 3.0), (-1.0, -2.0, -3.0), (0.1, 0.2, -0.1), (-5.0, 3.0, 1.0))
ALONE = [
    returned_where_there,
    asked_beside_data,
    chosen,
    within_a_test,
    one_of_two_ways,
    two_at_once,
    of_several_parts,
    a_number,
    taken_back,
    replaced,
    handed_to_a_function,
    asserted,
    an_item,
]
BESIDE_A_NUMBER = [behind_a_python_test, within_a_python_test]


def outcome(f, *args):
    """What a call gives, or the class of what it raises."""
    try:
        return np.asarray(f(*args))
    except Exception as error:
        return type(error)


def same(f, to, *rest):
    made = gfx.transpile(f, to=to, backend="torch")
    for x in GIVEN:
        found = outcome(made, torch.tensor(x) if to == "torch" else jnp.array(x), *rest)
        expected = outcome(f, torch.tensor(x), *rest)
        if isinstance(expected, type):
            assert found is expected
        else:
            np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize("f", ALONE, ids=lambda f: f.__name__)
def test_none_is_asked_for(f, to):
    same(f, to)


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize("f", BESIDE_A_NUMBER, ids=lambda f: f.__name__)
def test_none_is_asked_for_behind_tests_of_python(f, to):
    for k in (0, 1):
        same(f, to, k)


# ---------------------------------------------------------------------- loops that replace what a test left
def defined_before(x, flag: bool, n: int):
    if flag:
        y = x
    for _ in range(n):
        y = x * 2
    return y


def none_before(x, flag: bool, n: int):
    y = None
    if flag:
        y = x
    for _ in range(n):
        y = x * 2
    return y if y is not None else -x


def while_it_grows(x, flag: bool, n: int):
    if flag:
        y = x
    while x.sum() < n:
        x = x + 1
        y = x * 2
    return y


def asked_in_the_loop(x, flag: bool, n: int):
    if flag:
        y = x
    for i in range(n):
        if i > 0:
            x = x + y
        y = x * 2
    return y + x


def used_so_it_is_there(x, flag: bool, n: int):
    best = None
    for i in range(n):
        if best is None or x[i] > best[0]:
            best = x + i
    with torch.no_grad():
        top = (best * 1).sum()
    return best if top > 2 else x


def empty_before(x, flag: bool, n: int):
    y = ()
    if x[0] > 0:
        y = (x[0],)
    for _ in range(n):
        if not y:
            x = x + 1
        y = (x[0],)
    return x[1] + 1 if y else x[0]


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize(
    "f",
    [defined_before, none_before, while_it_grows, asked_in_the_loop, empty_before, used_so_it_is_there],
    ids=lambda f: f.__name__,
)
def test_what_a_test_left_is_what_a_loop_leaves_behind_it(f, to):
    made = gfx.transpile(f, to=to, backend="torch")
    for x in GIVEN:
        for flag in (True, False):
            for n in (0, 1, 3):
                found = outcome(made, torch.tensor(x) if to == "torch" else jnp.array(x), flag, n)
                expected = outcome(f, torch.tensor(x), flag, n)
                if isinstance(expected, type):
                    assert found is expected
                else:
                    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_functions_that_a_loop_replaces_are_refused():
    def chosen(x, n: int):
        f = torch.sin if x.sum() > 0 else torch.cos
        for i in range(n):
            if x[i] > 0:
                f = torch.tanh
        return f(x)

    with pytest.raises(gfx.GfxError, match=r"'f' becomes .* in the loop, and was one of several, as a test says"):
        gfx.symbolic_trace(chosen, backend="torch")


def text_before(x, flag: bool, n: int):
    y = x
    if flag:
        y = "none"
    while n > 0:
        n = n - 1
        y = x * 5
    return x if y == "none" else y


def number_or_text_before(x, flag: bool, n: int):
    y = 2
    if flag:
        y = "none"
    for i in range(n):
        y = i
    return x if y == "none" else x * y


@pytest.mark.parametrize("f", [text_before, number_or_text_before], ids=lambda f: f.__name__)
def test_a_loop_that_may_not_run_leaves_what_was_there_of_any_kind(f):
    made = gfx.transpile(f, to="torch", backend="torch")
    for x in GIVEN:
        for flag in (True, False):
            for n in (0, 1, 3):
                assert torch.equal(made(torch.tensor(x), flag, n), f(torch.tensor(x), flag, n))


def test_text_or_tensor_is_not_carried_by_loops_that_data_ends():
    def f(x, flag: bool):
        y = x
        if flag:
            y = "none"
        while torch.sum(x) > 1:
            x = x / 2
            y = x * 5
        return x if y == "none" else y

    with pytest.raises(gfx.GfxError, match="'y' is a tensor on one way to a trip, and something else on another"):
        gfx.symbolic_trace(f, backend="torch")


def test_what_may_be_none_is_no_argument_left_out():
    def fn(x, m=None):
        return torch.where(x > 0, x, None if m is not None else x * 2)

    run, x = gfx.symbolic_trace(fn, backend="torch").to("torch"), torch.tensor(GIVEN[0])
    assert torch.equal(run(x), fn(x))
    with pytest.raises(TypeError):
        run(x, x)
