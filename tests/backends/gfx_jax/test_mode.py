"""JAX's mode: with 64-bit types its defaults are others, at capture, in types, and in what another framework makes of them."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx
from gfx_ir.errors import UnsupportedConstruct

X = np.array([0.1, 0.2, 0.3])


def asks_a_default(x: jax.Array):
    return x * 2 if jnp.zeros(3).dtype == jnp.float64 else x * 3


def asks_numbers(x: jax.Array):
    return x * 2 if jnp.array([1.5, 2.5]).dtype == jnp.float64 else x * 3


def asks_positions(x: jax.Array):
    return x * 2 if jnp.argmax(x).dtype == jnp.int64 and jnp.sum(x > 0).dtype == jnp.int64 else x * 3


def asks_a_mean(x: jax.Array):
    return x * 2 if jnp.mean(x > 0).dtype == jnp.float64 else x * 3


def asks_frequencies(x: jax.Array):
    return x * 2 if jnp.fft.fftfreq(3).dtype == jnp.logspace(0, 1, 3).dtype == jnp.float64 else x * 3


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("fn", (asks_a_default, asks_numbers, asks_positions, asks_a_mean, asks_frequencies))
def test_dtypes_are_those_of_the_mode(fn):
    program, want = gfx.symbolic_trace(fn, jnp.asarray(X)), np.asarray(fn(jnp.asarray(X)))
    for found in (program(X), program.to("jax")(jnp.asarray(X)), program.to("torch")(torch.tensor(X))):
        np.testing.assert_allclose(found, want)


def makes_arrays(x: jax.Array):
    return jnp.zeros(3), jnp.full(3, 0.5), jnp.array([1.1, 2.2]), jnp.linspace(0, 1, 3), jnp.arange(3), x + jnp.ones(3)


def makes_more(x: jax.Array):
    return *makes_arrays(x), jnp.array([e.item() for e in x])


@pytest.mark.usefixtures("wide")
@pytest.mark.parametrize("typed", (True, False))
def test_what_is_made_of_numbers_has_as_many_digits(typed):
    given, fn = jnp.asarray(X), makes_more if typed else makes_arrays
    program = gfx.symbolic_trace(fn, *[given] * typed)
    for found, want in zip(program.to("torch")(torch.tensor(X)), fn(given), strict=True):
        assert str(found.dtype).removeprefix("torch.") == want.dtype.name
        np.testing.assert_array_equal(found, want)


def halves(x):
    return x / 2


def scales(x):
    return x * 1.5


def counts(x):
    return x + 1


def totals(x):
    return jnp.sum(x)


def means(x):
    return jnp.mean(x)


@pytest.mark.parametrize("mode", (False, True))
@pytest.mark.parametrize("fn", (halves, scales, counts, totals, means))
@pytest.mark.parametrize("dtype", ("bool", "uint8", "int32", "int64", "float16", "float32", "float64"))
def test_inferred_types_are_those_of_jax(fn, dtype, mode):
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", mode)
    try:
        x = jnp.asarray(np.array([1, 2, 3]).astype(dtype))
        want, type_ = fn(x), gfx.symbolic_trace(fn, x).infer().entry.result.type
    finally:
        jax.config.update("jax_enable_x64", before)
    assert (type_.dtype.name, type_.weak) == (want.dtype.name, want.weak_type)


WEAK = jnp.asarray(2.0), jnp.full((3,), 2.0), jnp.asarray(2)


@pytest.mark.parametrize("to", ("torch", "jax"))
@pytest.mark.parametrize("weak", WEAK, ids=("fraction", "several", "whole"))
@pytest.mark.parametrize("x", (jnp.ones(3, jnp.bfloat16), jnp.ones(3, jnp.int8)), ids=("bfloat16", "int8"))
def test_arrays_that_give_way_to_other_dtypes_do_so_where_they_are_given_or_held(weak, x, to):
    def given(w, x):
        return w * x, jnp.stack([w, w]) * x[:2, None] if w.ndim else jnp.exp(w) * x

    for fn, args in ((given, (weak, x)), (lambda x: given(weak, x), (x,))):
        native = [torch.from_dlpack(arg) if to == "torch" else arg for arg in args]
        for got, want in zip(gfx.transpile(fn, *args, to=to)(*native), fn(*args), strict=True):
            assert str(got.dtype).removeprefix("torch.") == want.dtype.name
            np.testing.assert_allclose(np.asarray(got.tolist()), want.astype(float), rtol=1e-2)


def test_whether_a_dtype_counts_by_its_kind_alone_is_answered_where_it_is_known():
    def asks(w, x):
        made = w * 2, x * 2.0, jnp.sum(w), w.astype(jnp.float32), jnp.asarray(1.0), jnp.full((2,), 1.0), jnp.zeros(2)
        return [x * (2 if one.weak_type else 3) for one in made]

    for weak in WEAK:
        want = asks(weak, jnp.ones(3))
        np.testing.assert_array_equal(gfx.transpile(asks, weak, jnp.ones(3), to="jax")(weak, jnp.ones(3)), want)
    with pytest.raises(UnsupportedConstruct, match="weak_type: the dtype of an argument is not known"):
        gfx.symbolic_trace(asks, backend="jax")
    with pytest.raises(UnsupportedConstruct, match="weak_type of an array of truths"):
        gfx.symbolic_trace(lambda x: x * (x > 0).weak_type, jnp.ones(3))
