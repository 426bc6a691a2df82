"""What NumPy's functions take: dtypes that they refuse are refused at capture, and numbers of unusual kinds give what NumPy gives."""

import jax
import numpy as np
import pytest

import gfx_trace as gfx
from gfx_ir.errors import GuardError, ShapeError, UnsupportedConstruct

DTYPES = (np.bool_, np.uint8, np.int64, np.float32, np.float64, np.complex64)
UFUNCS = (np.floor, np.sqrt, np.sign, np.positive, np.invert, np.deg2rad, np.fabs, np.exp2, np.conj, np.logical_not)
PAIRS = (
    np.arctan2,
    np.heaviside,
    np.logaddexp2,
    np.hypot,
    np.gcd,
    np.maximum,
    np.copysign,
    np.subtract,
    np.float_power,
)


def takes(fn, *args):
    try:
        fn(*args)
    except TypeError:
        return False
    return True


@pytest.mark.parametrize("fn", UFUNCS + PAIRS, ids=lambda fn: fn.__name__)
def test_a_ufunc_tells_what_it_takes(fn):
    for dtype in DTYPES:
        for other in DTYPES if fn.nin > 1 else DTYPES[:1]:
            x = [np.array([1, 2], dtype), np.array([2, 1], other)][: fn.nin]
            if takes(fn, *x):
                np.testing.assert_allclose(gfx.symbolic_trace(lambda *x: fn(*x), *x)(*x), fn(*x), rtol=1e-5)
            else:
                with pytest.raises((UnsupportedConstruct, TypeError)):
                    gfx.symbolic_trace(lambda *x: fn(*x), *x)


def test_numbers_and_arrays_without_axes():
    def fn(x):
        return np.arctan2(x, 2), np.add(x, True), np.hypot(x, np.float32(2)), np.power(x, 2.0), np.maximum(1, x)

    x = np.array([1, 2])
    for got, want in zip(gfx.symbolic_trace(fn, x)(x), fn(x)):
        np.testing.assert_allclose(got, want)
    with pytest.raises(UnsupportedConstruct, match=r"np.heaviside: ufunc 'heaviside' not supported"):
        gfx.symbolic_trace(lambda x: np.heaviside(x, 0.5), x * 1j)


@pytest.mark.parametrize(
    "fn, x",
    [
        (lambda x: np.digitize(x, [0.0, 1.0]), np.ones(2) * 1j),
        (lambda x: np.quantile(x, 0.5), np.array([True, False])),
        (lambda x: np.fix(x), np.ones(2) * 1j),
        (lambda x: np.partition(np.ones(3), x), np.array([1.0])),
        (lambda x: np.delete(np.ones(3), x), np.array([1.0])),
        (lambda x: np.reciprocal(x), np.array([1, 2])),
    ],
)
def test_other_functions_have_rows(fn, x):
    with pytest.raises(UnsupportedConstruct, match=r"takes .*, and gets"):
        gfx.symbolic_trace(fn, x)


def test_what_floats_and_whole_numbers_mean_differently_is_a_guard():
    program = gfx.symbolic_trace(lambda x: np.reciprocal(x))
    np.testing.assert_allclose(program(np.array([4.0])), [0.25])
    with pytest.raises(GuardError, match="holds floating-point numbers or complex numbers"):
        program(np.array([4]))


def chosen(x):
    mask = x > 1
    return np.ones(3).compress(mask), np.arange(3).compress(x), np.compress(x, x), np.extract(x, np.arange(3.0))


def spread(x):
    return np.nanvar(x), np.nanstd(x, ddof=1, keepdims=True)


def binned(x):
    return np.digitize(x, x), np.digitize(x, -x, right=True), np.digitize(x, [2, 1])


CASES = [
    *[(fn, x) for fn in (chosen, spread) for x in ([2, 0, 1], [True, False, True], [0.5, 0.0, 2.0])],
    *[(binned, x) for x in ([3.0, 2.0, 1.0], [0.5, 1.0, 2.0])],
    (lambda x: np.linalg.matrix_rank(x, x[0]), np.eye(3)),
]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn, x", CASES)
def test_values_are_those_of_numpy(fn, x, level):
    x = np.array(x)
    want = fn(x)
    got = gfx.symbolic_trace(fn, *[x] * level, backend="numpy")(x)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-6, strict=True), got, want)


@pytest.mark.parametrize("x", [np.array([True, False, True]), np.array([200, 3, 7], np.uint8)])
def test_products_of_narrow_numbers_are_as_narrow(x):
    def fn(x):
        near = np.isclose(x, x[::-1], rtol=0.1), np.deg2rad(x), np.gradient(x[:2] * np.uint8(1))
        return np.correlate(x, x), np.vecmat(x, x[:, None]), np.add.outer(x, 2), *near

    for got, want in zip(gfx.symbolic_trace(fn, x)(x), fn(x)):
        np.testing.assert_array_equal(got, want, strict=True)


@pytest.mark.parametrize("join", [lambda x: np.concatenate(x), lambda x: np.concatenate(x, axis=-1)])
def test_numbers_cannot_be_joined(join):
    program = gfx.symbolic_trace(join, backend="numpy")
    np.testing.assert_array_equal(program(np.eye(2)), join(np.eye(2)))
    with pytest.raises(GuardError, match="ndim >= 2"):
        program(np.ones(3))
    with pytest.raises(ShapeError):
        gfx.symbolic_trace(join, np.ones(3))
