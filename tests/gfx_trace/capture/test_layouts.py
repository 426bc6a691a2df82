"""Memory layout: what code asks of an argument's strides is a guard, of anything else refused."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError, UnsupportedConstruct

DENSE = torch.arange(6.0).reshape(2, 3)
TURNED = torch.arange(6.0).reshape(3, 2).T
IMAGE = torch.arange(24.0).reshape(1, 2, 3, 4)


def contiguous(x):
    return x + 1 if x.is_contiguous() else x - 1


def steps(x):
    return x * x.stride(0) + x.stride()[-1]


def begins(x):
    return x + x.storage_offset()


def channels(x):
    return x + 1 if x.is_contiguous(memory_format=torch.channels_last) else x - 1


def flags(x: np.ndarray):
    return x + 1 if x.flags.c_contiguous else x - (2 if x.flags["F_CONTIGUOUS"] else 1)


def byte_steps(x: np.ndarray):
    return x * x.strides[0]


CASES = [
    (contiguous, DENSE, TURNED, "x.is_contiguous() == True"),
    (steps, TURNED, DENSE, "x.stride() == (1, 2)"),
    (begins, torch.arange(8.0)[2:].reshape(2, 3), DENSE, "x.storage_offset() == 2"),
    (channels, IMAGE.contiguous(memory_format=torch.channels_last), IMAGE, "torch.channels_last) == True"),
    (flags, TURNED.numpy(), DENSE.numpy(), "x.flags.f_contiguous == True"),
    (byte_steps, DENSE.numpy(), TURNED.numpy(), "x.stride() == (3, 1)"),
]


@pytest.mark.parametrize("fn, given, other, guard", CASES, ids=[case[0].__name__ for case in CASES])
def test_answer_is_a_guard_of_every_callable_and_of_the_source(fn, given, other, guard):
    own = "numpy" if isinstance(given, np.ndarray) else "torch"
    made = gfx.transpile(fn, given, to=own)
    assert guard in made.source
    for call in (made, made.fn, made.program, made.program.to(own)):
        np.testing.assert_array_equal(np.asarray(call(given)), np.asarray(fn(given)))
        with pytest.raises(GuardError, match="lies in memory"):
            call(other)


@pytest.mark.parametrize("fn", [contiguous, steps, begins])
def test_arrays_of_other_frameworks_are_dense(fn):
    made = gfx.transpile(fn, DENSE, to="jax")
    np.testing.assert_array_equal(made(jnp.asarray(DENSE.numpy())), fn(DENSE).numpy())
    with pytest.raises(GuardError, match="lies in memory"):
        gfx.transpile(steps, TURNED, to="jax")(jnp.asarray(TURNED.numpy()))


def test_type_that_is_given_without_data_is_dense():
    program = gfx.symbolic_trace(contiguous, gfx.TensorSpec((2, 3), "float32"), backend="torch")
    np.testing.assert_array_equal(program(DENSE), DENSE + 1)
    with pytest.raises(GuardError, match="lies in memory"):
        program(TURNED)


WEIGHT = torch.arange(36.0).reshape(6, 6)
RANKS = torch.arange(48.0).reshape(2, 4, 6)


def written(x):
    x.add_(1)
    return x


COMPUTED = [
    written,
    lambda x: x * 2,
    lambda x: x.transpose(0, 2),
    lambda x: (x + 1)[:, 1:, ::2],
    lambda x: (x + 1)[..., -1],
    lambda x: (x + 1)[:, None, 1],
    lambda x: (x + 1)[:, 1:].unsqueeze(1),
    lambda x: (x + 1)[:, 1:2].squeeze(1),
    lambda x: (x * 2)[:, :1].expand(2, 5, 6),
    lambda x: (x * 2)[:, torch.tensor([0, 2])],
    lambda x: x[:, :, None] + x[:, None],
    lambda x: torch.nn.functional.linear(x.transpose(0, 1), WEIGHT),
    lambda x: torch.nn.functional.linear(x, WEIGHT).div_(2).view(2, 4, 3, 2).transpose(1, 2).reshape(6, 4, 2),
    lambda x: (
        torch.nn.functional.linear(x.transpose(0, 1), WEIGHT).view(4, 2, 3, 2).permute(1, 2, 0, 3).reshape(6, 4, 2)
    ),
    lambda x: torch.zeros(4, 2, 6).copy_((x * 2).transpose(0, 1)),
    lambda x: torch.nn.functional.pad(x.transpose(0, 1), (0, 0, 1, 1)),
    lambda x: torch.softmax(x.transpose(0, 1), -1).flatten(1),
]


@pytest.mark.parametrize("dynamic", [False, True])
@pytest.mark.parametrize("fn", COMPUTED)
def test_computed_tensors_lie_as_pytorch_lays_them_out(fn, dynamic):
    def told(x):
        y = fn(x)
        steps = [torch.as_tensor(float(n)) for n in (*y.stride(), y.storage_offset())]
        return y, torch.stack(steps), torch.as_tensor(y.is_contiguous())

    made = gfx.transpile(told, RANKS, to="jax", dynamic=dynamic)
    for found, wanted in zip(made(jnp.asarray(RANKS.numpy())), told(RANKS.clone())):
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6)


def test_size_that_says_how_a_tensor_lies_stays_open_where_it_does_not():
    def steps(x):
        y = (x * 2).transpose(0, 1).reshape(-1, x.shape[2])
        return y * y.stride(0)

    made = gfx.transpile(steps, RANKS, to="torch", dynamic=True)
    other = torch.arange(120.0).reshape(5, 4, 6)
    torch.testing.assert_close(made(other), steps(other))
    with pytest.raises(GuardError):
        made(other[:1])


STRIDED = [
    lambda x: torch.nn.functional.linear(x, WEIGHT).as_strided((2, 3, 2, 6), (24, 6, 6, 1)),
    lambda x: torch.nn.functional.linear(x, WEIGHT).transpose(0, 1).as_strided((2, 3, 2, 6), (24, 6, 6, 1)),
    lambda x: (x * 2)[:, 1:].as_strided((2, 3, 2), (24, 6, 1)),
    lambda x: (x * 2)[:, 1:].as_strided((2, 3, 2), (24, 6, 1), 3),
    lambda x: (x * 2).transpose(1, 2).reshape(2, -1).as_strided((3, 2), (2, 1)),
]


@pytest.mark.parametrize("to", ["torch", "jax"])
@pytest.mark.parametrize("fn", STRIDED)
def test_steps_in_the_memory_of_computed_tensors(fn, to):
    given = RANKS if to == "torch" else jnp.asarray(RANKS.numpy())
    np.testing.assert_allclose(np.asarray(gfx.transpile(fn, RANKS, to=to)(given)), fn(RANKS).numpy(), rtol=1e-6)


def einsum(x):
    return x * torch.einsum("ij,kj->ki", x, x).stride(0)


def copied(x):
    y = x.T.contiguous()
    return y * y.stride(0)


def of_turned(x):
    y = x.T + 1
    return y * y.stride(0)


def turned_format(x):
    y = x[None, None].contiguous(memory_format=torch.channels_last)
    return y * (y + 1).stride(0)


def turned_and_joined(x):
    turned = (x + 1)[None, None].permute(0, 3, 1, 2)
    return torch.cat([turned, turned]).as_strided((2, 2), (1, 2))


def through_steps_elsewhere(x):
    y = (x * 2).T
    y.as_strided((2, 2), (2, 1)).zero_()
    return y


def is_view(x):
    return x + 1 if x._is_view() else x - 1


def ordered(x):
    return x + x.dim_order()[0]


def asked_by_class(x):
    return x + torch.Tensor.stride(x, 0)


def writeable(x: np.ndarray):
    return x + 1 if x.flags.writeable else x - 1


def of_loop(x):
    for _ in range(3):
        if x.sum() > 0:
            x = x * x.stride(0)
    return x


REFUSED = [einsum, copied, of_turned, turned_format, turned_and_joined, through_steps_elsewhere]
REFUSED += [is_view, ordered, asked_by_class, writeable, of_loop]


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_layout_of_which_nothing_tells_and_whose_memory_it_is_are_refused(fn):
    with pytest.raises(GfxError, match=r"lies in memory|whose memory|has no row|does not enter|shares memory"):
        gfx.symbolic_trace(fn, DENSE.numpy() if fn is writeable else DENSE.clone())


@pytest.mark.parametrize("fn", [contiguous, steps, begins, flags], ids=lambda fn: fn.__name__)
def test_without_a_shape_nothing_is_assumed(fn):
    with pytest.raises(UnsupportedConstruct, match="its shape is open"):
        gfx.symbolic_trace(fn, backend="numpy" if fn is flags else "torch")


def test_parameters_tell_their_own_layout():
    weight = torch.arange(24.0).reshape(4, 6).T
    made = gfx.transpile(lambda x: x @ weight * weight.stride(0), torch.ones(2, 6), to="torch")
    torch.testing.assert_close(made(torch.ones(2, 6)), torch.ones(2, 6) @ weight)


def test_a_captured_tensor_is_strided():
    def dense(x: torch.Tensor):
        return x.to_dense() if x.layout == torch.sparse_coo else x + torch.zeros(2, 3, layout=x.layout)

    torch.testing.assert_close(gfx.transpile(dense, to="torch")(DENSE), DENSE)


def rows_written(x):
    y = torch.zeros(2, 3)
    y.reshape(-1)[: len(x)] += x
    return y


def copy_written(x):
    turned = x[:, None].expand(len(x), 2).T + torch.zeros(2, len(x))
    flat = (turned.contiguous() * 2).T.flatten()
    flat[0] = 7.0
    return turned, flat


def argument_written(x):
    part, copy = x.reshape(2, 2), x.view(2, 2).T.contiguous()
    part[0] = 5.0
    copy[1] = 6.0
    return x, part, copy


@pytest.mark.parametrize("fn", [rows_written, copy_written, argument_written])
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_whether_a_written_tensor_is_a_view_or_a_copy_hangs_on_how_it_lies(fn, to):
    made = gfx.transpile(fn, torch.arange(4.0), to=to)
    expected = fn(torch.arange(4.0))
    found = made(torch.arange(4.0) if to == "torch" else np.arange(4.0, dtype="float32"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), b)


def test_a_copy_of_which_nothing_tells_is_not_written():
    def fn(x):
        flat = (x @ x).reshape(-1)
        flat[0] = 1.0
        return flat

    gfx.symbolic_trace(fn, torch.ones(2, 2))
    with pytest.raises(UnsupportedConstruct, match="shares memory at times"):
        gfx.symbolic_trace(lambda x: (y := x @ x, y.reshape(-1).fill_(1.0)), torch.ones(2, 2))
