"""A diffusion transformer (Peebles and Xie, Scalable Diffusion Models with Transformers, 2022): blocks that the time shifts and scales."""

import math

import torch
from torch import nn
from torch.nn import functional as F


def timestep_embedding(t, width, period=10000.0):
    """Sines and cosines of the time at geometrically falling frequencies."""
    half = width // 2
    frequencies = torch.exp(-math.log(period) * torch.arange(half, dtype=torch.float32, device=t.device) / half)
    angles = t[:, None] * frequencies[None]
    return torch.cat([torch.cos(angles), torch.sin(angles)], dim=-1)


def modulate(x, shift, scale):
    return x * (1 + scale.unsqueeze(1)) + shift.unsqueeze(1)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)

    def forward(self, x):
        batch, count, width = x.shape
        qkv = self.qkv(x).reshape(batch, count, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        return self.proj(y.transpose(1, 2).reshape(batch, count, width))


class Block(nn.Module):
    """Attention and an MLP, each shifted, scaled and gated by the condition (adaLN-Zero)."""

    def __init__(self, width, heads):
        super().__init__()
        self.norm1 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.attn = Attention(width, heads)
        self.norm2 = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(approximate="tanh"), nn.Linear(4 * width, width))
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(width, 6 * width))

    def forward(self, x, c):
        shift1, scale1, gate1, shift2, scale2, gate2 = self.modulation(c).chunk(6, dim=1)
        x = x + gate1.unsqueeze(1) * self.attn(modulate(self.norm1(x), shift1, scale1))
        return x + gate2.unsqueeze(1) * self.mlp(modulate(self.norm2(x), shift2, scale2))


class DiT(nn.Module):
    def __init__(self, size=16, patch=4, channels=3, width=32, heads=4, depth=3, classes=10):
        super().__init__()
        self.patch, self.channels, self.width = patch, channels, width
        self.embed = nn.Conv2d(channels, width, patch, stride=patch)
        self.position = nn.Parameter(torch.randn(1, (size // patch) ** 2, width) * 0.02)
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.label = nn.Embedding(classes, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.norm = nn.LayerNorm(width, elementwise_affine=False, eps=1e-6)
        self.modulation = nn.Sequential(nn.SiLU(), nn.Linear(width, 2 * width))
        self.out = nn.Linear(width, patch * patch * channels)

    def unpatchify(self, x):
        side = int(x.shape[1] ** 0.5)
        x = x.reshape(x.shape[0], side, side, self.patch, self.patch, self.channels)
        return x.permute(0, 5, 1, 3, 2, 4).reshape(x.shape[0], self.channels, side * self.patch, side * self.patch)

    def forward(self, x, t, y):
        x = self.embed(x).flatten(2).transpose(1, 2) + self.position
        c = self.time(timestep_embedding(t, self.width)) + self.label(y)
        for block in self.blocks:
            x = block(x, c)
        shift, scale = self.modulation(c).chunk(2, dim=1)
        return self.unpatchify(self.out(modulate(self.norm(x), shift, scale)))
