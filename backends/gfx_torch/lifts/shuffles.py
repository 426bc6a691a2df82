"""Channels that become places, places that become channels, and channels in another order."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import host
from gfx_ir.op import lookup

from ..lifting import ask_rank


def _lead(x: Any, name: str) -> tuple:
    """Sizes of the axes in front of (C, H, W)."""
    return tuple(ops.size(x, axis) for axis in range(ask_rank(x, 4, name) - 3))


def _permuted(x: Any, count: int, order: tuple) -> Any:
    """x with the axes behind the first `count` in another order."""
    return ops.permute_dims(x, (*range(count), *(count + axis for axis in order)))


def pixel_shuffle(input: Any, upscale_factor: Any) -> Any:
    """(..., C*r*r, H, W) -> (..., C, H*r, W*r)."""
    r, lead = upscale_factor, _lead(input, "F.pixel_shuffle")
    channels, height, width = (ops.size(input, axis) for axis in (-3, -2, -1))
    inner = host("//", channels, r * r)
    x = ops.reshape(input, (*lead, inner, r, r, height, width))
    x = _permuted(x, len(lead), (0, 3, 1, 4, 2))
    return ops.reshape(x, (*lead, inner, host("*", height, r), host("*", width, r)))


def pixel_unshuffle(input: Any, downscale_factor: Any) -> Any:
    """(..., C, H*r, W*r) -> (..., C*r*r, H, W)."""
    r, lead = downscale_factor, _lead(input, "F.pixel_unshuffle")
    channels, height, width = (ops.size(input, axis) for axis in (-3, -2, -1))
    high, wide = host("//", height, r), host("//", width, r)
    x = ops.reshape(input, (*lead, channels, high, r, wide, r))
    x = _permuted(x, len(lead), (0, 2, 4, 1, 3))
    return ops.reshape(x, (*lead, host("*", channels, r * r), high, wide))


def channel_shuffle(input: Any, groups: Any) -> Any:
    """The channels of (N, C, ...) dealt from `groups` piles in turn."""
    batch, channels = ops.size(input, 0), ops.size(input, 1)
    rank = ask_rank(input, 4, "F.channel_shuffle")
    rest = tuple(ops.size(input, axis) for axis in range(2, rank))
    x = ops.reshape(input, (batch, groups, host("//", channels, groups), *rest))
    return ops.reshape(ops.swapaxes(x, 1, 2), lookup("shape")(input))


LIFTS = {
    "F.pixel_shuffle torch.pixel_shuffle": pixel_shuffle,
    "F.pixel_unshuffle torch.pixel_unshuffle": pixel_unshuffle,
    "F.channel_shuffle torch.channel_shuffle F.native_channel_shuffle torch.native_channel_shuffle": channel_shuffle,
}
