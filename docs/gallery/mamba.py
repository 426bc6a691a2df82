"""A selective state space model (Gu and Dao, Mamba, 2023), its recurrence as a loop over time."""

import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, width, eps=1e-5):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


def selective_scan(x, delta, A, B, C, D):
    """y[t] = C[t] h[t] + D x[t], where h[t] = exp(delta[t] A) h[t-1] + delta[t] B[t] x[t]."""
    h = x.new_zeros(x.shape[0], x.shape[2], A.shape[1])
    out = []
    for t in range(x.shape[1]):
        decay = torch.exp(delta[:, t, :, None] * A)
        h = decay * h + (delta[:, t] * x[:, t])[:, :, None] * B[:, t, None, :]
        out.append((h * C[:, t, None, :]).sum(-1))
    return torch.stack(out, dim=1) + x * D


class Mixer(nn.Module):
    """A gated selective scan behind a causal convolution of each channel."""

    def __init__(self, width, state=4, kernel=4, rank=4):
        super().__init__()
        inner = 2 * width
        self.rank, self.state = rank, state
        self.in_proj = nn.Linear(width, 2 * inner, bias=False)
        self.conv = nn.Conv1d(inner, inner, kernel, groups=inner, padding=kernel - 1)
        self.x_proj = nn.Linear(inner, rank + 2 * state, bias=False)
        self.dt_proj = nn.Linear(rank, inner)
        self.A_log = nn.Parameter(torch.log(torch.arange(1.0, state + 1).repeat(inner, 1)))
        self.D = nn.Parameter(torch.ones(inner))
        self.out_proj = nn.Linear(inner, width, bias=False)

    def forward(self, x):
        length = x.shape[1]
        x, gate = self.in_proj(x).chunk(2, dim=-1)
        x = F.silu(self.conv(x.transpose(1, 2))[:, :, :length].transpose(1, 2))
        delta, B, C = self.x_proj(x).split([self.rank, self.state, self.state], dim=-1)
        delta = F.softplus(self.dt_proj(delta))
        y = selective_scan(x, delta, -torch.exp(self.A_log), B, C, self.D)
        return self.out_proj(y * F.silu(gate))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm, self.mixer = RMSNorm(width), Mixer(width)

    def forward(self, x):
        return x + self.mixer(self.norm(x))


class Mamba(nn.Module):
    def __init__(self, vocab=50, width=16, depth=3):
        super().__init__()
        self.embedding = nn.Embedding(vocab, width)
        self.blocks = nn.ModuleList(Block(width) for _ in range(depth))
        self.norm = RMSNorm(width)

    def forward(self, tokens):
        x = self.embedding(tokens)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.embedding.weight.T
