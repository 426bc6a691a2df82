import jax
import jax.numpy as jnp


def rms_norm(params, x):
    return x * jax.lax.rsqrt(jnp.square(x).mean(axis=-1, keepdims=True) + 1e-05) * params["weight"]


def selective_scan(x, delta, A, B, C, D):
    """y[t] = C[t] h[t] + D x[t], where h[t] = exp(delta[t] A) h[t-1] + delta[t] B[t] x[t]."""
    h = jnp.zeros((x.shape[0], x.shape[2], A.shape[1]), dtype=x.dtype)
    outs = []
    for t in range(x.shape[1]):
        decay = jnp.exp(delta[:, t, :, None] * A)
        h = decay * h + (delta[:, t] * x[:, t])[:, :, None] * B[:, t, None, :]
        outs.append((h * C[:, t, None, :]).sum(axis=-1))
    return jnp.stack(outs, axis=1) + x * D


def mixer(params, x):
    """A gated selective scan behind a causal convolution of each channel."""
    length = x.shape[1]
    x, gate = jnp.split(x @ params["in_proj"]["weight"].T, 2, axis=-1)
    h = x.swapaxes(1, 2)
    h = (
        jax.lax.conv_general_dilated(h, params["conv"]["weight"], (1,), [(3, 3)], feature_group_count=32)
        + params["conv"]["bias"][:, None]
    )
    x = jax.nn.silu(h[:, :, :length].swapaxes(1, 2))
    delta, B, C = jnp.split(x @ params["x_proj"]["weight"].T, [4, 8], axis=-1)
    delta = jax.nn.softplus(delta @ params["dt_proj"]["weight"].T + params["dt_proj"]["bias"])
    y = selective_scan(x, delta, -jnp.exp(params["A_log"]), B, C, params["D"])
    return y * jax.nn.silu(gate) @ params["out_proj"]["weight"].T


def block(params, x):
    return x + mixer(params["mixer"], rms_norm(params["norm"], x))


def mamba(params, tokens):
    x = params["embedding"]["weight"][tokens]
    for layer in params["blocks"]:
        x = block(layer, x)
    return rms_norm(params["norm"], x) @ params["embedding"]["weight"].mT
