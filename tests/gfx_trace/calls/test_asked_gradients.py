"""Gradients that an autograd.Function is asked for, and what PyTorch makes of those that it gives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GuardError, UnsupportedConstruct

X = torch.linspace(-1, 2, 12).reshape(4, 3)


class Scale(torch.autograd.Function):
    """Gives the gradient of the scale in the shape of the result."""

    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x, scale)
        return x * scale

    @staticmethod
    def backward(ctx, grad):
        x, scale = ctx.saved_tensors
        return grad * scale, grad * x


@pytest.mark.parametrize("shape", [(), (1,), (3,), (1, 1), (4, 1), (4, 3)])
def test_a_gradient_is_added_up_to_the_shape_of_its_argument(shape):
    scale = torch.linspace(0.5, 2, int(np.prod(shape))).reshape(shape).requires_grad_()
    (want,) = torch.autograd.grad(Scale.apply(X, scale).sin().sum(), [scale])
    made = gfx.transpile(lambda x, scale: Scale.apply(x, scale), X, scale.detach(), to="jax")
    found = jax.grad(lambda scale: jnp.sin(made.fn(X.numpy(), scale)).sum())(jnp.asarray(scale.detach().numpy()))
    np.testing.assert_allclose(found, want, rtol=1e-5)


class Kernel(torch.autograd.Function):
    """As GPyTorch's covariances refuse gradients of the points."""

    @staticmethod
    def forward(ctx, x, scale):
        if ctx.needs_input_grad[0]:
            raise RuntimeError("no gradients of the points")
        distance = torch.cdist(x, x) / scale
        kernel = torch.exp(-distance)
        if any(ctx.needs_input_grad):
            ctx.save_for_backward(distance * kernel / scale)
        return kernel

    @staticmethod
    def backward(ctx, grad):
        return None, grad * ctx.saved_tensors[0]


class Scaled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.tensor([[1.5]]))

    def forward(self, x):
        return Kernel.apply(x, self.scale)


def test_a_gradient_that_the_function_refuses_is_asked_of_what_requires_it_alone():
    model = Scaled()
    model(X).sin().sum().backward()
    made = gfx.transpile(model, X, to="jax")
    found = jax.grad(lambda params: jnp.sin(made.fn(params, X.numpy())).sum())(made.params)
    np.testing.assert_allclose(found["scale"], model.scale.grad, rtol=1e-5)
    with pytest.raises(GuardError, match="requires_grad == False"):
        gfx.symbolic_trace(model, X)(X.clone().requires_grad_())
    with pytest.raises(RuntimeError, match="no gradients of the points"):
        gfx.symbolic_trace(model, X.clone().requires_grad_())


class Asking(torch.autograd.Function):
    """What it computes asks whether it is recorded, which nothing is in a forward."""

    @staticmethod
    def forward(ctx, x, of_result):
        double = x * 2
        recorded = double.requires_grad if of_result else torch.is_grad_enabled()
        return double + 1 if recorded else double

    @staticmethod
    def backward(ctx, grad):
        return grad * 2, None


@pytest.mark.parametrize("of_result", [True, False])
@pytest.mark.parametrize("to", ["torch", "jax"])
def test_nothing_is_recorded_in_a_forward(to, of_result):
    class Weighted(Scaled):
        def forward(self, x):
            return Asking.apply(x * self.scale, of_result)

    model = Weighted()
    made = gfx.transpile(model, X, to=to)
    found = made(X) if to == "torch" else made(X.numpy())
    np.testing.assert_allclose(np.asarray(found if to == "jax" else found.detach()), model(X).detach(), rtol=1e-6)


class OfArgument(Asking):
    @staticmethod
    def forward(ctx, x):
        return x + 1 if x.requires_grad else x


def test_what_a_forward_is_given_is_asked_before_it():
    class Weighted(Scaled):
        def forward(self, x):
            return OfArgument.apply(x * self.scale)

    with pytest.raises(UnsupportedConstruct, match="ask before the call"):
        gfx.symbolic_trace(Weighted(), X)


def divergence(x, w):
    y = torch.sin(x) @ w
    return sum(torch.autograd.grad(y[..., i].sum(), x, retain_graph=True)[0][..., i] for i in range(y.shape[-1]))


def test_in_turns_of_open_number_what_comes_from_around_the_loop_is_refused():
    with pytest.raises(UnsupportedConstruct, match="outside of this part of the code"):
        gfx.symbolic_trace(divergence, backend="torch")


class Field(torch.nn.Module):
    """A gradient by the input of layers that stand in a list; its calls are counted, so that it stays a function of its own."""

    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList([torch.nn.Linear(3, 3), torch.nn.Linear(3, 3)])
        self.register_buffer("calls", torch.tensor(0.0))

    def forward(self, x):
        self.calls += 1
        y = self.layers[1](self.layers[0](x).tanh())
        return torch.autograd.grad(y.sum(), x, create_graph=True)[0]


class Fields(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.field = Field()

    def forward(self, x):
        return self.field(self.field(x)) + self.field(x)


def test_a_function_that_is_derived_below_the_entry_finds_its_parameters():
    model, x = Fields(), X.clone().requires_grad_()
    made = gfx.transpile(model, x, to="jax")
    found, state = made.fn(made.params, jnp.asarray(X.numpy()))
    assert float(state["field.calls"]) == 3
    np.testing.assert_allclose(found, model(x).detach(), rtol=1e-5, atol=1e-6)
