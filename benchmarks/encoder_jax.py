"""The BERT encoder as a JAX author would write it, for the parameters of transformers.BertModel."""

import jax
import jax.numpy as jnp
from jax import lax

HEAD = 32


def linear(params, x):
    return x @ params["weight"].T + params["bias"]


def layer_norm(params, x):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) * lax.rsqrt(x.var(-1, keepdims=True) + 1e-12) * params["weight"] + params["bias"]


def attention(params, x, bias):
    batch, time, width = x.shape
    query, key, value = (
        linear(params[name], x).reshape(batch, time, -1, HEAD).swapaxes(1, 2) for name in ("query", "key", "value")
    )
    weights = jax.nn.softmax(query @ key.mT * HEAD**-0.5 + bias)
    return (weights @ value).swapaxes(1, 2).reshape(batch, time, width)


def block(params, x, bias):
    attended = params["attention"]["output"]
    h = attention(params["attention"]["self"], x, bias)
    x = layer_norm(attended["LayerNorm"], x + linear(attended["dense"], h))
    h = jax.nn.gelu(linear(params["intermediate"]["dense"], x), approximate=False)
    return layer_norm(params["output"]["LayerNorm"], x + linear(params["output"]["dense"], h))


def encoder(params, ids, mask):
    """Hidden states (batch, time, width) and pooled output of ids and mask (batch, time)."""
    tables = params["embeddings"]
    x = tables["word_embeddings"]["weight"][ids] + tables["token_type_embeddings"]["weight"][0]
    x = layer_norm(tables["LayerNorm"], x + tables["position_embeddings"]["weight"][: ids.shape[1]])
    bias = jnp.where(mask[:, None, None, :] != 0, 0.0, -jnp.inf)
    for layer in params["encoder"]["layer"]:
        x = block(layer, x, bias)
    return {"last_hidden_state": x, "pooler_output": jnp.tanh(linear(params["pooler"]["dense"], x[:, 0]))}
