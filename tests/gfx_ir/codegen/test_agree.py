"""Where frameworks disagree on the float that whole numbers become, the emitted source says it."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

INT, BOOL, FLOAT = torch.arange(3), torch.tensor([True, False, True]), torch.ones(3)


@pytest.mark.parametrize(
    "fn, args",
    [
        (lambda x: torch.exp(x), (INT,)),
        (lambda x: x / 2, (INT,)),
        (lambda x, y: x / y, (INT, INT + 1)),
        (lambda x, y: x * y, (INT, FLOAT)),
        (lambda x: torch.sigmoid(x), (BOOL,)),
        (lambda c, x, y: torch.where(c, x, y), (BOOL, INT, FLOAT)),
        (lambda x, i: x[i] + torch.sqrt(i), (FLOAT, INT)),
        (lambda x, y: x * y, (FLOAT, torch.tensor(2.0, dtype=torch.float64))),
        (lambda x: torch.fft.fft(x), (INT,)),
        (lambda x: torch.fft.rfft(x), (INT,)),
    ],
)
def test_numpy_gives_the_dtype_of_torch(fn, args):
    want = fn(*args)
    got = gfx.symbolic_trace(fn, *args).to("numpy")(*[x.numpy() for x in args])
    assert got.dtype == want.numpy().dtype
    np.testing.assert_allclose(got, want.numpy(), rtol=1e-6)


def test_torch_gives_the_dtype_of_numpy():
    def fn(x):
        return np.mean(x), x / 3

    x = np.arange(4)
    got = gfx.symbolic_trace(fn, x).to("torch")(torch.from_numpy(x))
    assert [y.dtype for y in got] == [torch.float64, torch.float64]
    np.testing.assert_allclose([y.sum().item() for y in got], [y.sum() for y in fn(x)], rtol=1e-12)


def test_positions_and_conditions_are_not_cast():
    source = gfx.symbolic_trace(lambda x, i, c: torch.where(c, x[i], x), FLOAT, INT, BOOL).source("numpy")
    assert "astype" not in source


def test_jax_casts_only_where_its_mode_decides():
    alone = gfx.symbolic_trace(lambda x: torch.exp(x), INT).source("jax")
    assert "x.astype(jnp.float32)" in alone
    assert "astype" not in gfx.symbolic_trace(lambda x, y: x * y, INT, FLOAT).source("jax")
    assert "astype" not in gfx.symbolic_trace(lambda x: jnp.exp(x), jnp.arange(3)).source("jax")


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.int16, np.int32])
@pytest.mark.parametrize("fn", [np.cumsum, np.cumprod, np.sum, np.prod])
def test_totals_do_not_wrap_in_narrow_numbers(fn, dtype):
    x = np.array([111, 121, 100], dtype)
    got = gfx.symbolic_trace(lambda x: fn(x), x).to("jax")(jnp.asarray(x))
    np.testing.assert_array_equal(got, fn(x))


def scanned(x, m):
    return jax.lax.scan(lambda total, row: ((1.0 - row[1]) * (total + row[0]),) * 2, 0.0, (x, m))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x, m: (1.0 - m) * x,
        lambda x, m: x - m,
        lambda x, m: m - x.astype(jnp.float16),
        lambda x, m: (1 - m, m - 2, x.astype(jnp.int8) - m),
        lambda x, m: jax.lax.fori_loop(0, 3, lambda i, total: total + (1.0 - m[i]), 0.0),
        lambda x, m: jnp.stack([1.0 - v for v in m]),
        scanned,
    ],
)
def test_booleans_are_subtracted_in_torch(fn):
    x, m = jnp.array([1.0, 2.0, 3.0]), jnp.array([True, False, True])
    want = jax.tree.leaves(fn(x, m))
    got = jax.tree.leaves(gfx.symbolic_trace(fn, x, m).to("torch")(torch.tensor([1.0, 2.0, 3.0]), BOOL))
    for a, b in zip(got, want, strict=True):
        assert str(a.dtype).removeprefix("torch.") == b.dtype.name
        np.testing.assert_allclose(np.asarray(a), np.asarray(b))


@pytest.mark.parametrize(
    "fn", [lambda e, b: 2**e, lambda e, b: b**e, lambda e, b: (-1) ** e, lambda e, b: 0**e, lambda e, b: 10 ** e.abs()]
)
def test_whole_numbers_to_a_negative_power_are_those_of_torch(fn):
    e, b = torch.tensor([0, 1, -2, 3, -3]), torch.tensor([2, -1, 1, -3, -1])
    got = gfx.symbolic_trace(fn, e, b).to("jax")(jnp.asarray(e.numpy()), jnp.asarray(b.numpy()))
    np.testing.assert_array_equal(np.asarray(got), fn(e, b).numpy())


@pytest.mark.parametrize("typed", (True, False))
def test_whole_numbers_beyond_any_width_stand_beside_floats(typed):
    def fn(x):
        return x * round(math.exp(500.0)) - 10**30

    x = np.array([1.0, -2.0])
    program = gfx.symbolic_trace(fn, *[x] * typed, backend="numpy")
    np.testing.assert_allclose(program.to("torch")(torch.tensor(x)), fn(x))
    np.testing.assert_array_equal(program(x), fn(x))


def precision(x: np.ndarray, y: np.ndarray):
    hits, misses = np.sum((x > 0) & (y > 0)), np.sum((x > 0) & (y <= 0))
    return hits / (hits + misses) if hits + misses else 0.0


def at_least_one(x: np.ndarray, y: np.ndarray):
    counts = np.cumsum(x > 0)
    return counts / max(counts[-1], 1)


def summed(x: np.ndarray, y: np.ndarray):
    n, total = np.sum(x > 0), 0.0
    for i in range(3):
        if n > i:
            total += n / (n + i)
    return total


def counted(x: np.ndarray, y: np.ndarray):
    n = 0
    for v in x:
        if v > 0:
            n += 1
    return n / max(np.sum(y > 0), 1)


@pytest.mark.parametrize("fn", [precision, at_least_one, summed, counted])
@pytest.mark.parametrize("level", [0, 1])
def test_counts_are_divided_in_double_precision_also_in_tests_and_loops(fn, level):
    """What a region takes from outside, and what may be a number or an array, was not known to hold whole numbers: float32."""
    args = np.array([1.0, -2.0, 3.5]), np.array([-1.0, 4.0, 2.0])
    program = gfx.symbolic_trace(fn, *args[: 2 * level])
    got = program.to("torch")(*map(torch.from_numpy, args))
    assert torch.as_tensor(got, dtype=torch.float64).equal(torch.as_tensor(fn(*args)))
    assert not isinstance(got, torch.Tensor) or got.dtype == torch.float64


@pytest.mark.parametrize("equation", ["ij->", "ij->i", "ij,kl->il", "ij,kj->ik"])
@pytest.mark.parametrize("home, dtype", [("torch", "int8"), ("numpy", "uint8"), ("numpy", "int32"), ("jax", "int16")])
def test_einsum_adds_up_in_the_width_of_its_framework(equation, home, dtype):
    x = np.array([[100, 120, 3], [90, 7, 100]], dtype) * (10**7 if dtype == "int32" else 1)
    module, move = {"torch": (torch, torch.tensor), "numpy": (np, np.asarray), "jax": (jnp, jnp.asarray)}[home]
    given = [x] * (equation.count(",") + 1)
    program = gfx.symbolic_trace(lambda *x: module.einsum(equation, *x), *map(move, given))
    want = np.asarray(module.einsum(equation, *map(move, given)))
    for target, to in (("torch", torch.tensor), ("numpy", np.asarray)):
        got = np.asarray(program.to(target)(*map(to, given)))
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "fn, dtype",
    [
        (lambda x: torch.nansum(x), torch.uint8),
        (lambda x: x.sum() * x, torch.int32),
        (lambda x: x * torch.tensor(2**40), torch.int32),
        (lambda x: torch.cumsum(x, 0) * x, torch.int16),
    ],
)
def test_numpy_keeps_the_width_of_whole_numbers(fn, dtype):
    x = torch.tensor([100, 120, 90], dtype=dtype)
    got = gfx.symbolic_trace(fn, x).to("numpy")(x.numpy())
    assert got.dtype == fn(x).numpy().dtype
    np.testing.assert_array_equal(got, fn(x).numpy())


@pytest.mark.parametrize("fn, home", [(torch.cumsum, "torch"), (torch.cumprod, "torch"), (np.cumsum, "numpy")])
def test_running_totals_of_an_open_dtype_are_wide_in_jax(fn, home):
    emitted = gfx.symbolic_trace(lambda x: fn(x, 0), backend=home).to("jax")
    x = np.array([100, 120], np.int8)
    want = fn(torch.tensor(x) if home == "torch" else x, 0)
    np.testing.assert_array_equal(emitted(jnp.asarray(x)), np.asarray(want))
    assert emitted(jnp.ones(2, jnp.float16)).dtype == jnp.float16


def test_jax_running_totals_stay_narrow_elsewhere():
    x = jnp.array([100, 120], jnp.int8)
    got = gfx.symbolic_trace(lambda x: jnp.nancumsum(x), x).to("numpy")(np.asarray(x))
    np.testing.assert_array_equal(got, jnp.nancumsum(x))


def test_whole_numbers_that_the_target_makes_floats_are_refused():
    with pytest.raises(UnsupportedConstruct, match=r"convolve of int64 as jax source.*test_agree"):
        gfx.symbolic_trace(lambda a, b: np.convolve(a, b), np.arange(3), np.arange(3)).source("jax")


@pytest.fixture
def default_dtype():
    yield torch.set_default_dtype
    torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("typed", [True, False])
def test_fractions_of_whole_numbers_have_the_default_dtype_of_torch(default_dtype, typed):
    default_dtype(torch.float64)

    def fn(x):
        return x / 2, torch.sqrt(x), (x > 1) * 0.5, torch.where(x > 1, 1.0, 2.0), sum(v / 2 for v in x)

    program = gfx.symbolic_trace(fn, INT) if typed else gfx.symbolic_trace(fn, backend="torch")
    assert {x.dtype for x in program.to("numpy")(INT.numpy())} == {np.dtype("float64")}
    assert "float32" not in program.source("jax")


def test_other_default_dtypes_are_refused(default_dtype):
    default_dtype(torch.bfloat16)
    with pytest.raises(UnsupportedConstruct, match=r"default dtype is float32 or float64, and it is torch\.bfloat16"):
        gfx.symbolic_trace(lambda x: x / 2, INT)


@pytest.mark.parametrize("home, module", [("torch", torch), ("jax", jnp), ("numpy", np)])
def test_numbers_beyond_a_narrow_dtype_are_what_they_are_to_the_framework_of_the_program(home, module):
    def fn(x):
        return (x == 300, x < 300, -1 > x) if home == "numpy" else (x == 300, x < 300, -1 > x, x * 1000, 70000 - x)

    x = np.array([44, 100, 3], np.uint8)
    want = [np.asarray(y) for y in fn(module.asarray(x))]
    program = gfx.symbolic_trace(fn, module.asarray(x))
    for target, move in (("torch", torch.tensor), ("jax", jnp.asarray), ("numpy", np.asarray)):
        np.testing.assert_array_equal([np.asarray(y) for y in program.to(target)(move(x))], want)


@pytest.mark.parametrize("typed", [True, False])
def test_norms_and_averages_of_narrow_whole_numbers_are_those_of_floats(typed):
    def fn(x):
        return np.linalg.norm(x), np.linalg.norm(x, 1, axis=0), np.linalg.norm(x[None], axis=1)

    x = np.array([100, 120, 3], np.int8)
    program = gfx.symbolic_trace(fn, x) if typed else gfx.symbolic_trace(fn, backend="numpy")
    for target, move in (("numpy", np.asarray), ("jax", jnp.asarray)):
        for got, want in zip(program.to(target)(move(x)), fn(x)):
            np.testing.assert_allclose(got, want, rtol=1e-6)
    average = gfx.symbolic_trace(lambda x: np.average(x, weights=x), x)
    np.testing.assert_allclose(average(x), np.average(x, weights=x))


def test_whole_numbers_stay_such_under_bounds_that_are_whole():
    def fn(x):
        return torch.nn.functional.hardtanh(x), torch.nan_to_num(x, 0.0, 1.0, -1.0)

    assert [y.dtype for y in gfx.symbolic_trace(fn, backend="torch")(INT)] == [torch.int64, torch.int64]
    anything = gfx.symbolic_trace(lambda x: torch.any(x), INT.to(torch.uint8))
    assert anything.to("numpy")(INT.numpy().astype(np.uint8)).dtype == np.uint8


@pytest.mark.parametrize(
    "home, fn",
    [
        ("numpy", lambda x: np.average(x, weights=x)),
        ("jax", lambda x: jnp.average(x, weights=x)),
        ("jax", lambda x: jnp.float_power(x, 2)),
    ],
)
def test_whole_numbers_of_an_open_dtype_are_averaged_as_floats(home, fn):
    x = np.array([100, 120, 3], np.uint8)
    given = x if home == "numpy" else jnp.asarray(x)
    np.testing.assert_allclose(gfx.symbolic_trace(fn, backend=home)(given), fn(given), rtol=1e-6)


@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_polynomials_of_whole_numbers_wrap_as_they_do_in_numpy(dtype):
    p, x = np.array([200, 250, 3], dtype), np.array([1, 100, 90], dtype)
    got = gfx.symbolic_trace(lambda p, x: np.polyval(p, x), p, x).to("torch")(torch.tensor(p), torch.tensor(x))
    assert got.numpy().dtype == dtype
    np.testing.assert_allclose(got, np.polyval(p, x))


def test_coefficients_that_are_arrays_are_the_rows_of_a_polynomial():
    p, x = np.arange(9, dtype="float32").reshape(3, 3), np.array([1, 2, 3], "float32")
    for given in ((p, x), (p, 2.0), (p, x[:, None])):
        program = gfx.symbolic_trace(jnp.polyval, *map(jnp.asarray, given), dynamic=True)
        np.testing.assert_allclose(program.to("torch")(*map(torch.as_tensor, given)), np.polyval(*given))
    program = gfx.symbolic_trace(lambda p, x: np.polyval(p, x))
    with pytest.raises(gfx.GfxError, match=r"p\.ndim == 1"):
        program(p, x)
    for fn in (np.polyder, np.polyint):
        with pytest.raises(gfx.GfxError, match="of coefficients that are arrays"):
            gfx.symbolic_trace(lambda p, fn=fn: fn(p), p)


@pytest.mark.parametrize("fn", [lambda x: x * 200, lambda x: 300 - x, lambda x: np.maximum(x, -129), lambda x: x**130])
def test_numbers_that_numpy_takes_beside_no_narrow_array_are_refused_elsewhere(fn):
    """It raises an OverflowError, where PyTorch and JAX let them wrap."""
    program = gfx.symbolic_trace(fn, np.array([1, 2, 3], np.int8))
    for target in ("torch", "jax"):
        with pytest.raises(UnsupportedConstruct, match=r"OverflowError here.*test_agree"):
            program.source(target)


@pytest.mark.parametrize(
    "home, fn",
    [
        ("torch", lambda x: torch.clamp(x, -1, 4)),
        ("numpy", lambda x: np.clip(x, -1, 4)),
        ("jax", lambda x: jnp.where(x > 1, x, 300)),
    ],
)
def test_bounds_that_a_dtype_does_not_hold_are_refused_elsewhere(home, fn):
    """NumPy takes -1 for the bound that it is, PyTorch and JAX for 255."""
    x = MAKE[home](np.array([1, 2, 5], np.uint8))
    program = gfx.symbolic_trace(fn, x)
    np.testing.assert_array_equal(np.asarray(program(x)), np.asarray(fn(x)))
    for target in MAKE.keys() - {home}:
        with pytest.raises(UnsupportedConstruct, match=r"uint8 holds no .*test_agree"):
            program.source(target)


def test_the_median_of_nothing_is_no_number_in_every_source():
    program = gfx.symbolic_trace(lambda x: torch.median(x), torch.zeros(0, 3))
    assert all(np.isnan(np.asarray(program.to(to)(make(np.zeros((0, 3), np.float32))))) for to, make in MAKE.items())


MAKE = {"torch": torch.tensor, "jax": jnp.asarray, "numpy": np.asarray}
