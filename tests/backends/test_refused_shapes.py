"""Functions of NumPy's and JAX's that take arrays of some ranks, or positions within an axis: all that comes of them refuses others."""

import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax

import gfx_trace as gfx


def put(x, at, values):
    np.put_along_axis(x, at, values, 1)
    return x


MATRIX, VECTOR, ROWS = np.ones((2, 3)), np.arange(3.0), np.array([[0, 1]])
CASES = {
    "norm": (lambda x: np.linalg.norm(x, ord=np.inf), (VECTOR,), (np.ones((2, 2, 2)),)),
    "outer": (lambda a, b: np.linalg.outer(a, b), (VECTOR, VECTOR), (MATRIX, VECTOR)),
    "vander": (lambda x: np.vander(x), (VECTOR,), (MATRIX,)),
    "nonzero": (lambda x: np.nonzero(x), (VECTOR,), (np.array(3.0),)),
    "put_along_axis": (put, (MATRIX, ROWS, np.ones((1, 2))), (MATRIX, ROWS[0], np.ones(2))),
    "delete": (lambda x: np.delete(x, -3), (VECTOR,), (VECTOR[:2],)),
    "delete of several": (lambda x: np.delete(x, [0, 2]), (VECTOR,), (VECTOR[:2],)),
    "compress": (lambda c, x: np.compress(c, x), (VECTOR > 1, VECTOR), (MATRIX > 1, VECTOR)),
    "ix_": (lambda x, i: x[np.ix_(i, i)], (MATRIX, ROWS[0]), (MATRIX, ROWS)),
    "cumulative_sum": (lambda x: np.cumulative_sum(x), (VECTOR,), (MATRIX,)),
    "histogram": (lambda x, w: np.histogram(x, 2, weights=w)[0], (MATRIX, MATRIX), (MATRIX, MATRIX.T)),
    "average": (lambda x, w: np.average(x, weights=w), (MATRIX, MATRIX), (MATRIX, VECTOR + 1)),
    "average of fewer": (lambda x, w: np.average(x, weights=w), (MATRIX, MATRIX), (MATRIX, MATRIX[:1])),
    "average of rows": (lambda x, w: np.average(x, axis=0, weights=w), (MATRIX, VECTOR[1:]), (MATRIX, VECTOR[1:2])),
    "sum where": (lambda x, w: np.sum(x, where=w), (MATRIX, VECTOR > 1), (VECTOR, MATRIX > 1)),
    "max where": (lambda x, w: np.max(x, initial=0, where=w), (VECTOR, VECTOR > 1), (VECTOR[:1], VECTOR > 1)),
    "searchsorted": (lambda x, v: np.searchsorted(x, v), (VECTOR, MATRIX), (MATRIX, MATRIX)),
    "digitize": (lambda x, v: np.digitize(x, v), (MATRIX, VECTOR), (MATRIX, MATRIX)),
    "interp": (lambda x, v: np.interp(x, v, v), (MATRIX, VECTOR), (VECTOR, MATRIX)),
    "convolve": (lambda x, v: np.convolve(x, v), (VECTOR, VECTOR), (VECTOR[:1], MATRIX)),
    "matvec": (lambda a, v: np.matvec(a, v), (MATRIX, VECTOR), (VECTOR, VECTOR)),
    "vecmat": (lambda v, a: np.vecmat(v, a), (VECTOR[1:], MATRIX), (MATRIX[:1], VECTOR)),
    "vecdot": (lambda a, v: np.vecdot(a, v), (MATRIX, VECTOR), (MATRIX[:, :1], VECTOR)),
    "vdot": (lambda a, v: np.vdot(a, v), (VECTOR, VECTOR), (VECTOR[:1], VECTOR)),
    "inner": (lambda a, v: np.inner(a, v), (VECTOR, VECTOR), (VECTOR[:1], VECTOR)),
    "tensordot": (lambda a, v: np.tensordot(a, v, 1), (MATRIX, VECTOR), (MATRIX, VECTOR[:1])),
    "cov": (lambda x, w: np.cov(x, aweights=w), (MATRIX, VECTOR + 1), (MATRIX, MATRIX)),
    "quantile": (
        lambda x, q: np.quantile(x, q, axis=1),
        (MATRIX, np.array([[0.1, 0.5], [0.2, 0.9]])),
        (MATRIX, np.full((1, 1, 1), 0.5)),
    ),
    "lexsort": (lambda a, v: np.lexsort((a, v)), (VECTOR, VECTOR), (VECTOR, VECTOR[:1])),
    "jax's delete": (lambda x: jnp.delete(x, 2), (jnp.arange(3),), (jnp.arange(2),)),
    "jax's vander": (lambda x: jnp.vander(x), (jnp.arange(3.0),), (jnp.ones((2, 2)),)),
    "jax's meshgrid": (lambda x: jnp.meshgrid(x), (jnp.ones(3),), (jnp.ones(()),)),
    "jax's nonzero": (lambda x: jnp.nonzero(x, size=2), (jnp.ones(3),), (jnp.array(3.0),)),
}


