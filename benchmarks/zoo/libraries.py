"""Models of JAX's libraries, of those that are installed."""

import functools
import importlib.util

import jax
from cases import Case, JaxModel


def vectors(batch, length):
    return (jax.random.normal(jax.random.key(batch + length), (batch, 8)),)


def sequences(batch, length):
    return (jax.random.normal(jax.random.key(batch + length), (batch, length, 16)),)


def images(batch, length):
    return (jax.random.normal(jax.random.key(batch), (batch, 16, 16, 3)),)


def linen():
    from flax import linen as nn

    class Mlp(nn.Module):
        @nn.compact
        def __call__(self, x):
            for width in (16, 16):
                x = nn.gelu(nn.Dense(width)(x))
            return nn.Dense(4)(x)

    class Convolutional(nn.Module):
        @nn.compact
        def __call__(self, x):
            for width in (4, 8):
                x = nn.avg_pool(nn.relu(nn.Conv(width, (3, 3))(x)), (2, 2), (2, 2))
            return nn.Dense(4)(x.reshape(x.shape[0], -1))

    class Encoder(nn.Module):
        @nn.compact
        def __call__(self, x):
            for _ in range(2):
                x = x + nn.MultiHeadDotProductAttention(num_heads=4)(nn.LayerNorm()(x))
                x = x + nn.Dense(16)(nn.gelu(nn.Dense(32)(nn.LayerNorm()(x))))
            return nn.LayerNorm()(x)

    def made(module, inputs):
        variables = module.init(jax.random.key(0), *inputs(2, 7))
        return JaxModel(module, {"variables": variables}, variables, module.apply)

    nets = {"MLP": (Mlp, vectors), "CNN": (Convolutional, images), "Encoder": (Encoder, sequences)}
    return {
        f"{name} (Linen)": Case("Flax Linen", functools.partial(lambda k, i: made(k(), i), kind, inputs), inputs)
        for name, (kind, inputs) in nets.items()
    }


def nnx():
    from flax import nnx

    class Mlp(nnx.Module):
        def __init__(self, rngs):
            self.first, self.last = nnx.Linear(8, 16, rngs=rngs), nnx.Linear(16, 4, rngs=rngs)
            self.norm = nnx.LayerNorm(16, rngs=rngs)

        def __call__(self, x):
            return self.last(nnx.gelu(self.norm(self.first(x))))

    def made():
        model = Mlp(nnx.Rngs(0))
        graph, state = nnx.split(model)
        return JaxModel(model, {}, state, lambda state, *args: nnx.merge(graph, state)(*args))

    return {"MLP (NNX)": Case("Flax NNX", made, vectors)}


def equinox():
    import equinox as eqx

    class Mixer(eqx.Module):
        layers: list
        norm: eqx.nn.LayerNorm

        def __init__(self, key):
            keys = jax.random.split(key, 2)
            self.layers, self.norm = [eqx.nn.Linear(16, 16, key=k) for k in keys], eqx.nn.LayerNorm(16)

        def __call__(self, x):
            for layer in self.layers:
                x = x + jax.nn.gelu(jax.vmap(layer)(jax.vmap(self.norm)(x)))
            return x

    def made(model):
        arrays, rest = eqx.partition(model, eqx.is_array)
        batched = lambda x: jax.vmap(model)(x)
        return JaxModel(batched, {}, arrays, lambda arrays, x: jax.vmap(eqx.combine(arrays, rest))(x))

    return {
        "MLP (Equinox)": Case("Equinox", lambda: made(eqx.nn.MLP(8, 4, 16, 2, key=jax.random.key(0))), vectors),
        "Mixer (Equinox)": Case("Equinox", lambda: made(Mixer(jax.random.key(0))), sequences),
    }


def haiku():
    import haiku as hk

    def made(fn, inputs):
        pair = hk.without_apply_rng(hk.transform(fn))
        params = pair.init(jax.random.key(0), *inputs(2, 7))
        return JaxModel(functools.partial(pair.apply, params), {}, params, pair.apply)

    def encoder(x):
        attend = hk.MultiHeadAttention(4, 4, w_init=hk.initializers.VarianceScaling(), model_size=16)
        x = x + attend(x, x, x)
        return hk.LayerNorm(-1, True, True)(x + hk.Linear(16)(jax.nn.gelu(hk.Linear(32)(x))))

    return {
        "MLP (Haiku)": Case("Haiku", lambda: made(lambda x: hk.nets.MLP([16, 4])(x), vectors), vectors),
        "Encoder (Haiku)": Case("Haiku", lambda: made(encoder, sequences), sequences),
    }


LIBRARIES = {"flax": (linen, nnx), "equinox": (equinox,), "haiku": (haiku,)}
CASES = {}
for library, makers in LIBRARIES.items():
    if importlib.util.find_spec(library) is not None:
        for maker in makers:
            CASES |= maker()
