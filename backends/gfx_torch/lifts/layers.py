"""Layers: torch.nn.functional's calls in terms of ops."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from gfx_ir import build, ops
from gfx_ir.build import host
from gfx_ir.lifting.masks import told_mask
from gfx_ir.lifting.ranks import least

from .. import kinds
from ..lifting import ask_rank, each, is_on, known_rank, known_size, refuse, shape_of

Lifts = dict[str, Callable[..., Any]]


def batched(x: Any, dims: int, call: Callable[[Any], Any]) -> Any:
    """Apply `call` to x with a batch axis, which is added and taken away where x is known to have none."""
    if known_rank(x) == dims + 1:
        return ops.squeeze(call(ops.expand_dims(x, 0)), axis=0)
    return call(x)


def conv(dims: int) -> Callable[..., Any]:
    """F.conv1d, conv2d, conv3d."""

    def fn(
        input: Any, weight: Any, bias: Any = None, stride: Any = 1, padding: Any = 0, dilation: Any = 1, groups: Any = 1
    ) -> Any:
        settings = (each(stride, dims), each(padding, dims), each(dilation, dims), groups, dims)
        return batched(input, dims, lambda x: ops.conv(x, weight, bias, *settings))

    return fn


def dropout(input: Any, p: Any = 0.5, training: Any = True, inplace: bool = False) -> Any:
    """F.dropout."""
    if (isinstance(p, (int, float)) and p == 0) or not is_on(training, "F.dropout"):
        return input
    if p != 1:
        kinds.check("F.dropout", [input], "f")
    return ops.dropout(input, p, build.next_key())


def torch_dropout(input: Any, p: Any, train: Any) -> Any:
    """torch.dropout."""
    return dropout(input, p, train)


def channel_dropout(dims: int) -> Callable[..., Any]:
    """F.dropout1d, 2d, 3d: whole channels."""

    def fn(input: Any, p: Any = 0.5, training: Any = True, inplace: bool = False) -> Any:
        if p == 0 or not is_on(training, f"F.dropout{dims}d"):
            return input
        kinds.check(f"F.dropout{dims}d", [input], "f")
        rank = ask_rank(input, dims + 2, f"F.dropout{dims}d")
        shape = (*(ops.size(input, axis) for axis in range(rank - dims)), *(1,) * dims)
        kept = ops.bernoulli(build.next_key(), 1 - p, shape, device=ops.device_of(input))
        return ops.where(kept, ops.divide(input, 1 - p), ops.zeros_like(input))

    return fn


_ALPHA = 1.7580993408473766
"""What selu tends to for large negative numbers, negated: what alpha dropout puts in the place of what it drops."""


def _alpha_dropped(input: Any, p: Any, kept: Any) -> Any:
    """x, or -alpha where not `kept`, moved and scaled so that mean and variance stay (arXiv:1706.02515)."""
    scale = 1 / math.sqrt((_ALPHA**2 * p + 1) * (1 - p))
    return ops.add(ops.multiply(ops.where(kept, input, -_ALPHA), scale), _ALPHA * scale * p)


def alpha_dropout(channels: bool) -> Callable[..., Any]:
    """F.alpha_dropout; of whole channels F.feature_alpha_dropout."""
    name = "F.feature_alpha_dropout" if channels else "F.alpha_dropout"

    def fn(input: Any, p: Any = 0.5, training: Any = False, inplace: bool = False) -> Any:
        if p == 0 or not is_on(training, name):
            return input
        if not isinstance(p, (int, float)):
            refuse(f"{name} whose share is open has no counterpart", "give it a value at capture")
        if p == 1:
            return ops.zeros_like(input)
        kinds.check(name, [input], "f")
        shape = shape_of(input)
        if channels:
            rank = ask_rank(input, 4, name)
            shape = (*(ops.size(input, axis) for axis in (0, 1)), *(1,) * (rank - 2))
        kept = ops.bernoulli(build.next_key(), 1 - p, shape, device=ops.device_of(input))
        return _alpha_dropped(input, p, kept)

    return fn


def torch_alpha_dropout(channels: bool) -> Callable[..., Any]:
    """torch.alpha_dropout, torch.feature_alpha_dropout."""
    call = alpha_dropout(channels)
    return lambda input, p, train: call(input, p, train)


def torch_channel_dropout(input: Any, p: Any, train: Any) -> Any:
    """torch.feature_dropout."""
    return channel_dropout(ask_rank(input, 4, "torch.feature_dropout") - 2)(input, p, train)


def attention(
    query: Any,
    key: Any,
    value: Any,
    attn_mask: Any = None,
    dropout_p: Any = 0.0,
    is_causal: Any = False,
    scale: Any = None,
    enable_gqa: Any = False,
) -> Any:
    """F.scaled_dot_product_attention."""
    if enable_gqa:
        key, value = (_repeat_heads(x, query) for x in (key, value))
    if is_causal is False:
        attn_mask, is_causal = told_mask(query, key, attn_mask)
    if type(dropout_p) in (int, float) and dropout_p == 0:
        return ops.scaled_dot_product_attention(query, key, value, attn_mask, 0.0, is_causal, scale)
    return ops.scaled_dot_product_attention(query, key, value, attn_mask, dropout_p, is_causal, scale, build.next_key())


def _repeat_heads(x: Any, query: Any) -> Any:
    """Each head of x as often as query has heads for it."""
    have, want = known_size(x, -3), known_size(query, -3)
    if have is not None and have == want:
        return x
    times = want // have if have and want else host("//", ops.size(query, -3), ops.size(x, -3))
    return ops.repeat(x, times, axis=-3)


CONV: Lifts = {f"F.conv{n}d torch.conv{n}d": conv(n) for n in (1, 2, 3)}
DROPOUT: Lifts = {
    "F.dropout": dropout,
    "torch.dropout": torch_dropout,
    **{f"F.dropout{n}d": channel_dropout(n) for n in (1, 2, 3)},
    "torch.feature_dropout": torch_channel_dropout,
    "F.alpha_dropout": alpha_dropout(False),
    "F.feature_alpha_dropout": alpha_dropout(True),
    "torch.alpha_dropout": torch_alpha_dropout(False),
    "torch.feature_alpha_dropout": torch_alpha_dropout(True),
}
ATTENTION: Lifts = {"F.scaled_dot_product_attention": least("torch.scaled_dot_product_attention", attention, 2, 2, 2)}
