"""Functions of whole numbers, booleans and numbers: each gives the dtype that it has in its own framework."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.trees import leaves

WHOLE = np.array([3, 1, 2, 5])
MAKE = {"numpy": np.array, "jax": jnp.asarray, "torch": lambda x: torch.from_numpy(x.copy())}


def agree(fn, own, x, targets=("torch", "jax"), typed=True):
    """The program, and what is emitted of it, gives values and dtypes of the function."""
    with jax.enable_x64(True):
        _agree(fn, own, x, targets, typed)


def _agree(fn, own, x, targets, typed):
    want = [np.asarray(leaf) for leaf in leaves(fn(MAKE[own](x)))]
    program = gfx.symbolic_trace(fn, *([MAKE[own](x)] if typed else []))
    found = {own: program(MAKE[own](x))} | {name: program.to(name)(MAKE[name](x)) for name in targets if name != own}
    for name, result in found.items():
        for a, b in zip(want, leaves(result), strict=True):
            b = b.numpy() if isinstance(b, torch.Tensor) else np.asarray(b)
            assert a.dtype == b.dtype, name
            np.testing.assert_allclose(a, b, 1e-3 if a.dtype.itemsize < 8 else 1e-12)


def of_reals(x):
    edges = jnp.histogram(x, 3)[1]
    found = jnp.nanmean(x), jnp.trapezoid(x), jax.nn.logsumexp(x), jnp.nanstd(x), jnp.deg2rad(x), jnp.sinc(x)
    return (
        *found,
        edges,
        jnp.gradient(x),
        jnp.heaviside(x, 1),
        jnp.heaviside(x, 0.5),
        jnp.float_power(x, 2),
        jnp.rint(x),
    )


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_jax_makes_whole_numbers_floats_of_their_width(dtype):
    agree(of_reals, "jax", WHOLE.astype(dtype))


def of_weak(x):
    w = jnp.where(x > 2, 1.0, 0.1)
    found = (
        jnp.sort(w),
        jnp.outer(w, w)[0],
        w @ w,
        jnp.einsum("i,i->", w, w),
        w.at[0].set(2.0),
        jnp.cumsum(w),
        2.5 ** jnp.arange(4),
    )
    return tuple(v * jnp.ones(1, jnp.float32) for v in found)


def test_what_keeps_a_weak_array_weak():
    agree(of_weak, "jax", WHOLE)


def totals(x: np.ndarray):
    return np.sum(x), np.cumsum(x), np.prod(x), np.cumprod(x), np.heaviside(x, 1), np.square(x > 2)


@pytest.mark.parametrize("dtype", ["int8", "int32", "uint8", "int64"])
def test_numpy_totals_are_as_wide_elsewhere(dtype):
    agree(totals, "numpy", WHOLE.astype(dtype))


def with_numbers(x: np.ndarray):
    return (
        np.inner(x, 2.0),
        np.outer(x, 2),
        np.kron(x, 2),
        np.kron(2.5, x),
        np.dot(x, 2.0),
        np.median(x > 2),
        np.full(4, 0.5) * x,
        np.where(x > 2, 0.1, 0),
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("typed", [False, True])
def test_products_with_numbers(dtype, typed):
    agree(with_numbers, "numpy", WHOLE.astype(dtype), ("torch", "jax") if typed or dtype != "int32" else (), typed)


def test_the_triangle_that_is_asked_for():
    a = torch.tensor([[4.0, 1.0], [7.0, 3.0]], dtype=torch.float64)
    fn = lambda x: (torch.linalg.cholesky_ex(x, upper=True)[0], torch.linalg.cholesky_ex(x.mT)[0])
    for typed in (False, True):
        agree(fn, "torch", a.numpy(), ("jax", "numpy"), typed)


def test_directions_of_complex_numbers():
    z = np.array([1 + 1j, complex(np.nan, 1), 0, complex(1, np.nan), -2])
    for typed in (False, True):
        agree(lambda x: torch.sgn(x), "torch", z, ("jax", "numpy"), typed)
        agree(lambda x: torch.sgn(x), "torch", np.array([2.0, np.nan, -1.0]), ("jax", "numpy"), typed)


def test_powers_of_one_element():
    fn = lambda x: (torch.vander(x), torch.vander(x, 3), torch.vander(x, increasing=True))
    for x in (np.array([2.0]), np.array([2.0, 3.0])):
        agree(fn, "torch", x, ("jax", "numpy"), typed=False)


def test_what_is_chosen_of_numbers():
    for typed in (False, True):
        agree(lambda x: torch.where(x > 2, 0.1, 0), "torch", np.float32([1.0, 3.0]), ("numpy",), typed)


def test_a_number_of_numpy_keeps_its_dtype_where_a_tensor_is_made_of_it():
    fn = lambda x: (
        torch.tensor(np.float64(2.5), device="cpu"),
        torch.as_tensor(np.int32(2), device="cpu"),
        x * np.float64(2.5),
    )
    for typed in (False, True):
        agree(fn, "torch", np.float32([1.0, 3.0]), ("numpy",), typed)


def test_what_is_filled_with_a_number_has_the_width_of_its_kind():
    for x in (np.float64([1.0, 3.0]), np.int32([1, 3])):
        agree(lambda x: (torch.full((2,), x.sum()), torch.full((2,), np.int32(3))), "torch", x, ("numpy",))


def test_sums_of_weights_have_their_width():
    for typed in (False, True):
        for dtype in (np.float32, np.float64):
            agree(lambda x: torch.bincount(x.long(), x), "torch", dtype([1.0, 3.0]), ("jax", "numpy"), typed)


def test_filled_rows_have_the_rank_of_the_others():
    fn = lambda y: torch.vstack([y, y.masked_fill(y > 2, 0.0)])
    agree(fn, "torch", np.arange(6.0).reshape(2, 3), ("jax", "numpy"), typed=False)


def of_booleans(x: jax.Array):
    return x**2, x**x, jnp.square(x), x // x, x % x, x % 2, x ** jnp.array([1, 2]), x**2.0


def test_jax_makes_whole_numbers_of_32_bits_of_booleans():
    agree(of_booleans, "jax", np.array([True, True]), ())
    agree(lambda x: (x**x, jnp.square(x), x // x), "jax", np.array([True, True]), ("torch", "numpy"))


NARROW = np.array([100, 120, -30], np.int8)
OF = {"torch": torch, "jax": jnp}


@pytest.mark.parametrize(
    "total", [lambda of, x: of.einsum("i->", x), lambda of, x: of.vander(x), lambda of, x: x.sum()]
)
@pytest.mark.parametrize("dtype", [np.int8, np.float32])
@pytest.mark.parametrize("framework", OF)
def test_totals_of_an_open_dtype_are_as_wide_as_the_authors(total, dtype, framework):
    """PyTorch adds up narrow whole numbers in 64 bits where JAX and NumPy do so in as many as they have."""
    of, given = OF[framework], NARROW.astype(dtype)
    program = gfx.symbolic_trace(lambda x: total(of, x), backend=framework)
    want = np.asarray(total(of, MAKE[framework](given)))
    for target, make in MAKE.items():
        got = np.asarray(program.to(target)(make(given)))
        np.testing.assert_array_equal(got, want)
        assert got.dtype.kind == want.dtype.kind


def test_fractions_made_whole_are_rounded_down_as_numpy_has_it():
    program = gfx.symbolic_trace(lambda x: np.linspace(0, -7, 4, dtype=int) + x, backend="numpy")
    np.testing.assert_array_equal(program.to("torch")(torch.zeros(4, dtype=torch.int64)), [0, -3, -5, -7])


def counted(x):
    found, _ = np.histogram(x, bins=4, range=(0.0, 1.0))
    return found, found.cumsum() / x.size


@pytest.mark.parametrize("dtype, typed", [("float32", True), ("float64", True), ("float64", False)])
def test_what_numpy_counts_in_floats_are_whole_numbers_elsewhere(dtype, typed):
    agree(counted, "numpy", np.array([0.1, 0.3, 0.35, 0.99, 2.0], dtype), typed=typed)


def chosen_by_bits(bits):
    out = jnp.zeros(2)
    for bit in bits:
        out = jnp.where(bit, out + 1, out * 2)
    return out, jnp.where(bits & 1, 1.0, -1.0), jnp.where(bits > 1, 1.0, 2.0)


@pytest.mark.parametrize("typed", [True, False])
def test_what_is_not_0_is_true_where_pytorch_takes_booleans_alone(typed):
    agree(chosen_by_bits, "jax", np.array([1, 0, 2, 3]), typed=typed)
