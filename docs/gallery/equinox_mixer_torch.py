import torch
from torch.nn import functional as F


def mlp(params, x):
    layers = params["layers"]
    h = F.gelu(x @ layers[0]["weight"].T + layers[0]["bias"], approximate="tanh")
    return h @ layers[1]["weight"].T + layers[1]["bias"]


def block(params, y):
    """An MLP over patches, and one over channels, each beside a shortcut."""
    h = F.layer_norm(y, (8, 16), weight=params["norm1"]["weight"], bias=params["norm1"]["bias"])
    y = y + mlp(params["patches"], h)
    y = y.permute(0, 2, 1)
    h = F.layer_norm(y, (16, 8), weight=params["norm2"]["weight"], bias=params["norm2"]["bias"])
    y = y + mlp(params["channels"], h)
    return y.permute(0, 2, 1)


def classify(params, images):
    """The logits of a batch of images.

    Assumes images: f32[B, 3, 16, 16].
    """
    y = F.conv2d(images, params["embed"]["weight"], stride=4) + params["embed"]["bias"]
    y = y.reshape(images.shape[0], 8, 16)
    for layer in params["blocks"]:
        y = block(layer, y)
    h = F.layer_norm(y, (8, 16), weight=params["norm"]["weight"], bias=params["norm"]["bias"])
    return torch.mean(h, dim=-1) @ params["head"]["weight"].T + params["head"]["bias"]
