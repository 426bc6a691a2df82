"""Functions that one place calls keep their names and docstrings in emitted source, where they read as their author's."""

import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx


def predict(x, P, F, Q):
    """Time update."""
    x = F @ x
    P = F @ P @ F.T + Q
    return x, P


def update(x, P, z, H, R):
    """Measurement update."""
    S = H @ P @ H.T + R
    K = P @ H.T @ torch.linalg.inv(S)
    return x + K @ (z - H @ x), P - K @ H @ P


def kalman(zs, x, P, F, Q, H, R):
    means = []
    for z in zs:
        x, P = predict(x, P, F, Q)
        x, P = update(x, P, z, H, R)
        means.append(x)
    return torch.stack(means)


def attention(q, k, v, mask):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    scores = jnp.where(mask, scores, -jnp.inf)
    return jax.nn.softmax(scores, axis=-1) @ v


def block(params, x, mask):
    q, k, v = jnp.split(x @ params["qkv"], 3, axis=-1)
    return x + attention(q, k, v, mask) @ params["out"]


KALMAN = [
    torch.randn(5, 2),
    torch.randn(3),
    torch.eye(3),
    torch.randn(3, 3) / 3,
    torch.eye(3) / 9,
    torch.randn(2, 3),
    torch.eye(2),
]
BLOCK = [
    {"qkv": np.ones((4, 12), np.float32) / 4, "out": np.eye(4, dtype=np.float32)},
    np.arange(24, dtype=np.float32).reshape(2, 3, 4) / 9,
    np.tri(3, dtype=bool),
]


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_functions_called_once_are_called(to):
    program = gfx.symbolic_trace(kalman, backend="torch")
    source = program.source(to)
    assert 'def predict(x, P, F, Q):\n    """Time update."""' in source and "x, P = predict(x, P, F, Q)" in source
    assert (
        'def update(x, P, z, H, R):\n    """Measurement update."""' in source
        and "x, P = update(x, P, z, H, R)" in source
    )
    given = KALMAN if to == "torch" else [jnp.asarray(x.numpy()) for x in KALMAN]
    found = program.to(to)(*given) if to == "torch" else jax.jit(program.to(to))(*given)
    np.testing.assert_allclose(np.asarray(found), kalman(*KALMAN), rtol=1e-4, atol=1e-4)


def test_functions_called_once_take_what_their_author_gives_them():
    made = gfx.transpile(block, *BLOCK, to="torch", backend="jax")
    assert "def attention(q, k, v, mask):" in made.source and "attention(q, k, v, mask)" in made.source
    given = [{name: torch.tensor(x) for name, x in BLOCK[0].items()}, *map(torch.tensor, BLOCK[1:])]
    np.testing.assert_allclose(made(*given), block(*BLOCK), rtol=1e-5)


def first(x):
    mean, spread, _ = moments(x)
    return (x - mean) / spread


def moments(x):
    mean = x.mean(-1, keepdims=True)
    spread = ((x - mean) ** 2).mean(-1, keepdims=True) + 1.0
    return mean, spread, (x**3).mean(-1)


def test_what_no_call_asks_for_is_not_computed():
    source = gfx.symbolic_trace(first, np.ones((3, 4))).source("numpy")
    assert "mean, spread = moments(x)" in source and "** 3" not in source


def scan(x, rows):
    def step(total, row):
        total = jnp.tanh(total * 2.0 + row) / 3.0
        return total, total - row

    return jax.lax.scan(step, x, rows)


def state(x):
    parts = halves({"a": x, "b": x + 1.0})
    return parts["low"] * parts["high"]


