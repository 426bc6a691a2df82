"""Builtins, classes and places for results in code of NumPy."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import MissingOp, UnsupportedConstruct
from numpy_code import equals

pytestmark = pytest.mark.usefixtures("wide")


def digits(n, base):
    total, count = n * 0, 0
    while n > 0:
        n, digit = divmod(n, base)
        total = total + digit
        count += 1
        if digit in range(1, 8, 3):
            total = total + 100
    return total, count, divmod(-7, base), n in range(count)


def scales_in_place(x):
    y = np.empty_like(x)
    np.multiply(x, 2, out=y)
    if (y < 0).any():
        np.add(y, 1, out=(y,))
        np.cumsum(y, out=y[:])
    doubled = (v * 2 for v in y[:2])
    first = next(doubled)
    return y, first, sum(doubled), next(doubled, -1.0)


def writes_at_places(x):
    y = np.full_like(x, 5.0)
    np.divide(1.0, x, out=y, where=x != 0)
    np.tanh(y, y)
    np.negative(x, y, where=x > 1)
    y.clip(-3.0, 0.9, out=y)
    return y


def first_above(x):
    above = x > 1.5
    least = x[0] if x[0] > 0 else 0.5
    return above.argmax(), np.diff(above), np.append(x, least), np.append(x, 1), np.array([least, x[1]])


def asks_for_classes(n, x):
    found = 0
    for at, kind in enumerate((np.integer, np.ndarray, (int, np.floating), float, np.generic)):
        found += 10**at * (isinstance(n, kind) + 2 * isinstance(x, kind) + 4 * isinstance(x.sum(), kind))
    while n > 0:
        n, found = n - 1, found + 1
    return found, 1 if isinstance(float(n), float) else 2


def of_one_element(x):
    return x * 2 if x > 0 else -x


def first_column(a):
    table = np.zeros((len(a) + 1, 3))
    table[:, 0] = range(len(a) + 1)
    return table


@pytest.mark.parametrize("typed", [True, False])
def test_a_range_is_an_array_where_one_is_expected(typed):
    given = np.ones(4)
    program = gfx.symbolic_trace(first_column, *([given] if typed else []), backend="numpy")
    equals(first_column, program, (given,))


@pytest.mark.parametrize(
    "fn, inputs",
    [
        (digits, [(47, 10), (0, 3), (5, 2)]),
        (scales_in_place, [([1.0, 2.0, 3.0],), ([-1.0, 2.0, 0.0],)]),
        (of_one_element, [([3.0],), ([-2.0],), ([float("nan")],)]),
    ],
)
def test_builtins_and_out_and_tests_of_one_element(fn, inputs):
    equals(fn, gfx.symbolic_trace(fn, *map(np.array, inputs[0]), backend="numpy"), *inputs)


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("fn", [writes_at_places, first_above])
def test_places_for_results_and_numbers_among_arrays(fn, typed):
    inputs = [([1.0, 0.0, 4.0],), ([-1.0, 2.0, 2.0],)]
    program = gfx.symbolic_trace(fn, *(map(np.array, inputs[0]) if typed else ()), backend="numpy")
    equals(fn, program, *inputs)


def test_what_a_mask_leaves_without_a_value_is_refused():
    with pytest.raises(MissingOp, match="with where="):
        gfx.symbolic_trace(lambda x: np.log(x, where=x > 0), np.ones(3))


def test_numbers_of_numpy_are_of_their_own_classes():
    program = gfx.symbolic_trace(asks_for_classes, np.int64(2), np.ones(2), backend="numpy")
    for n in (2, 0):
        assert program(np.int64(n), np.ones(2)) == asks_for_classes(np.int64(n), np.ones(2))
    with pytest.raises(UnsupportedConstruct, match="its dtype is not known"):
        gfx.symbolic_trace(asks_for_classes, backend="numpy")


def test_the_truth_of_several_elements_is_refused():
    with pytest.raises(UnsupportedConstruct, match="truth of a tensor of 3 elements"):
        gfx.symbolic_trace(of_one_element, np.ones(3))


def largest(n):
    return n.max()


def shuffled_bits(n):
    for by in (13, 17, 5):
        n = n ^ (n << np.uint32(by))
    return n


def test_a_dtype_of_which_a_target_computes_nothing_is_refused_there():
    given = np.array([1, 4_000_000_000], np.uint32)
    program = gfx.symbolic_trace(shuffled_bits, given)
    for made in (
        program(given),
        program.to("torch")(torch.tensor(given)),
    ):  # in 64 bits, where there are no shifts of 32
        assert np.array_equal(made, shuffled_bits(given))
    assert gfx.symbolic_trace(largest, given).to("torch")(torch.tensor(given)) == largest(given)
    with pytest.raises(UnsupportedConstruct, match=r"(?s)max of uint64.*in largest"):
        gfx.symbolic_trace(largest, given.astype(np.uint64)).source("torch")
    both = gfx.symbolic_trace(lambda n: (n & np.uint32(7), np.gcd(n.astype(np.int64), 6)), given)
    equals(lambda n: (n & np.uint32(7), np.gcd(n.astype(np.int64), 6)), both, (given,))


def test_what_only_numbers_of_numpy_have_is_refused():
    with pytest.raises(MissingOp, match="is_integer"):
        gfx.symbolic_trace(lambda x: x.sum().is_integer(), np.ones(2))


def rounded(x):
    return round(x[0]) // 2, x[round(abs(x[1]))], [1.0, 2.0, 3.0][round(x[2])]


@pytest.mark.parametrize("typed", [True, False])
def test_a_rounded_number_of_numpy_is_a_whole_number_of_python(typed):
    inputs = [([2.5, -1.5, 0.5],), ([-3.2, 0.4, 1.6],)]
    program = gfx.symbolic_trace(rounded, *(map(np.array, inputs[0]) if typed else ()), backend="numpy")
    equals(rounded, program, *inputs)
    assert type(program(np.array(inputs[0][0]))[0]) is int


def compared(n, few):
    return n >= few, few == n, np.where(few, n, 0)


def test_an_array_without_axes_is_compared_in_the_dtype_of_both():
    few = np.array([0, 2, 254], np.uint8)
    program = gfx.symbolic_trace(compared, np.array(5, np.int32), few)
    for n in (5, -2):
        n = np.array(n, np.int32)
        found = program.to("torch")(torch.from_numpy(n), torch.from_numpy(few))
        for want, *others in zip(compared(n, few), program(n, few), found, strict=True):
            assert all(np.array_equal(want, np.asarray(got)) for got in others)


def test_numbers_read_from_an_array_are_weak_to_ufuncs():
    given = np.array([2, 1], np.int8), np.array(2.5, np.float32)
    program = gfx.symbolic_trace(lambda n, x: (np.minimum(int(n[0]), x), np.hypot(float(n[1]), x)), *given)
    assert [found.dtype for found in program(*given)] == [np.float32, np.float32]


def test_round_of_a_jax_array_is_one_of_its_dtype_or_of_whole_numbers():
    f = lambda x: (round(x, 1), round(x), round(x[0], 2))
    x = np.array([1.256, -2.5, 3.5], "float32")
    for got, want in zip(gfx.transpile(f, jnp.asarray(x), to="torch")(torch.tensor(x)), f(jnp.asarray(x)), strict=True):
        torch.testing.assert_close(got, torch.tensor(want), rtol=1e-5, atol=0)
