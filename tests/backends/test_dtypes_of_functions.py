"""A law over all functions of one array that a framework has: a typed capture knows the dtype that each gives, for each dtype."""

import inspect
import warnings

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import GfxError
from gfx_ir.graph import Value
from gfx_ir.trees import leaves
from sweeps import one_in

SPACES = {"torch": (torch, torch.special, torch.nn.functional), "numpy": (np,), "jax": (jnp, jax.nn)}
MAKE = {"numpy": np.array, "jax": jnp.asarray, "torch": lambda x: torch.from_numpy(x.copy())}
DTYPES = ("uint8", "bool")


def takes_one(f):
    """Whether a function may be called with one argument."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):  # which does not tell
        return getattr(f, "nin", 1) == 1
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters) < 2


def functions(framework):
    """The public functions of a framework that take one argument, each once."""
    found = {}
    for space in SPACES[framework]:
        for name in dir(space):
            f = getattr(space, name)
            if (
                not name.startswith("_")
                and not name.endswith("_")
                and callable(f)
                and not inspect.isclass(f)
                and takes_one(f)
            ):
                found.setdefault(id(f), (name, f))
    return one_in(8, found.values())


def given_dtypes(f, x, framework):
    """The dtypes that a function gives; None: it takes no such array, or gives something else."""
    try:
        out = list(leaves(shapes_of(f, x) if framework == "jax" else f(x)))
    except Exception:  # whatever it raises, it is no function of one such array
        return None
    known = out and all(
        isinstance(leaf, (torch.Tensor, np.ndarray, np.generic, jax.Array, jax.ShapeDtypeStruct)) for leaf in out
    )
    return [str(leaf.dtype).removeprefix("torch.") for leaf in out] if known else None


def shapes_of(f, x):
    """What a function of JAX gives, told without compiling it where that does not hang on the values."""
    try:
        return jax.eval_shape(f, x)
    except (jax.errors.ConcretizationTypeError, jax.errors.NonConcreteBooleanIndexError):
        return f(x)


def captured_dtypes(f, x, framework):
    """The same, as a capture knows them; None where the function is refused."""
    try:
        program = gfx.symbolic_trace(lambda x: f(x), x, backend=framework)
    except Exception:  # refused, or it takes no such array
        return None
    found = list(leaves(program.entry.result))
    return [str(getattr(leaf.type, "dtype", None)) for leaf in found] if all(type(x) is Value for x in found) else None


@pytest.mark.parametrize("framework", SPACES)
@pytest.mark.parametrize("dtype", DTYPES)
def test_the_dtype_of_each_function_is_known(framework, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        differ = {}
        for name, f in functions(framework):
            x = MAKE[framework](np.array([1, 0, 1], dtype))
            got = captured_dtypes(f, x, framework)  # first: what sets how the process runs is refused, and not called
            want = None if got is None else given_dtypes(f, x, framework)
            if want is not None and "None" not in got and got != want:
                differ[name] = want, got
    assert differ == {}


@pytest.mark.parametrize("framework, name, dtype, more", [
    ("numpy", "trapezoid", "uint8", ()),
    ("numpy", "trapezoid", "int8", (np.array([1, 4, 9]),)),
    ("torch", "trapezoid", "uint8", (np.array([1, 4, 250], np.uint8),)),
    ("numpy", "gradient", "int8", ()),
    ("numpy", "gradient", "int8", (np.array([1, 4, 250], np.uint8),)),
    ("jax", "gradient", "uint8", (np.array([1, 4, 250], np.uint8),)),
    ("numpy", "fabs", "int8", ()),
    ("jax", "fabs", "uint8", ()),
    ("jax", "polyder", "uint8", ()),
    ("jax", "polyint", "int8", ()),
    ("jax", "cumulative_sum", "int8", ()),
    ("numpy", "linspace", "uint8", (np.array([3, 200, 100], np.uint8), 5)),
])  # fmt: skip
def test_whole_numbers_of_few_bits_wrap_where_the_author_s_do(framework, name, dtype, more):
    """Values beyond what their dtype holds: each target has those that the function gives in its own framework."""
    f, x = getattr(SPACES[framework][0], name), np.array([200, 100, 3], "uint8").astype(dtype)
    fn = lambda x, *more: f(x, *more)
    given = lambda target: [MAKE[target](a) if isinstance(a, np.ndarray) else a for a in (x, *more)]
    want = np.asarray(fn(*given(framework)))
    program = gfx.symbolic_trace(fn, *given(framework), backend=framework)
    for target in MAKE:
        got = np.asarray(program.to(target)(*given(target)))
        np.testing.assert_allclose(got, want, rtol=1e-4)
        assert got.dtype.kind == want.dtype.kind


@pytest.mark.parametrize("of", ["numpy", "jax"])
@pytest.mark.parametrize("ends", [(-5, 5, 7), (0, 99, 10), (10, -4, 6), (3, 3, 1)])
def test_whole_numbers_at_equal_distances(of, ends):
    """Rounded down as NumPy computes them: in PyTorch's own way a number was one less."""
    space = SPACES[of][0]
    fn = lambda x: space.linspace(*ends, dtype=int) * x
    program = gfx.symbolic_trace(fn, backend=of)
    want = np.asarray(fn(MAKE[of](np.int32(2))))
    np.testing.assert_array_equal(program.to("torch")(torch.tensor(2)).numpy(), want)


