"""Draws: what every framework's numbers have in common: shape, dtype, distribution, and that the key alone decides."""

import random

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir import dtypes, ops
from gfx_ir.errors import BackendError, GfxError
from gfx_ir.loading import backend
from gfx_ir.op import evaluate

BACKENDS = ("reference", "torch", "jax")
MANY = (20000,)


class Reference:
    """The ops on NumPy data, as a backend has them."""

    run = staticmethod(evaluate)
    to_host = staticmethod(np.asarray)


@pytest.fixture(params=BACKENDS)
def draw(request):
    """A function that draws under a fresh key of this seed, and gives NumPy data."""
    if request.param == "reference":
        target = Reference()
    else:
        try:
            target = backend(request.param)
        except BackendError as error:
            pytest.skip(str(error))

    def run(name, *args, seed=0, **kwargs):
        key = target.run(ops.make_key, (seed,))
        op = getattr(ops, name)
        return target.to_host(target.run(op, op.bind(key, *args, **kwargs)))

    run.target = target
    return run


@pytest.mark.parametrize("name", ("uniform", "normal"))
def test_dtype_and_shape(draw, name):
    for dtype in ("float32", "float16", "bfloat16"):
        drawn = draw(name, (2, 3), dtype=dtypes.dtype(dtype))
        assert (drawn.shape, str(drawn.dtype)) == ((2, 3), dtype)
    assert draw(name, (), dtype=dtypes.float32).shape == ()


