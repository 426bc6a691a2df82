"""Devices: one that is handed on stays open, a question about one fixes it, and the call checks that."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import CaptureError, GuardError
from gfx_ir.loading import backend

X = torch.tensor([1.0, 2.0])
TABLE = {"cpu": 2.0, "cuda": 3.0}


def by_type(x):
    return x * 2 if x.device.type == "cpu" else x


def by_flag(x):
    return x if x.is_cuda else x + 1


def by_text(x):
    return x * TABLE[str(x.device)]


def by_format(x):
    return x * 3 if f"{x.device}/x" == "cpu/x" else x


def by_equality(x):
    return x * 4 if x.device == torch.device("cpu") else x


def by_key(x):
    return x * {torch.device("cpu"): 5.0}[x.device]


def by_tuple(x):
    return x * {(torch.device("cpu"), 2): 5.0}[x.device, 2]


def by_index(x):
    return x if x.device.index is None else x * 2


def by_member(x):
    return x * 6 if x.device in (torch.device("cpu"), torch.device("meta")) else x


def by_result(x):
    y = torch.sin(x) + torch.ones(2)
    return y * 2 if y.device.type == "cpu" else y


class Halved(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x / 2 if x.device.type == "cpu" else x

    @staticmethod
    def backward(ctx, grad):
        return grad


def by_a_rule(x):
    return Halved.apply(torch.sin(x))


@pytest.mark.parametrize(
    "fn",
    [by_type, by_flag, by_text, by_format, by_equality, by_key, by_tuple, by_index, by_member, by_result, by_a_rule],
)
@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
def test_a_question_is_answered_with_a_guard(fn, given):
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    want = fn(X)
    assert torch.equal(program(X), want) and torch.equal(program.to("torch")(X), want)
    assert jnp.allclose(program.to("jax")(jnp.asarray(X.numpy())), want.numpy())
    assert [str(guard) for guard in program.guards if guard.kind == "device"] == ["x.device == cpu"]
    with pytest.raises(GuardError, match=r"x.device == cpu, and the call has a tensor on meta"):
        program(X.to("meta"))


def test_a_device_that_is_handed_on_stays_open():
    program = gfx.symbolic_trace(lambda x, y: y.to(x.device) + torch.zeros(2, device=x.device), backend="torch")
    assert not program.guards and program.source("torch").count("x.device") == 2


def test_a_device_that_the_code_names_is_known():
    program = gfx.symbolic_trace(lambda x: x * 2 if x.to("cuda").is_cuda else x, backend="torch")
    assert not program.guards and torch.equal(program.to("torch")(X), X * 2)


def test_tensors_of_several_devices_are_refused_by_place():
    def mixed(x):
        y = x.to("cpu") + torch.ones(2, device="cuda")
        return x if y.is_cuda else x * 2

    with pytest.raises(CaptureError, match=r"on which device this tensor is.*\n.*y.is_cuda"):
        gfx.symbolic_trace(mixed, backend="torch")


def test_asserts_of_pytorch_raise_what_they_say():
    def checked(x):
        torch._assert(x.shape[-1] == 2, "width")
        torch._check(x.shape[0] < 9, lambda: f"length {x.shape[0]}")
        torch._check_index(x.sum() > 0, lambda: "positive")
        torch._check_with(ValueError, x.shape[-1] == 2 or x.shape[0] > 1, lambda: "never")
        torch._check_tensor_all_with(KeyError, x < 9, lambda: "small")
        torch._check_tensor_all(x < 7)
        return x

    for fn in (gfx.symbolic_trace(checked, backend="torch"), gfx.symbolic_trace(checked, backend="torch").to("torch")):
        assert torch.equal(fn(X), X)
        for bad, error, text in (
            (torch.ones(3), AssertionError, "width"), (torch.ones(9, 2), RuntimeError, "length 9"), (-X, IndexError, "positive"),
            (X * 5, KeyError, "small"), (X * 4, RuntimeError, "^$"),
        ):  # fmt: skip
            with pytest.raises(error, match=text):
                fn(bad)


@pytest.mark.parametrize(
    "write",
    [
        lambda: torch.manual_seed(0),
        lambda: torch.random.fork_rng(),
        lambda: torch.set_default_dtype(torch.float64),
        lambda: torch.use_deterministic_algorithms(True),
        lambda: torch.set_rng_state(torch.zeros(3)),
    ],
)
def test_what_outlives_the_call_in_pytorch_itself_is_refused_by_name(write):
    def called(x):
        write()
        return x

    with pytest.raises(CaptureError, match=r"GFX cannot convert torch.*: it writes"):
        gfx.symbolic_trace(called, backend="torch")


def rows_below(i, j, device):
    return torch.ones((i, j), device=device, dtype=torch.bool).triu(j - i + 1)


class Attend(torch.nn.Module):
    def forward(self, x):
        device = x.device
        return (x @ x.mT).masked_fill(rows_below(x.shape[0], x.shape[0], device), 0.0) @ x


def test_a_function_of_a_device_runs_under_jit():
    model, x = torch.nn.Sequential(Attend(), Attend()), torch.ones(3, 2)
    made = gfx.transpile(model, gfx.TensorSpec(("b", 2), "float32"), to="jax")
    assert "def rows_below" in made.source
    np.testing.assert_allclose(jax.jit(made.fn)(jnp.ones((3, 2))), model(x))


def test_a_function_that_pytorch_has_wrapped_since_is_still_refused(monkeypatch):
    ways = (torch.manual_seed, getattr(torch.manual_seed, "__wrapped__", None))  # importing its compiler wraps it, too
    inner = next(f for f in ways if f in backend("torch").functions)

    @functools.wraps(inner)
    def wrapper(*args):
        return inner(*args)

    monkeypatch.setattr(torch, "manual_seed", wrapper)
    with pytest.raises(CaptureError, match=r"GFX cannot convert torch.manual_seed: it writes"):
        gfx.symbolic_trace(lambda x: (torch.manual_seed(0), x)[1], backend="torch")


def test_how_arrays_lie_on_devices_is_refused_by_name():
    mesh = jax.sharding.Mesh(jax.devices()[:1], ("d",))
    sharding = jax.sharding.NamedSharding(mesh, jax.sharding.PartitionSpec("d"))
    with pytest.raises(CaptureError, match=r"cannot convert jax.lax.with_sharding_constraint"):
        gfx.symbolic_trace(lambda x: jax.lax.with_sharding_constraint(x, sharding), jnp.ones(3))
