"""Functions with a rule of their own, in PyTorch's two forms: what their rules ask of the tensors that they take."""

import jax
import jax.numpy as jnp
import numpy as np
import torch

import gfx_trace as gfx


def scaled(x):
    """As libraries choose kernels."""
    return x * 2 if x.device.type == "cpu" else x


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return scaled(x) ** 3 / 8

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x, output)
        ctx.save_for_forward(x, output)

    @staticmethod
    def backward(ctx, grad):
        x, output = ctx.saved_tensors
        assert output.device == grad.device
        return scaled(grad) * scaled(x) ** 2 * 3 / 8 + scaled(x.sum() * 0)

    @staticmethod
    def jvp(ctx, moved):
        raise NotImplementedError


def test_rules_ask_on_which_device_their_tensors_are():
    def fn(x, y):
        return Cube.apply(x * y).sum(0)

    x, y = torch.arange(6.0).reshape(2, 3), torch.full((3,), 0.5)
    program = gfx.symbolic_trace(fn, torch.ones(4, 2), torch.ones(2), dynamic=True)
    leaf, found = x.clone().requires_grad_(), x.clone().requires_grad_()
    fn(leaf, y).sin().sum().backward()
    program.to("torch")(found, y).sin().sum().backward()
    torch.testing.assert_close(found.grad, leaf.grad)
    jitted = jax.grad(lambda x: jnp.sin(program.to("jax")(x, jnp.asarray(y.numpy()))).sum())
    np.testing.assert_allclose(jitted(jnp.asarray(x.numpy())), leaf.grad, rtol=1e-5)


class DoubledWithARuleThatHasALongName(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        return grad * 3


def test_what_joins_a_function_and_its_rule_is_laid_out():
    source = gfx.symbolic_trace(DoubledWithARuleThatHasALongName.apply, torch.ones(2)).source("jax")
    assert ".defvjp(\n" in source and max(map(len, source.splitlines())) <= 110
