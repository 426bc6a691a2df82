"""Models of libraries on JAX: the calls that their authors wrote, functions for their modules, loops over equal ones."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import torch

import gfx_trace as gfx

X = jnp.linspace(-1.0, 1.0, 30).reshape(5, 6)


def test_calls_within_what_jax_traces_are_made_again_as_they_were():
    program = gfx.symbolic_trace(lambda x: jax.lax.map(lambda row: jax.nn.softmax(jax.nn.gelu(row)), x), X)
    source = program.source("torch")
    assert "F.softmax(" in source and "F.gelu(" in source and "exp(" not in source
    want = jax.nn.softmax(jax.nn.gelu(X))
    np.testing.assert_allclose(program.to("torch")(torch.tensor(np.asarray(X))), want, rtol=2e-6)


def test_a_bias_that_is_given_axes_for_a_batch_is_added_as_it_is():
    bias = jnp.arange(6.0)
    program = gfx.symbolic_trace(lambda x: jax.lax.map(lambda row: row[None] + jnp.reshape(bias * row, (1, -1)), x), X)
    np.testing.assert_allclose(program(X), X[:, None] + bias * X[:, None], rtol=1e-6)


OF_ITEMS = {
    "F.softmax(": lambda x: jax.vmap(lambda v: jax.nn.softmax(v, axis=0))(x),
    "F.gelu(": lambda x: jax.vmap(jax.vmap(jax.nn.gelu))(x),
    "torch.mean(x, dim=-1)": lambda x: jax.vmap(jnp.mean)(x),
    "torch.mean(x, dim=-1, keepdim=True)": lambda x: jax.vmap(lambda v: jnp.mean(v, keepdims=True))(x),
    "torch.sum(x, dim=0) / 5.0": lambda x: jax.vmap(jnp.mean, in_axes=1)(x),
    "torch.var(x, dim=-1, correction=0)": lambda x: jax.vmap(jnp.var)(x),
    "torch.argmax(x, dim=-1)": lambda x: jax.vmap(jnp.argmax)(x),
    "torch.cumsum(x, dim=-1)": lambda x: jax.vmap(lambda v: jnp.cumsum(v, axis=0))(x),
    "x @ torch.linspace(-1.0, 1.0, 18).reshape(3, 6).T": lambda x: jax.vmap(
        lambda v: jnp.linspace(-1.0, 1.0, 18).reshape(3, 6) @ v
    )(x),
    "x + x[0]": lambda x: jax.vmap(lambda v: v + x[0])(x),
    "x[:, :1] + x": lambda x: jax.vmap(lambda v: v[0] + v)(x),
    "log_softmax(": lambda x: jax.vmap(lambda v: jax.nn.log_softmax(v) * v.max(), out_axes=1)(x),
}


@pytest.mark.parametrize("wanted", OF_ITEMS)
def test_calls_on_items_of_a_batch_are_those_on_whole_arrays(wanted):
    program = gfx.symbolic_trace(OF_ITEMS[wanted], X)
    source = program.source("torch")
    assert wanted in source, source
    np.testing.assert_allclose(
        program.to("torch")(torch.tensor(np.asarray(X))), OF_ITEMS[wanted](X), rtol=2e-6, atol=1e-7
    )


def test_what_has_axes_for_a_batch_alone_is_computed_without_them():
    spread = lambda x: jax.lax.rsqrt(jnp.expand_dims(jnp.var(x, 0), (0, 1)) + 1e-5)
    program = gfx.symbolic_trace(lambda x: jax.lax.map(lambda row: row * spread(x) * 2, x), X)
    assert "torch.rsqrt(torch.var(x, dim=0, correction=0) + 1e-05)" in program.source("torch")
    np.testing.assert_allclose(
        program.to("torch")(torch.tensor(np.asarray(X))), X[:, None, None] * spread(X) * 2, rtol=2e-6
    )


STACKED = {"norm": {"scale": jnp.ones((3, 6)), "bias": jnp.ones((3, 6)) / 8}, "in": X[:3, :, None], "out": X[:3, None]}


def layers(params, x, more):
    def layer(x, given):
        block, row, n = given
        h = jnp.tanh(x * block["norm"]["scale"] + block["norm"]["bias"]) @ block["in"]
        return x + h @ block["out"] * row + n, h.sum()

    return jax.lax.scan(layer, x, (params, more, jnp.arange(3)))


def test_loops_over_stacked_parameters_read_them_by_a_counter_or_as_a_tree():
    more = jnp.arange(18.0).reshape(3, 6)
    want = layers(STACKED, X, more)
    for target, wanted in (("torch", 'params["norm"]["scale"][i]'), ("jax", 'layer["norm"]["scale"]')):
        made = gfx.transpile(functools.partial(layers, STACKED), X, more, to=target)
        assert wanted in made.source
        given = [torch.tensor(np.asarray(x)) if target == "torch" else x for x in (X, more)]
        for a, b in zip(made(*given), want, strict=True):
            np.testing.assert_allclose(np.asarray(a), b, rtol=1e-5, atol=1e-5)


def half(x):
    h = jnp.tanh(x).reshape(x.shape[0] * x.shape[1], 2) / np.float32(0.3)
    return jnp.cumsum(h, axis=0).reshape(x.shape)


def test_functions_read_the_sizes_of_what_they_take():
    twice = jax.vmap(lambda v: half(half(v)))
    program = gfx.symbolic_trace(twice, gfx.TensorSpec(("B", "T", 4, 2), "float32"))
    assert "def half(x):" in program.source("torch")
    x = jnp.sin(jnp.arange(48.0)).reshape(3, 2, 4, 2)
    np.testing.assert_allclose(program.to("torch")(torch.tensor(np.asarray(x))), twice(x), rtol=1e-5)


@pytest.mark.parametrize(("dtype", "wanted"), [("float32", "x / 0.3"), ("int32", "x / torch.tensor(0.3)"),
                                               ("bfloat16", "x.float() / torch.tensor(0.3)")])  # fmt: skip
def test_a_constant_beside_an_array_of_its_dtype_is_a_number(dtype, wanted):
    program = gfx.symbolic_trace(lambda x: x / np.float32(0.3), gfx.TensorSpec((2,), dtype), backend="jax")
    assert f"return {wanted}\n" in program.source("torch")


LARGEST = {
    "a bound": lambda x: jnp.clip(x, -jnp.finfo(jnp.float32).max, jnp.finfo(jnp.float32).max),
    "a bound of items": lambda x: jax.vmap(lambda x: jnp.maximum(x, jnp.finfo(jnp.float32).min))(x),
    "a choice": lambda x: jax.lax.map(lambda x: jnp.where(x > 0, jnp.finfo(jnp.float32).max, x), x),
}


@pytest.mark.parametrize("f", LARGEST.values(), ids=LARGEST)
def test_the_largest_number_of_a_dtype_stays_one_of_it(f):
    x = jnp.array([-jnp.inf, 1.0, jnp.inf])
    np.testing.assert_array_equal(gfx.transpile(f, x, to="torch")(torch.tensor(np.asarray(x))), f(x))


@pytest.fixture
def linen():
    return pytest.importorskip("flax.linen")


@pytest.fixture
def encoder(linen):
    class Block(linen.Module):
        @linen.compact
        def __call__(self, x):
            h = linen.LayerNorm()(x)
            x = x + linen.MultiHeadDotProductAttention(num_heads=2)(h)
            h = linen.gelu(linen.Dense(16)(linen.LayerNorm()(x)))
            return x + linen.Dense(8)(h)

    class Encoder(linen.Module):
        @linen.compact
        def __call__(self, tokens):
            x = linen.Embed(12, 8)(tokens)
            for _ in range(3):
                x = Block()(x)
            return linen.Dense(12)(x)

    return Encoder()


def test_a_linen_model_is_functions_of_its_modules_and_loops_over_equal_ones(encoder):
    tokens = jnp.arange(10).reshape(2, 5)
    variables = encoder.init(jax.random.key(0), tokens)
    found = gfx.transpile(functools.partial(encoder.apply, variables), tokens, to="torch")
    assert "def block(params, x):" in found.source and '[f"Block_{n}"], x)' in found.source
    assert "F.layer_norm(" in found.source and "F.gelu(" in found.source
    given, want = torch.tensor(np.asarray(tokens)), encoder.apply(variables, tokens)
    np.testing.assert_allclose(found(given).detach(), want, rtol=1e-5, atol=5e-6)  # of values up to 6

    module = found.module()
    module(given).square().sum().backward()
    gradients = jax.grad(lambda v: (encoder.apply(v, tokens) ** 2).sum())(variables)
    leaves = {".".join(k.key for k in path): x for path, x in jax.tree.leaves_with_path(gradients)}
    own = {name: p.grad for name, p in module.named_parameters()}
    assert len(own) == len(leaves)
    largest = max(float(jnp.abs(x).max()) for x in leaves.values())
    for name, gradient in own.items():
        np.testing.assert_allclose(gradient, leaves[name], rtol=0, atol=5e-6 * largest)


def test_a_haiku_module_takes_its_own_parameters():
    haiku = pytest.importorskip("haiku")

    class Tower(haiku.Module):
        def __call__(self, x):
            for _ in range(3):
                x = x + haiku.Linear(6)(haiku.LayerNorm(-1, True, True)(jnp.tanh(x)))
            return x

    pair = haiku.transform(lambda x: Tower()(x))
    x = jnp.sin(jnp.arange(30.0)).reshape(5, 6)
    params = pair.init(jax.random.key(0), x)
    found = gfx.transpile(pair, x, params=params, to="torch")
    assert 'weight=params["tower/layer_norm_1"]["scale"]' in found.source
    given, want = torch.tensor(np.asarray(x)), pair.apply(params, None, x)
    np.testing.assert_allclose(found(given).detach(), want, rtol=1e-5, atol=1e-5)


def test_the_variables_of_an_nnx_module_are_named_as_its_attributes():
    nnx = pytest.importorskip("flax.nnx")

    class Mlp(nnx.Module):
        def __init__(self, rngs):
            self.layers = nnx.List([nnx.Linear(6, 6, rngs=rngs) for _ in range(2)])
            self.norm = nnx.LayerNorm(6, rngs=rngs)

        def __call__(self, x):
            for layer in self.layers:
                x = nnx.gelu(layer(self.norm(x)))
            return x

    model = Mlp(nnx.Rngs(0))
    found = gfx.transpile(model, X, to="torch")
    names = [name for name, _ in found.module().named_parameters()]
    assert sorted(names) == [
        "layers.0.bias", "layers.0.kernel", "layers.1.bias", "layers.1.kernel", "norm.bias", "norm.scale",
    ]  # fmt: skip
    assert 'F.layer_norm(x, (6,), weight=norm["scale"], bias=norm["bias"], eps=1e-06)' in found.source
    np.testing.assert_allclose(found(torch.tensor(np.asarray(X))).detach(), model(X), rtol=1e-5, atol=1e-6)


def test_layers_of_equinox_under_vmap_are_layers_of_whole_arrays():
    eqx = pytest.importorskip("equinox")
    linear, norm = eqx.nn.Linear(6, 6, key=jax.random.key(0)), eqx.nn.LayerNorm(6)
    x = jnp.sin(jnp.arange(36.0)).reshape(6, 6)
    for axis, wanted in (
        (0, "F.layer_norm("),
        (1, "torch.rsqrt("),
    ):  # axes of a batch of another place stay as they are
        model = jax.vmap(lambda v: jax.nn.gelu(linear(norm(v))), in_axes=axis)
        found = gfx.transpile(model, x, to="torch")
        assert wanted in found.source
        np.testing.assert_allclose(found(torch.tensor(np.asarray(x))).detach(), model(x), rtol=1e-4, atol=1e-5)
