"""ResNet-50 for inference as a NumPy author would write it: convolutions by im2col and one product of matrices."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def conv(params, x, stride=1):
    weight = params["weight"]
    batch, padding = x.shape[0], weight.shape[-1] // 2
    if padding:
        x = np.pad(x, [(0, 0), (0, 0), (padding, padding), (padding, padding)])
    windows = sliding_window_view(x, weight.shape[2:], axis=(2, 3))[:, :, ::stride, ::stride]
    height, width = windows.shape[2:4]
    columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(batch, -1, height * width)
    return (weight.reshape(weight.shape[0], -1) @ columns).reshape(batch, -1, height, width)


def batch_norm(params, x):
    scale = params["weight"] / np.sqrt(params["running_var"] + np.float32(1e-5))
    shift = params["bias"] - params["running_mean"] * scale
    return x * scale[:, None, None] + shift[:, None, None]


def relu(x):
    return np.maximum(x, 0)


def bottleneck(params, x, stride=1):
    h = relu(batch_norm(params["bn1"], conv(params["conv1"], x)))
    h = relu(batch_norm(params["bn2"], conv(params["conv2"], h, stride)))
    h = batch_norm(params["bn3"], conv(params["conv3"], h))
    if "downsample" in params:
        convolution, norm = params["downsample"]
        x = batch_norm(norm, conv(convolution, x, stride))
    return relu(h + x)


def max_pool(x):
    x = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)], constant_values=-np.inf)
    return sliding_window_view(x, (3, 3), axis=(2, 3))[:, :, ::2, ::2].max(axis=(4, 5))


def resnet50(params, x):
    """Logits (batch, classes) of images (batch, 3, height, width)."""
    x = max_pool(relu(batch_norm(params["bn1"], conv(params["conv1"], x, 2))))
    for name, stride in (("layer1", 1), ("layer2", 2), ("layer3", 2), ("layer4", 2)):
        first, *rest = params[name]
        x = bottleneck(first, x, stride)
        for block in rest:
            x = bottleneck(block, x)
    return x.mean((2, 3)) @ params["fc"]["weight"].T + params["fc"]["bias"]
