"""ResNet-50 for inference as a JAX author would write it, for the parameters of a PyTorch model."""

import jax
import jax.numpy as jnp
from jax import lax

DIMENSIONS = ("NCHW", "OIHW", "NCHW")


def conv(params, x, stride=1):
    padding = params["weight"].shape[-1] // 2
    paddings = [(padding, padding)] * 2
    return lax.conv_general_dilated(x, params["weight"], (stride, stride), paddings, dimension_numbers=DIMENSIONS)


def batch_norm(params, x):
    scale = params["weight"] * lax.rsqrt(params["running_var"] + 1e-5)
    shift = params["bias"] - params["running_mean"] * scale
    return x * scale[:, None, None] + shift[:, None, None]


def bottleneck(params, x, stride=1):
    h = jax.nn.relu(batch_norm(params["bn1"], conv(params["conv1"], x)))
    h = jax.nn.relu(batch_norm(params["bn2"], conv(params["conv2"], h, stride)))
    h = batch_norm(params["bn3"], conv(params["conv3"], h))
    if "downsample" in params:
        convolution, norm = params["downsample"]
        x = batch_norm(norm, conv(convolution, x, stride))
    return jax.nn.relu(h + x)


def resnet50(params, x):
    """Logits (batch, classes) of images (batch, 3, height, width)."""
    x = jax.nn.relu(batch_norm(params["bn1"], conv(params["conv1"], x, 2)))
    x = lax.reduce_window(x, -jnp.inf, lax.max, (1, 1, 3, 3), (1, 1, 2, 2), [(0, 0), (0, 0), (1, 1), (1, 1)])
    for name, stride in (("layer1", 1), ("layer2", 2), ("layer3", 2), ("layer4", 2)):
        first, *rest = params[name]
        x = bottleneck(first, x, stride)
        for block in rest:
            x = bottleneck(block, x)
    return x.mean((2, 3)) @ params["fc"]["weight"].T + params["fc"]["bias"]
