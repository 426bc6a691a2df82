"""NumPy and JAX where memory, dtypes or functions of functions decide: the same as the framework, or refused."""

import importlib.util

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import gfx_trace as gfx
from gfx_ir import ops
from gfx_ir.errors import GfxError, MissingOp, ShapeError

X = np.arange(6, dtype="float32").reshape(2, 3)
SPEC, WHOLE = gfx.TensorSpec((2, 3), "float32"), gfx.TensorSpec((2, 3), "int32")


def double(x):
    return x * 2


def test_callbacks_are_refused_by_name():
    with pytest.raises(MissingOp, match="pure_callback") as caught:
        gfx.symbolic_trace(lambda x: jax.pure_callback(double, x, x), jnp.asarray(X))
    assert caught.value.hint


# ---------------------------------------------------------------- dtypes that decide
def quotient(x, y):
    return lax.div(x, y)


def test_lax_div_asks_for_the_dtype():
    with pytest.raises(ShapeError, match="dtype"):
        gfx.symbolic_trace(quotient)
    whole = jnp.array([[-7, 7, 5], [3, -3, 1]]), jnp.array([[2, -2, 3], [2, 2, 1]])
    np.testing.assert_array_equal(gfx.symbolic_trace(quotient, WHOLE, WHOLE)(*whole), quotient(*whole))
    floats = jnp.asarray(X), jnp.asarray(X + 1)
    np.testing.assert_array_equal(gfx.symbolic_trace(quotient, SPEC, SPEC)(*floats), quotient(*floats))


@pytest.mark.parametrize(
    "call", [lambda x: jnp.round(x, 1), lambda x: np.round(x, 1), lambda x: np.nan_to_num(x, True, 0, 1, 2)]
)
def test_calls_that_differ_for_integers_ask_for_the_dtype(call):
    with pytest.raises(ShapeError, match="dtype"):
        gfx.symbolic_trace(call)


def test_integers_have_no_nan():
    def clean(x):
        return np.nan_to_num(x)

    x = np.array([[1, 2, 3]] * 2, "int32")
    assert gfx.symbolic_trace(clean, WHOLE)(x).dtype == x.dtype


def test_writing_into_an_array_keeps_its_dtype():
    def add(x, y):
        x += y
        return x

    y = np.full((2, 3), 1e-9)
    for program in (gfx.symbolic_trace(add, X, y), gfx.symbolic_trace(add, backend="numpy")):
        got = program(X.copy(), y)
        assert got.dtype == np.float32
        np.testing.assert_array_equal(got, add(X.copy(), y))


def test_where_a_mask_is_true_the_dtype_stays():
    def cut(x):
        return x.at[x > 2].set(1.5)

    for x in (jnp.arange(5), jnp.arange(5.0)):
        got, want = gfx.symbolic_trace(cut, backend="jax")(x), cut(x)
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got, want)


# ---------------------------------------------------------------- memory that may be shared
CONVERSIONS = {
    "asarray": lambda x: np.asarray(x, dtype=np.float32),
    "array": lambda x: np.array(x, dtype=np.float32, copy=None),
    "method": lambda x: x.astype(np.float32, copy=False),
    "function": lambda x: np.astype(x, np.float32, copy=False),
}


@pytest.mark.parametrize("name", CONVERSIONS)
def test_a_conversion_to_the_own_dtype_is_the_array(name):
    def write(x):
        y = CONVERSIONS[name](x)
        y[0] = 9.0
        return x + 0, y + 0

    got, want = gfx.symbolic_trace(write, SPEC, backend="numpy")(X.copy()), write(X.copy())
    np.testing.assert_array_equal(got, want)
    other = np.arange(6).reshape(2, 3).astype("int32")
    got, want = gfx.symbolic_trace(write, WHOLE, backend="numpy")(other.copy()), write(other.copy())
    for g, w in zip(got, want):
        np.testing.assert_array_equal(g, w)
    with pytest.raises(GfxError):
        gfx.symbolic_trace(write, backend="numpy")


def test_a_conversion_that_nobody_writes_through():
    def read(x):
        return np.asarray(x, dtype=np.float32) + x.astype(np.float32, copy=False)

    program = gfx.symbolic_trace(read, backend="numpy")
    for x in (X, X.astype("int16")):
        np.testing.assert_array_equal(program(x), read(x))


# ---------------------------------------------------------------- what GFX printed reads back
def helpers(x, weight, at):
    y = ops.pad(x, ((1, 1), (2, 2)), value=0)
    y = ops.max_pool(ops.conv(y, weight), (2, 2), (2, 2), ceil_mode=True)
    values, places = ops.topk(y, 2, axis=-1, largest=False)
    wide = ops.expand(x[:, :1], (-1, 4, -1, -1))
    picked = ops.gather(x, at, 3)
    put = ops.index_put(x, x > 0.5, 0.0)
    scattered = ops.scatter(x, at, picked * 2, 3, reduce="add")
    return (
        values, places, wide, picked, put, scattered, ops.chunk(x, 3, axis=-1), ops.softplus(x, 2.0),
        ops.avg_pool(x, (2, 2), (2, 2), ceil_mode=True), ops.adaptive_avg_pool(x, (3, 3)), ops.adaptive_max_pool(x, (2, 2)),
    )  # fmt: skip


@pytest.mark.parametrize("target, array", [("numpy", np.asarray), ("jax", jnp.asarray)])
def test_emitted_helpers_are_captured_again(target, array, tmp_path):
    rng = np.random.default_rng(0)
    x, weight = rng.normal(size=(1, 3, 8, 8)).astype("float32"), rng.normal(size=(4, 3, 3, 3)).astype("float32")
    data = x, weight, rng.integers(0, 8, (1, 3, 8, 2))
    program = gfx.symbolic_trace(helpers, *data)
    path = tmp_path / f"helpers_{target}.py"
    path.write_text(program.source(target))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    given = [array(part) for part in data]
    want = module.helpers(*given)
    again = gfx.symbolic_trace(module.helpers, *given)
    found = {node.op.name for node in again.graph}
    assert {"pad", "conv", "max_pool", "topk", "broadcast_to", "chunk", "avg_pool", "scatter"} <= found
    for got, expected in zip(jax.tree.leaves(again(*given)), jax.tree.leaves(want), strict=True):
        np.testing.assert_allclose(got, expected, rtol=1e-5, atol=1e-5)


# ---------------------------------------------------------------- several axes as a list
@pytest.mark.parametrize("target", ["numpy", "jax"])
@pytest.mark.parametrize(
    "call", [
        lambda x: jnp.mean(x, [0, 1]), lambda x: jnp.var(x, axis=[0, 1]), lambda x: jnp.squeeze(x[None], [0]),
        lambda x: jnp.any(x > 4, [1]), lambda x: jnp.linalg.vector_norm(x, axis=(0, 1)),
    ],
)  # fmt: skip
def test_several_axes_may_be_a_list(call, target):
    np.testing.assert_allclose(gfx.transpile(call, jnp.asarray(X), to=target)(X), call(jnp.asarray(X)), rtol=1e-6)
