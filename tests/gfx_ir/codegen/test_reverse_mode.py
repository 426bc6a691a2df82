"""Loops that data ends have a reverse mode in JAX output where their trips are bounded: by a counter, or by `max_trips`."""

import jax
import jax.numpy as jnp
import pytest
import torch

import gfx_trace as gfx


def relax(x, w, tol, max_steps: int = 32):
    n = 0
    while (r := torch.tanh(w @ x) - x).abs().max() > tol and n < max_steps:
        x = x + 0.5 * r
        n += 1
    return x, n


def grow(step, n):
    s = 0
    while n > 0:
        s = s + step
        n = n - 1
    return s + step


def below(x, limit):
    s = 0.0
    for v in x:
        if v > limit:
            break
        s = s + v * v
    return s


def factorial_like(x, n, limit):
    for i in range(1, n):
        x = x * i
        if x > limit:
            break
    return x


def halved(x):
    while True:
        x = x * 0.5
        if x < 1:
            break
    return x * x


def nested(x, n):
    while n > 0:
        m = n
        while m > 1:
            x = x * 1.5
            m = m - 1
        n = n - 1
    return x


CASES = [
    (grow, (2.5, 3), 8), (grow, (2.5, 0), 20), (below, ([1.0, 2.0, 9.0, 1.0], 5.0), 8), (factorial_like, (2.0, 6, 100.0), 20),
    (factorial_like, (2.0, 5, 11.0), 20), (halved, (11.0,), 32), (nested, (1.5, 3), 4), (nested, (1.5, 0), 20),
]  # fmt: skip

TYPED = (nested, below)


def torch_gradient(fn, args):
    x, *rest = (torch.tensor(a) for a in args)
    x.requires_grad_()
    return torch.autograd.grad(fn(x, *rest), x)[0].numpy()


@pytest.mark.parametrize("fn, args, trips", CASES, ids=lambda x: getattr(x, "__name__", None))
def test_gradients_are_those_of_the_function(fn, args, trips):
    given = [torch.tensor(a) for a in args] if fn in TYPED else []
    program = gfx.symbolic_trace(fn, *given, backend="torch")
    arrays = [jnp.asarray(a) for a in args]
    emitted = program.to("jax", max_trips=trips)
    assert "while_loop" not in program.source("jax", max_trips=trips)
    assert jnp.allclose(jax.jit(emitted)(*arrays), program.to("jax")(*arrays))
    assert jnp.allclose(jax.jit(jax.grad(emitted))(*arrays), torch_gradient(fn, args))


def test_a_counter_in_the_test_is_a_bound():
    program = gfx.symbolic_trace(relax, backend="torch")
    emitted = program.to("jax")
    w = torch.tensor([[0.5, 0.2], [-0.3, 0.8]], requires_grad=True)
    for start, tol in (([1.0, -1.0], 1e-3), ([1.0, -1.0], 0.5), ([0.0, 0.0], 1e-3), ([1.0, -1.0], 0.0)):
        x = torch.tensor(start, requires_grad=True)
        relaxed, steps = relax(x, w, tol)
        wanted = torch.autograd.grad(relaxed.sum(), (x, w), allow_unused=True, materialize_grads=True)
        arrays = jnp.asarray(start), jnp.asarray(w.detach().numpy()), tol
        found, taken = jax.jit(emitted)(*arrays)
        assert jnp.allclose(found, relaxed.detach().numpy(), atol=1e-6) and int(taken) == steps
        gradients = jax.jit(jax.grad(lambda *args: emitted(*args)[0].sum(), argnums=(0, 1)))(*arrays)
        assert all(jnp.allclose(a, b.numpy(), atol=1e-5) for a, b in zip(gradients, wanted))


def test_max_trips_is_checked():
    emitted = gfx.symbolic_trace(grow, backend="torch").to("jax", max_trips=4)
    assert float(emitted(2.5, 4)) == 12.5
    with pytest.raises(Exception, match="more than the 4 trips of max_trips"):
        jax.block_until_ready(emitted(2.5, 5))
        jax.effects_barrier()


def test_max_trips_says_nothing_to_plain_loops():
    program = gfx.symbolic_trace(grow, backend="torch")
    assert program.source("torch", max_trips=4) == program.source("torch")


def settle(x, w, steps: int = 32):
    for _ in range(steps):
        y = torch.tanh(w @ x)
        far = (y - x).abs().max()
        x = y
        if far < 0.05:
            break
    return x


def rows(x, w):
    total = torch.zeros(())
    for row in w:
        total = total + (row * x).sum()
        if total > 1.0:
            return total * 2
    return total


@pytest.mark.parametrize("fn", [settle, rows])
@pytest.mark.parametrize("dynamic", [True, False])
def test_a_loop_that_data_may_leave_has_the_bound_that_it_states(fn, dynamic):
    x, w = torch.tensor([1.0, -1.0], requires_grad=True), torch.tensor([[0.5, 0.2], [-0.3, 0.8]], requires_grad=True)
    made = gfx.transpile(fn, x.detach(), w.detach(), to="jax", dynamic=dynamic).fn
    found = jax.jit(jax.grad(lambda *given: made(*given).sum(), (0, 1)))(
        jnp.asarray(x.detach()), jnp.asarray(w.detach())
    )
    for wanted, got in zip(torch.autograd.grad(fn(x, w).sum(), (x, w)), found):
        assert jnp.allclose(got, wanted.numpy(), atol=1e-5)


def test_a_loop_of_whole_numbers_ends_where_data_end_it():
    def first(x, n: int):
        at = 0
        for i in range(n):
            if x[i] > 0:
                at = i
                break
        return at

    assert "while_loop" in gfx.symbolic_trace(first, torch.ones(9), gfx.Open).source("jax")
