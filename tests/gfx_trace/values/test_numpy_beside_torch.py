"""NumPy's arithmetic in PyTorch's code keeps NumPy's dtypes, and no value is an array of both."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx

X, Y = torch.tensor([1.0, 2.0, 3.0]), torch.tensor([-4.0, -5.0, 6.0])
TABLE = np.arange(3)


def halves(x):
    return np.arange(3) / 2


def roots(x):
    return np.sqrt(TABLE + 1), np.arange(3).mean(), TABLE * 0.1


def beside_an_open_dtype(x):
    return TABLE + x.numpy(), x.numpy() * 2.0, np.where(x.numpy() > 1, 1, 0.5)


def narrow(x):
    r = np.arange(3, dtype=np.uint8)
    return r + 0.5, r * 100, np.int8(3) * r


def of_a_test(x):
    r = np.uint8(200) if x.sum() > 0 else np.uint8(7)
    return r + 0.5, r * r


def of_a_loop(x):
    r, c = np.int16(2), x.sum()
    while c > 2:
        r, c = np.int16(3), c - 2
    return r / 4


def beside_a_tensor(x):
    return x + TABLE, x.long() / np.arange(1, 4), x + np.array(1.5), x * np.float64(2)


def chosen_beside_a_tensor(x):
    r = np.float32(1.5) if x.sum() > 0 else np.float32(2.5)
    return x.long() * r, x * r


def number_beside_an_array(x):
    n = x.sum().item() if x.sum() > 0 else 2.0
    return np.arange(2) * n


@pytest.mark.parametrize(
    "f",
    [
        *(halves, roots, beside_an_open_dtype, narrow, of_a_test, of_a_loop),
        *(beside_a_tensor, chosen_beside_a_tensor, number_beside_an_array),
    ],
)
@pytest.mark.parametrize("given", [(), (X,)])
def test_dtypes_are_those_of_numpy(f, given):
    program = gfx.symbolic_trace(f, *given, backend="torch")
    source = program.to("torch")
    for x in (X, Y):
        for run in (program, source):
            for got, want in zip(_parts(run(x)), _parts(f(x)), strict=True):
                want = torch.as_tensor(want)
                assert got.dtype == want.dtype
                torch.testing.assert_close(got, want)


def _parts(result):
    return result if isinstance(result, tuple) else (result,)


def on_one_side(x):
    r = np.arange(3.0)
    if x.sum() > 0:
        r = x
    return r.var()


def behind_a_loop(x):
    r = np.arange(3.0)
    while x.sum() > 1:
        r, x = x, x - 1
    return r.var()


@pytest.mark.parametrize("f", [on_one_side, behind_a_loop])
def test_no_value_is_an_array_of_two_frameworks(f):
    with pytest.raises(gfx.GfxError, match="an array of numpy"):
        gfx.symbolic_trace(f, backend="torch")


def by_a_flag(x, n: int):
    r = x if n > 2 else np.arange(3.0)
    return r.var()


def test_a_test_of_pythons_leaves_either():
    program = gfx.symbolic_trace(by_a_flag, backend="torch")
    for n in (1, 3):
        assert float(program(X, n)) == pytest.approx(float(by_a_flag(X, n)))


def of_numbers(x):
    held = [float(v) * 2 for v in x]
    return np.array(held), np.array([x.sum().item(), 1]), np.mean(held)


@pytest.mark.parametrize("given", [(), (X,)])
def test_arrays_of_numbers_are_as_wide_as_numpys(given):
    program = gfx.symbolic_trace(of_numbers, *given, backend="torch")
    for got, want in zip(program(Y), of_numbers(Y), strict=True):
        torch.testing.assert_close(got, torch.as_tensor(want))


def test_what_methods_of_fixed_numbers_give_is_fixed():
    def part(x):
        n = np.ceil(np.log(x.shape[0])).astype("int")
        return x[:n] * np.sqrt(x.shape[1]).astype(np.float32).item(), x.new_ones(n.item(), np.prod(x.shape[1:]).item())

    x = torch.ones(9, 2)
    made = gfx.transpile(part, x, to="jax")
    assert "to_number" not in made.source
    assert all(np.allclose(got, want) for got, want in zip(made(x.numpy()), part(x)))
