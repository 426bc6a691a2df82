"""A decoder with RMS norms, rotary positions and gated MLPs (as in Llama) in Flax NNX."""

import jax
from flax import nnx
from jax import numpy as jnp


def rotary(x, base=10000.0):
    """Turn pairs of channels by an angle that grows with the position."""
    half = x.shape[-1] // 2
    angles = jnp.arange(x.shape[1])[:, None] * base ** (-jnp.arange(half) / half)
    cos, sin = jnp.cos(angles)[:, None], jnp.sin(angles)[:, None]
    x1, x2 = x[..., :half], x[..., half:]
    return jnp.concatenate([x1 * cos - x2 * sin, x2 * cos + x1 * sin], axis=-1)


class Attention(nnx.Module):
    """Causal self-attention."""

    def __init__(self, width, heads, rngs):
        self.heads = heads
        self.q, self.k, self.v, self.out = (nnx.Linear(width, width, use_bias=False, rngs=rngs) for _ in range(4))

    def __call__(self, x):
        batch, time, width = x.shape
        q, k, v = (layer(x).reshape(batch, time, self.heads, -1) for layer in (self.q, self.k, self.v))
        y = jax.nn.dot_product_attention(rotary(q), rotary(k), v, is_causal=True)
        return self.out(y.reshape(batch, time, width))


class Block(nnx.Module):
    def __init__(self, width, heads, rngs):
        self.norm1, self.norm2 = nnx.RMSNorm(width, rngs=rngs), nnx.RMSNorm(width, rngs=rngs)
        self.attention = Attention(width, heads, rngs)
        self.gate, self.up = (nnx.Linear(width, 2 * width, use_bias=False, rngs=rngs) for _ in range(2))
        self.down = nnx.Linear(2 * width, width, use_bias=False, rngs=rngs)

    def __call__(self, x):
        x = x + self.attention(self.norm1(x))
        h = self.norm2(x)
        return x + self.down(nnx.silu(self.gate(h)) * self.up(h))


class Decoder(nnx.Module):
    def __init__(self, rngs, vocab=50, width=16, heads=2, depth=3):
        self.token = nnx.Embed(vocab, width, rngs=rngs)
        self.blocks = nnx.List([Block(width, heads, rngs) for _ in range(depth)])
        self.norm = nnx.RMSNorm(width, rngs=rngs)

    def __call__(self, tokens):
        x = self.token(tokens)
        for block in self.blocks:
            x = block(x)
        return self.token.attend(self.norm(x))
