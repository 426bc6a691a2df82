import jax
import jax.numpy as jnp


def batch_norm2d(params, x):
    h = (jnp.moveaxis(x, 1, -1) - params["running_mean"]) * jax.lax.rsqrt(params["running_var"] + 1e-05)
    return jnp.moveaxis(h * params["weight"] + params["bias"], -1, 1)


def bottleneck(params, x):
    """1x1, 3x3, 1x1 convolutions around a shortcut; `downsample` fits the shortcut to a new shape."""
    h = jax.lax.conv_general_dilated(x, params["conv1"]["weight"], (1, 1), "VALID")
    out = jax.nn.relu(batch_norm2d(params["bn1"], h))
    h = jax.lax.conv_general_dilated(out, params["conv2"]["weight"], (1, 1), [(1, 1), (1, 1)])
    out = jax.nn.relu(batch_norm2d(params["bn2"], h))
    h = jax.lax.conv_general_dilated(out, params["conv3"]["weight"], (1, 1), "VALID")
    out = batch_norm2d(params["bn3"], h)
    h = jax.lax.conv_general_dilated(x, params["downsample"][0]["weight"], (1, 1), "VALID")
    identity = batch_norm2d(params["downsample"][1], h)
    out = out + identity
    return jax.nn.relu(out)


def bottleneck_1(params, x):
    """1x1, 3x3, 1x1 convolutions around a shortcut; `downsample` fits the shortcut to a new shape."""
    h = jax.lax.conv_general_dilated(x, params["conv1"]["weight"], (1, 1), "VALID")
    out = jax.nn.relu(batch_norm2d(params["bn1"], h))
    h = jax.lax.conv_general_dilated(out, params["conv2"]["weight"], (1, 1), [(1, 1), (1, 1)])
    out = jax.nn.relu(batch_norm2d(params["bn2"], h))
    h = jax.lax.conv_general_dilated(out, params["conv3"]["weight"], (1, 1), "VALID")
    out = batch_norm2d(params["bn3"], h)
    out = out + x
    return jax.nn.relu(out)


def bottleneck_2(params, x):
    """1x1, 3x3, 1x1 convolutions around a shortcut; `downsample` fits the shortcut to a new shape."""
    h = jax.lax.conv_general_dilated(x, params["conv1"]["weight"], (1, 1), "VALID")
    out = jax.nn.relu(batch_norm2d(params["bn1"], h))
    h = jax.lax.conv_general_dilated(out, params["conv2"]["weight"], (2, 2), [(1, 1), (1, 1)])
    out = jax.nn.relu(batch_norm2d(params["bn2"], h))
    h = jax.lax.conv_general_dilated(out, params["conv3"]["weight"], (1, 1), "VALID")
    out = batch_norm2d(params["bn3"], h)
    h = jax.lax.conv_general_dilated(x, params["downsample"][0]["weight"], (2, 2), "VALID")
    identity = batch_norm2d(params["downsample"][1], h)
    out = out + identity
    return jax.nn.relu(out)


def res_net(params, x):
    """Assumes x: f32[B, 3, H, W]."""
    h = jax.lax.conv_general_dilated(x, params["conv1"]["weight"], (2, 2), [(3, 3), (3, 3)])
    h = jax.nn.relu(batch_norm2d(params["bn1"], h))
    x = jax.lax.reduce_window(
        h, -jnp.inf, jax.lax.max, (1, 1, 3, 3), (1, 1, 2, 2), [(0, 0), (0, 0), (1, 1), (1, 1)]
    )
    x = bottleneck(params["layer1"][0], x)
    for layer in params["layer1"][1:]:
        x = bottleneck_1(layer, x)
    x = bottleneck_2(params["layer2"][0], x)
    for layer in params["layer2"][1:]:
        x = bottleneck_1(layer, x)
    x = bottleneck_2(params["layer3"][0], x)
    for layer in params["layer3"][1:]:
        x = bottleneck_1(layer, x)
    x = bottleneck_2(params["layer4"][0], x)
    for layer in params["layer4"][1:]:
        x = bottleneck_1(layer, x)
    x = jax.lax.collapse(x.mean(axis=(-2, -1), keepdims=True), 1)
    return x @ params["fc"]["weight"].T + params["fc"]["bias"]
