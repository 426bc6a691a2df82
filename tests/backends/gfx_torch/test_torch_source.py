"""What captured programs say in PyTorch's words: dtypes and places that were left out, Python numbers, sizes one by one."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch.nn import functional as F

import gfx_trace as gfx
from gfx_ir.dtypes import float32, float64, int64


def created(fn, **specs):
    """The nodes that make something, by op name."""
    return {node.op.name: node for node in gfx.symbolic_trace(fn, **specs).entry}


def body(fn, target):
    """The emitted function's own lines."""
    return gfx.symbolic_trace(fn).source(target).partition("def ")[2]


# ---------------------------------------------------------------- dtypes
def torch_made(x):
    return (
        torch.zeros(2, 3), torch.ones(2), torch.empty(4) * 0, torch.full((2,), 1.5), torch.full((2,), 7), torch.eye(2),
        torch.linspace(0, 1, 3), torch.arange(4), torch.arange(0.0, 1.0, 0.5), torch.tensor([0.5, 1.5]), torch.tensor([1, 2]),
        torch.tensor([True]), torch.full((1,), True), torch.arange(5, 5), torch.arange(2.0),
    )  # fmt: skip


def numpy_made(x):
    return (
        np.zeros((2, 3)), np.ones(2), np.full((2,), 1.5), np.full((2,), 7), np.eye(2), np.linspace(0, 1, 3), np.arange(4),
        np.arange(0.0, 1.0, 0.5), np.array([0.5, 1.5]), np.array([1, 2]), np.tri(2), np.identity(2), x * np.array(0.5),
    )  # fmt: skip


def test_torch_keeps_its_own_dtypes_unwritten():
    assert "dtype" not in body(torch_made, "torch")
    assert created(lambda: torch.zeros(3))["zeros"].arg("dtype") == float32
    assert created(lambda n: torch.arange(n), n=3)["arange"].arg("dtype") == int64
    assert created(lambda: torch.rand(3))["uniform"].arg("dtype") == float32


def test_numpy_keeps_its_own_dtypes_unwritten():
    assert "dtype" not in body(numpy_made, "numpy")
    assert created(lambda: np.zeros(3))["zeros"].arg("dtype") == float64


@pytest.mark.parametrize(
    "fn, x", [(torch_made, torch.rand(3)), (numpy_made, np.random.rand(3))], ids=["torch", "numpy"]
)
@pytest.mark.parametrize("target", ["torch", "numpy", "jax"])
def test_dtypes_left_out_are_those_of_the_framework_captured(fn, x, target):
    program = gfx.symbolic_trace(fn)
    wanted = [str(a.dtype).removeprefix("torch.") for a in fn(x)]
    with jax.enable_x64(True):
        made = program.to(target)(given(x, target))
        found = [str(a.dtype).removeprefix("torch.") for a in made]
    assert found == wanted


def given(x, target):
    x = np.asarray(x)
    return torch.from_numpy(x) if target == "torch" else jnp.asarray(x) if target == "jax" else x


@pytest.mark.filterwarnings("error")
def test_jax_asks_for_no_dtype_that_it_has_not():
    for fn, x in ((torch_made, torch.rand(3)), (numpy_made, np.random.rand(3).astype("float32"))):
        for got, want in zip(gfx.symbolic_trace(fn).to("jax")(jnp.asarray(np.asarray(x))), fn(x)):
            assert np.shape(got) == np.shape(want)


def test_a_tensor_of_no_axes_promotes_in_jax_as_it_does_in_torch():
    program = gfx.symbolic_trace(lambda x: (x * torch.tensor(0.5), x + torch.tensor(2), torch.full((), 2.0) - x))
    found = program.to("jax")(jnp.ones(2, jnp.bfloat16))
    assert [y.dtype for y in found] == [jnp.bfloat16] * 3


# ---------------------------------------------------------------- places
def placed(x):
    z = torch.zeros(2, device=x.device) + torch.arange(2, device="cpu") + x.new_ones(2)
    return z.to(x.device) + torch.tensor([1.0, 2.0], device=torch.device("cpu")).to("cpu", torch.float64) + x.cpu()


def test_places_are_kept_in_torch_and_dropped_elsewhere():
    source = body(placed, "torch")
    for text in ("device=x.device", 'torch.arange(2, device="cpu")', ".to(x.device)", 'device="cpu")', '.to("cpu")'):
        assert text in source
    assert "device" not in body(placed, "jax") + body(placed, "numpy")
    x = torch.rand(2)
    program = gfx.symbolic_trace(placed)
    torch.testing.assert_close(program(x), placed(x))
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(x.numpy())), placed(x), rtol=1e-6)


