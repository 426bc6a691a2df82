import torch
from torch.nn import functional as F


def multi_head_dot_product_attention(params, inputs_q):
    h = torch.einsum("abc,cef->abef", inputs_q, params["key"]["kernel"]) + params["key"]["bias"]
    h_1 = torch.einsum("abc,cef->abef", inputs_q, params["value"]["kernel"]) + params["value"]["bias"]
    h_2 = (torch.einsum("abc,cef->abef", inputs_q, params["query"]["kernel"]) + params["query"]["bias"]) / 2.0
    weights = F.softmax(torch.einsum("...qhd,...khd->...hqk", h_2, h), dim=-1)
    h = torch.einsum("...hqk,...khd->...qhd", weights, h_1)
    return torch.einsum("abcd,cdg->abg", h, params["out"]["kernel"]) + params["out"]["bias"]


def block(params, x):
    """Self-attention and an MLP, each beside a shortcut."""
    h = F.layer_norm(x, (16,), weight=params["norm1"]["scale"], bias=params["norm1"]["bias"], eps=1e-06)
    x = x + multi_head_dot_product_attention(params["attention"], h)
    h = F.layer_norm(x, (16,), weight=params["norm2"]["scale"], bias=params["norm2"]["bias"], eps=1e-06)
    h = F.gelu(h @ params["up"]["kernel"] + params["up"]["bias"], approximate="tanh")
    return x + (h @ params["down"]["kernel"] + params["down"]["bias"])


def transformer(params, tokens):
    """Assumes tokens: i32[B, T]."""
    params = params["params"]
    x = params["token"]["embedding"][tokens]
    x = x + params["position"]["embedding"][torch.arange(tokens.shape[1])]
    for n in range(3):
        x = block(params[f"Block_{n}"], x)
    h = F.layer_norm(x, (16,), weight=params["norm"]["scale"], bias=params["norm"]["bias"], eps=1e-06)
    return h @ params["head"]["kernel"] + params["head"]["bias"]
