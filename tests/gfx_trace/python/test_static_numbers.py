"""Numbers of Python's that a tracing compiler has to be told of: source names them, and gives under `jax.jit` what Python gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def leaves_early(x: np.ndarray, k: int = 2):
    for i in range(5):
        x = x * 2
        if i >= k:
            break
    return x


def leaves_at_once(x: np.ndarray, k: int = 2):
    total = 2.0
    for _ in range(3):
        total = total + 3.0
        if k:
            break
    return x * total


def of_booleans(x: np.ndarray, k: int = 2):
    flag = k > 1
    return x * round(flag), x * -flag, x * ~flag, x * abs(flag)


def fraction(x: np.ndarray, k: int = 2):
    return x * k**-1


def any_power(x: np.ndarray, k: int = 2, m: int = -2):
    return x * k**m


def whole_part_of_a_power(x: np.ndarray, k: int = 2, m: int = -2):
    return x * int(k**-1), x * int(7 * k**m), x * int(k**2), x * float(k**m)


def square(x: np.ndarray, k: int = 2):
    return x * k**2


STATIC = {
    leaves_early: ("k",),
    leaves_at_once: ("k",),
    of_booleans: ("k",),
    fraction: ("k",),
    any_power: ("k", "m"),
    whole_part_of_a_power: ("k", "m"),
    square: (),
}


@pytest.mark.parametrize("fn", STATIC, ids=lambda fn: fn.__name__)
def test_static(fn):
    program = gfx.symbolic_trace(fn)
    source, names = program.source("jax"), STATIC[fn]
    assert ("static_argnames" in source) == bool(names)
    assert all(f'"{name}"' in source for name in names)
    x = np.array([0.5, -1.5, 2.0])
    want, got = fn(x), jax.jit(program.to("jax"), static_argnames=names)(jnp.asarray(x))
    for a, b in zip(jax.tree.leaves(want), jax.tree.leaves(got), strict=True):
        np.testing.assert_allclose(a, b, 1e-6)


def fraction_of_size(x: np.ndarray):
    return ~(len(x) ** -1)


def fraction_of_truth(x: np.ndarray):
    return ~((x[0] > 0).item() ** -1)


def fraction_of_element(x: np.ndarray):
    return ~float(x[0])


@pytest.mark.parametrize("fn", [fraction_of_size, fraction_of_truth, fraction_of_element], ids=lambda fn: fn.__name__)
def test_fractions_have_no_bits(fn):
    with pytest.raises(TypeError, match="bad operand type for unary ~: 'float'"):
        gfx.symbolic_trace(fn)


def reciprocal(x: np.ndarray):
    return (len(x) ** -1).is_integer()


def test_a_negative_power_of_a_size_is_a_fraction():
    """It has what a fraction has."""
    program = gfx.symbolic_trace(reciprocal)
    assert [bool(program(np.ones(n))) for n in (1, 2)] == [reciprocal(np.ones(n)) for n in (1, 2)] == [True, False]


def whole_part(x: np.ndarray):
    return x * 2 if (len(x) / 4).is_integer() else x


def next_power(x: np.ndarray):
    return x * (1 << (len(x) - 1).bit_length())


def parts(x: np.ndarray):
    return x * (len(x) / 2).real + len(x).numerator * len(x).conjugate()


@pytest.mark.parametrize("fn", [whole_part, next_power, parts], ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("to", ["numpy", "torch", "jax"])
def test_open_numbers_have_the_methods_of_pythons(fn, to):
    run = gfx.symbolic_trace(fn).to(to)
    for n in (1, 3, 4, 5, 8):
        x = np.arange(float(n), dtype="float32")
        given = {"numpy": x, "torch": torch.tensor(x), "jax": jnp.asarray(x)}[to]
        np.testing.assert_array_equal(np.asarray(run(given)), fn(x))
