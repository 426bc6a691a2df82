"""Numbers of Python's that nobody takes, computed all the same for the errors that Python may raise there."""

import math

import jax
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def divides(x):
    n = int(x.sum())
    5 // n
    return x


def divides_in_a_function(x):
    def inner(n):
        return 5 % n

    inner(float(x.sum()))
    return x


def divides_both(x):
    divmod(1, int(x.sum()))
    return x


def divides_under_a_test(x):
    n = int(x.sum())
    if x.sum() < 1:
        5 // n
    return x


def divides_on_a_side(x):
    n = int(x.sum())
    unused = 5 // n if x.sum() < 1 else 3  # noqa: F841
    return x


def divides_in_a_loop(x):
    n = int(x.sum())
    while x.sum() < 2:
        5 // n
        x = x + 1
    return x


def divides_where_the_first_is_zero(x):
    n = int(x.sum())
    n or 1 / n
    return x


def power(x):
    pow(int(x.sum()), -1)
    return x


def whole(x):
    int(x.sum() / 0 * 0)
    return x


def root(x):
    math.sqrt(float(x.sum()) - 1)
    return x


def logarithm(x):
    math.log(x.sum().item())
    return x


def shift(x):
    1 << int(x.sum()) - 1
    return x


def many(x):
    float(torch.cat([x, x]))
    return x


def sizes(x):
    5 // (x.shape[0] - 1)
    return x


RAISING = (
    divides, divides_in_a_function, divides_both, divides_under_a_test, divides_on_a_side, divides_in_a_loop,
    divides_where_the_first_is_zero, power, whole, root, logarithm, shift, many,
)  # fmt: skip


@pytest.mark.parametrize("fn", RAISING, ids=lambda fn: fn.__name__)
def test_python_s_errors_are_raised(fn):
    x = torch.zeros(1)
    with pytest.raises((ArithmeticError, ValueError)) as want:
        fn(x)
    program = gfx.symbolic_trace(fn, x)
    for run in (program, program.to("torch")):
        with pytest.raises(want.type):
            run(x)
    with pytest.raises((want.type, TypeError)):
        program.to("numpy")(x.numpy())
    if fn is whole:
        return  # arrays of JAX hold what int() of NaN is, here as where it is read
    refused = UnsupportedConstruct if fn in (power, shift) else TypeError
    with pytest.raises((refused, want.type, jax.errors.JaxRuntimeError)):
        jax.block_until_ready(program.to("jax")(np.zeros(1, np.float32)))
        jax.effects_barrier()
    if refused is not UnsupportedConstruct and fn is not many:
        np.testing.assert_array_equal(program.to("jax")(np.full(1, 2, np.float32)), fn(torch.full((1,), 2.0)))


def test_sizes_are_python_s_in_every_target():
    program = gfx.symbolic_trace(sizes, backend="torch")
    for target in ("torch", "numpy", "jax"):
        with pytest.raises(ZeroDivisionError):
            program.to(target)(torch.zeros(1) if target == "torch" else np.zeros(1))
    np.testing.assert_array_equal(program.to("jax")(np.zeros(3)), np.zeros(3))


def test_what_cannot_raise_is_left_out():
    def fn(x):
        n = int(x.argmax())
        m = x.sum().item()
        n + 1, n % 3, m * 2.0, m > 0, x.sum() / 0
        return x + 1

    assert (
        gfx.symbolic_trace(fn, torch.zeros(3))
        .source("torch")
        .endswith('    """Assumes x: f32[3]."""\n    return x + 1\n')
    )


def test_what_is_read_stays_where_it_stands():
    def fn(x):
        n = int(x.sum())
        m = 5 // n
        return x * m

    source = gfx.symbolic_trace(fn, backend="torch").source("torch")
    assert source.endswith("    n = int(torch.sum(x))\n    m = 5 // n\n    return x * m\n")


def test_whole_numbers_of_arrays_are_not_beyond_floats():
    def fn(x):
        count = 0
        for row in x:
            if row.sum() > 0:
                count += int(row[0])
        count * 0.5, float(count)
        return x + 1

    program = gfx.symbolic_trace(fn, torch.ones(3, 2))
    assert program.source("jax").endswith("    return x + 1\n")
    with pytest.raises(OverflowError):
        gfx.symbolic_trace(lambda x, n: n * 0.5, torch.ones(1), gfx.Open).to("torch")(torch.ones(1), 10**400)
