"""Arrays of fewer axes than those beside them: weights of the places along an axis, and what systems of equations are solved for."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

TARGETS = {"numpy": np.array, "torch": torch.tensor, "jax": jnp.asarray}
RNG = np.random.default_rng(3)
SYSTEMS = (RNG.normal(size=(3, 3, 3)) + 3 * np.eye(3)).astype(np.float32)
WEIGHTS = np.array([0.1, 0.5, 0.9])


def agrees(program, want, *args):
    for target, make in TARGETS.items():
        got = program.to(target)(*map(make, args))
        np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=2e-4, atol=1e-5, err_msg=target)


MOVED = {
    "shifts in all": lambda x, s: np.roll(x, s),
    "shifts along an axis": lambda x, s: np.roll(x, s, 0),
    "a shift for each axis": lambda x, s: np.roll(x, s, (0, 1)),
    "one shift for two axes": lambda x, s: np.roll(x, s[0], (0, 1)),
    "a list along an axis": lambda x, s: np.roll(x, [2, 1], 1),
    "a list in all": lambda x, s: np.roll(x, (2, 1)) + s[0],
}


@pytest.mark.parametrize("name", MOVED)
def test_several_shifts_of_an_array(name):
    x, shifts = np.arange(6.0, dtype=np.float32).reshape(2, 3), np.array([1, 2])
    agrees(gfx.symbolic_trace(MOVED[name], x, shifts), MOVED[name](x, shifts), x, shifts)


@pytest.mark.parametrize("f", [jax.nn.elu, jax.nn.celu])
@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
def test_a_scale_for_each_element_of_an_activation(f, shape):
    x = np.array([1.0, -2.0, 0.0], np.float32)
    scale = np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape)
    want = f(jnp.asarray(x), jnp.asarray(scale))
    for given in ((), (jnp.asarray(x), jnp.asarray(scale))):
        agrees(gfx.symbolic_trace(lambda x, scale: f(x, scale), *given, backend="jax"), want, x, scale)
    slopes = lambda x, scale: jax.grad(lambda x: f(x, scale).sum())(x)
    given = jnp.asarray(x), jnp.asarray(scale)
    agrees(gfx.symbolic_trace(slopes, *given, derive=True), slopes(*given), x, scale)


def first(x, w):
    return np.average(x, axis=0, weights=w)


def first_kept(x, w):
    return np.average(x, axis=0, weights=w, keepdims=True)


def last(x, w):
    return np.average(x, axis=-1, weights=w)


def second(x, w):
    return np.average(x, axis=1, weights=w)


@pytest.mark.parametrize("function", [first, first_kept, last])
@pytest.mark.parametrize("shape", [(3,), (3, 3), (3, 3, 3)])
def test_weights_of_places_where_no_ranks_are_known(function, shape):
    x = RNG.normal(size=shape)
    agrees(gfx.symbolic_trace(function, backend="numpy"), function(x, WEIGHTS), x, WEIGHTS)


@pytest.mark.parametrize("function", [first, first_kept, last, second])
def test_weights_of_places_of_known_ranks(function):
    x = RNG.normal(size=(3, 3, 3))
    agrees(gfx.symbolic_trace(function, x, WEIGHTS, backend="numpy"), function(x, WEIGHTS), x, WEIGHTS)


def test_weights_of_elements_where_no_ranks_are_known_are_refused():
    x = RNG.normal(size=(3, 3))
    with pytest.raises(gfx.GfxError, match="ndim"):
        gfx.symbolic_trace(first, backend="numpy")(x, x)


@pytest.mark.parametrize("given", [True, False])
@pytest.mark.parametrize("shape", [(3,), (3, 3), (3, 3, 3), (3, 1)])
@pytest.mark.parametrize("np_, backend", [(np, "numpy"), (jnp, "jax")])
def test_numpy_solves_for_a_matrix_where_pytorch_would_take_its_rows_for_vectors(np_, backend, shape, given):
    def solved(a, b):
        return np_.linalg.solve(a, b)

    b = RNG.normal(size=shape).astype(np.float32)
    args = [TARGETS[backend](x) for x in (SYSTEMS, b)]
    program = gfx.symbolic_trace(solved, *(args if given else ()), backend=backend)
    agrees(program, np.linalg.solve(SYSTEMS, b), SYSTEMS, b)


@pytest.mark.parametrize("shape", [(3,), (3, 3), (3, 2), (3, 3, 1)])
def test_jax_solves_triangles_for_vectors_where_the_sizes_say_so(shape):
    def solved(a, b):
        return jax.scipy.linalg.solve_triangular(a, b, lower=True)

    b = RNG.normal(size=shape).astype(np.float32)
    program = gfx.symbolic_trace(solved, jnp.asarray(SYSTEMS), jnp.asarray(b))
    agrees(program, solved(jnp.asarray(SYSTEMS), jnp.asarray(b)), SYSTEMS, b)


def test_whether_pytorch_solves_for_vectors_is_not_guessed_of_open_sizes():
    def solved(a, b):
        return torch.linalg.solve(a, b)

    program = gfx.symbolic_trace(solved, torch.tensor(SYSTEMS[:2]), torch.tensor(SYSTEMS[0]), dynamic=True)
    want = solved(torch.tensor(SYSTEMS[:2]), torch.tensor(SYSTEMS[0]))
    agrees(program, want, SYSTEMS[:2], SYSTEMS[0])
    with pytest.raises(gfx.GfxError):
        program(torch.tensor(SYSTEMS[:1]), torch.tensor(SYSTEMS[0]))


@pytest.mark.parametrize(
    "function, backend",
    [
        (lambda x: np.cov(x), "numpy"),
        (lambda x: np.corrcoef(x), "numpy"),
        (lambda x: torch.cov(x), "torch"),
        (lambda x: torch.corrcoef(x), "torch"),
        (lambda x: jnp.cov(x), "jax"),
    ],
)
def test_covariances_of_one_row_are_a_number(function, backend):
    make = TARGETS[backend]
    several, one = (RNG.normal(size=(rows, 5)).astype(np.float32) for rows in (3, 1))
    program = gfx.symbolic_trace(function, make(several), backend=backend, dynamic=True)
    more = RNG.normal(size=(4, 5)).astype(np.float32)
    agrees(program, function(make(more)), more)
    with pytest.raises(gfx.GfxError, match="2 or more"):
        program(make(one))
    agrees(gfx.symbolic_trace(function, make(one), backend=backend), function(make(one)), one)


@pytest.mark.parametrize("shape", [(3,), (0,), (2, 3), (0, 3), ()])
@pytest.mark.parametrize("np_, backend", [(np, "numpy"), (jnp, "jax")])
def test_a_number_is_inserted_into_no_elements(np_, backend, shape):
    def inserted(x):
        return np_.insert(x, 0, 9)

    x = RNG.normal(size=shape)
    agrees(gfx.symbolic_trace(inserted, backend=backend), np.insert(x, 0, 9), x)


def test_an_insertion_beyond_the_end_raises_as_numpy_does():
    program = gfx.symbolic_trace(lambda x: np.insert(x, 3, 9), backend="numpy")
    agrees(program, [1, 2, 3, 9], np.array([1.0, 2.0, 3.0]))
    for target in ("numpy", "torch"):
        with pytest.raises(IndexError):
            program.to(target)(TARGETS[target]([1.0, 2.0]))


@pytest.mark.parametrize("shape", [(3,), (3, 1), (3, 3), (1, 1), (2, 3)])
def test_a_diagonal_is_filled_with_elements_in_order(shape):
    def filled(x, y):
        return jnp.fill_diagonal(x, y, inplace=False)

    x, y = RNG.normal(size=(3, 3)).astype(np.float32), RNG.normal(size=shape).astype(np.float32)
    given = jnp.asarray(x), jnp.asarray(y)
    agrees(gfx.symbolic_trace(filled, *given), filled(*given), x, y)
