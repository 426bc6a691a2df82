"""A small U-Net (Ronneberger et al., 2015): down, up, and what was on the way down beside what comes up."""

import itertools

import torch
from torch import nn


class Double(nn.Sequential):
    """Two convolutions."""

    def __init__(self, inner, outer):
        parts = (nn.Conv2d(inner, outer, 3, padding=1), nn.GroupNorm(2, outer), nn.SiLU())
        super().__init__(*parts, nn.Conv2d(outer, outer, 3, padding=1), nn.SiLU())


class UNet(nn.Module):
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
