"""A decoder-only transformer in plain jax.numpy: parameters are a tree of arrays, the model is a function of them."""

import jax
import jax.numpy as jnp


def init(seed, vocab=256, width=64, heads=4, depth=4, context=128):
    """Random parameters; `width` must be a multiple of `heads`."""
    keys = iter(jax.random.split(jax.random.key(seed), 2 + 4 * depth))

    def normal(*shape, scale=width**-0.5):
        return scale * jax.random.normal(next(keys), shape)

    def norm():
        return {"scale": jnp.ones(width), "bias": jnp.zeros(width)}

    def layer():
        return {
            "norm1": norm(),
            "qkv": normal(width, 3, heads, width // heads),
            "out": normal(heads, width // heads, width),
            "norm2": norm(),
            "up": {"kernel": normal(width, 4 * width), "bias": jnp.zeros(4 * width)},
            "down": {"kernel": normal(4 * width, width, scale=(4 * width) ** -0.5), "bias": jnp.zeros(width)},
        }

    return {
        "embed": normal(vocab, width),
        "position": normal(context, width, scale=0.02),
        "layers": [layer() for _ in range(depth)],
        "norm": norm(),
    }


def layer_norm(params, x, eps=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + eps) * params["scale"] + params["bias"]


def dense(params, x):
    return jnp.dot(x, params["kernel"]) + params["bias"]


def attention(params, x):
    """Causal self-attention; the kernels carry the heads in their shapes."""
    q, k, v = jnp.einsum("btw,wchd->cbhtd", x, params["qkv"])
    time, size = q.shape[-2:]
    scores = jnp.einsum("bhqd,bhkd->bhqk", q, k) / jnp.sqrt(size)
    causal = jnp.tril(jnp.ones((time, time), dtype=bool))
    weights = jax.nn.softmax(jnp.where(causal, scores, -jnp.inf), axis=-1)
    return jnp.einsum("bhqk,bhkd,hdw->bqw", weights, v, params["out"])


def mlp(params, x):
    return dense(params["down"], jax.nn.gelu(dense(params["up"], x)))


def block(params, x):
    x = x + attention(params, layer_norm(params["norm1"], x))
    return x + mlp(params, layer_norm(params["norm2"], x))


def decoder(params, tokens):
    """Logits (batch, time, vocab) of the next token after each of `tokens` (batch, time)."""
    x = params["embed"][tokens] + params["position"][: tokens.shape[1]]
    for layer in params["layers"]:
        x = block(layer, x)
    return layer_norm(params["norm"], x) @ params["embed"].T
