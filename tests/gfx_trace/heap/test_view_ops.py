"""Writes through views that are made of several ops, of each of several tensors, or by steps in memory."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct


def writes_vector(x):
    torch.atleast_3d(x)[0, :, 0].mul_(2)
    return x + 1


def writes_each(x):
    y = x * 2
    a, b = torch.atleast_2d(x, y)
    a.add_(1)
    b.mul_(3)
    return x, y


def writes_same(x):
    same, _ = torch.atleast_1d(x, torch.ones(2))
    same.add_(1)
    return x * 1


def writes_steps(x):
    torch.as_strided(x, (2, 2), (2, 1), 1).zero_()
    return x * 1


def writes_windows(x):
    x.unfold(0, 2, 2).mul_(-1)
    return x * 1


def writes_real_parts(x):
    z = torch.complex(x, x)
    torch.view_as_real(z)[..., 0].zero_()
    return torch.view_as_real(z)


def writes_bits(x):
    x.view(torch.int32)[0] = 0x7FFFFFFF & x.view(torch.int32)[0]
    return x * 1


def writes_adjoint(x):
    x.reshape(2, 3).clone().mH.add_(1)
    y = x.view(2, 3)
    y.mH.add_(1)
    return y * 1


def turns_a_copy(x):
    y = x.view(2, 3)
    torch.rot90(y).add_(1)
    return y * 1


def copies(x):
    torch.unsqueeze_copy(x, 0).add_(1)
    for part in torch.split_with_sizes_copy(x, [2, 4]):
        part.add_(1)
    return x * 1


def plus(x):
    y = +x
    y += 1
    torch.positive(x).mul_(2)
    return x * 1


def writes_einsum(x):
    torch.einsum("i->i", x).add_(1)
    y = x.view(2, 3)
    torch.einsum("ij->ji", y)[0] = 7.0
    torch.einsum("i...->...i", y)[1] *= 2
    torch.einsum("ij->j", y).zero_()
    return y * 1


def writes_diagonal_by_einsum(x):
    y = x[:4].view(2, 2, 1)
    torch.einsum("iij->ji", y).mul_(3)
    return y * 1


def writes_a_part(x):
    z = torch.complex(x, x * 2)
    real = z.real
    real.mul_(3)
    z.imag[1:] = 4
    return torch.view_as_real(z), real


def sets_parts(x):
    z = torch.zeros(6, dtype=torch.complex64)
    z.real, z.imag = x, x + 1
    z[2:].imag *= -1
    return torch.view_as_real(z), x * 1


PROGRAMS = (
    writes_a_part, sets_parts,
    writes_vector, writes_each, writes_same, writes_steps, writes_windows, writes_real_parts, writes_bits, writes_adjoint,
    turns_a_copy, copies, plus, writes_einsum, writes_diagonal_by_einsum,
)  # fmt: skip


@pytest.mark.parametrize("target", ["torch", "numpy", "jax"])
@pytest.mark.parametrize("fn", PROGRAMS, ids=lambda fn: fn.__name__)
def test_writes_reach_what_is_viewed(fn, target):
    x = torch.arange(6.0) + 1
    program = gfx.symbolic_trace(fn, x.clone())
    plain = x.clone()
    want = fn(plain)
    given = {"torch": x.clone(), "numpy": x.numpy().copy(), "jax": jnp.asarray(x.numpy())}
    got = program.to(target)(given[target])
    got, state = got if program.writes else (got, {"x": x})
    for a, b in zip(got if isinstance(got, tuple) else (got,), want if isinstance(want, tuple) else (want,)):
        np.testing.assert_allclose(np.asarray(a), b.numpy(), rtol=1e-6)
    np.testing.assert_allclose(np.asarray(state["x"]), plain.numpy(), rtol=1e-6)


def test_a_part_that_was_written_in_place_is_not_written_again():
    def conjugated(x):
        z = torch.fft.rfft(x)
        z.imag *= -1
        return z

    source = gfx.symbolic_trace(conjugated, torch.arange(6.0)).source("torch")
    assert source.count("torch.complex(") == 1 and "index_put" not in source


def test_parts_of_what_may_be_real_or_complex_are_not_written():
    with pytest.raises(UnsupportedConstruct, match=r"complex numbers or real ones"):
        gfx.symbolic_trace(lambda x: x.real.mul_(2) + x, backend="torch")


def test_writes_through_diagonals_of_axes_without_letters_are_refused():
    def fn(x):
        torch.einsum("...ii->...i", x.view(1, 2, 2)).add_(1)
        return x

    with pytest.raises(UnsupportedConstruct, match="a letter for each axis"):
        gfx.symbolic_trace(fn, torch.arange(4.0))


@pytest.mark.parametrize(
    "fn", [lambda x: x.unfold(0, 3, 1).add_(1), lambda x: torch.as_strided(x, (2, 3), (1, 1)).add_(1)]
)
def test_writes_through_elements_that_are_one_are_refused(fn):
    with pytest.raises(UnsupportedConstruct, match="share memory"):
        gfx.symbolic_trace(fn, torch.arange(6.0))


def test_steps_in_memory_of_unknown_order_are_refused():
    with pytest.raises(UnsupportedConstruct, match="how it lies in memory"):
        gfx.symbolic_trace(lambda x: (x @ x.T).as_strided((2,), (1,)), torch.ones(2, 3))


def unsqueezed(x):
    mask = x > 0
    mask.unsqueeze_(1)
    return torch.where(mask, x[:, None], 0)


def transposed(x):
    y = x * 2
    same = y
    y.t_()
    y += 1
    y[0] *= 3
    return same, y[0]


def of_a_function(x):
    y = x * 2
    lengthened(y)
    return y + 1


def lengthened(y):
    torch.Tensor.unsqueeze_(y, 0).add_(1)


@pytest.mark.parametrize("given", [(), (torch.ones(3, 3),)], ids=["open", "typed"])
@pytest.mark.parametrize("fn", [unsqueezed, transposed, of_a_function])
def test_a_tensor_takes_a_new_shape_in_place(fn, given):
    x = torch.arange(9.0).reshape(3, 3) - 4
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    torch.testing.assert_close(program(x), fn(x))


def behind_a_view(x):
    y = x * 2
    z = y[0]
    y.unsqueeze_(0)
    return y + z


@pytest.mark.parametrize("fn", [behind_a_view, lambda x: x.unsqueeze_(0), lambda x: x.view(-1).unsqueeze_(0)])
def test_a_new_shape_that_others_would_see_is_refused(fn):
    with pytest.raises(UnsupportedConstruct, match=r"Tensor.unsqueeze_: what else .*\n.*\nassign what it gives"):
        gfx.symbolic_trace(fn, torch.ones(3, 3))
