"""The dtype that functions of fractions give of whole numbers is the one of the author's framework, at every level and in every source."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch
import torch.nn.functional as F

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.trees import leaves

MAKE = {"numpy": np.array, "jax": jnp.asarray, "torch": lambda x: torch.from_numpy(x.copy())}
DTYPES = ("bool", "int8", "uint8", "int16", "int32", "int64", "float16", "float32", "float64")
CALLS = {
    "numpy": (
        lambda x: (np.angle(x), np.rint(x), np.heaviside(x, 1), np.heaviside(x, x), np.cbrt(x), np.frexp(x), np.modf(x)),
        lambda x: (np.deg2rad(x), np.degrees(x)),
        lambda x: (np.interp(x, x, x), np.trapezoid(x.astype(np.int16)), x + np.sqrt(2), np.exp(0.5) * x),
        lambda x: (np.linspace(x[0], x[1], 3), np.polyval(x, x)),
    ),
    "jax": (
        lambda x: (jnp.angle(x), jnp.rint(x), jnp.heaviside(x, 1), jnp.heaviside(x, x), jnp.cbrt(x), jnp.frexp(x), jnp.modf(x)),
        lambda x: (jnp.deg2rad(x), jnp.degrees(x)),
        lambda x: (jnp.linspace(x[0], x[1], 3), jnp.polyval(x, x), jnp.interp(jnp.array([0.5]), jnp.array([0.0, 1.0, 2.0]), x * 2)),
    ),
    "torch": (
        lambda x: (torch.angle(x), torch.deg2rad(x), torch.rad2deg(x)),
        lambda x: (torch.linspace(x[0], x[1], 3),),
    ),
}  # fmt: skip
TYPED = {
    "torch": (
        lambda x: (
            torch.add(x, x, alpha=2),
            torch.add(x, x > 1, alpha=3),
            torch.add(x, (x > 0).to(torch.int8) * 100, alpha=3),
        ),
        lambda x: torch.trace(x.to(torch.uint8)[None].expand(3, 3)),
        lambda x: (
            torch.full((3,), x[0].item()) * x,
            torch.tensor([x[0].item(), 2]),
            torch.arange(3) * torch.tensor(2.5),
        ),
    ),
}


@pytest.fixture(autouse=True)
def wide():
    with jax.enable_x64(True):
        yield


def agrees(program, fn, home, target, x):
    want = [np.asarray(leaf) for leaf in leaves(fn(MAKE[home](x)))]
    run = program if target == home else program.to(target)
    found = [np.asarray(leaf) for leaf in leaves(run(MAKE[target](x)))]
    for a, b in zip(want, found, strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(
            b.astype("float64"), a.astype("float64"), rtol=2e-3 if a.dtype == "float16" else 1e-6
        )


@pytest.mark.parametrize("home, fn", [(home, fn) for home, calls in CALLS.items() for fn in calls])
def test_in_the_own_framework_without_types(home, fn):
    program = gfx.symbolic_trace(fn, backend=home)
    for dtype in DTYPES:
        x = np.array([1, 0, 1] if dtype == "bool" else [1, 2, 5], dtype)
        agrees(program, fn, home, home, x)


@pytest.mark.parametrize("home, fn", [(home, fn) for calls in (CALLS, TYPED) for home in calls for fn in calls[home]])
@pytest.mark.parametrize("dtype", DTYPES)
def test_in_every_source_of_known_dtypes(home, fn, dtype):
    x = np.array([1, 0, 1] if dtype == "bool" else [1, 2, 5], dtype)
    program = gfx.symbolic_trace(fn, MAKE[home](x))
    for target in MAKE:
        agrees(program, fn, home, target, x)


KEPT = {
    "numpy": lambda x: (
        np.diag(x),
        np.diag(x, -1),
        np.min(x, initial=0),
        np.max(x, initial=1.5),
        np.piecewise(x, [x > 1], [1, 2.7]),
    ),
    "jax": lambda x: (
        jnp.diag(x),
        jnp.diag(x, 2),
        jnp.min(x, initial=0),
        jnp.max(x, initial=1),
        jnp.stack([x[0], True]),
    ),
}


@pytest.mark.parametrize("home", KEPT)
@pytest.mark.parametrize("dtype", ("bool", "uint8", "int64", "float32"))
def test_numbers_beside_an_array_leave_it_its_dtype(home, dtype):
    """Booleans became whole numbers, whole numbers fractions."""
    x = np.array([1, 0, 1] if dtype == "bool" else [1, 2, 5], dtype)
    program = gfx.symbolic_trace(KEPT[home], MAKE[home](x))
    for target in {"numpy", "jax"} if dtype == "bool" else MAKE:  # PyTorch has no extrema of booleans and numbers
        agrees(program, KEPT[home], home, target, x)


ODD = np.array([-np.inf, -1.5, -0.0, 0.0, 2.5, np.inf, np.nan], np.float32)


@pytest.mark.parametrize(
    "home, fn",
    [
        (
            "torch",
            lambda x: (
                torch.angle(x),
                torch.angle(torch.complex(x, x)),
                torch.imag(torch.complex(x, -x)),
                torch.view_as_real(torch.polar(x, torch.full_like(x, 0.5))),
            ),
        ),
        ("numpy", lambda x: (np.angle(x), np.modf(x), np.heaviside(x, 0.5))),
        ("jax", lambda x: (jnp.angle(x), jnp.modf(x), jnp.heaviside(x, 0.5))),
    ],
)
def test_zeros_infinities_and_what_is_no_number(home, fn):
    """Of a dtype that is open, too: the angle of -0 is 0 in PyTorch, what is behind the point of an infinity none in JAX."""
    for given in ((), (MAKE[home](ODD),)):
        program = gfx.symbolic_trace(fn, *given, backend=home)
        want = [np.asarray(leaf) for leaf in leaves(fn(MAKE[home](ODD)))]
        for target, make in MAKE.items():
            found = [np.asarray(leaf) for leaf in leaves(program.to(target)(make(ODD)))]
            for a, b in zip(want, found, strict=True):
                np.testing.assert_allclose(b, a, rtol=1e-6)


def test_a_number_that_is_read_equals_no_fraction_that_it_cannot_hold():
    fn = lambda x: x * (1 if x[0].item() == 0.1 else 2)
    x = torch.tensor([0.1, 1.0])
    assert torch.equal(gfx.symbolic_trace(fn, x)(x), fn(x))
    with pytest.raises(GfxError, match=r"digits of a double.*test_widths"):
        gfx.symbolic_trace(fn, x).source("jax")
    gfx.symbolic_trace(lambda x: x * (1 if x[0].item() == 0.5 else 2), x).source("jax")


SIGNED = {
    "torch": lambda x: torch.copysign(x, -1),
    "jax": lambda x: (jnp.copysign(x, -1), jnp.arctan2(x, -1), jnp.array([x[0], 2.5]), jnp.array([x[0], 1])),
}


@pytest.mark.parametrize("home", SIGNED)
@pytest.mark.parametrize("dtype", ["uint8", "int16", "float32"])
def test_numbers_beside_whole_ones_of_which_fractions_are_computed(home, dtype):
    """-1 became 255 beside uint8, so that the sign was lost; a number in a list made floats of 64 bits of NumPy's array."""
    x = np.array([1, 2, 5], dtype)
    for given in ((MAKE[home](x),), ()):
        program = gfx.symbolic_trace(SIGNED[home], *given, backend=home)
        for target in MAKE if given else (home,):
            agrees(program, SIGNED[home], home, target, x)


