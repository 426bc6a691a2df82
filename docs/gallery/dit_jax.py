import math

import jax
import jax.numpy as jnp


def timestep_embedding(t):
    """Sines and cosines of the time at geometrically falling frequencies."""
    frequencies = jnp.exp(-9.210340371976184 * jnp.arange(16, dtype=jnp.float32) / 16)
    angles = t[:, None] * frequencies[None]
    return jnp.concatenate((jnp.cos(angles), jnp.sin(angles)), axis=-1)


def linear(params, x):
    return x @ params["weight"].T + params["bias"]


def sequential(params, input):
    return linear(params[1], jax.nn.silu(input))


def layer_norm(x):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axes (arXiv:1607.06450)."""
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-06)


def modulate(x, shift, scale):
    return x * (1 + jnp.expand_dims(scale, 1)) + jnp.expand_dims(shift, 1)


def scaled_dot_product_attention(q, k, v):
    """softmax(q * scale @ k.T + mask) @ v over the last two axes (arXiv:1706.03762)."""
    scores = q * (1.0 / math.sqrt(q.shape[-1])) @ k.mT
    return jax.nn.softmax(scores, axis=-1) @ v


def attention(params, x):
    batch = x.shape[0]
    qkv = linear(params["qkv"], x).reshape(batch, 16, 3, 4, 8).transpose(2, 0, 3, 1, 4)
    q, k, v = jnp.unstack(qkv)
    y = scaled_dot_product_attention(q, k, v)
    return linear(params["proj"], y.swapaxes(1, 2).reshape(batch, 16, 32))


def block(params, x, c):
    """Attention and an MLP, each shifted, scaled and gated by the condition (adaLN-Zero)."""
    shift1, scale1, gate1, shift2, scale2, gate2 = jnp.split(sequential(params["modulation"], c), 6, axis=1)
    h = modulate(layer_norm(x), shift1, scale1)
    x = x + jnp.expand_dims(gate1, 1) * attention(params["attn"], h)
    h = modulate(layer_norm(x), shift2, scale2)
    h = linear(params["mlp"][2], jax.nn.gelu(linear(params["mlp"][0], h)))
    return x + jnp.expand_dims(gate2, 1) * h


def dit(params, x, t, y):
    """Assumes x: f32[B, 3, 16, 16], t: f32[B], y: i64[B]."""
    h = (
        jax.lax.conv_general_dilated(x, params["embed"]["weight"], (4, 4), "VALID")
        + params["embed"]["bias"][:, None, None]
    )
    x = jax.lax.collapse(h, 2).swapaxes(1, 2) + params["position"]
    h = jax.nn.silu(linear(params["time"][0], timestep_embedding(t)))
    c = linear(params["time"][2], h) + params["label"]["weight"][y]
    for layer in params["blocks"]:
        x = block(layer, x, c)
    shift, scale = jnp.split(sequential(params["modulation"], c), 2, axis=1)
    h = modulate(layer_norm(x), shift, scale)
    h = linear(params["out"], h)
    x = h.reshape(h.shape[0], 4, 4, 4, 4, 3)
    return x.transpose(0, 5, 1, 3, 2, 4).reshape(x.shape[0], 3, 16, 16)
