import torch
from torch.nn import functional as F


def rotary(x):
    """Turn pairs of channels by an angle that grows with the position."""
    angles = torch.arange(x.shape[1]).unsqueeze(1) * 10000.0 ** (-torch.arange(4) / 4)
    cos = torch.cos(angles).unsqueeze(1)
    sin = torch.sin(angles).unsqueeze(1)
    x1 = x[..., :4]
    x2 = x[..., 4:]
    return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


def attention(params, x):
    """Causal self-attention."""
    q = (x @ params["q"]["kernel"]).reshape(x.shape[0], x.shape[1], 2, 8)
    k = (x @ params["k"]["kernel"]).reshape(x.shape[0], x.shape[1], 2, 8)
    v = (x @ params["v"]["kernel"]).reshape(x.shape[0], x.shape[1], 2, 8)
    h = rotary(q).transpose(-3, -2)
    h_1 = rotary(k).transpose(-3, -2)
    y = F.scaled_dot_product_attention(h, h_1, v.transpose(-3, -2), is_causal=True).transpose(-3, -2)
    return y.reshape(x.shape[0], x.shape[1], 16) @ params["out"]["kernel"]


def block(params, x):
    x_1 = F.rms_norm(x, (16,), weight=params["norm1"]["scale"], eps=1e-06)
    x = x + attention(params["attention"], x_1)
    h = F.rms_norm(x, (16,), weight=params["norm2"]["scale"], eps=1e-06)
    return x + F.silu(h @ params["gate"]["kernel"]) * (h @ params["up"]["kernel"]) @ params["down"]["kernel"]


def decoder(params, tokens):
    """Assumes tokens: i32[B, T]."""
    x = params["token"]["embedding"][tokens]
    for layer in params["blocks"]:
        x = block(layer, x)
    return F.rms_norm(x, (16,), weight=params["norm"]["scale"], eps=1e-06) @ params["token"]["embedding"].T
