import math

import jax
import jax.numpy as jnp


def layer_norm(params, x):
    mean = x.mean(axis=-1, keepdims=True)
    var = x.var(axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + 1e-05) * params["weight"] + params["bias"]


def linear(params, x):
    return x @ params["weight"].T + params["bias"]


def attention(params, x):
    """Causal self-attention."""
    batch, time, width = x.shape
    q, k, v = jnp.split(linear(params["qkv"], x), 3, axis=-1)
    q = q.reshape(batch, time, 4, -1).swapaxes(1, 2)
    k = k.reshape(batch, time, 4, -1).swapaxes(1, 2)
    v = v.reshape(batch, time, 4, -1).swapaxes(1, 2)
    scores = q @ k.swapaxes(-2, -1) / math.sqrt(q.shape[-1])
    mask = jnp.tril(jnp.ones((time, time), dtype=bool))
    weights = jax.nn.softmax(jnp.where(~mask, -jnp.inf, scores), axis=-1)
    y = (weights @ v).swapaxes(1, 2).reshape(batch, time, width)
    return linear(params["out"], y)


def block(params, x):
    x = x + attention(params["attention"], layer_norm(params["norm1"], x))
    h = linear(params["mlp"][0], layer_norm(params["norm2"], x))
    return x + linear(params["mlp"][2], jax.nn.gelu(h, approximate=False))


def nll_loss(x, target):
    """The negative log-probability of each target class, times the class's weight."""
    valid = target != -100
    labels = jnp.where(valid, target, 0)
    losses = -jnp.take_along_axis(x, jnp.expand_dims(labels, 1), axis=1).squeeze(axis=1)
    counts = valid.astype(x.dtype)
    losses = jnp.where(valid, losses, 0.0)
    return jnp.sum(losses) / jnp.sum(counts)


def cross_entropy(x, target):
    """nll_loss of log_softmax(x); x is (N, C, ...), target (N, ...) of class numbers, or (N, C, ...) of
    probabilities.
    """
    log_probs = jax.nn.log_softmax(x, axis=1)
    return nll_loss(log_probs, target)


def gpt(params, tokens, targets=None):
    x = params["token"]["weight"][tokens] + params["position"]["weight"][jnp.arange(tokens.shape[1])]
    for layer in params["blocks"]:
        x = block(layer, x)
    logits = layer_norm(params["norm"], x) @ params["token"]["weight"].T
    if targets is None:
        return logits, None
    assert logits.ndim >= 2, "torch.flatten: at least 2 axes"
    loss = cross_entropy(jax.lax.collapse(logits, 0, 2), targets.reshape(-1))
    return logits, loss
