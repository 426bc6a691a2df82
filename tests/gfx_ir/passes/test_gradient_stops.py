"""Gradient stops: code without gradients reads as it was written, and has the gradients that it had."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

import gfx_trace as gfx
from gfx_ir.dependence import order
from gfx_ir.graph import Node
from optimized import applied, ops_of, read

X, Y = np.random.default_rng(0).standard_normal((2, 4)).astype(np.float32)


def a_block(x, y):
    with torch.no_grad():
        a = x * y + y.sin()
        b = (a * 2).exp()
    return a * x + b.sum() * y, b


def a_loop(x, y):
    with torch.no_grad():
        for i in range(3):
            x = x * y + i
    return x * y


def a_loop_that_data_end(x, y):
    with torch.no_grad():
        z, n = x * 2 + y, 0
        while z.abs().max() < 50:
            z = z * 2 + (y * y).sum() * x
            n = n + 1
    return z * y + y * n


def a_loop_that_data_leave(x, y):
    with torch.no_grad():
        z = x * 2 + y
        for _ in range(5):
            if z.sum() > 10:
                break
            z = z * 2 + (y * y).sum() * x
    return z * y + y


def rows(x, y):
    h = y * 0
    with torch.no_grad():
        for r in x:
            h = h * r + y * r
    s = h
    for r in x:
        s = s + r * h
    return s


def a_test(x, y):
    with torch.no_grad():
        z = x * y if x.sum() > 0 else x - y * y
    return z * y


def enabled_again(x, y):
    z = x * y
    with torch.no_grad():
        w = z * z + x
        with torch.enable_grad():
            u = w * x + w * y
        t = u * y
    return u + t, t * w


def helper(a, b):
    h = a * b + b
    k = h.sin() * a
    return h * k, k.cos()


def a_function_in_both_modes(x, y):
    p, q = helper(x, y)
    with torch.no_grad():
        r, s = helper(y, x)
    return p * r + s, q * r


def written(x, y):
    z = x * y
    with torch.no_grad():
        z.mul_(2).add_(y)
        z[0] = y[1] * x[0]
    return z * y


def filled(x, y):
    with torch.no_grad():
        acc = torch.zeros_like(x)
        for i in range(4):
            acc[i] = x[i] * y[i] + acc.sum()
    return acc * y + x


def kinks(x, y):
    with torch.no_grad():
        z = torch.sqrt(x * 0) + (y * 0).abs().sqrt()
    return z * y + x


def truncated(x, y):
    h, out = x * 0, []
    for _ in range(4):
        h = torch.tanh(h.detach() * y + x)
        out.append(h)
    return torch.stack(out)


def quantized(x, y):
    d = (x[:, None] - y).abs()
    q = y[d.detach().argmin(1)]
    return x + (q - x).detach(), F.mse_loss(q.detach(), x) + 0.25 * F.mse_loss(q, x.detach())


FUNCTIONS = [
    a_block, a_loop, a_loop_that_data_end, a_loop_that_data_leave, rows, a_test, enabled_again, a_function_in_both_modes, written, filled,
    kinks, truncated, quantized,
]  # fmt: skip


def total(out):
    return sum(x.sum() for x in (out if isinstance(out, tuple) else (out,)))


def gradients(function):
    given = [torch.tensor(x, requires_grad=True) for x in (X, Y)]
    found = torch.autograd.grad(total(function(*given)), given, allow_unused=True)
    return [np.zeros(4, np.float32) if x is None else x.numpy() for x in found]


@pytest.mark.parametrize("typed", [True, False])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients(function, typed):
    given = [torch.tensor(x) for x in (X, Y)] if typed else []
    want = gradients(function)
    found = jax.grad(lambda *args: total(gfx.transpile(function, *given, to="jax")(*args)), (0, 1))(X, Y)
    np.testing.assert_allclose(np.array(found), want, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(gradients(gfx.transpile(function, *given, to="torch")), want, rtol=1e-4, atol=1e-5)


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm, self.linear = nn.LayerNorm(4), nn.Linear(4, 4)

    def forward(self, x):
        return x + torch.relu(self.linear(self.norm(x)))


class Teacher(nn.Module):
    def __init__(self):
        super().__init__()
        self.online, self.target, self.gamma = Block(), Block(), 0.99

    def forward(self, x, after, reward):
        value = self.online(x).max(1).values
        with torch.no_grad():
            best = self.target(after).max(1).values
            goal = reward + self.gamma * best
        return F.mse_loss(value, goal)


def test_a_target_is_computed_by_the_same_function():
    model = Teacher()
    made = gfx.transpile(model, torch.randn(3, 4), torch.randn(3, 4), torch.randn(3), to="jax")
    assert 'best = block(params["target"], after).max(axis=1)' in made.source
    assert "goal = jax.lax.stop_gradient(reward + 0.99 * best)" in made.source
    assert made.source.count("stop_gradient") == 1 and made.source.count("def block") == 1
    given = [np.random.default_rng(1).standard_normal(shape).astype(np.float32) for shape in ((3, 4), (3, 4), (3,))]
    found = jax.grad(made.fn)(made.params, *map(jnp.asarray, given))
    model(*map(torch.tensor, given)).backward()
    assert not any(np.asarray(x).any() for x in jax.tree.leaves(found["target"]))
    np.testing.assert_allclose(
        found["online"]["linear"]["weight"], model.online.linear.weight.grad, rtol=1e-4, atol=1e-6
    )


def test_whole_numbers_need_no_stop():
    @torch.no_grad()
    def accuracy(output, target):
        return (output.argmax(1) == target).float().mean()

    made = gfx.transpile(accuracy, torch.randn(6, 4), torch.zeros(6, dtype=torch.int64), to="jax")
    assert "stop_gradient" not in made.source


def test_a_loop_stops_what_it_carries():
    """Each trip of PyTorch's lets go of what it recorded."""

    @torch.no_grad()
    def sample(x, y):
        for _ in range(10):
            x = x + 0.1 * (x * y).tanh()
        return x.clamp(-1, 1)

    made = gfx.transpile(sample, torch.randn(4), torch.randn(4), to="torch")
    assert made.source.count("detach") == 1 and "x = (x + 0.1 * torch.tanh(x * y)).detach()" in made.source


