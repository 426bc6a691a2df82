"""Models in plain PyTorch and in plain JAX: those of the examples, and a U-Net."""

import functools
import itertools

import jax
import torch
from cases import Case, JaxModel
from torch import nn

import decoder
from gpt import GPT
from resnet import resnet50


class Double(nn.Sequential):
    """Two convolutions."""

    def __init__(self, inner, outer):
        parts = (nn.Conv2d(inner, outer, 3, padding=1), nn.GroupNorm(2, outer), nn.SiLU())
        super().__init__(*parts, nn.Conv2d(outer, outer, 3, padding=1), nn.SiLU())


class UNet(nn.Module):
    """Down, up, and what was on the way down beside what comes up."""

    def __init__(self, widths=(4, 8, 16)):
        super().__init__()
        self.first = Double(3, widths[0])
        self.down = nn.ModuleList(Double(a, b) for a, b in itertools.pairwise(widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(b, a, 2, 2) for a, b in itertools.pairwise(widths))
        self.join = nn.ModuleList(Double(2 * a, a) for a in widths[:-1])
        self.pool, self.last = nn.MaxPool2d(2), nn.Conv2d(widths[0], 1, 1)

    def forward(self, x):
        x = self.first(x)
        skips = []
        for block in self.down:
            skips.append(x)
            x = block(self.pool(x))
        for up, join, skip in zip(reversed(self.up), reversed(self.join), reversed(skips)):
            x = join(torch.cat([up(x), skip], dim=1))
        return self.last(x)


def tokens(batch, length):
    return {"tokens": torch.randint(0, 50, (batch, length))}


def images(batch, length):
    return {"x": torch.randn(batch, 3, 64, 64)}


def plain_decoder():
    params = decoder.init(0, vocab=50, width=32, depth=2)
    return JaxModel(functools.partial(decoder.decoder, params), {}, params, decoder.decoder)


CASES = {
    "GPT": Case("PyTorch", lambda: GPT(depth=2).eval(), tokens),
    "ResNet-50": Case("PyTorch", lambda: resnet50().eval(), images),
    "U-Net": Case("PyTorch", lambda: UNet().eval(), images),
    "Decoder": Case("JAX", plain_decoder, lambda batch, length: (jax.numpy.ones((batch, length), "int32"),)),
}
