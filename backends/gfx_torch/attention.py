"""torch.nn.MultiheadAttention in its functional form (https://arxiv.org/abs/1706.03762)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of, either, host, next_key

from .lifting import BOOL, ask_rank, dtype_like, known_rank, plain
from .lifts.shapes import unflatten


def multihead_attention(
    m: Any,
    query: Any,
    key: Any,
    value: Any,
    key_padding_mask: Any = None,
    need_weights: Any = True,
    attn_mask: Any = None,
    average_attn_weights: Any = True,
    is_causal: Any = False,
) -> tuple:
    """(output, weights or None). Masks are additive, or true where nothing is to be seen."""
    single = known_rank(query) == 2
    if single:
        query, key, value = _unsqueezed(m, query, key, value)
        key_padding_mask = either(key_padding_mask, lambda x: None if x is None else ops.expand_dims(x, 0))
    q, k, v = (_heads(m, x) for x in _projected(m, query, key, value))
    k, v, more = _extended(m, k, v)
    causal = is_causal is True and not need_weights
    draw = next_key() if m.training and m.dropout else None

    def attended(attn_mask: Any, key_padding_mask: Any) -> Any:
        hint = causal and key_padding_mask is None
        mask, boolean = (None, False) if hint else _mask(m, attn_mask, key_padding_mask, more)
        if need_weights:
            return _with_weights(q, k, v, mask, boolean, m, draw)
        share = m.dropout if m.training else 0.0
        return ops.scaled_dot_product_attention(q, k, v, mask, share, hint, None, draw)

    out = either(attn_mask, lambda mask: either(key_padding_mask, lambda hidden: attended(mask, hidden)))
    weights = None
    if need_weights:
        out, weights = out
        weights = ops.mean(weights, axis=1) if average_attn_weights else weights
    out = ops.flatten(ops.swapaxes(out, 1, 2), 2)
    out = ops.linear(out, m.out_proj.weight, m.out_proj.bias)
    out = out if m.batch_first else ops.swapaxes(out, 0, 1)
    if single:
        out = ops.squeeze(out, axis=0 if m.batch_first else 1)
        weights = None if weights is None else ops.squeeze(weights, axis=0)
    return out, weights


def _unsqueezed(m: Any, *tensors: Any) -> tuple:
    """Tensors with a batch axis; those that are one stay one."""
    made: dict[int, Any] = {}
    for x in tensors:
        if id(x) not in made:
            made[id(x)] = ops.expand_dims(x, 0 if m.batch_first else 1)
    return tuple(made[id(x)] for x in tensors)


def _projected(m: Any, query: Any, key: Any, value: Any) -> tuple:
    """Queries, keys and values of all heads; one product where they are made of the same tensor."""
    if not m.batch_first:
        same = key is query, value is key
        query = ops.swapaxes(query, 0, 1)
        key = query if same[0] else ops.swapaxes(key, 0, 1)
        value = key if same[1] else ops.swapaxes(value, 0, 1)
    bias = m.in_proj_bias
    if m._qkv_same_embed_dim and query is key and key is value:
        return ops.chunk(ops.linear(query, m.in_proj_weight, bias), 3, axis=-1)
    weights = (m.q_proj_weight, m.k_proj_weight, m.v_proj_weight)
    if m._qkv_same_embed_dim:
        weights = ops.chunk(m.in_proj_weight, 3, axis=0)
    biases = (None,) * 3 if bias is None else ops.chunk(bias, 3, axis=0)
    return tuple(ops.linear(x, w, b) for x, w, b in zip((query, key, value), weights, biases))


def _heads(m: Any, x: Any) -> Any:
    """(batch, time, width) → (batch, head, time, width of a head)."""
    shape = (ops.size(x, 0), ops.size(x, 1), m.num_heads, m.head_dim)
    return ops.swapaxes(ops.reshape(x, shape), 1, 2)


def _extended(m: Any, k: Any, v: Any) -> tuple:
    """Keys and values with those that the module has of its own behind them, and how many these are."""
    lead, more = (ops.size(k, 0), m.num_heads, 1), 0
    if m.bias_k is not None:
        own = (ops.reshape(x, (1, m.num_heads, 1, m.head_dim)) for x in (m.bias_k, m.bias_v))
        k, v = (ops.concat((x, ops.broadcast_to(b, (*lead, m.head_dim))), axis=2) for x, b in zip((k, v), own))
        more += 1
    if m.add_zero_attn:
        zeros = ops.zeros((*lead, m.head_dim), dtype=dtype_like(k), device=ops.device_of(k))
        k, v = (ops.concat((x, zeros), axis=2) for x in (k, v))
        more += 1
    return k, v, more


def _mask(m: Any, attn_mask: Any, key_padding_mask: Any, more: int) -> tuple:
    """One mask and whether it is boolean, true where a key is seen; it is where all are, else additive."""
    masks = []
    if attn_mask is not None:
        if ask_rank(attn_mask, 2, "nn.MultiheadAttention reads attn_mask by its rank, and") == 3:
            attn_mask = unflatten(attn_mask, 0, (-1, m.num_heads))
        masks.append(attn_mask)
    if key_padding_mask is not None:
        masks.append(ops.expand_dims(key_padding_mask, (1, 2)))
    masks = [ops.pad(mask, ((0, more),)) for mask in masks] if more else masks
    kinds = [_kind(mask) for mask in masks]
    if not masks:
        return None, False
    if set(kinds) == {"b"}:
        hidden = masks[0] if len(masks) == 1 else ops.logical_or(*masks)
        return ops.logical_not(hidden), True
    masks = [_added(x, kind) for x, kind in zip(masks, kinds)]
    return masks[0] if len(masks) == 1 else ops.add(*masks), False


def _kind(mask: Any) -> str:
    found = dtype_of(mask)
    return "" if found is None else found.kind


def _added(mask: Any, kind: str) -> Any:
    """A mask as it is added to the scores; one of an unknown dtype is asked for it when the code runs."""
    if kind == "f":
        return mask
    hidden = ops.where(mask, float("-inf"), 0.0)
    return hidden if kind == "b" else ops.where(host("==", ops.dtype_of(mask), BOOL), hidden, mask)


def _with_weights(q: Any, k: Any, v: Any, mask: Any, boolean: bool, m: Any, draw: Any) -> tuple:
    """The output and the attention weights of each head."""
    scores = ops.matmul(ops.multiply(q, m.head_dim**-0.5), ops.matrix_transpose(k))
    if mask is not None:
        scores = ops.where(mask, scores, float("-inf")) if boolean else ops.add(scores, mask)
    weights = ops.softmax(scores, axis=-1)
    if draw is not None:
        weights = ops.dropout(weights, m.dropout, draw)
    return ops.matmul(weights, v), weights


def attention_forward(
    query: Any, key: Any, value: Any, embed_dim_to_check: Any, num_heads: Any, in_proj_weight: Any, in_proj_bias: Any,
    bias_k: Any, bias_v: Any, add_zero_attn: Any, dropout_p: Any, out_proj_weight: Any, out_proj_bias: Any,
    training: Any = True, key_padding_mask: Any = None, need_weights: Any = True, attn_mask: Any = None,
    use_separate_proj_weight: Any = False, q_proj_weight: Any = None, k_proj_weight: Any = None,
    v_proj_weight: Any = None, static_k: Any = None, static_v: Any = None, average_attn_weights: Any = True,
    is_causal: Any = False,
) -> tuple:  # fmt: skip
    """F.multi_head_attention_forward: time comes first, the batch second."""
    plain("F.multi_head_attention_forward", static_k=static_k, static_v=static_v)
    m = SimpleNamespace(
        num_heads=num_heads, head_dim=embed_dim_to_check // num_heads, in_proj_weight=in_proj_weight,
        in_proj_bias=in_proj_bias, q_proj_weight=q_proj_weight, k_proj_weight=k_proj_weight,
        v_proj_weight=v_proj_weight, bias_k=bias_k, bias_v=bias_v, add_zero_attn=add_zero_attn, dropout=dropout_p,
        training=training, batch_first=False, _qkv_same_embed_dim=not use_separate_proj_weight,
        out_proj=SimpleNamespace(weight=out_proj_weight, bias=out_proj_bias),
    )  # fmt: skip
    return multihead_attention(
        m, query, key, value, key_padding_mask, need_weights, attn_mask, average_attn_weights, is_causal
    )


for _fn in (multihead_attention, attention_forward):
    vars(_fn)["asks"] = True