def test_a_device_may_be_an_argument():
    def fn(x, device: str = "cpu"):
        return x + torch.ones(2, device=device)

    assert "device=device" in body(fn, "torch")
    assert gfx.symbolic_trace(fn).to("torch")(torch.zeros(2), device="cpu").tolist() == [1, 1]


def test_random_numbers_are_drawn_where_the_tensor_is():
    source = body(lambda x: F.dropout(torch.rand_like(x), 0.5) + torch.randn(2, device=x.device), "torch")
    assert source.count("device=x.device") >= 2


# ---------------------------------------------------------------- numbers
def of_numbers(q, n: int):
    m = n * 1.0
    return (
        q / jnp.sqrt(q.shape[-1]), jnp.exp2(n), jnp.round(jnp.floor(n / 2)), jnp.maximum(n, 3), jnp.arctan2(n, 2.0),
        jnp.where(n > 2, q, 0.0), jnp.logical_not(n > 2), jnp.sign(n) + jnp.square(n) + jnp.abs(n) + jnp.trunc(n * 0.5),
        jnp.logical_and(n > 1, q > 0), jnp.reciprocal(m), jnp.clip(n, 0, 2), jnp.isfinite(m), jnp.sum(n), jnp.max(n * 2),
        jnp.tanh(m), jnp.invert(n), jnp.real(m), jax.nn.sigmoid(m), jax.nn.relu(m), jnp.negative(n), jnp.mean(m),
    )  # fmt: skip


def test_functions_of_python_numbers():
    x = np.random.default_rng(0).standard_normal((2, 3)).astype("float32")
    found = gfx.symbolic_trace(of_numbers).to("torch")(torch.from_numpy(x), 3)
    for at, (got, want) in enumerate(zip(found, of_numbers(jnp.asarray(x), 3))):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-5, err_msg=str(at))
    source = body(of_numbers, "torch")
    assert "math.sqrt(q.shape[-1])" in source and "torch.sign(torch.as_tensor(n)) + " in source and "abs(n)" in source
    assert "~torch.as_tensor(n > 2)" in source  # JAX makes an array of a boolean of Python's


def test_numbers_that_a_loop_carries():
    def fn(x, n: int):
        def step(carry):
            i, a, b = carry
            return i + 1, jnp.trunc(a) + jnp.sign(b) * 0.5, jnp.logical_and(b > 0, a > 0) * 1.0 + jnp.maximum(a, 1.0)

        return x * 1.0, *jax.lax.while_loop(lambda carry: carry[0] < n, step, (0, 0.5, 1.0))

    found = gfx.symbolic_trace(fn).to("torch")(torch.ones(2), 3)
    for got, want in zip(found, fn(jnp.ones(2), 3)):
        np.testing.assert_allclose(np.asarray(got), np.asarray(want))


# ---------------------------------------------------------------- sizes and axes
def test_sizes_are_written_one_by_one():
    source = body(lambda x: x.view(2, -1).permute(1, 0).expand(3, -1, -1).reshape(x.shape) + torch.zeros(2, 3), "torch")
    for text in ("x.reshape(2, -1).permute(1, 0).expand(3, -1, -1).reshape(x.shape)", "torch.zeros(2, 3)"):
        assert text in source


@pytest.mark.filterwarnings("ignore:The use of")
def test_axes_the_other_way_round_need_no_rank():
    def fn(x: torch.Tensor):
        return x.T

    program = gfx.symbolic_trace(fn)
    assert not program.guards
    for target in ("torch", "jax", "numpy"):
        assert "return x.T" in program.source(target)
        for shape in ((2, 3), (2, 3, 4), (2,)):
            x = np.arange(np.prod(shape), dtype="float32").reshape(shape)
            np.testing.assert_array_equal(np.asarray(program.to(target)(given(x, target))), x.T)
    assert "x.permute(2, 1, 0)" in gfx.symbolic_trace(fn, gfx.TensorSpec((2, 3, 4))).infer().source("torch")


def test_a_write_through_the_other_way_round():
    def fn(x: torch.Tensor):
        y = x.clone()
        y.T[0] = 5.0
        return y

    x = torch.rand(3, 2)
    torch.testing.assert_close(gfx.symbolic_trace(fn)(x), fn(x))


def test_a_tensor_that_fills_another_has_its_gradient():
    made = gfx.transpile(lambda x: jnp.full(3, x.sum()) * jnp.full_like(x, x[0]), jnp.ones(3), to="torch")
    x = torch.ones(3, requires_grad=True)
    made.fn(x).sum().backward()
    assert x.grad.tolist() == [12, 3, 3]