def test_the_default_float_is_that_of_the_mode_of_jax():
    """Whole numbers of an open dtype were raised as floats of 32 bits."""
    x = jnp.array([3, 5])
    found = gfx.symbolic_trace(lambda x: jnp.float_power(x, 2), backend="jax")(x)
    assert found.dtype == jnp.float_power(x, 2).dtype == np.float64


def _in_numpy(x):
    """Each is off by half or more, or infinite, where sums are rounded to 16 bits on the way."""
    plane = x.reshape(-1, 2)
    running = (x.cumsum(0)[-1], x.logcumsumexp(0)[-1], torch.trapezoid(x))
    norms = (torch.linalg.matrix_norm(plane * 300), F.cosine_similarity(plane * 300, plane * 200))
    return x.sum(), plane.sum(0), x.mean(), _in_jax(x)[1], x.logsumexp(0), *running, *norms


def _in_jax(x):
    return F.avg_pool1d(x[None, None], 600)[0, 0, :1], (x * torch.arange(len(x)).to(x.dtype)).std()


@pytest.mark.parametrize(
    "dtype, target, fn",
    [
        ("float16", "numpy", _in_numpy),
        ("bfloat16", "numpy", _in_numpy),
        ("bfloat16", "jax", _in_jax),
        ("float16", "jax", _in_jax),
    ],
)
def test_totals_of_16_bits_are_added_up_in_32(dtype, target, fn):
    x = torch.ones(2400, dtype=getattr(torch, dtype))
    given = jnp.ones(2400, dtype) if target == "jax" else np.ones(2400, jnp.dtype(dtype))
    for a, b in zip(fn(x), gfx.symbolic_trace(fn, x).to(target)(given), strict=True):
        assert str(b.dtype) == dtype
        np.testing.assert_allclose(np.asarray(b, np.float64), a.double(), rtol=0.02)


WHOLE = (
    lambda x: F.pairwise_distance(x, -x),
    lambda x: torch.xlogy(x.half(), 2.5) + torch.special.xlog1py(x.half(), 2.5),
    lambda x: (torch.logit(x > 0), torch.scalar_tensor(3) * 1),
)


@pytest.mark.parametrize("fn", WHOLE)
def test_what_wraps_and_numbers_beside_narrow_ones(fn):
    x = np.array([[100, 3]], np.int8)
    program = gfx.symbolic_trace(fn, torch.from_numpy(x))
    for target in MAKE:
        agrees(program, fn, "torch", target, x)