@pytest.mark.parametrize("side", ["left", "right"])
def test_no_number_belongs_behind_all_numbers(side):
    fn = lambda x, v: torch.searchsorted(x, v, side=side)
    x, v = torch.tensor([1.0, 2.0, 2.0]), torch.tensor([2.0, torch.nan, 0.0])
    program = gfx.symbolic_trace(fn, backend="torch")
    for target in ("jax", "numpy"):
        np.testing.assert_array_equal(program.to(target)(MAKE[target](x.numpy()), MAKE[target](v.numpy())), fn(x, v))


@pytest.mark.parametrize("fn, more", [
    (lambda x, *i: np.delete(x, np.argmax(x)), ()),
    (lambda x, *i: np.delete(x, x > 2), ()),
    (lambda x, i: np.delete(x, i), (np.array([-1, 0, 1]),)),
])  # fmt: skip
def test_what_stands_at_positions_from_the_end_is_deleted(fn, more):
    x = np.array([1.0, 2.0, 5.0, 3.0], np.float32)
    typed = gfx.symbolic_trace(fn, x, *more, backend="numpy")
    for program in (typed, *([] if more else [gfx.symbolic_trace(fn, backend="numpy")])):
        for target in ("torch", "numpy"):
            got = program.to(target)(*(MAKE[target](a) for a in (x, *more)))
            np.testing.assert_array_equal(got, fn(x, *more))


def test_whether_a_mask_or_positions_are_deleted_has_to_be_known():
    with pytest.raises(GfxError, match="needs the dtype"):
        gfx.symbolic_trace(lambda x, i: np.delete(x, i), backend="numpy").source("torch")


def test_no_number_is_shrunk_to_none():
    fn = lambda x: torch.nn.functional.hardshrink(x)
    x = torch.tensor([torch.nan, 0.2, -3.0, 0.5])
    program = gfx.symbolic_trace(fn)
    for target in MAKE:
        np.testing.assert_array_equal(program.to(target)(MAKE[target](x.numpy())), fn(x))


def beside_numbers(x):
    u, i = np.abs(x).astype(np.uint8), x.astype(np.int8)
    few = u + np.int8(-1), u - np.int8(1), np.int32(-1) * u, np.maximum(u, np.int8(-1)), u > np.int8(-1), u + i
    return (
        *few,
        u * i.sum(),
        np.where(u > 0, u, np.int8(-1)),
        u // np.int8(-1),
        u * np.int16(300),
        u + 1,
        i + np.int8(1),
    )


@pytest.mark.parametrize("typed", [True, False])
def test_numbers_of_numpy_take_part_beside_arrays_of_which_the_axes_are_not_known(typed):
    given = np.array([1.0, 2.0, -4.0])
    program = gfx.symbolic_trace(beside_numbers, *[given] * typed, backend="numpy")
    for target, array in (("torch", torch.tensor), ("jax", np.array), ("numpy", np.array)):
        for found, wanted in zip(program.to(target)(array(given)), beside_numbers(given), strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted)
            assert np.asarray(found).dtype == wanted.dtype or wanted.dtype == np.int64
