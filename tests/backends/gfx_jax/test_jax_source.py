"""What captured programs say in JAX's words: control flow over numbers that only the running code has, dtypes that meet."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from recapture import load_source


def compiled(program):
    """The emitted JAX under jit."""
    return jax.jit(program.to("jax"))


# ---------------------------------------------------------------- the index of a loop that JAX runs
def skips_and_stops(x):
    for i in range(20):
        if i % 2 == 0:
            continue
        x = x + i
        if x > 30:
            break
    return x


def nested(x, n):
    for i in range(n):
        for j in range(i):
            x = x + j
        if i > 2 and not i % 3 == 1:
            x = x * 2
    return x


@pytest.mark.parametrize("fn, args", [(skips_and_stops, (3.0,)), (skips_and_stops, (29.5,)), (nested, (1.0, 6))])
def test_tests_on_an_index_are_tests_on_data(fn, args):
    program = gfx.symbolic_trace(fn, backend="torch")
    assert compiled(program)(*map(jnp.asarray, args)) == fn(*args)
    assert program.to("torch")(*args) == fn(*args)


# ---------------------------------------------------------------- numbers that become arrays
def backwards(x):
    t = 0
    for r in reversed(x):
        t = t * 2 + r
    return t


def powers(x, n):
    total, p = 0, 1
    for _ in range(n):
        total, p = total + p, p * x
    return total


def mean(x, n):
    total = 0.0
    for _ in range(n):
        total = total + x.mean()
    return total


@pytest.mark.parametrize("shape", [(3,), (3, 2), (4, 1, 2)])
@pytest.mark.parametrize("fn, args", [(backwards, ()), (powers, (3,)), (powers, (1,))])
def test_a_number_before_a_loop_gets_the_shape_that_its_trips_give_it(fn, args, shape):
    x = np.random.rand(*shape).astype("float32")
    program = gfx.symbolic_trace(fn, backend="torch")
    got = compiled(program)(jnp.asarray(x), *args)
    np.testing.assert_allclose(got, fn(torch.from_numpy(x), *args), rtol=1e-5)
    again = gfx.symbolic_trace(getattr(load_source(program.source("jax")), fn.__name__), backend="jax")
    np.testing.assert_allclose(compiled(again)(jnp.asarray(x), *args), got, rtol=1e-5)


def test_what_stays_a_number_is_written_as_one():
    assert "settled" not in gfx.symbolic_trace(mean, backend="torch").source("jax")
    assert "settled" not in gfx.symbolic_trace(backwards, torch.ones(3, 2)).source("jax")


# ---------------------------------------------------------------- checks
def never(x, n):
    while n > 0:
        assert False, "a trip"
    return x


def of_rank(x, n):
    while n > 0:
        x = x * 2
        if x.ndim == 1:
            raise ValueError("a vector")
        n = n - 1
    return x


@pytest.mark.parametrize("fn, told", [(never, "a trip"), (of_rank, "a vector")])
@pytest.mark.parametrize("specs", [{}, {"x": gfx.TensorSpec((2,), "float32"), "n": gfx.TensorSpec((), "int32")}])
def test_a_check_in_a_loop_waits_for_a_trip(fn, told, specs):
    program = gfx.symbolic_trace(fn, **specs, backend="jax")
    x = jnp.ones(2)
    assert jnp.array_equal(compiled(program)(x, jnp.int32(0)), x)
    with pytest.raises(Exception, match=told):
        jax.block_until_ready(compiled(program)(x, jnp.int32(1)))
        jax.effects_barrier()
    with pytest.raises((AssertionError, ValueError), match=told):
        program.to("torch")(torch.ones(2), torch.tensor(1, dtype=torch.int32))


# ---------------------------------------------------------------- dtypes that depend on JAX's mode
def settles(x):
    scale, step = jnp.ones(2), jnp.array(0.1)
    while jnp.sum(x) < 10:
        x = x + scale * step
        scale = jnp.sqrt(x)
        if x[0] > 2:
            step = x[1] - x[0] + 0.2
    return x, scale


def adapts(x):
    h = torch.tensor(0.1)
    while x < 10:
        if x + h > 5:
            h = 10 - x
        x = x + h
    return x


@pytest.mark.parametrize("fn, spec", [(settles, ((2,), "float32")), (adapts, ((), "float32"))])
@pytest.mark.parametrize("wide", [False, True])
def test_dtypes_that_meet_are_said_whatever_the_mode(fn, spec, wide):
    program = gfx.symbolic_trace(fn, x=gfx.TensorSpec(*spec))
    with jax.enable_x64(wide):
        first = compiled(program)(jnp.ones(*spec))
    other = program.to("torch")(torch.ones(spec[0]))
    for got, want in zip(jax.tree.leaves(first), [other] if torch.is_tensor(other) else other):
        assert got.dtype == "float32"
        np.testing.assert_allclose(got, want, rtol=1e-5)


@pytest.mark.parametrize("wide", [False, True])
def test_numbers_are_as_wide_as_the_mode(wide):
    def numbers(x):
        return int(x[0] * 10), float(x[1]), jax.nn.one_hot(jnp.arange(2), 2)

    with jax.enable_x64(wide):
        x = jnp.array([0.25, 0.5], dtype="float32")
        program = gfx.symbolic_trace(numbers, backend="jax")
        wanted = (jnp.asarray(int(x[0] * 10)), jnp.asarray(float(x[1])), numbers(x)[2])
        for got, want in zip(compiled(program)(x), wanted):
            assert got.dtype == want.dtype
            assert jnp.array_equal(got, want)


# ---------------------------------------------------------------- axes and keys
@pytest.mark.parametrize("target", ["jax", "numpy", "torch"])
@pytest.mark.parametrize("framework", ["jax", "numpy"])
@pytest.mark.filterwarnings("ignore:The use of `x.T`")
def test_a_transpose_without_axes_reverses_them_all(framework, target):
    arrays = {"jax": jnp, "numpy": np}[framework]
    convert = {"jax": jnp.asarray, "numpy": np.asarray, "torch": torch.from_numpy}[target]
    x = np.arange(24.0, dtype="float32").reshape(2, 3, 4)
    for fn in (lambda x: x.T, lambda x: x.transpose(), lambda x: arrays.transpose(x)):
        got = gfx.symbolic_trace(fn, backend=framework).to(target)(convert(x))
        assert np.array_equal(np.asarray(got), x.T)


def test_one_generator_has_one_name():
    def draws(key, n):
        a, b = jax.random.split(key)
        x = jnp.zeros(3)
        while n > 0:
            a, first = jax.random.split(a)
            b, second = jax.random.split(b)
            x = x + jax.random.normal(first, (3,)) * jax.random.uniform(second, (3,))
            n = n - 1
        return x

    program = gfx.symbolic_trace(draws, backend="jax")
    source = program.source("torch")
    assert "key, key" not in source and source.count("generator=key") == 2
    generators = [torch.Generator().manual_seed(0) for _ in range(2)]
    first, second = (program.to("torch")(generator, torch.tensor(2)) for generator in generators)
    assert torch.equal(first, second) and first.shape == (3,)


def picks(x, i):
    r = jnp.array([[x[0], -x[1], 0], [x[1], x[0], 1.0]])
    chosen = jax.lax.select(x > 1, x, -x)
    return jnp.take(x, i, mode="clip"), r @ x, chosen, jnp.take_along_axis(x, jnp.stack([i, 0]), 0, mode="clip")


@pytest.mark.parametrize("typed", [True, False])
def test_positions_are_clipped_and_numbers_stand_among_arrays(typed):
    x = jnp.array([1.0, -2.0, 3.0])
    program = gfx.symbolic_trace(picks, *((x, jnp.array(0)) if typed else ()), backend="jax")
    for at in (1, 5, -2, -9):
        want = picks(x, jnp.array(at))
        found = (
            program(x, jnp.array(at)),
            program.to("torch")(torch.tensor(x.tolist()), torch.tensor(at, dtype=torch.int32)),
        )
        for got in found:
            for a, b in zip(want, got, strict=True):
                np.testing.assert_allclose(np.asarray(a), np.asarray(b))


def gathers(x, at):
    found = jnp.zeros(3).at[at].max(x).at[jnp.array([1, 1])].multiply(2.0)
    return found, x.at[at].min(0.5), x.at[jnp.array([2, 0])].mul(3), x.at[at[0]].max(9), x.at[x > 2].mul(0)


def test_each_of_two_updates_at_one_position_counts():
    x, at = jnp.array([3.0, 1.0, 2.0]), jnp.array([0, 0, -1])
    program = gfx.symbolic_trace(gathers, x, at)
    want = gathers(x, at)
    for got in (
        program(x, at),
        program.to("torch")(torch.tensor(x.tolist()), torch.tensor([0, 0, -1], dtype=torch.int32)),
    ):
        for a, b in zip(want, got, strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b))
    with pytest.raises(gfx.GfxError, match="divide of positions that may be there twice"):
        gfx.symbolic_trace(lambda x, at: x.at[at].divide(2.0), x, at)


UPDATES = {
    "columns": lambda x, i, v: x.at[i, 1].multiply(v),
    "rows": lambda x, i, v: x.at[i].min(v[:, None]),
    "a number": lambda x, i, v: x.at[i].max(1.5),
    "behind a slice": lambda x, i, v: x.at[1:, i % 2].max(v),
    "of rows and columns": lambda x, i, v: x.at[i[:, None], i % 2].min(v),
    "whole numbers": lambda x, i, v: x.at[i, 0].mul(i + 2),
    "backwards": lambda x, i, v: x.at[i, ::-1].max(v[:, None] * x[:3]),
}


@pytest.mark.parametrize("name", UPDATES)
@pytest.mark.parametrize("typed", [False, True])
def test_updates_of_matrices_at_one_position_count_each(name, typed):
    update = UPDATES[name]
    x, i, v = jnp.arange(8.0).reshape(4, 2) - 3, jnp.array([0, 0, -1]), jnp.array([5.0, 4.0, -1.0])
    program = gfx.symbolic_trace(update, *((x, i, v) if typed else ()), backend="jax")
    want = np.asarray(update(x, i, v))
    np.testing.assert_allclose(np.asarray(program(x, i, v)), want)
    np.testing.assert_allclose(np.asarray(jax.jit(program.to("jax"))(x, i, v)), want)
    given = torch.tensor(x.tolist()), torch.tensor(i.tolist(), dtype=torch.int32), torch.tensor(v.tolist())
    np.testing.assert_allclose(np.asarray(program.to("torch")(*given)), want)


def relaxed(distances, edges, weights):
    return distances.at[edges[:, 1]].min(distances[edges[:, 0]] + weights)


OUTSIDE = {
    "dropped": lambda x, at: x.at[at].set(7.0, mode="drop"),
    "added": lambda x, at: x.at[at].add(at, mode=jax.lax.GatherScatterMode.FILL_OR_DROP),
    "the least": lambda x, at: x.at[at].min(-at, mode="drop"),
    "a number": lambda x, at: x.at[9].set(1.0, mode="drop") + x.at[at[0]].set(1.0, mode="drop"),
    "the nearest": lambda x, at: (x.at[at].add(1.0, mode="clip"), x.at[at].get(mode="clip")),
    "filled": lambda x, at: (
        x.at[at].get(mode="fill", out_sharding=None),
        x.at[at].get(mode="fill", fill_value=-1.0),
        at.at[at].get(mode="fill"),
    ),
    "columns": lambda x, at: jnp.outer(x, x).at[..., at].set(7.0, mode="drop"),
    "places": lambda x, at: jnp.outer(x, x).at[at, at[::-1]].get(mode="fill", fill_value=0),
    "derived": lambda x, at: jax.grad(lambda x: (x.at[at].get(mode="fill", fill_value=0.0) ** 2).sum())(x),
}


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("target", ["torch", "jax", "numpy"])
def test_what_becomes_of_positions_outside_is_what_the_code_says(name, target):
    given = lambda n: (np.cos(np.arange(n, dtype=np.float32)), np.array([1, -2, n, -n - 1, n + 3], dtype=np.int32))
    if name == "derived" and target == "numpy":
        return
    made = gfx.transpile(OUTSIDE[name], *map(jnp.asarray, given(4)), to=target, dynamic=True)
    for n in (4, 7):
        found = made(*map(torch.tensor, given(n)) if target == "torch" else given(n))
        for a, b in zip(
            jax.tree.leaves(found), jax.tree.leaves(OUTSIDE[name](*map(jnp.asarray, given(n)))), strict=True
        ):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_column_of_positions_is_several_of_them_without_types():
    program = gfx.symbolic_trace(relaxed, backend="jax")
    for edges in ([[0, 1], [2, 1], [0, 2]], [[1, 0]]):
        given = jnp.array([0.0, 5.0, 1.0]), jnp.array(edges), jnp.ones(len(edges))
        want = relaxed(*given)
        as_torch = [torch.tensor(x.tolist()) for x in given]
        for got in (program(*given), program.to("torch")(*as_torch)):
            np.testing.assert_allclose(np.asarray(want), np.asarray(got))


@pytest.mark.parametrize(("given", "dtype"), [("float32", torch.int64), ("float64", torch.int32)])
def test_bytes_of_64_bits_are_read_where_jax_has_such(given, dtype):
    """Without them it would read those of 32 bits, which are others, and another number of elements."""
    program = gfx.symbolic_trace(lambda x: x.view(dtype), torch.ones(2, 4, dtype=getattr(torch, given)))
    with pytest.raises(TypeError, match="jax_enable_x64"):
        program.to("jax")(jnp.ones((2, 4)))


def test_numbers_of_more_than_32_bits_are_floats_beside_floats():
    def hidden(x):
        far = -(2**32) + 1
        y = x.masked_fill(x > 2, far) + torch.ones_like(x) * 2**40
        y[0] = far
        return torch.where(x > 1, y, far), torch.clamp(y, max=2**33), x > 2**40

    x = torch.arange(4.0)
    result = gfx.transpile(hidden, x, to="jax")
    for got, want in zip(result(jnp.asarray(x.numpy())), hidden(x), strict=True):
        np.testing.assert_array_equal(got, want)


def test_an_index_without_places_is_of_whole_numbers():
    def fn(x):
        y = x.clone()
        y[[]] = 1.0
        return x[[]], y, x[:, []]

    x = torch.rand(2, 3)
    for found, wanted in zip(gfx.transpile(fn, x, to="jax")(jnp.asarray(x.numpy())), fn(x)):
        np.testing.assert_array_equal(found, wanted)
