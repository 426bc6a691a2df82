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


def computed(x):
    y = x.T
    return y + 1 if y.is_contiguous() else y - 1


def copied(x):
    return x + 1 if x.contiguous().is_contiguous() else x - 1


def written(x):
    x.add_(1)
    return x * x.stride(0)


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


REFUSED = [computed, copied, written, is_view, ordered, asked_by_class, writeable, of_loop]


@pytest.mark.parametrize("fn", REFUSED, ids=lambda fn: fn.__name__)
def test_layout_of_computed_tensors_and_whose_memory_it_is_are_refused(fn):
    with pytest.raises(GfxError, match=r"lies in memory|whose memory|has no row|does not enter"):
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
