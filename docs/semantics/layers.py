"""Layers: padding, pooling, resizing, attention."""

import jax
import jax.numpy as jnp
import torch
import torch.nn.functional as F

from .row import Table

ROWS = Table()
IMAGE = torch.arange(25.0).reshape(1, 1, 5, 5)
KERNEL = torch.arange(8.0).reshape(1, 1, 2, 4)


@ROWS('Convolution with padding "same"', IMAGE, KERNEL, note="An odd rest goes behind, as in JAX.", typed=True)
def same_padding(x, w):
    return F.conv2d(x, w, padding="same")


@ROWS(
    "ceil_mode",
    IMAGE,
    note="A window that begins inside of the image counts, one that begins in the padding does not.",
    typed=True,
)
def ceil_mode(x):
    return F.max_pool2d(x, 2, ceil_mode=True), F.avg_pool2d(x, 3, stride=2, padding=1, ceil_mode=True)


@ROWS("count_include_pad", IMAGE, note="Whether zeros of the padding count in the mean.", typed=True)
def counted(x):
    return F.avg_pool2d(x, 3, padding=1), F.avg_pool2d(x, 3, padding=1, count_include_pad=False)


@ROWS("align_corners", torch.arange(4.0).reshape(1, 1, 4), note="JAX's `image.resize` knows only the false form.",
      naive=lambda x: (jax.image.resize(x, (1, 1, 7), "linear"),) * 2, typed=True)  # fmt: skip
def corners(x):
    return tuple(F.interpolate(x, size=7, mode="linear", align_corners=flag) for flag in (True, False))


@ROWS("A fully masked attention row", torch.ones(1, 2, 4), torch.ones(1, 2, 4), torch.ones(1, 2, 4), torch.tensor([[True, False], [False, False]]),
      note="PyTorch gives 0 for a query that may look at nothing, where a softmax over minus infinity gives NaN.",
      naive=lambda q, k, v, mask: jax.nn.softmax(jnp.where(mask, q @ k.mT / 2, -jnp.inf)) @ v, typed=True)  # fmt: skip
def masked(q, k, v, mask):
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
