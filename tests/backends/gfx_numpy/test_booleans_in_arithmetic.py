"""Arithmetic of booleans and counts in NumPy, whose floats other frameworks make narrower: without arguments, too."""

import numpy as np
import pytest
import torch

import gfx_trace as gfx

FUNCTIONS = [
    lambda x: (x[0] > 0) / 2,
    lambda x: (x > 0) / 2,
    lambda x: (x > 0) * 2.5,
    lambda x: (x > 0) / (x < 5),
    lambda x: np.sin((x > 0).sum()),
    lambda x: (x > 0).sum() / 2,
    lambda x: np.sqrt(np.arange(3)) + 1,
    lambda x: np.mean(x > 0),
    lambda x: x.astype(int) / 2,
]


@pytest.mark.parametrize("fn", FUNCTIONS)
@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_dtype_is_numpy_s(fn, level, dtype):
    x = np.array([1, 2, -3], dtype)
    program = gfx.symbolic_trace(fn, *([x] if level else []), backend="numpy")
    want = fn(x)
    assert program(x).dtype == want.dtype
    got = program.to("torch")(torch.from_numpy(x))
    assert str(got.dtype) == f"torch.{want.dtype}"
    np.testing.assert_allclose(got.numpy(), want)


@pytest.mark.parametrize("level", [0, 1])
def test_functions_of_python_s_booleans_take_them_as_arrays(level):
    """Python's operators take them as whole numbers."""

    def functions(x):
        b = bool(x[0] > 0)
        return np.add(b, b), np.multiply(b, True), np.invert(b), np.abs(b), np.add(b, 2), b + b

    x = np.array([1.0, -2.0])
    program = gfx.symbolic_trace(functions, *([x] if level else []), backend="numpy")
    want = functions(x)
    for got in (program(x), program.to("torch")(torch.from_numpy(x))):
        assert [np.asarray(v).dtype.kind for v in got] == [np.asarray(v).dtype.kind for v in want]
        assert [v.item() if hasattr(v, "item") else v for v in got] == list(want)


def test_python_s_numbers_stay_its_own():
    """Python computes with a boolean that was read from an array, also where its numbers take a modulus."""

    def power(x: np.ndarray, k: int = 2):
        return pow(k + bool(x.sum()), 3, 5), [10, 20, 30][k - bool(x[0] > 0)]

    x = np.array([1.0, -2.0])
    source = gfx.symbolic_trace(power)
    assert source.to("torch")(torch.from_numpy(x), 1) == power(x, 1)
