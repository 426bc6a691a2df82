"""Writes that no gradient goes through: under `no_grad`, to what is detached, to `data`, to parameters."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from aliasing import Programs
from gradient_modes import XS, assert_gradients, gradient, gradient_in_jax, of_values_computed

case = Programs()


@case
def written_with_a_number(x):
    y = x * 2
    with torch.no_grad():
        y += 1
    return y


@case
def written_with_data(x):
    y = x * 2
    with torch.no_grad():
        y *= x
    return y * y


@case
def overwritten(x):
    y, z, w = x * 2, x * 3, x * 5
    with torch.no_grad():
        y.copy_(x * x)
        z.fill_(2.0)
        torch.nn.functional.relu_(w)
    return y * x + z * x + w * x


@case
def items_written(x):
    y, z, w = x * 2, x * 3, x * 5
    with torch.no_grad():
        y[0] = x[1]
        z[0] += x[1]
        w[w > 1] = 0
    return y * x + z * x + w * x


@case
def a_view_written(x):
    y = x * 2
    v = y[1:]
    with torch.no_grad():
        v.mul_(2)
    return y[:1] * 3 + y.sum() * x.sum() + v.sum() * x[1]


@case
def bound_anew(x):
    y = x * 2
    with torch.no_grad():
        y = y + 1
    return y * x


@case
def whole_numbers_written(x):
    n = (x * 2).long()
    with torch.no_grad():
        n += 1
    return x * n


@case
def detached_and_written(x):
    y, z, w = x * 2, x * 3, x * 5
    y.detach().add_(1)
    z.data.mul_(3)
    w.data[0] = 5.0
    return y * x + z * x + w * x


@case
def a_row_detached_and_written(x):
    y, z = x * 2, x * 3
    y[1:].detach().mul_(x[1:])
    z.data.clamp_(-1, 1)
    return y * x + z * x


@case
def data_set(x):
    y = x * 2
    y.data = x * 3
    return y * x


@case
def what_is_detached_has_a_gradient_of_its_own(x):
    y = x * 2
    d = y.detach()
    d += x
    y += 1
    return d * 2 + y


@case
def it_has_it_behind_a_test(x):
    y = x * 2
    d = y.detach()
    if x.sum() > 2:
        d += x
    return d * 2 + y * x


@case
def it_has_it_behind_a_loop(x):
    y = x * 2
    d = y.detach()
    for _ in range(4):
        d += x
        y *= 2
    return d * 2 + y * x


@case
def one_of_two_written(x):
    y, z = x * 2, x * 3
    u = y if x.sum() > 2 else z
    v = u[1:]
    with torch.no_grad():
        u.mul_(2)
        v.add_(1)
    return y * x + z + u * x


@case
def detached_by_one_side_and_written(x):
    y, w = x * 2, x * 3
    z, v = y, w
    if x.sum() > 1:
        z, v = y.detach(), w.detach()
    z += x
    with torch.no_grad():
        v[0] = 5.0
    return y * x + z * 2 + w + v * x


@case
def detached_and_written_by_trips_under_a_test(x):
    y = x * 2
    z, kept = y.detach(), torch.autograd.Variable(torch.zeros(2))
    for row in x:
        if row.sum() > 1:
            z[0] = z[0] * 3 + 1
            kept += row.sum()
    return y * x + z * x + kept[0] * x


@case
def written_over_what_has_no_gradient(x):
    with torch.no_grad():
        y = x * 2
        y.copy_(x)
    return y * x


@case
def a_view_read_where_nothing_is_recorded(x):
    y = x * 2
    v = y[1:]
    y.mul_(3)
    with torch.no_grad():
        w = v + 1
    return v.sum() * x + w.sum()


@case
def parameters(x):
    p = torch.nn.Parameter(torch.ones(3))
    p.data.copy_(x * x)
    return p * x + torch.nn.Parameter(x) * 3 * x


@case
def numbers(x):
    return x * float(x[0]) + x[1].item() * x


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", case, ids=lambda fn: fn.__name__)
def test_gradients_are_those_of_pytorch(fn, level):
    assert_gradients(fn, level)


later = Programs()


@later
def written_later(x):
    y, z, w = x.exp(), x.relu(), x * 3
    y += 1
    z[0] = 2.0
    w = w * w + w.mul_(x)
    return y * x + z + w


@later
def written_later_where_nothing_is_recorded(x):
    y, z = x.exp(), x.sin() * x.cos()
    with torch.no_grad():
        y.mul_(x)
        y[1:] = 2.0
    return y + z


@later
def detached_and_written_later(x):
    y, z = x.exp(), x.sqrt().abs()
    y.detach().add_(1)
    z.data.mul_(3)
    return y + z * z


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", later, ids=lambda fn: fn.__name__)
def test_gradients_of_what_is_written_later_are_those_of_the_values_computed(fn, level):
    program = gfx.symbolic_trace(fn, *[torch.ones(3)] * level, backend="torch")
    x = np.abs(XS[0])
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        gradient(fn, x)
    with of_values_computed():
        wants = gradient(fn, x)
    for found in (gradient(program.to("torch"), x), gradient_in_jax(program.to("jax"), False)(x)):
        np.testing.assert_allclose(found[0], wants[0], rtol=1e-5)
        np.testing.assert_allclose(found[1], wants[1], rtol=1e-5)


class Averaged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.arange(1.0, 4.0))
        self.register_buffer("mean", torch.ones(3))

    def forward(self, x):
        with torch.no_grad():
            self.mean.mul_(0.9).add_(x, alpha=0.1)
        self.w.data.copy_(x * x)
        return self.w * x + self.mean


@pytest.mark.parametrize("level", [0, 1])
def test_what_is_written_to_a_parameter_has_no_gradient(level):
    x = torch.tensor(XS[0], requires_grad=True)
    model, captured = Averaged(), Averaged()
    program = gfx.symbolic_trace(captured, *[torch.ones(3)] * level)
    params = program.params_for("jax")
    moved = jax.grad(lambda p, x: program.module("jax").load()(p, x)[0].sum(), argnums=(0, 1))
    by_jax = moved(params, jnp.asarray(XS[0]))
    wants = torch.autograd.grad(model(x).sum(), [model.w, x])
    found = torch.autograd.grad(program(x).sum(), [captured.w, x])
    for want, torchs, jaxs in zip(wants, found, (by_jax[0]["w"], by_jax[1])):
        np.testing.assert_allclose(torchs, want)
        np.testing.assert_allclose(jaxs, want)
    for name in ("w", "mean"):
        torch.testing.assert_close(getattr(captured, name), getattr(model, name))
