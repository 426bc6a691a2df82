"""Calls of what was transpiled to JAX: compiled whole, once for each type of call; what cannot be is run op by op, with the same results."""

from collections import namedtuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError

Pair = namedtuple("Pair", "first second")
X = torch.arange(6.0).reshape(2, 3)
J = jnp.asarray(X.numpy())


def traced(made):
    """The traces, one for each call that is compiled anew."""
    found = []
    fn = made.jitted.fn
    made.jitted.fn = lambda *args, **kwargs: found.append(args) or fn(*args, **kwargs)
    return found


def softened(x, scale=None, name="a"):
    y = torch.tanh(x) if name == "a" else torch.exp(x)
    return {"z": y, "a": (x.shape[0], "text", Pair(y * 2, None))}


def test_calls_are_compiled_once_for_each_type():
    made = gfx.transpile(softened, X, to="jax")
    traces = traced(made)
    for _ in range(3):
        out = made(J)
    assert len(traces) == 1 and not made.jitted.reason
    assert list(out) == ["z", "a"] and out["a"][:2] == (2, "text") and type(out["a"][0]) is int
    plain = made.fn(J)  # a class of named fields is that of one source
    assert jax.tree.structure(out) == jax.tree.structure(plain) and out["a"][2][1] is None
    loose = gfx.transpile(softened, X, to="jax", jit=False)(J)
    assert list(loose) == list(out) and loose["a"][:2] == out["a"][:2]
    assert [(type(y).__name__, y._fields, y.second) for y in (loose["a"][2], out["a"][2])] == [
        ("Pair", Pair._fields, None)
    ] * 2
    jax.tree.map(np.testing.assert_array_equal, jax.tree.leaves(loose), jax.tree.leaves(plain))
    np.testing.assert_allclose(out["z"], np.tanh(X), rtol=1e-6)


def test_parameters_are_no_constants_of_what_is_compiled():
    torch.manual_seed(0)
    norm = torch.nn.BatchNorm1d(3).train()
    made = gfx.transpile(norm, X, to="jax")
    traces = traced(made)
    for _ in range(2):
        np.testing.assert_allclose(made(J), norm(X).detach(), atol=1e-5)
    assert len(traces) == 1
    np.testing.assert_allclose(made.params["running_mean"], norm.running_mean, rtol=1e-5)


def chosen(x):
    return x[x > 2]


def shown(x):
    print(x.sum().item())
    return x


def asked(x):
    if x.sum().item() > 100:
        raise ValueError("too much")
    return x + 1


@pytest.mark.parametrize("target", [chosen, asked])
def test_what_needs_data_runs_op_by_op(target):
    made = gfx.transpile(target, X, to="jax")
    traces = traced(made)
    for _ in range(3):
        np.testing.assert_allclose(made(J), target(X))
    assert len(traces) <= 4 and made.jitted.reason


def test_errors_and_prints_are_those_of_each_call(capsys):
    made = gfx.transpile(asked, X, to="jax")
    for _ in range(2):
        with pytest.raises(ValueError, match=r"^too much$"):
            made(J * 100)
    made = gfx.transpile(shown, X, to="jax")
    made(J), made(J * 2)
    assert capsys.readouterr().out.split() == ["15.0", "30.0"]


def test_what_is_computed_for_an_error_of_shapes_is_compiled():
    def dead(x):
        x[:, 4] == 0
        return x + 1

    made = gfx.transpile(dead, to="jax")
    assert made(jnp.ones((2, 5))).shape == (2, 5) and not made.jitted.reason
    with pytest.raises(IndexError):
        dead(X)


def test_python_numbers_are_not_traced():
    made = gfx.transpile(lambda x, n: (x * n**-1, n * 10**12), X, to="jax")
    traces = traced(made)
    for n in (2, 4):
        y, large = made(J, n)
        np.testing.assert_allclose(y, X.numpy() / n)
        assert large == n * 10**12
    assert len(traces) == 2 and not made.jitted.reason


def test_an_error_of_the_caller_is_his_own():
    made = gfx.transpile(lambda x, y: x @ y, to="jax")
    with pytest.raises((TypeError, ValueError, GfxError)):
        made(J, J)
    assert made(J, J.T).shape == (2, 2) and not made.jitted.reason


def test_source_says_where_python_asks_tensors():
    """Around what has a size by data stands a test of Python's, which compiles to nothing."""

    def f(x):
        return x[x > 0] if x.sum() > 0 else x

    emitted = gfx.transpile(f, np.ones(3), to="jax")
    assert "Reads values of tensors in Python, which jax.jit refuses." in emitted.source
    assert emitted(np.array([1.0, -2.0, 3.0])).shape == (2,)
    assert "jax.jit refuses" not in gfx.transpile(lambda x: x * 2 if x.sum() > 0 else x, np.ones(3), to="jax").source


def gated_tanh(x, y, channels):
    n = channels[0]
    both = x + y
    return torch.tanh(both[:, :n]) * torch.sigmoid(both[:, n:])


class Gates(torch.nn.Module):
    """Tells its function how many channels there are by an array, as WaveNets of speech do."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(2, 4) for _ in range(3)])

    def forward(self, x):
        channels = torch.IntTensor([2])
        for layer in self.layers:
            y = layer(x)
            x = x + gated_tanh(y, y * 2, channels)
        return x


def test_numbers_that_all_calls_of_a_function_give_it_are_pythons():
    model, x = torch.nn.Sequential(Gates(), Gates()), torch.rand(3, 2)
    made = gfx.transpile(model, x, to="jax")
    assert "def gated_tanh(x, y)" in made.source  # what is a constant in each is none of its arguments
    np.testing.assert_allclose(jax.jit(made.fn)(made.params, x.numpy()), model(x).detach(), rtol=1e-5, atol=1e-6)

    def two(x, other):
        return gated_tanh(x, x, torch.IntTensor([2])) + gated_tanh(x, x * 2, other)

    made = gfx.transpile(two, torch.rand(3, 4), torch.tensor([2]), to="jax")
    np.testing.assert_allclose(
        made(np.ones((3, 4), "f4"), np.array([2])), two(torch.ones(3, 4), torch.tensor([2])), rtol=1e-5
    )


def kernel(x):
    weights = torch.ones(3, 3)
    weights[1, 1] = 1 - weights.sum()
    spread = weights.expand(x.shape[1], 1, 3, 3)
    return torch.nn.functional.conv2d(x, spread, groups=spread.shape[0])


def counted_places(x):
    sizes = torch.tensor([x.shape[2]])
    others = sizes.clone()
    others[0] = 1
    return x[:, :, : sizes[0] - 1], others


@pytest.mark.parametrize("fn", [kernel, counted_places])
def test_arrays_that_numpy_computes_are_written_as_jaxs(fn):
    made = gfx.transpile(fn, torch.ones(1, 2, 4, 4), to="jax", dynamic=True)
    x = torch.rand(2, 3, 5, 6)
    for got, want in zip(jax.tree.leaves(jax.jit(made.fn)(x.numpy())), jax.tree.leaves(fn(x)), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_a_whole_number_of_a_fraction_of_a_size_is_whole():
    def fn(x):
        part = int(x.shape[1] * np.sqrt(0.4))
        return x[:, :part], x * part

    made = gfx.transpile(fn, torch.ones(2, 8), to="jax", dynamic=True)
    x = torch.rand(2, 11)
    for got, want in zip(jax.jit(made.fn)(x.numpy()), fn(x), strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
