"""What is written in place keeps its dtype, also where the dtypes of the arguments are open."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

pytestmark = pytest.mark.usefixtures("wide")


def straight(x):
    z = torch.zeros(3)
    z += x
    return z


def in_a_while(x):
    z = torch.zeros(3)
    while z.sum() < 10:
        z += x
    return z


def over_rows(x):
    z = torch.zeros(())
    for row in x:
        z += row
    return z


def by_methods(x):
    z = torch.zeros(3)
    for _ in range(3):
        z.mul_(2).add_(x)
    return z


def in_a_branch(x):
    z = torch.zeros(3)
    if x.sum() > 0:
        z += x
    return z


def of_one_of_two(x):
    z, y = torch.zeros(3), torch.where(x > 0, x.double(), x)
    z -= y
    return z


def told(x):
    z = x.float() + 0
    z -= x
    return z


def wide(x):
    z = x * 1
    z *= x.double()
    return z


def counted(x):
    n = torch.zeros(3, dtype=torch.int64)
    n += x > 2
    return n


def through_a_view(x):
    z = torch.zeros(3)
    z[1:] += x[1:]
    z[0] -= x.double()[0]
    return z


PROGRAMS = (
    straight, in_a_while, over_rows, by_methods, in_a_branch, of_one_of_two, told, wide, counted, through_a_view
)  # fmt: skip


@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
@pytest.mark.parametrize("dtype", ("float32", "float64"))
@pytest.mark.filterwarnings("ignore:scatter inputs have incompatible types")
def test_every_way_keeps_the_dtype(fn, dtype):
    data = np.array([1.5, 2.25, 3.1], dtype)
    program, wanted = gfx.symbolic_trace(fn, backend="torch"), fn(torch.from_numpy(data.copy()))
    for target, array in (("torch", torch.tensor), ("numpy", np.array), ("jax", jnp.asarray)):
        got = program.to(target)(array(data))
        assert str(got.dtype).removeprefix("torch.") == str(wanted.dtype).removeprefix("torch."), target
        np.testing.assert_allclose(np.asarray(got), wanted.numpy(), 1e-6)


@pytest.mark.parametrize("fn", (straight, in_a_while, of_one_of_two, told), ids=lambda fn: fn.__name__)
def test_the_line_stays_what_its_author_wrote(fn):
    line = "z += x" if fn in (straight, in_a_while) else "z -= "
    assert line in gfx.symbolic_trace(fn, backend="torch").source("torch")


def answers_in_place(x):
    y, z = (x * 2).int(), x * 1
    y.eq_(2)
    z.gt_(1)
    z.logical_not_()
    return y + y, z


def products_make_new_tensors(x):
    y = x
    y @= x
    return y, x


@pytest.mark.parametrize("fn", [answers_in_place, products_make_new_tensors])
def test_what_pytorch_s_own_methods_leave(fn):
    x, program = torch.tensor([1.0, 2.0, 3.0]), gfx.symbolic_trace(fn, backend="torch")
    for run in (program, program.to("torch")):
        for found, want in zip(run(x.clone()), fn(x.clone()), strict=True):
            assert torch.equal(found, want) and found.dtype == want.dtype
