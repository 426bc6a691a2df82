"""Functions of jax.lax that are no single op, against JAX itself."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
from jax import lax, random
from jax.scipy import linalg, special

import gfx_trace as gfx
from gfx_ir.errors import MissingOp
from gfx_jax.jaxpr.parameters import Parameters
from sweeps import one_in

X = jnp.asarray(np.random.default_rng(0).standard_normal((4, 5)), jnp.float32)
WHOLE = jnp.asarray(np.random.default_rng(1).integers(-50, 50, (4, 5)), jnp.int8)
WORDS = jnp.array([0, 5, 2**31 + 7, 2**32 - 3], dtype=jnp.uint32)
TIES = jnp.array([[3, 1, 3, 2], [0, 0, 0, 0]], jnp.int32)
COMPLEX = lax.complex(X, X[::-1])
AT = jnp.array([[0], [3], [9], [-2]])
SQUARE = X[:, :4] @ X[:, :4].T + 4 * jnp.eye(4)
WINDOW = lax.GatherDimensionNumbers((0, 2), (), (0,))
WRITTEN = lax.ScatterDimensionNumbers((1,), (0,), (0,))
MODES = "clip", "fill"


def gathering(mode):
    return lambda x: lax.gather(x, AT, WINDOW, (2, 5), mode=mode)


def scattering(function, mode):
    return lambda x: function(x, AT, 2 * x[:4], WRITTEN, mode=mode)


COMBINING = lax.scatter_add, lax.scatter_sub, lax.scatter_mul, lax.scatter_min, lax.scatter_max
CALLS = {
    **{f"gather {mode}": gathering(mode) for mode in MODES},
    **{f"{fn.__name__} {mode}": scattering(fn, mode) for mode in MODES for fn in COMBINING},
    "scatter": lambda x: lax.scatter(X, AT[:3], X[:3], WRITTEN, mode="fill"),
    **{
        f"segment {name}": lambda x, f=getattr(jax.ops, f"segment_{name}"): (
            f(x[:4], AT[:, 0], 3),
            f(WHOLE[:4, 0], AT[:, 0] - 1, 4),
        )
        for name in ("sum", "prod", "min", "max")
    },
    "top_k": lambda x: lax.top_k(TIES, 3),
    "sort": lambda x: lax.sort((TIES, jnp.flip(TIES, 1)), num_keys=2),
    "sort of keys": lambda x: lax.sort_key_val(TIES, TIES + 1),
    "cumsum": lambda x: lax.cumsum(WHOLE, axis=1, reverse=True),
    "reduce_prod": lambda x: lax.reduce_prod(WHOLE, (0,)),
    "conj": lambda x: lax.conj(X),
    "round": lambda x: lax.round(X * 2, lax.RoundingMethod.AWAY_FROM_ZERO),
    "left eigenvectors": lambda x: abs(
        jnp.stack(lax.linalg.eig(jnp.triu(SQUARE), compute_right_eigenvectors=False)[1:])
    ),
    "bits": lambda x: lax.bitcast_convert_type(X, jnp.int8),
    "bits of bits": lambda x: lax.bitcast_convert_type(WHOLE[:, :4], jnp.float32),
    "bits as words": lambda x: WHOLE[:, :4].view(jnp.uint32),
    "leading zeros": lambda x: lax.clz(WHOLE),
    "bits of ones": lambda x: lax.population_count(WHOLE),
    "bits that all rows have": lambda x: lax.reduce_and(WHOLE, (0,)),
    "bits that a row has": lambda x: jax.vmap(lambda row: lax.reduce(row, jnp.int32(0), lax.bitwise_or, (0,)))(WHOLE),
    "parity of bits": lambda x: jnp.bitwise_xor.reduce(WHOLE, axis=1),
    "parity of truths": lambda x: lax.reduce(x > 0, False, lax.bitwise_xor, (0, 1)),
    "bits of ones of a size": lambda x: jnp.bitwise_count(WHOLE),
    "parts of a complex number that broadcast": lambda x: jnp.abs(lax.complex(x[:, :1], x[:1])),
    "order of complex numbers": lambda x: COMPLEX >= jnp.max(COMPLEX, axis=1, keepdims=True),
    "betainc": lambda x: lax.betainc(abs(X), abs(X) + 1, jnp.tanh(abs(X))),
    "cbrt": lambda x: lax.cbrt(X),
    "tridiagonal": lambda x: lax.linalg.tridiagonal_solve(X, X + 6, X[::-1], X[:, :, None]),
    "select_n": lambda x: lax.select_n(TIES % 3, TIES, -TIES, TIES * 7),
    "shift": lambda x: lax.shift_right_logical(WHOLE, jnp.full_like(WHOLE, 3)),
    "shift of a first bit": lambda x: lax.shift_right_arithmetic(WORDS, WORDS % 40),
    "bits of a hash": lambda x: ~(WORDS << 13 | WORDS >> jnp.uint32(19)) ^ (WORDS << 33) + jnp.gcd(WORDS, 12),
    "precision": lambda x: lax.reduce_precision(X, 8, 7),
    "windows of numbers": lambda x: lax.reduce_window(WHOLE, jnp.int8(3), lax.add, (2, 2), (1, 2), "SAME"),
    "windows apart": lambda x: lax.reduce_window(X, 1.0, lax.mul, (2, 2), (1, 1), "VALID", (1, 2), (2, 1)),
    "padded": lambda x: lax.pad(X, 7.0, ((1, -1, 2), (-2, 3, 0))),
    "groups of a batch": lambda x: lax.conv_general_dilated(
        X.reshape(2, 1, 10), X[:, None], (1,), "SAME", batch_group_count=2
    ),
    "spread": lambda x: lax.conv_general_dilated(X[None], X[:, :4, None], (1,), [(-1, 2)], lhs_dilation=(2,)),
    "channels last": lambda x: lax.conv_general_dilated(
        X[None], X[None], (2,), "SAME", None, None, ("NWC", "WOI", "NWC")
    ),
    "dot of truths": lambda x: lax.dot_general(X > 0, X.T > 1, (((1,), (0,)), ((), ()))),
    "dot of two dtypes": lambda x: lax.dot_general(
        WHOLE, X, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32
    ),
    "triangular": lambda x: lax.linalg.triangular_solve(SQUARE, X.T, left_side=False, lower=True, transpose_a=True),
    "cholesky": lambda x: lax.linalg.cholesky(SQUARE),
    "solved by a factor": lambda x: linalg.cho_solve(linalg.cho_factor(SQUARE @ SQUARE.T), X[0, :4]),
    "solved by a lower one": lambda x: linalg.cho_solve((linalg.cholesky(SQUARE @ SQUARE.T, True), True), X),
    "lu": lambda x: lax.linalg.lu(SQUARE[::-1]),
    "svd": lambda x: lax.linalg.svd(SQUARE, compute_uv=False),
    "axes in another order": lambda x: lax.reshape(X, (2, 10), (1, 0)),
    "rows as columns": lambda x: jnp.column_stack(x),
    "rows in depth": lambda x: jnp.dstack(x),
    "fft": lambda x: lax.fft(COMPLEX, "FFT", (4, 5)),
    "cond of None": lambda x: lax.cond(x[0, 0] > 9, lambda _: x, lambda y: x * 2 if y is None else x, operand=None),
    "cond of an operand by its name": lambda x: lax.cond(x[0, 0] > 9, jnp.sin, lambda y=3.0: y * 2, operand=x),
    "cond by names": lambda x: lax.cond(pred=x[0, 0] > 9, true_fun=lambda: x, false_fun=lambda: -x),
    "cond of an operand for each side": lambda x: lax.cond(x[0, 0] > 9, x, jnp.sin, (x, 2), lambda y: y[0] * y[1]),
    "switch of None": lambda x: lax.switch(x[0, 0].astype(int) + 1, [lambda _: x, lambda _: x * 2], operand=None),
    "scalars": lambda x: x * jnp.isscalar(x[0, 0]) + jnp.isscalar(x) + 2 * jnp.isscalar(3.0) + jnp.isscalar([1]),
}


@pytest.mark.parametrize("name", one_in(3, CALLS))
def test_as_jax_computes_it(name):
    compared(CALLS[name])


def compared(call):
    """The call on X in every target, against JAX itself."""
    want = jax.tree.leaves(call(X))
    program = gfx.symbolic_trace(call, X)
    given = {"torch": torch.from_numpy(np.array(X)), "numpy": np.asarray(X), "jax": X}
    for target, x in given.items():
        for a, b in zip(want, jax.tree.leaves(program.to(target)(x)), strict=True):
            np.testing.assert_allclose(np.asarray(b), np.asarray(a), rtol=1e-4, atol=1e-5)
            assert str(b.dtype).removeprefix("torch.") == str(a.dtype)


# ---------------------------------------------------------------- jax.nn, jax.scipy.special
POSITIVE, SOME = abs(X) + 0.1, jnp.array([-2.5, -1.5, 0.0, 0.5, 3.0])
FUNCTIONS = {
    "exp1": lambda x: special.exp1(POSITIVE),
    "expi": lambda x: special.expi(x),
    "expn": lambda x: special.expn(jnp.array([1, 2, 3, 4, 5]), POSITIVE),
    "beta": lambda x: special.beta(POSITIVE, abs(x)),
    "boxcox": lambda x: special.boxcox(POSITIVE, jnp.round(x)),
    "boxcox1p": lambda x: special.boxcox1p(POSITIVE, jnp.round(x)),
    "factorial": lambda x: special.factorial(jnp.round(x)),
    "gamma": lambda x: special.gamma(x),
    "gammasgn": lambda x: special.gammasgn(x),
    "kl_div": lambda x: special.kl_div(POSITIVE, jnp.maximum(x, 0)),
    "rel_entr": lambda x: special.rel_entr(jnp.maximum(x, 0), POSITIVE),
    "softmax": lambda x: special.softmax(x),
    "log_softmax": lambda x: special.log_softmax(x, axis=0),
    "identity": lambda x: jax.nn.identity(x),
    "log1mexp": lambda x: jax.nn.log1mexp(POSITIVE),
    "sparse_plus": lambda x: jax.nn.sparse_plus(x),
    "sparse_sigmoid": lambda x: jax.nn.sparse_sigmoid(x),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    compared(FUNCTIONS[name])


# ---------------------------------------------------------------- jax.random
DRAWS = {
    "exponential": lambda x, key: random.exponential(key, (3, 4)),
    "laplace": lambda x, key: random.laplace(key, (3, 4)),
    "logistic": lambda x, key: random.logistic(key, (3, 4)),
    "cauchy": lambda x, key: random.cauchy(key, (3, 4)),
    "gumbel": lambda x, key: random.gumbel(key, (3, 4)),
    "categorical": lambda x, key: random.categorical(key, x),
    "categorical of a shape": lambda x, key: random.categorical(key, x, axis=0, shape=(6, 5)),
    "rademacher": lambda x, key: random.rademacher(key, (6,)),
    "lognormal": lambda x, key: random.lognormal(key, 0.5, (6,)),
    "pareto": lambda x, key: random.pareto(key, 2.0, (6,)),
    "rayleigh": lambda x, key: random.rayleigh(key, 2.0, (6,)),
    "weibull_min": lambda x, key: random.weibull_min(key, 2.0, 1.5, (6,)),
    "split": lambda x, key: random.normal(random.split(random.split(key, 3)[2], 1)[0], (3,)),
    "fold_in": lambda x, key: random.normal(random.clone(random.fold_in(key, 7)), (3,)),
    "folded in a loop": lambda x, key: lax.fori_loop(0, 3, lambda i, a: a + random.normal(random.fold_in(key, i)), 0.0),
    "permutation": lambda x, key: random.permutation(key, 6),
    "permutation of rows": lambda x, key: random.permutation(key, x, axis=1),
    "choice": lambda x, key: random.choice(key, x, (2, 3), axis=1),
    "choice of numbers": lambda x, key: random.choice(key, 9, (2, 3), replace=False),
    "choice by chances": lambda x, key: random.choice(key, 5, (7,), p=jax.nn.softmax(x[0])),
    "choice by truths": lambda x, key: random.choice(key, 3, (7,), p=x[0, :3] > -9),
    "choice by counts": lambda x, key: random.choice(key, 3, (2,), replace=False, p=jnp.array([2, 1, 3])),
    "choice of different ones": lambda x, key: random.choice(key, x[0], (3,), replace=False, p=jax.nn.softmax(x[0])),
    "gamma": lambda x, key: random.gamma(key, abs(x)),
    "loggamma": lambda x, key: random.loggamma(key, 0.01, (4,)),
    "beta": lambda x, key: random.beta(key, 0.5, abs(x)),
    "dirichlet": lambda x, key: random.dirichlet(key, abs(x[0]), (3,)),
    "t": lambda x, key: random.t(key, 3.0, (4,)),
    "chisquare": lambda x, key: random.chisquare(key, abs(x)),
    "f": lambda x, key: random.f(key, 3.0, 4.0, (5,)),
    "generalized_normal": lambda x, key: random.generalized_normal(key, 1.5, (5,)),
    "ball": lambda x, key: random.ball(key, 3, shape=(4,)),
    "poisson": lambda x, key: random.poisson(key, abs(x) * 9),
    "binomial": lambda x, key: random.binomial(key, 20, jax.nn.sigmoid(x)),
    "multivariate_normal": lambda x, key: random.multivariate_normal(key, x[:, 0], SQUARE, (3,)),
    "truncated_normal": lambda x, key: random.truncated_normal(key, -1.0, jnp.array([0.5, 1.0])),
    "orthogonal": lambda x, key: random.orthogonal(key, 3, (2,)),
    "maxwell": lambda x, key: random.maxwell(key, (4,)),
    "double_sided_maxwell": lambda x, key: random.double_sided_maxwell(key, 1.0, 2.0, (4,)),
    "wald": lambda x, key: random.wald(key, 2.0, (4,)),
    "geometric": lambda x, key: random.geometric(key, 0.3, (9,)),
    "triangular": lambda x, key: random.triangular(key, -1.0, 0.5, 2.0, (9,)),
}


@pytest.mark.parametrize("name", one_in(4, DRAWS))
def test_equal_keys_give_equal_numbers(name):
    key, call = random.key(3), DRAWS[name]
    got, want = gfx.symbolic_trace(call, X).to("jax")(X, key), call(X, key)
    assert got.dtype == want.dtype
    np.testing.assert_allclose(np.asarray(got), np.asarray(want), rtol=1e-6)


@pytest.mark.parametrize(
    ("x", "update"), [((3,), ()), ((3, 2), (2,)), ((3, 2), (1, 2))], ids=["number", "row", "slice"]
)
def test_an_update_by_index_may_lack_the_axis(x, update):
    def written(x, update):
        return jax.lax.dynamic_update_index_in_dim(x, update, 1, axis=0)

    given = jnp.zeros(x), jnp.full(update, 2.0)
    found = gfx.transpile(written, *given, to="torch")(*(torch.tensor(np.array(a)) for a in given))
    np.testing.assert_allclose(found, written(*given))


def test_a_parameter_that_a_rule_passes_over_is_refused():
    given = Parameters({"new_sizes": (3, 2), "dimensions": (1, 0), "sharding": object()})
    assert given["new_sizes"] == (3, 2)
    with pytest.raises(MissingOp, match="'reshape' with dimensions="):
        given.settle("reshape")
    assert given.get("dimensions")
    given.settle("reshape")


def turned(x):
    """What Python makes of ~True is -2, and of 1 / 0.0 an error."""
    found = lax.cond(x.sum() > 0, lambda: True, lambda: False)
    least = lax.switch(0 + (x[0] > 0), [lambda: 0.5, lambda: 0.0])
    _, flags = lax.fori_loop(0, 3, lambda i, c: (c[0] + 1, ~c[1]), (0, True))
    return ~found, 1 / least, jnp.where(~found, 1 / least, least**-2), flags


@pytest.mark.parametrize("to", ["jax", "torch", "numpy"])
@pytest.mark.parametrize("sign", [1, -1])
def test_truths_and_fractions_that_tests_and_loops_give_are_arrays(sign, to):
    x = sign * jnp.arange(1.0, 4.0)
    made = gfx.transpile(turned, x, to=to)
    given = {"jax": x, "torch": torch.tensor(np.asarray(x)), "numpy": np.asarray(x)}[to]
    with np.errstate(divide="ignore"):
        have = made(given)
    for one, other in zip(turned(x), have, strict=True):
        assert np.asarray(other).dtype.kind == one.dtype.kind
        np.testing.assert_array_equal(one, other)