def halves(parts):
    total = parts["a"] + parts["b"] * 2.0
    return {"low": total[: total.shape[0] // 2] - 1.0, "high": total[-(total.shape[0] // 2) :] * 3.0}


def test_bodies_of_loops_stand_in_the_loop():
    assert gfx.symbolic_trace(scan, backend="jax").source("jax").count("def ") == 2


def test_what_a_container_holds_is_given_one_by_one():
    source = gfx.symbolic_trace(state, backend="numpy").source("numpy")
    assert "def halves(parts_a, parts_b):" in source and "low, high = halves(x, x + 1.0)" in source
    x = np.arange(4.0)
    np.testing.assert_allclose(gfx.symbolic_trace(state, backend="numpy").to("numpy")(x), state(x))


def total(parts):
    return parts[0] * 2 + parts[1] * 3 - parts[2] / 5 + parts[3] + parts[4]


def of_many(x):
    return total([x, x + 1, x * 2, x - 3, x / 2]) + total([x * x, x + 5, x * 6, x - 7, x / 8])[0]


def of_one_call(x):
    return total([x + 2, x + 1, x * 2, x - 3, x / 2])


def test_a_function_of_many_values_in_a_container_stands_where_it_is_called():
    assert "def total" not in gfx.symbolic_trace(of_one_call, backend="numpy").source("numpy")
    assert "def total" in gfx.symbolic_trace(of_many, backend="numpy").source("numpy")


class Motion(NamedTuple):
    x: Any
    v: Any
    t: Any


def force(s, k):
    r = jnp.sqrt((s.x**2).sum(-1, keepdims=True) + 1e-3)
    return -k * s.x / r - 0.1 * s.v


def leapfrog(s, k, dt):
    v = s.v + 0.5 * dt * force(s, k)
    x = s.x + dt * v
    moved = Motion(x, v, s.t + dt)
    return moved._replace(v=v + 0.5 * dt * force(moved, k))


def simulated(s, k):
    for _ in range(4):
        s = leapfrog(s, k, 0.01)
    return s


@pytest.mark.parametrize("to", ["torch", "jax"])
def test_fields_name_what_a_function_is_given_and_gives(to):
    rng = np.random.default_rng(0)
    s = Motion(*rng.standard_normal((2, 3, 2)).astype(np.float32), np.float32(0))
    made = gfx.transpile(simulated, s, np.float32(2), to=to, backend="jax")
    assert "def force(s_x, s_v, k):" in made.source and "def leapfrog(s_x, s_v, s_t, k):" in made.source
    assert "s_x, s_v, s_t = leapfrog(s_x, s_v, s_t, k)" in made.source
    given = (s, np.float32(2)) if to == "jax" else (Motion(*map(torch.tensor, s)), torch.tensor(2.0))
    for x, y in zip(made(*given), simulated(s, np.float32(2))):
        np.testing.assert_allclose(np.asarray(x), y, rtol=1e-5)


def linear(p, x):
    return x @ p["w"] + p["b"]


def mlp(x, p):
    return linear(p["out"], jnp.tanh(linear(p["in"], x)))


def regression(params, batch):
    found = mlp(batch["x"], params)
    return squared(found, batch)


def squared(found, batch):
    error = found - batch["y"]
    return (batch["weight"] * error**2).mean() / 2.0


def test_functions_take_subtrees_of_what_their_caller_is_given():
    """A layer of one line is written into the function that it is a part of, and counts there."""
    rng = np.random.default_rng(0)
    array = lambda *shape: rng.standard_normal(shape).astype(np.float32)
    params = {"in": {"w": array(3, 4), "b": array(4)}, "out": {"w": array(4, 1), "b": array(1)}}
    batch = {"x": array(5, 3), "y": array(5, 1), "weight": array(5, 1)}
    made = gfx.transpile(regression, params, batch, to="torch", backend="jax")
    assert "def mlp(x, params):" in made.source and "def squared(found, batch):" in made.source
    assert 'found = mlp(batch["x"], params)' in made.source and "return squared(found, batch)" in made.source
    given = [jax.tree.map(torch.tensor, tree) for tree in (params, batch)]
    np.testing.assert_allclose(np.asarray(made(*given)), regression(params, batch), rtol=1e-5)


def part(x, n):
    head, rest = x[: int(n)], x[int(n) :]
    return head.sum() * 2 + rest.mean()


def parts(x, sizes):
    total = torch.zeros(())
    for n in sizes:
        total = total + part(x, n)
    return total


def lowest(m):
    return min(sorted([e * 2 + e**2 - 1 for e in m]))


def lowest_of_each(x, m):
    total = 0.0
    for e in x:
        total = total + lowest(m) * e
    return total


@pytest.mark.parametrize("fn", [parts, lowest_of_each])
def test_a_function_that_needs_data_is_called_by_python_s_loop(fn):
    x, m = torch.tensor([0.5, 1.5, 2.5, 3.5]), torch.tensor([1.0, 2.0, 3.0])
    emitted = gfx.symbolic_trace(fn, backend="torch").to("jax")
    np.testing.assert_allclose(np.asarray(emitted(x.numpy(), m.numpy())), fn(x, m), rtol=1e-5)


def activated(v):
    return torch.tanh(v) * 2 + v**2 - 1.0


def where_positive(x):
    mask = x > 0
    y = x.clone()
    y[mask] = activated(x[mask])
    return y


def written(x, mask):
    y = x.clone()
    y[mask] = torch.erf(x[mask]) * 2 + 1.0
    return y * 3


def written_where_positive(x):
    return written(x, x > 0) + 1


@pytest.mark.parametrize("fn", [where_positive, written_where_positive])
def test_rows_that_a_mask_chooses_are_compiled(fn):
    x = torch.tensor([0.5, -1.5, 2.5])
    emitted = gfx.symbolic_trace(fn, backend="torch").to("jax")
    np.testing.assert_allclose(np.asarray(jax.jit(emitted)(x.numpy())), fn(x), rtol=1e-5)


def told(x, P, F, Q):
    x, P = predict(x, P, F, Q)
    print("predict")
    return x + P.sum()


def test_a_text_that_is_the_name_of_a_function_is_a_text(capsys):
    program = gfx.symbolic_trace(told, backend="torch")
    assert "x, P = predict(x, P, F, Q)" in program.source("torch")
    given = (KALMAN[1], *KALMAN[2:5])
    torch.testing.assert_close(program(*given), told(*given))
    assert capsys.readouterr().out == "predict\n" * 2