OF_LAX = {
    "select": (lambda x, y: lax.select(x > 0, x, y), (jnp.ones(3), jnp.ones(3)), (jnp.ones(3), jnp.ones(1))),
    "select by": (lambda x, y: lax.select(y > 0, x, x), (jnp.ones(3), jnp.ones(())), (jnp.ones(3), jnp.ones(1))),
    "pad": (
        lambda x, y: lax.pad(x, y, ((1, 0, 0),)),
        (jnp.ones(3), jnp.ones(())),
        (jnp.ones(3), jnp.ones(1)),
    ),
}
"""Functions of jax.lax of which other shapes are refused where they are known."""


def fresh(args):
    return [np.array(x) if isinstance(x, np.ndarray) else x for x in args]


def test_what_is_written_has_no_more_elements_than_its_place():
    with pytest.raises(gfx.GfxError, match="larger than what it is written to"):
        gfx.symbolic_trace(lambda x, y: x.at[0].set(y), jnp.ones((2, 3)), jnp.ones((2, 3)))
    want = jnp.ones((2, 3)).at[0].set(5.0)

    def written(x, y):
        x[0] = y
        return x

    made = gfx.symbolic_trace(written, MATRIX.copy(), np.full((1, 3), 5.0)).to("jax")
    np.testing.assert_array_equal(made(jnp.ones((2, 3)), jnp.full((1, 3), 5.0))[0], want)


@pytest.mark.parametrize("name", CASES)
def test_arrays_of_other_shapes_are_refused_as_the_author_s_framework_refuses_them(name):
    fn, taken, others = CASES[name]
    own = "jax" if "jax" in name else "numpy"
    want = fn(*fresh(taken))
    np.testing.assert_array_equal(np.asarray(gfx.symbolic_trace(fn, *fresh(taken))(*fresh(taken))), np.asarray(want))
    with pytest.raises((ValueError, IndexError, TypeError, RuntimeError)):
        fn(*fresh(others))
    with pytest.raises(gfx.GfxError):
        gfx.symbolic_trace(fn, *fresh(others))
    try:
        graph = gfx.symbolic_trace(fn, backend=own)
    except gfx.GfxError:
        return
    for run, make in ((graph, np.array), (graph.to("torch"), torch.tensor)):
        with pytest.raises((gfx.GfxError, IndexError, AssertionError, ValueError, RuntimeError)):
            run(*[make(np.asarray(x)) for x in others])


@pytest.mark.parametrize("name", OF_LAX)
def test_arrays_that_jax_lax_spreads_over_no_others(name):
    fn, taken, others = OF_LAX[name]
    np.testing.assert_array_equal(
        gfx.symbolic_trace(fn, *taken).to("torch")(*map(torch.tensor, map(np.asarray, taken))), fn(*taken)
    )
    with pytest.raises((TypeError, ValueError)):
        fn(*others)
    with pytest.raises(gfx.GfxError):
        gfx.symbolic_trace(fn, *others)