def test_the_key_decides(draw):
    first, again, other = (draw("normal", (8,), seed=seed) for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()


def test_uniform(draw):
    drawn = draw("uniform", MANY, -1.0, 3.0, dtype=dtypes.float32)
    assert drawn.min() >= -1
    assert drawn.max() < 3
    assert drawn.mean() == pytest.approx(1, abs=0.05)
    assert drawn.std() == pytest.approx(4 / 12**0.5, abs=0.05)


def test_uniform_of_a_narrow_dtype_stays_below_its_end(draw):
    drawn = draw("uniform", MANY, dtype=dtypes.dtype("bfloat16")).astype("float32")
    assert drawn.min() >= 0
    assert drawn.max() < 1


def test_normal(draw):
    drawn = draw("normal", MANY, 2.0, 0.5, dtype=dtypes.float32)
    assert drawn.mean() == pytest.approx(2, abs=0.02)
    assert drawn.std() == pytest.approx(0.5, abs=0.02)


def test_bernoulli(draw):
    drawn = draw("bernoulli", 0.3, MANY)
    assert drawn.dtype == bool
    assert drawn.mean() == pytest.approx(0.3, abs=0.02)


def test_randint(draw):
    drawn = draw("randint", MANY, -2, 3, dtype=dtypes.int32)
    assert drawn.dtype == np.int32
    assert set(drawn.tolist()) == {-2, -1, 0, 1, 2}
    assert drawn.mean() == pytest.approx(0, abs=0.05)


def test_gamma(draw):
    for a in (0.3, np.float32(4.5)):
        drawn = draw("gamma", a, MANY, dtype=dtypes.float32)
        assert drawn.dtype == np.float32
        assert drawn.mean() == pytest.approx(a, rel=0.05)
        assert drawn.var() == pytest.approx(a, rel=0.1)
    assert np.isfinite(draw("gamma", 1e-3, MANY, dtype=dtypes.float32, log=True)).all()


def test_counts(draw):
    drawn = draw("poisson", 4.5, MANY, dtype=dtypes.int32)
    assert (drawn.dtype, drawn.mean(), drawn.var()) == (
        np.int32,
        pytest.approx(4.5, rel=0.03),
        pytest.approx(4.5, rel=0.1),
    )
    drawn = draw("binomial", 20, 0.3, MANY, dtype=dtypes.float32)
    assert (drawn.dtype, drawn.mean(), drawn.var()) == (
        np.float32,
        pytest.approx(6, rel=0.03),
        pytest.approx(4.2, rel=0.1),
    )


def test_permutation(draw):
    first, other = (draw("permutation", 500, seed=seed) for seed in (1, 2))
    assert sorted(first.tolist()) == list(range(500))
    assert (first != other).any()


def test_parts_of_a_key_and_numbers_that_are_folded_in_make_other_keys():
    key = evaluate(ops.make_key, (3,))
    keys = [*evaluate(ops.split_key, (key, 3)), *(evaluate(ops.fold_in, (key, n)) for n in (0, 1, -1))]
    assert len({tuple(made.tolist()) for made in keys}) == 6


def test_splitting_gives_independent_keys():
    first, second = evaluate(ops.split_key, (evaluate(ops.make_key, (3,)), 2))
    numbers = [evaluate(ops.normal, (key, MANY, 0.0, 1.0, None, None)) for key in (first, second)]
    assert abs(np.corrcoef(numbers)[0, 1]) < 0.05


def test_a_negative_seed_is_a_key_of_its_own():
    keys = [evaluate(ops.make_key, (seed,)).tolist() for seed in (-1, 0, 1)]
    assert keys[0] != keys[1] != keys[2]


def test_a_draw_without_a_key_is_refused():
    with pytest.raises(TypeError, match="needs a key"):
        evaluate(ops.uniform, (None, (3,), 0.0, 1.0, None, None))


def test_dropout(draw):
    x = np.ones(MANY, np.float32)
    key = draw.target.run(ops.make_key, (5,))
    there = x if draw.target.to_host is np.asarray else draw.target.from_host(x)
    out = draw.target.to_host(draw.target.run(ops.dropout, (there, 0.25, key)))
    assert out.dtype == np.float32
    assert set(np.unique(out)) == {np.float32(0), np.float32(1 / 0.75)}
    assert out.mean() == pytest.approx(1, abs=0.03)


# ---------------------------------------------------------------- NumPy's generators in captured code
def noisy(x, rng: np.random.Generator):
    for _ in range(2):
        x = x + rng.normal(size=3)
    return x


def seeded(x):
    rng = np.random.default_rng(7)
    order = rng.permutation(x.shape[0])
    while np.max(np.abs(x)) < 5:
        x = x + rng.uniform(0.0, 2.0, size=3)
    return x[order]


@pytest.mark.parametrize("args", [(), (np.ones(3), np.random.default_rng(3))], ids=["open", "typed"])
def test_a_generator_that_is_an_argument_draws(args):
    program = gfx.symbolic_trace(noisy, *args, backend="numpy")
    assert program.source("jax").count("jax.random.normal") == 1 and "key=None" in program.source("jax")
    want = noisy(np.ones(3), np.random.default_rng(0))
    np.testing.assert_allclose(program(np.ones(3), np.random.default_rng(0)), want)
    np.testing.assert_allclose(program.to("numpy")(np.ones(3), key=np.random.default_rng(0)), want)
    assert program.to("jax")(jnp.ones(3), key=jax.random.key(0)).shape == (3,)
    x = torch.ones(3, dtype=torch.float64)
    first, again = (program(x, np.random.default_rng(0)) for _ in range(2))
    assert torch.equal(first, again)


def test_a_generator_of_a_seed_draws_the_same_numbers_in_every_call():
    program = gfx.symbolic_trace(seeded, np.ones(3))
    first = program(np.ones(3))
    assert np.max(first) >= 5 and np.array_equal(first, program(np.ones(3)))
    assert jax.jit(program.to("jax"))(jnp.ones(3)).shape == (3,)


def teaching(x, ratio):
    return 2 * x if random.random() < ratio else x + 1


def test_a_number_of_pythons_own_generator_is_drawn_in_every_call():
    x = torch.ones(400)
    for target in ("torch", "jax"):
        made = gfx.transpile(lambda x: torch.stack([teaching(e, 0.5) for e in x[:4]]).prod(), x, to=target)
        always, never = (gfx.transpile(teaching, x, ratio=ratio, to=target) for ratio in (1.0, 0.0))
        there = backend(target)
        key = "generator" if target == "torch" else "key"
        run = lambda fn, seed: there.to_host(
            fn(there.from_host(3 * x.numpy()), **{key: there.run(ops.make_key, (seed,))})
        )
        assert len({float(run(made, seed)) for seed in range(9)}) > 1
        assert run(always, 0)[0] == 6 and run(never, 0)[0] == 4


SHARED = {
    "random.random": lambda: random.random(), "random.uniform": lambda: random.uniform(1, 3), "random.gauss": lambda: random.gauss(0, 2),
    "random.randint": lambda: random.randint(0, 1), "random.randrange": lambda: random.randrange(2, 9, 3),
    "random.expovariate": lambda: random.expovariate(2.0), "np.random.rand": lambda: np.random.rand(),
    "np.random.randn": lambda: np.random.randn(2)[1], "np.random.randint": lambda: np.random.randint(5),
    "np.random.beta": lambda: np.random.beta(2.0, 3.0), "np.random.choice": lambda: np.random.choice(4, p=[0.1, 0.2, 0.3, 0.4]),
    "np.random.uniform": lambda: np.random.uniform(-1.0, 1.0, size=3)[0],
}  # fmt: skip


@pytest.mark.parametrize("name", SHARED)
def test_the_generators_that_all_code_shares(name):
    draw = SHARED[name]
    program = gfx.symbolic_trace(lambda x: x * draw(), torch.ones((), dtype=torch.float64)).to("torch")
    generator = torch.Generator().manual_seed(0)
    found = [float(program(torch.ones((), dtype=torch.float64), generator=generator)) for _ in range(600)]
    wanted = [float(draw()) for _ in range(4000)]
    assert np.mean(found) == pytest.approx(np.mean(wanted), abs=0.25 * np.std(wanted))
    assert np.std(found) == pytest.approx(np.std(wanted), rel=0.2)


OUTSIDE = np.random.default_rng(0)


@pytest.mark.parametrize("fn, what", [
    (lambda x: x + OUTSIDE.normal(), "outside of the graph"), (lambda x: x + np.random.default_rng().normal(), "without a seed"),
    (lambda x: x + np.random.default_rng(0).bytes(3), "Generator.bytes"),
])  # fmt: skip
def test_draws_that_are_refused(fn, what):
    with pytest.raises(GfxError, match=what):
        gfx.symbolic_trace(fn, np.ones(3), backend="numpy")


DISTRIBUTIONS = {
    "exponential": ("float32", lambda x: x.exponential_(2.0)),
    "cauchy": ("float32", lambda x: x.cauchy_(1.0, 3.0)),
    "log_normal": ("float32", lambda x: x.log_normal_(0.5, 0.3)),
    "geometric": ("int64", lambda x: x.geometric_(0.3)),
    "multinomial": ("float32", lambda x: (x * x + x + 0.1).multinomial(2)),
    "multinomial with replacement": ("float32", lambda x: (x * x + x).multinomial(3, replacement=True)),
    "poisson": ("float32", lambda x: torch.poisson(4 * x)),
    "binomial": ("float32", lambda x: torch.binomial(9 * x, x / 4)),
    "permutation": ("float32", lambda x: x[torch.randperm(x.shape[0])]),
    "uniform complex": ("complex64", lambda x: x.uniform_(1.0, 2.0).real),
}


@pytest.mark.parametrize("target", ("torch", "numpy", "jax"))
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_of_torch(name, target):
    dtype, draw = DISTRIBUTIONS[name]
    x = (torch.arange(20000) % 4).reshape(5000, 4).to(getattr(torch, dtype))
    emitted = gfx.symbolic_trace(lambda x: draw(1 * x), x, backend="torch").to(target)
    there = backend(target)
    key = "generator" if target == "torch" else "key"
    found = there.to_host(emitted(there.from_host(x.numpy()), **{key: there.run(ops.make_key, (0,))}))
    torch.manual_seed(0)
    wanted = draw(1 * x).numpy()
    shares = [0.15, 0.25, 0.5, 0.75, 0.85]
    assert found.shape == wanted.shape
    assert np.quantile(found, shares) == pytest.approx(np.quantile(wanted, shares), rel=0.1, abs=0.3)
    assert np.mean(found == 2, axis=0) == pytest.approx(np.mean(wanted == 2, axis=0), abs=0.03)
