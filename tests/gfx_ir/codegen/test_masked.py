"""Selections by a mask that JAX compiles: what follows from them is computed everywhere, and the mask chooses."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves
from sweeps import one_in

pytestmark = pytest.mark.usefixtures("wide")
XS = [[1.0, -2.0, 3.0, 0.0], [-1.0, -0.5, -3.0, -4.0], [2.0, 9.0, 0.5, 4.0]]


def flips(x):
    y = x.clone()
    y[y < 0] *= -1
    return y


def under_a_test(x):
    y = x.clone()
    m = y > 1
    if m.any():
        y[m] = y[m] + 10
    return y


def of_several(x):
    y, z = x.clone(), x * 3
    m = (x > 0) & (z < 8)
    y[m] = z[m] / 2 - torch.exp(y[m]) * 2
    return y


def functions_of_all_numbers(x):
    y = x.clone()
    m = y > 0.1
    y[m] = torch.erf(y[m]) + torch.nn.functional.gelu(y[m] * 2) - torch.asinh(y[m])
    return y


def in_a_loop(x):
    while (x > 1).any():
        x[x > 1] = x[x > 1] * 0.5
    return x


def roots(x):
    y = x.clone()
    m = y > 0
    y[m] = torch.sqrt(y[m])
    return y


def defined_there_alone(x):
    y = x.clone()
    m = y > 1.5
    y[m] = (
        torch.acosh(y[m])
        + torch.log(torch.atanh(1 / y[m]))
        + torch.erfinv(1 / y[m])
        - torch.special.xlog1py(y[m], y[m])
    )
    return y


def sums(x):
    chosen = x[x > -1]
    return chosen.sum(), x[x > 0].prod(), (x[x < 0] ** 2).sum()


def means(x):
    return x[x > -3].mean()


def stacked(x):
    a = torch.stack([x, x + 1])
    a[a > 1] -= 1
    return a


CASES = [
    flips,
    under_a_test,
    of_several,
    functions_of_all_numbers,
    in_a_loop,
    roots,
    defined_there_alone,
    sums,
    means,
    stacked,
]


@pytest.mark.parametrize("level", [0, 1])
@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_results_are_equal_under_jit(fn, level):
    program = gfx.symbolic_trace(fn, *([torch.tensor(XS[0])] if level else []), backend="torch")
    compiled = jax.jit(program.module("jax").load())
    for x in XS:
        want, got = fn(torch.tensor(x)), compiled(jnp.asarray(x, jnp.float32))
        got = got[0] if program.writes else got
        for a, b in zip(leaves(want), leaves(got), strict=True):
            np.testing.assert_allclose(np.asarray(a), np.asarray(b), rtol=1e-5)


@pytest.mark.parametrize(
    "fn", [flips, of_several, functions_of_all_numbers, roots, defined_there_alone, means], ids=lambda f: f.__name__
)
def test_gradients_see_only_what_the_mask_chose(fn):
    program = gfx.symbolic_trace(fn, torch.tensor(XS[0]), backend="torch").module("jax").load()
    for x in XS:
        mine = torch.tensor(x, requires_grad=True)
        (want,) = torch.autograd.grad(fn(mine).sum(), [mine])
        got = jax.grad(lambda a: jnp.sum(program(a)))(jnp.asarray(x, jnp.float32))
        np.testing.assert_allclose(want.numpy(), np.asarray(got), rtol=1e-5)


@pytest.mark.parametrize("shape", [(3,), (3, 3)])
def test_a_mask_of_less_axes_selects_rows(shape):
    """Nothing tells which shape an argument without a type has: a sum may have more axes than what it is made of."""

    def doubled(z, w):
        x = z + w
        m = z > 0
        x[m] = x[m] * 2
        return x

    z, w = torch.tensor([1.0, -1.0, 1.0]), torch.ones(shape)
    program = gfx.symbolic_trace(doubled, backend="torch")
    for target, array in (("torch", torch.tensor), ("jax", jnp.asarray)):
        got = program.to(target)(array(z.tolist()), array(w.tolist()))
        np.testing.assert_allclose(np.asarray(got), doubled(z, w).numpy())


def test_numpy_masks_too():
    def centred(x):
        good = ~np.isnan(x)
        x = x.copy()
        x[good] = x[good] - x[good].mean()
        return x

    x = np.array([1.0, np.nan, 4.0])
    program = gfx.symbolic_trace(centred, x)
    np.testing.assert_allclose(jax.jit(program.module("jax").load())(x), centred(x))


def test_a_selection_that_is_returned_stays_one():
    program = gfx.symbolic_trace(lambda x: x[x > 0] * 2, torch.tensor(XS[0], dtype=torch.float32))
    np.testing.assert_allclose(program.to("jax")(jnp.asarray(XS[0], "float32")), [2.0, 6.0])


@pytest.mark.parametrize(
    "start, stop, step", one_in(4, itertools.product([0, 2, 7, -2, -9], [0, 3, 6, -1, -8], [1, 2, 4, -1, -3]))
)
def test_a_number_written_to_slices_whose_bounds_are_data(start, stop, step):
    def f(x, start, stop, step):
        x = x.copy()
        x[start:stop:step, 1] = 7
        x[0, start:] = -1
        x[:, ::step] = 5
        return x

    x = np.arange(30.0).reshape(6, 5)
    program = gfx.symbolic_trace(f, x, *map(np.asarray, (start, stop, step)))
    np.testing.assert_array_equal(jax.jit(program.to("jax"))(x, start, stop, step), f(x, start, stop, step))


def test_a_sieve_whose_length_is_data():
    def primes(is_prime, n):
        i = 2
        while i * i < n:
            if is_prime[i]:
                is_prime[i * i :: i] = False
            i = i + 1
        return is_prime

    x = np.ones(60, bool)
    program = gfx.symbolic_trace(primes, x, np.asarray(60))
    found, _ = jax.jit(program.to("jax"))(x, 60)
    np.testing.assert_array_equal(found, primes(x, 60))


def test_a_loop_of_pythons_own_may_change_the_rank_of_what_a_mask_selects_from():
    def stacked(x: torch.Tensor, n: int):
        m = x > 0
        for _ in range(n):
            x = x.clone()
            x[m] = x[m] * 2
            x = torch.stack([x, x, x])
        return x

    written, x = gfx.symbolic_trace(stacked).to("jax"), torch.tensor([1.0, -2.0, 3.0])
    for n in range(3):
        np.testing.assert_allclose(written(jnp.asarray(x.numpy()), n), stacked(x, n).numpy())


def test_what_a_loop_of_pythons_own_carries_need_not_have_the_shape_that_it_begins_with():
    def grows(x: torch.Tensor, n: int, t: torch.Tensor):
        w = y = x * 2
        for _ in range(n):
            y = x if t > 0 else w
            x = torch.stack([x, x])
        return y

    written, x = gfx.symbolic_trace(grows).to("jax"), torch.tensor([1.0, 2.0])
    for t in (-1.0, 1.0):
        given = jnp.asarray(x.numpy()), 1, jnp.asarray(t)
        np.testing.assert_allclose(written(*given), grows(x, 1, torch.tensor(t)).numpy())
    with pytest.raises(TypeError, match="cond branches must have equal output types"):
        written(jnp.asarray(x.numpy()), 2, jnp.asarray(1.0))


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize(
    "mask", [lambda x: ~(x > 0), lambda x: (x > 0) & (x < 2), lambda x: True | (x > 0), lambda x: (x > 0) ^ (x > 1)]
)
def test_a_mask_is_one_whatever_it_is_made_with(mask, typed):
    def written(x):
        y, chosen = x * 1, mask(x)
        y[chosen] = 3.0
        if x.sum() > 0:
            y[~chosen] = 4.0
        return y

    for numbers in XS:
        x = torch.tensor(numbers, dtype=torch.float64)
        program = gfx.symbolic_trace(written, *((x,) if typed else ()), backend="torch")
        np.testing.assert_allclose(jax.jit(program.to("jax"))(jnp.array(numbers)), written(x).numpy())
