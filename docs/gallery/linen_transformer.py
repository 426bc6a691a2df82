"""A pre-norm transformer encoder in Flax Linen, over tokens with learned positions."""

from flax import linen as nn
from jax import numpy as jnp


class Block(nn.Module):
    """Self-attention and an MLP, each beside a shortcut."""

    width: int
    heads: int

    @nn.compact
    def __call__(self, x):
        x = x + nn.MultiHeadDotProductAttention(self.heads, name="attention")(nn.LayerNorm(name="norm1")(x))
        h = nn.gelu(nn.Dense(4 * self.width, name="up")(nn.LayerNorm(name="norm2")(x)))
        return x + nn.Dense(self.width, name="down")(h)


class Transformer(nn.Module):
    vocab: int = 50
    width: int = 16
    heads: int = 4
    depth: int = 3
    context: int = 64

    @nn.compact
    def __call__(self, tokens):
        x = nn.Embed(self.vocab, self.width, name="token")(tokens)
        x = x + nn.Embed(self.context, self.width, name="position")(jnp.arange(tokens.shape[1]))
        for _ in range(self.depth):
            x = Block(self.width, self.heads)(x)
        return nn.Dense(self.vocab, name="head")(nn.LayerNorm(name="norm")(x))
