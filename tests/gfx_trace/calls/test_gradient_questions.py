"""Whether a tensor requires gradients, asked by captured code."""

import jax.numpy as jnp
import pytest
import torch
from torch import nn

import gfx_trace as gfx
from gfx_ir.errors import GfxError, GuardError

X = torch.tensor([[1.0, 2.0]])


class Asking(nn.Module):
    """Adds another power of two for each tensor that requires gradients."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        self.register_buffer("mean", torch.ones(2))

    def forward(self, x):
        h = self.linear(x)
        with torch.no_grad():
            unseen = h * 2
        y, power = x * 1, 1
        for asked in (x, h, self.linear.weight, x * self.mean, h.detach(), unseen, self.mean, h > 0, h.argmax()):
            if asked.requires_grad:
                y = y + power
            power *= 2
        return y


@pytest.mark.parametrize("required", [False, True])
def test_a_question_about_an_argument_is_answered_with_a_guard(required):
    model, x = Asking(), X.clone().requires_grad_(required)
    program = gfx.symbolic_trace(model, x)
    want = model(x)
    for mode in (torch.enable_grad, torch.no_grad):
        with mode():
            torch.testing.assert_close(program(x), model(x))
    torch.testing.assert_close(gfx.transpile(model, x, to="torch")(x), want)
    assert jnp.allclose(gfx.transpile(model, x, to="jax")(jnp.asarray(X.numpy())), want.detach().numpy())
    with pytest.raises(GuardError, match=f"x.requires_grad == {required}"):
        program(X.clone().requires_grad_(not required))


class OfFrozen(torch.nn.Module):
    """What it computes hangs on which of its parameters are trained."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.ones(2))

    def forward(self, x):
        y = x * self.w
        return y if y.requires_grad else x * 3


@pytest.mark.parametrize("trained", [True, False])
@pytest.mark.parametrize("given", [(), (torch.ones(2),)])
def test_a_parameter_that_is_frozen_later_is_not_what_the_capture_found(trained, given):
    model = OfFrozen()
    model.w.requires_grad_(trained)
    program = gfx.symbolic_trace(model, *given)
    torch.testing.assert_close(program(torch.ones(2)), model(torch.ones(2)))
    model.w.requires_grad_(not trained)
    with pytest.raises(GuardError, match=r"w\.requires_grad"):
        program(torch.ones(2))


def made_to_be_derived(x):
    ones = [
        torch.zeros(x.size(0), 1, requires_grad=True),
        torch.zeros_like(x, requires_grad=True),
        x.new_ones(2, requires_grad=True),
        torch.tensor([1.0, 2.0], requires_grad=True),
    ]
    with torch.no_grad():
        ones.append(torch.full((x.size(1),), 2.0, requires_grad=True))
    total = sum((one.sum() * x.sum()) ** 2 + one.sum() for one in ones)
    return torch.autograd.grad(total, ones), [one.requires_grad for one in ones], (ones[0] + x).requires_grad


@pytest.mark.parametrize("options", [None, {}, {"dynamic": True}], ids=["open", "fixed", "sizes"])
def test_a_call_that_makes_a_tensor_says_that_it_requires_gradients(options):
    program = gfx.symbolic_trace(
        made_to_be_derived, *(() if options is None else (X,)), backend="torch", **(options or {})
    )
    x = X * 3 if options is None else X
    wanted, told, derived = made_to_be_derived(x)
    for a, b in zip(program(x)[0], wanted):
        torch.testing.assert_close(a, b)
    assert program(x)[1:] == (told, derived)


class Averaged(nn.Module):
    """A running mean that is taken anew where a gradient has come to it."""

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.zeros(2))
        self.weight = nn.Parameter(torch.ones(2))

    def forward(self, x, of_weight: bool = False):
        if self.mean.grad is None and (x.detach() * 2).grad is None:
            self.mean.lerp_(x.mean(0).detach(), 0.5)
        if of_weight and self.weight.grad is not None:
            x = x * 2
        return x * self.weight - self.mean


def test_what_requires_no_gradient_has_none():
    model, plain = Averaged(), Averaged()
    program = gfx.symbolic_trace(model, X)
    for x in (X, X * 3):
        torch.testing.assert_close(program(x), plain(x))
        torch.testing.assert_close(model.mean, plain.mean)
    for given, of_weight in ((Averaged(), True), (Averaged(), False)):
        given.mean.grad = None if of_weight else torch.ones(2)
        with pytest.raises(GfxError, match="'grad' of torch tensors"):
            gfx.symbolic_trace(given, X, of_weight)