def test_the_pass_alone():
    program = read(
        """def f(x, y):
    a = stop_gradient(x)
    b = stop_gradient(y)
    c = multiply(a, b)
    d = add(c, x)
    return d
"""
    )
    out = applied(["gradient_stops"], program, (X, Y))
    assert ops_of(out) == ["multiply", "stop_gradient", "add"]
    assert isinstance(out.entry.first, Node)


def test_what_has_no_derivative_takes_stopped_values():
    def f(x, y):
        with torch.no_grad():
            step = torch.nextafter(x, y) - x * y
        return step * y

    x, y = map(torch.tensor, (X, Y))
    found = jax.grad(lambda *args: gfx.transpile(f, x, y, to="jax")(*args).sum(), (0, 1))(X, Y)
    np.testing.assert_allclose(np.array(found), gradients(f), rtol=1e-4, atol=1e-5)


def test_a_stop_that_something_waits_for_stays():
    program = read(
        """def f(x, y):
    a = stop_gradient(x)
    b = stop_gradient(y)
    c = multiply(a, b)
    return c
"""
    )
    first, second, _ = program.entry
    order(first, second)
    assert ops_of(applied(["gradient_stops"], program, (X, Y))).count("stop_gradient") == 2


def test_one_stop_stays_where_its_author_put_it():
    program = read(
        """def f(x, y):
    a = stop_gradient(x)
    b = multiply(a, 2)
    d = add(b, y)
    return d
"""
    )
    assert ops_of(applied(["gradient_stops"], program, (X, Y))) == ["stop_gradient", "multiply", "add"]
