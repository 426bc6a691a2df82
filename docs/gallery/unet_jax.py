import jax
import jax.numpy as jnp


def conv2d(params, x):
    return (
        jax.lax.conv_general_dilated(x, params["weight"], (1, 1), [(1, 1), (1, 1)])
        + params["bias"][:, None, None]
    )


def group_norm(params, x):
    groups = x.reshape(x.shape[0], 2, -1)
    mean = groups.mean(axis=-1, keepdims=True)
    var = groups.var(axis=-1, keepdims=True)
    h = ((groups - mean) * jax.lax.rsqrt(var + 1e-05)).reshape(x.shape[0], x.shape[1], -1)
    return (h * jnp.expand_dims(params["weight"], -1) + jnp.expand_dims(params["bias"], -1)).reshape(x.shape)


def double(params, input):
    """Two convolutions."""
    input = conv2d(params[0], input)
    input = group_norm(params[1], input)
    input = jax.nn.silu(input)
    input = conv2d(params[3], input)
    return jax.nn.silu(input)


def conv_transpose2d(params, input):
    return (
        jax.lax.conv_transpose(
            input,
            params["weight"],
            (2, 2),
            [(1, 1), (1, 1)],
            dimension_numbers=("NCHW", "OIHW", "NCHW"),
            transpose_kernel=True,
        )
        + params["bias"][:, None, None]
    )


def unet(params, x):
    """Assumes x: f32[B, 3, H, W]."""
    x = double(params["first"], x)
    h = jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x_1 = double(params["down"][0], h)
    h = jax.lax.reduce_window(x_1, -jnp.inf, jax.lax.max, (1, 1, 2, 2), (1, 1, 2, 2), "VALID")
    x_2 = double(params["down"][1], h)
    h = jnp.concatenate((conv_transpose2d(params["up"][1], x_2), x_1), axis=1)
    x_1 = double(params["join"][1], h)
    h = jnp.concatenate((conv_transpose2d(params["up"][0], x_1), x), axis=1)
    x = double(params["join"][0], h)
    return (
        jax.lax.conv_general_dilated(x, params["last"]["weight"], (1, 1), "VALID")
        + params["last"]["bias"][:, None, None]
    )
