"""A dtype that is a class of Python's, `float`, is what it is to the framework whose function takes it, whatever else is imported."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def method(x: np.ndarray):
    return x.astype(int), x.astype(float)


def made(x: np.ndarray):
    return np.zeros(2, dtype=int), np.full(2, 3, dtype=float), np.asarray(x, dtype=complex), np.sum(x, dtype=float)


def asked(x: np.ndarray):
    return x * 2 if x.dtype == float else x * 3


def of_torch(x):
    return torch.zeros(2, dtype=float), x.to(int), x.to(float), torch.tensor([1, 2], dtype=complex)


def of_two(x):
    return torch.as_tensor(np.arange(3, dtype=int)), torch.zeros(3, dtype=float) + x


def of_jax(x):
    return jnp.zeros(2, dtype=float), x.astype(int), jnp.asarray(x, dtype=complex)


X = np.array([1.5, -2.5, 3.0], np.float32)
CASES = [(fn, X, "numpy") for fn in (method, made, asked)]
CASES += [(fn, torch.tensor(X), "torch") for fn in (of_torch, of_two)] + [(of_jax, jnp.asarray(X), "jax")]


@pytest.mark.parametrize("fn, x, framework", CASES)
def test_they_are_those_of_the_function_that_takes_them(fn, x, framework):
    want = [(np.asarray(leaf).dtype, np.asarray(leaf).tolist()) for leaf in jax.tree.leaves(fn(x))]
    for given in ((), (x,)):
        found = gfx.symbolic_trace(fn, *given, backend=framework).to(framework)(x)
        assert [(np.asarray(leaf).dtype, np.asarray(leaf).tolist()) for leaf in jax.tree.leaves(found)] == want


def of_one_width(x):
    return x * 2 if x.dtype == torch.int64 else x * 3


def of_either_width(x):
    return x * 2 if x.dtype in (torch.int64, torch.int32) else x * 3


def test_jax_source_does_not_tell_64_bits_from_32():
    program = gfx.symbolic_trace(of_one_width, backend="torch")
    for x in (torch.tensor([1, 2]), torch.tensor([1, 2], dtype=torch.int32)):
        torch.testing.assert_close(program.to("torch")(x), of_one_width(x))
    with pytest.raises(UnsupportedConstruct, match="whole numbers of 64 bits have 32 there"):
        program.source("jax")
    either = gfx.symbolic_trace(of_either_width, backend="torch").to("jax")
    np.testing.assert_array_equal(either(jnp.array([1, 2])), [2, 4])


def test_the_dtype_that_code_names_is_known_without_arguments():
    def f(x):
        wide, whole = x.to(torch.float64), x.long()
        return (
            wide.dtype == torch.float64,
            whole.dtype in (torch.int64,),
            wide.is_floating_point(),
            whole.dtype != torch.int32,
        )

    program = gfx.symbolic_trace(f, backend="torch")
    assert program(torch.ones(2)) == program.to("jax")(jnp.ones(2)) == f(torch.ones(2))
