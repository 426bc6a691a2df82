"""An MLP-mixer (Tolstikhin et al., 2021) in Equinox, written for one image; jax.vmap gives it a batch."""

import equinox as eqx
import jax


class Block(eqx.Module):
    """An MLP over patches, and one over channels, each beside a shortcut."""

    patches: eqx.nn.MLP
    channels: eqx.nn.MLP
    norm1: eqx.nn.LayerNorm
    norm2: eqx.nn.LayerNorm

    def __init__(self, count, width, key):
        key1, key2 = jax.random.split(key)
        self.patches = eqx.nn.MLP(count, count, 2 * count, depth=1, activation=jax.nn.gelu, key=key1)
        self.channels = eqx.nn.MLP(width, width, 2 * width, depth=1, activation=jax.nn.gelu, key=key2)
        self.norm1, self.norm2 = eqx.nn.LayerNorm((width, count)), eqx.nn.LayerNorm((count, width))

    def __call__(self, y):
        y = y + jax.vmap(self.patches)(self.norm1(y))
        y = y.T
        y = y + jax.vmap(self.channels)(self.norm2(y))
        return y.T


class Mixer(eqx.Module):
    embed: eqx.nn.Conv2d
    blocks: list
    norm: eqx.nn.LayerNorm
    head: eqx.nn.Linear

    def __init__(self, key, size=16, patch=4, channels=3, width=8, depth=3, classes=10):
        count = (size // patch) ** 2
        first, last, *keys = jax.random.split(key, depth + 2)
        self.embed = eqx.nn.Conv2d(channels, width, patch, stride=patch, key=first)
        self.blocks = [Block(count, width, key) for key in keys]
        self.norm = eqx.nn.LayerNorm((width, count))
        self.head = eqx.nn.Linear(width, classes, key=last)

    def __call__(self, image):
        y = self.embed(image)
        y = y.reshape(y.shape[0], -1)
        for block in self.blocks:
            y = block(y)
        return self.head(self.norm(y).mean(axis=-1))


def classify(model, images):
    """The logits of a batch of images."""
    return jax.vmap(model)(images)
