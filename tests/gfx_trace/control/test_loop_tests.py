"""What the test of a loop, and an operand that may not run, leaves in variables and tensors; loops written as `reduce`."""

import functools
import operator

import numpy as np
import pytest
import torch

import gfx_trace as gfx

INPUTS = [torch.tensor(x) for x in ([20.0, 1.0], [1.0, 0.2], [-3.0, 2.0], [4.0, 5.0], [100.0, 50.0])]


def assigned_by_the_test(x):
    n = 0
    while (y := x - 2).sum() > 0:
        x = y
        n += 1
    return x, y, n


def assigned_before_too(x):
    y = x * 0
    while (y := y + x).sum() < 30 and x.sum() > 0:
        if y[0] > 12:
            break
    else:
        y = -y
    return y


def written_by_the_test(x):
    buffer, n = x.clone(), 0
    while buffer.mul_(0.5).sum() > 1:
        n += 1
        if buffer[0] > 8:
            break
    return buffer, n


def written_through_a_helper(x):
    seen = [x[0] * 0]

    def more():
        seen[0] = seen[0] + 1
        return seen[0] < x[0]

    while more():
        x = x - 1
    return x, seen[0]


def operand_assigns(x):
    n, y = 5, x * 0
    while n > 0 and (y := x - n).sum() > 0:
        n -= 1
        if n == 2:
            break
    else:
        y = y * 2
    return y, n


def operand_assigns_in_a_test(x):
    if x.sum() > 0 and (y := x * 2)[0] > 3:
        return y
    y = x if x[0] > 0 or (z := x + 1)[1] > 2 else z
    return -y


def ternary_assigns(x):
    total = (y := x * 2).sum() if x[0] > 2 else (y := x - 1).sum()
    return total + y


def comparison_assigns(x):
    y = x[1]
    if 0 < x[0] < (y := x[1] + 1):
        return y
    return x[0] - y


def assigned_by_a_local_function_in_a_comprehension(x):
    best, count = x[0] * 0, 0

    def asked(v):
        nonlocal best, count
        if v > best:
            best = v
            count += 1
        return best * 2

    doubled = torch.stack([asked(e) for e in x])
    return best, count, doubled


def assigned_by_a_local_function_in_an_operand(x):
    calls = 0

    def positive(v):
        nonlocal calls
        calls = calls + 1
        return v > 0

    y = x * 2 if x[0] > 1 and positive(x[1]) and positive(x[1] - 1) else x
    z = y.sum() if x[1] > 0 else (y[0] if positive(y[0]) else y[1])
    return y, z, calls


def runs_on_its_own(x):
    """What tells whether a loop goes on is a variable beside those of the user, whatever these are called."""
    running = x.sum() * 0
    while (running := running + x.sum()) < 40 and x.sum() > 0:
        x = x * 1.5
    return running, x


@pytest.mark.parametrize(
    "function",
    [
        runs_on_its_own, assigned_by_the_test, assigned_before_too, written_by_the_test, written_through_a_helper, operand_assigns,
        operand_assigns_in_a_test, ternary_assigns, comparison_assigns,
        assigned_by_a_local_function_in_a_comprehension, assigned_by_a_local_function_in_an_operand,
    ],
)  # fmt: skip
def test_left(function):
    program = gfx.symbolic_trace(function, INPUTS[0].clone())
    ways = [
        (program, torch.Tensor.clone),
        (program.to("torch"), torch.Tensor.clone),
        (program.to("jax"), torch.Tensor.numpy),
    ]
    for x in INPUTS:
        want = function(x.clone())
        for run, moved in ways:
            got = run(moved(x))
            want_leaves, got_leaves = (list(r) if isinstance(r, tuple) else [r] for r in (want, got))
            for a, b in zip(want_leaves, got_leaves, strict=True):
                np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-6)


def guarded_in_the_loop(x, n: int):
    while n > 0:
        if x.ndim == 1:
            raise ValueError("one axis")
        n = n - 1
    return x if x.ndim == 1 else x * 2


def test_what_a_body_settles_holds_in_the_body_alone():
    program = gfx.symbolic_trace(guarded_in_the_loop, backend="torch")
    row = torch.ones(3)
    assert torch.equal(program(row, 0), row) and torch.equal(program(row[None], 2), 2 * row[None])
    with pytest.raises(ValueError, match="one axis"):
        program(row, 1)


def reduced(x, n):
    rows = functools.reduce(lambda a, row: a * 0.5 + row, x)
    from_one = functools.reduce(lambda a, row: torch.maximum(a, row), x, torch.ones(3))
    fixed = functools.reduce(operator.mul, (row.sum() for row in (x[0], x[1])))
    return rows, from_one, fixed + functools.reduce(lambda a, i: a + i * i, range(1, n + 1))


def test_reduce_is_a_loop():
    program = gfx.symbolic_trace(reduced, backend="torch")
    assert [node.op.name for node in program.entry].count("for") == 3
    for count in (2, 5):
        x, n = torch.arange(3.0 * count).reshape(count, 3) - 4, torch.tensor(count)
        want = reduced(x, n)
        got = program.to("jax")(x.numpy(), n.numpy())
        for a, b, c in zip(want, program(x, n), got, strict=True):
            assert torch.allclose(a, b) and np.allclose(a, c)


def test_reduce_of_nothing_is_an_error_of_python():
    with pytest.raises(TypeError, match="empty"):
        gfx.symbolic_trace(lambda x: functools.reduce(operator.add, [x][1:]), backend="torch")


@pytest.mark.parametrize("level", (0, 1))
@pytest.mark.parametrize("n", (2, 5))
def test_a_fixed_test_that_assigns_is_asked_once_a_trip(level, n):
    def counting(x, n):
        t = 0
        while (t := t + 1) < 4:
            if n > 3:
                break
            x = x + 1
        return x, t

    given = torch.ones(2), torch.tensor(n)
    program = gfx.symbolic_trace(counting, *(given if level else ()))
    (want, trips), (got, counted) = counting(*given), program(*given)
    assert torch.equal(want, got) and int(counted) == trips
