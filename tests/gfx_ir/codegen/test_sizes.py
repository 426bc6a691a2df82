"""Sizes that hang on data: JAX's source has them where Python runs it, and JAX refuses to compile it."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X, N = torch.tensor([3.0, 1.0, 2.0, 0.0]), torch.tensor(2)


def tail(x, n):
    return x[n:]


def until_a_sum(x, n):
    return x[: int(x.sum() / 3)] * 2


def written(x, n):
    y = x.clone()
    y[n:] = x[:1]
    return y


def zeros(x, n):
    return torch.zeros(int(x[0])) + 1


def steps(x, n):
    return torch.arange(n)


def repeated(x, n):
    return x.repeat_interleave(x.long())


def branch(x, n):
    return torch.ones(n).sum() if x[0] > 0 else x.sum()


def runs_where_data_are_at_hand(fn, given, *args):
    program = gfx.symbolic_trace(fn, *(args if given else ()), backend="torch")
    moved, emitted = [jnp.asarray(arg.numpy()) for arg in args], program.to("jax")
    assert torch.equal(program.to("torch")(*args), fn(*args))
    np.testing.assert_allclose(emitted(*moved), fn(*args).numpy(), rtol=1e-6)
    with pytest.raises((TypeError, IndexError, jax.errors.JAXTypeError)):
        jax.jit(emitted)(*moved)


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("fn", [tail, until_a_sum, written, zeros, steps, repeated, branch])
def test_a_size_in_a_tensor(fn, given):
    runs_where_data_are_at_hand(fn, given, X, N)


def shifted(x, n):
    return torch.roll(x, 1) + torch.full((x.shape[0],), 2.0) * n, x[n], x[x.shape[0] // 2 :], torch.full_like(x, 1.0)


def test_what_tells_no_size_may_be_in_a_tensor():
    source = gfx.symbolic_trace(shifted, backend="torch").source("jax")
    assert "jnp.full" in source


def a_number_written(x, n):
    y = x.clone()
    y[n:] = 5.0
    return y


@pytest.mark.parametrize("given", [True, False])
def test_a_number_is_written_to_a_slice_whose_bound_is_in_a_tensor(given):
    program = gfx.symbolic_trace(a_number_written, *((X, N) if given else ()), backend="torch")
    fn = jax.jit(program.to("jax"))
    for n in (0, 2, -1, 9):
        want = a_number_written(X, torch.tensor(n))
        assert fn(jnp.asarray(X.numpy()), jnp.asarray(n)).tolist() == want.tolist()


def largest(x):
    if x[0] > 0:
        return torch.sort(x[x > 1]).values[0]
    return x[0]


def kinds(x):
    for _ in range(3):
        if x.sum() > 4:
            x = x * torch.unique(x).numel() / 4
    return x


def of_a_kind(x):
    total = x.new_zeros(2)
    for n in range(3):
        rows = (x == n).nonzero(as_tuple=True)[0]
        if len(rows):
            total.index_add_(0, rows % 2, torch.outer(x[rows], x)[:, 0] * 2)
        if total.sum() > 8:
            break
    return total


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("fn", [largest, kinds, of_a_kind])
def test_what_data_choose_in_tests_and_loops_is_run_by_python(fn, given):
    if fn is not of_a_kind or given:
        runs_where_data_are_at_hand(fn, given, X)


# ---------------------------------------------------------------------- the number of a trip, in a loop that JAX runs itself
def rest_of_a_trip(x):
    total = 0.0
    for i in range(3):
        total = total + x[i % len(x) :].sum()
        if total > 8:
            break
    return total


def written_by_trips(x):
    y = x.clone()
    for i in range(3):
        y[i:] += 1
        if y.sum() > 9:
            break
    return y


def size_of_a_trip(x):
    for i in range(3):
        if x.sum() > 8:
            return x
        x = x + torch.ones(i + 1).sum()
    return x


def axis_of_a_trip(x):
    total = 0.0
    for i in range(2):
        total = total + (x[:, None] * x).sum(i)
        if total.sum() > 40:
            break
    return total


@pytest.mark.parametrize("fn", [rest_of_a_trip, written_by_trips, size_of_a_trip, axis_of_a_trip])
def test_what_needs_the_number_of_a_trip_is_run_by_python(fn):
    runs_where_data_are_at_hand(fn, False, X)


def to_its_end(x):
    total = 0.0
    for i in range(3):
        total = total + x[i:].sum() + torch.ones(i + 1).sum()
    return total


def as_data(x):
    y = x.clone()
    for i in range(3):
        y[i] = x[-i] * i + torch.full((2,), i).sum() + x.roll(i)[0]
        if y.sum() > 9:
            break
    return y


def halved(x):
    x = x.clone()
    x /= 2
    return x


@pytest.mark.parametrize("fn", [to_its_end, as_data, halved])
def test_the_number_of_a_trip_serves_where_it_is_known_or_computed_with(fn):
    found = jax.jit(gfx.symbolic_trace(fn, backend="torch").to("jax"))(jnp.asarray(X.numpy()))
    assert found.tolist() == fn(X).tolist()


def filled_to_the_largest(x: np.ndarray):
    return np.full(np.argmax(x), 2.0)


def drawn(x: np.ndarray):
    return np.random.default_rng(0).integers(0, len(x), len(x)) * 0


@pytest.mark.parametrize("fn, level", [(filled_to_the_largest, 1), (drawn, 0), (drawn, 1)])
def test_a_single_size_is_a_tuple_as_torch_source(fn, level):
    x = np.array([1.0, 3.0, 2.0])
    got = gfx.symbolic_trace(fn, *[x][:level]).to("torch")(torch.from_numpy(x))
    np.testing.assert_array_equal(got, fn(x))


def filled_by_torch(x, y):
    return torch.zeros(torch.broadcast_shapes(x.shape, y.shape)) + x


def filled_by_numpy(x, y):
    return np.zeros(np.broadcast_shapes(x.shape, y.shape), dtype=np.float32) + x


def filled_by_jax(x, y):
    return jnp.zeros(jnp.broadcast_shapes(x.shape, y.shape)) + x


def filled_by_lax(x, y):
    return jnp.zeros(jax.lax.broadcast_shapes(x.shape, y.shape)) + x


OF_SHAPES = {filled_by_torch: "torch", filled_by_numpy: "numpy", filled_by_jax: "jax", filled_by_lax: "jax"}


@pytest.mark.parametrize("f", OF_SHAPES, ids=lambda f: f.__name__)
def test_shapes_of_open_sizes_are_broadcast(f):
    n, m = gfx.Dim("n"), gfx.Dim("m")
    given = gfx.TensorSpec((n, m), "float32"), gfx.TensorSpec((m,), "float32")
    emitted = gfx.transpile(gfx.symbolic_trace(f, *given, backend=OF_SHAPES[f]), to="jax")
    assert emitted(jnp.ones((5, 6)), jnp.ones(6)).shape == (5, 6)


@pytest.mark.parametrize("f", OF_SHAPES, ids=lambda f: f.__name__)
def test_known_sizes_that_do_not_fit_raise_what_the_framework_raises(f):
    def taken(x, y):
        try:
            return f(x, y)
        except (ValueError, RuntimeError, TypeError):
            return x + 1

    given = gfx.TensorSpec((3, 4), "float32"), gfx.TensorSpec((3,), "float32")
    emitted = gfx.transpile(gfx.symbolic_trace(taken, *given, backend=OF_SHAPES[f]), to="jax")
    assert emitted(jnp.ones((3, 4)), jnp.ones(3)).tolist() == [[2.0] * 4] * 3
