"""torch.nn.MultiheadAttention in its functional form (https://arxiv.org/abs/1706.03762)."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import dtype_of, next_key

from .lifting import known_rank, plain, refuse
from .lifts.shapes import unflatten

_HINT = "give its type: gfx.TensorSpec(shape, dtype)"


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
    if any(getattr(mask, "kind", "") == "optional" for mask in (key_padding_mask, attn_mask)):
        refuse("whether nn.MultiheadAttention gets a mask is open here", "give the masks at capture: None, or a type")
    plain("nn.MultiheadAttention", bias_k=m.bias_k, bias_v=m.bias_v, add_zero_attn=m.add_zero_attn)
    single = known_rank(query) == 2
    if single:
        query, key, value = _unsqueezed(m, query, key, value)
        key_padding_mask = None if key_padding_mask is None else ops.expand_dims(key_padding_mask, 0)
    q, k, v = (_heads(m, x) for x in _projected(m, query, key, value))
    causal = is_causal and key_padding_mask is None and not need_weights
    mask, boolean = (None, False) if causal else _mask(m, attn_mask, key_padding_mask)
    dropped = m.dropout if m.training else 0.0
    if need_weights:
        out, weights = _with_weights(q, k, v, mask, boolean, dropped, m.head_dim)
        weights = ops.mean(weights, axis=1) if average_attn_weights else weights
    else:
        draw = next_key() if dropped else None
        out, weights = ops.scaled_dot_product_attention(q, k, v, mask, dropped, bool(causal), None, draw), None
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


def _mask(m: Any, attn_mask: Any, key_padding_mask: Any) -> tuple:
    """One mask and whether it is boolean, true where a key is seen; it is where all are, else additive."""
    masks = []
    if attn_mask is not None:
        if known_rank(attn_mask) == 3:
            attn_mask = unflatten(attn_mask, 0, (-1, m.num_heads))
        elif known_rank(attn_mask) is None:
            refuse(
                "nn.MultiheadAttention reads attn_mask by its rank, which is not known",
                _HINT,
            )
        masks.append(attn_mask)
    if key_padding_mask is not None:
        masks.append(ops.expand_dims(key_padding_mask, (1, 2)))
    kinds = [_kind(mask) for mask in masks]
    if not masks:
        return None, False
    if set(kinds) == {"b"}:
        hidden = masks[0] if len(masks) == 1 else ops.logical_or(*masks)
        return ops.logical_not(hidden), True
    masks = [ops.where(x, float("-inf"), 0.0) if kind == "b" else x for x, kind in zip(masks, kinds)]
    return masks[0] if len(masks) == 1 else ops.add(*masks), False


def _kind(mask: Any) -> str:
    found = dtype_of(mask)
    if found is None:
        refuse("nn.MultiheadAttention reads a mask by its dtype, which is not known", _HINT)
    return found.kind


def _with_weights(q: Any, k: Any, v: Any, mask: Any, boolean: bool, dropped: Any, width: int) -> tuple:
    """The output and the attention weights of each head."""
    scores = ops.matmul(ops.multiply(q, width**-0.5), ops.matrix_transpose(k))
    if mask is not None:
        scores = ops.where(mask, scores, float("-inf")) if boolean else ops.add(scores, mask)
    weights = ops.softmax(scores, axis=-1)
    if dropped:
        weights = ops.dropout(weights, dropped, next_key())
    return ops.matmul(weights, v), weights
