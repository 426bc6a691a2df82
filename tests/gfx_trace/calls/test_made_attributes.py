"""Attributes of modules that code makes of others: properties, `__getattr__`, hooks and parametrizations. What they compute is captured,
and its parameters stay parameters.
"""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GfxError

X = torch.tensor([[0.5, -1.0, 2.0], [1.5, 0.25, -0.75]])


class Scaled(nn.Module):
    """Its weight is a property of two parameters."""

    def __init__(self):
        super().__init__()
        self.gain = nn.Parameter(torch.tensor([[1.0], [2.0], [3.0]]))
        self.direction = nn.Parameter(torch.arange(9.0).reshape(3, 3) / 9)

    @property
    def weight(self):
        return self.gain * self.direction

    def forward(self, x):
        return x @ self.weight


class Halved:
    """A descriptor that computes with its owner's parameter."""

    def __get__(self, owner, kind=None):
        return self if owner is None else owner.gain / 2


class Described(Scaled):
    half = Halved()

    def forward(self, x):
        return x * self.half.sum() + x @ self.weight


class Wrapping(nn.Module):
    """What it has not got is the inner model's."""

    def __init__(self):
        super().__init__()
        self.inner = Scaled()

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def forward(self, x):
        return self.inner(x) + x @ self.weight


class Assigned(Scaled):
    """The setter of its property writes a buffer."""

    def __init__(self):
        super().__init__()
        self.register_buffer("kept", torch.zeros(3))

    @property
    def last(self):
        return self.kept

    @last.setter
    def last(self, value):
        self.kept = self.kept * 0.5 + value

    def forward(self, x):
        self.last = x.mean(0)
        return x @ self.weight + self.last


class Symmetric(nn.Module):
    def forward(self, w):
        return w.triu() + w.triu(1).mT


def parametrized():
    made = nn.Linear(3, 3)
    torch.nn.utils.parametrize.register_parametrization(made, "weight", Symmetric())
    return made


def hooked(kind, model):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return getattr(nn.utils, kind)(model)


def convolved(wrapped):
    return nn.Sequential(nn.Unflatten(1, (3, 1, 1)), wrapped(nn.Conv2d(3, 2, 1)), nn.Flatten())


MODELS = {
    "property": Scaled,
    "descriptor": Described,
    "getattr": Wrapping,
    "parametrization": parametrized,
    "weight_norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(3, 4)),
    "spectral_norm": lambda: nn.utils.parametrizations.spectral_norm(nn.Linear(3, 4)).eval(),
    "weight_norm of a convolution": lambda: convolved(nn.utils.parametrizations.weight_norm),
    "weight_norm hook": lambda: hooked("weight_norm", nn.Linear(3, 4)),
    "spectral_norm hook": lambda: hooked("spectral_norm", nn.Linear(3, 4)).eval(),
    "hooks within": lambda: nn.Sequential(hooked("weight_norm", nn.Linear(3, 3)), nn.Tanh(), parametrized()),
}


@pytest.mark.parametrize("given", [(), (X,)], ids=["open", "typed"])
@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_values_and_gradients_are_those_of_the_model(make, given):
    torch.manual_seed(0)
    model = make()
    model(X).sum().backward()
    grads = {name: p.grad.numpy() for name, p in model.named_parameters()}
    with torch.no_grad():
        want = model(X).numpy()
    result = gfx.transpile(model, *given, to="jax")
    np.testing.assert_allclose(result(jnp.asarray(X.numpy())), want, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(result.program(X).detach(), want, rtol=1e-5, atol=1e-6)
    found = jax.grad(lambda params: result.fn(params, jnp.asarray(X.numpy())).sum())(result.params)
    leaves = {jax.tree_util.keystr(path, simple=True, separator="."): g for path, g in jax.tree.leaves_with_path(found)}
    for name, grad in grads.items():
        np.testing.assert_allclose(leaves[name], grad, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("make", MODELS.values(), ids=MODELS)
def test_the_module_has_the_parameters_of_the_model(make):
    torch.manual_seed(0)
    model = make()
    made = gfx.transpile(model, X, to="torch").module()
    assert {name for name, _ in made.named_parameters()} == {name for name, _ in model.named_parameters()}
    torch.testing.assert_close(made(X), model(X))


def test_a_setter_of_a_module_is_captured():
    model, plain = Assigned(), Assigned()
    program = gfx.symbolic_trace(model)
    for _ in range(3):
        torch.testing.assert_close(program(X), plain(X))
        torch.testing.assert_close(model.kept, plain.kept)


def test_spectral_norm_goes_on_with_its_vectors_while_it_trains():
    torch.manual_seed(0)
    models = [hooked("spectral_norm", nn.Linear(3, 4)), nn.utils.parametrizations.spectral_norm(nn.Linear(3, 4))]
    for model in models:
        result = gfx.transpile(model, X, to="jax")
        for _ in range(2):
            np.testing.assert_allclose(result(jnp.asarray(X.numpy())), model(X).detach(), rtol=1e-5, atol=1e-6)


def test_a_call_that_is_told_where_to_put_its_result():
    def fn(x):
        y, z = torch.zeros(x.shape), torch.zeros(2, *x.shape)
        made = torch.add(x, 1, out=z[0])
        return torch.nn.functional.normalize(x, dim=0, out=y) + y, z + made

    for got, want in zip(gfx.transpile(fn, X, to="jax")(jnp.asarray(X.numpy())), fn(X)):
        np.testing.assert_allclose(got, want, rtol=1e-5)
    with pytest.raises(GfxError, match="assign the result instead"):
        gfx.transpile(lambda x, y: torch.add(x, 1, out=y), X, torch.zeros(7), to="jax")


def test_what_is_told_where_to_put_its_result_may_have_sizes_of_data():
    def mask(lengths):
        most = torch.max(lengths).item()
        at = torch.arange(0, most, out=torch.LongTensor(most))
        again = torch.mul(at, 2, out=torch.empty(0, dtype=torch.long))
        return at < lengths.unsqueeze(1), again

    result = gfx.transpile(mask, torch.tensor([3, 1]), to="jax", dynamic=True)
    for lengths in (torch.tensor([3, 1]), torch.tensor([2, 5, 0])):
        for got, want in zip(result(jnp.asarray(lengths.numpy())), mask(lengths)):
            np.testing.assert_array_equal(got, want)
