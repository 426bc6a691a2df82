"""Layers, activations, losses."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir.backend import Row

from ..lifts import activations, embeddings, layers, losses, norms


def same(numbers: Any, default: int | None = None) -> str | None:
    """A tuple as F's calls take it: one number where all are equal, nothing where that is the default."""
    if isinstance(numbers, str):
        return repr(numbers)
    if isinstance(numbers, int):
        numbers = (numbers,)
    if not all(isinstance(n, int) for n in numbers):
        return ""
    if all(n == numbers[0] for n in numbers):
        return None if numbers[0] == default else str(numbers[0])
    return str(tuple(numbers))


def keyword(name: str, numbers: Any, default: int | None = None) -> str:
    """`, name=numbers`; by the argument's own name where a number is open."""
    text = same(numbers, default)
    return "" if text is None else f", {name}={text or name}"


def _conv(args: SimpleNamespace) -> str:
    return (
        f"F.conv{args.dims}d(x, weight, bias=bias{keyword('stride', args.stride, 1)}"
        f"{keyword('padding', args.padding, 0)}"
        f"{keyword('dilation', args.dilation, 1)}, groups=groups)"
    )


def _attention(args: SimpleNamespace) -> str:
    """The framework's own dropout would draw from its hidden generator."""
    if args.key is None:
        return "F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=is_causal, scale=scale)"
    return "attention_with_dropout(q, k, v, mask, dropout, key, is_causal=is_causal, scale=scale)"


def _dropout(args: SimpleNamespace) -> str:
    if isinstance(args.p, (int, float)) and args.p in (0, 1):
        return "torch.zeros_like(x)" if args.p else "x"
    return "dropout(x, p, key)"


def _hardtanh(args: SimpleNamespace) -> str:
    of_six = args.min_val == 0 and args.max_val == 6
    return "F.relu6(x)" if of_six else "F.hardtanh(x, min_val=min_val, max_val=max_val)"


ROWS = (
    Row("relu", "F.relu(x)", activations.RELU, in_place="F.relu(x, inplace=True)"),
    Row("leaky_relu", "F.leaky_relu(x, negative_slope=negative_slope)", activations.LEAKY_RELU),
    Row("elu", "F.elu(x, alpha=alpha)", activations.ELU),
    Row("celu", "F.celu(x, alpha=alpha)", activations.CELU),
    Row("hardtanh", _hardtanh, activations.HARDTANH),
    Row("gelu", "F.gelu(x, approximate=approximate)", activations.GELU),
    Row("silu", "F.silu(x)", activations.SILU),
    Row("mish", "F.mish(x)", activations.MISH),
    Row("softplus", "F.softplus(x, beta=beta, threshold=threshold)", activations.SOFTPLUS),
    Row("softmax", "F.softmax(x, dim=axis, dtype=dtype)", activations.SOFTMAX, keep=("axis",)),
    Row("log_softmax", "F.log_softmax(x, dim=axis, dtype=dtype)", activations.LOG_SOFTMAX, keep=("axis",)),
    Row("logsigmoid", "F.logsigmoid(x)", activations.LOGSIGMOID),
    Row("conv", _conv, layers.CONV, spare=True),
    Row(
        "batch_norm",
        "F.batch_norm(x, mean, var, weight=weight, bias=bias, eps=eps)",
        norms.BATCH_NORM,
        spare=True,
        alike=("x", "mean", "var", "weight", "bias"),
    ),
    Row(
        "batch_norm_channels_last",
        "torch.movedim(F.batch_norm(torch.movedim(x, -1, 1), mean, var, weight=weight, bias=bias, eps=eps), 1, -1)",
        spare=True,
    ),
    Row("batch_norm_train", "batch_norm_train(x, weight=weight, bias=bias, eps=eps)"),
    Row(
        "layer_norm",
        "F.layer_norm(x, normalized_shape, weight=weight, bias=bias, eps=eps)",
        norms.LAYER_NORM,
        spare=True,
        alike=("x", "weight", "bias"),
    ),
    Row(
        "group_norm",
        "F.group_norm(x, num_groups, weight=weight, bias=bias, eps=eps)",
        norms.GROUP_NORM,
        alike=("x", "weight", "bias"),
    ),
    Row(
        "instance_norm",
        "F.instance_norm(x, weight=weight, bias=bias, eps=eps)",
        norms.INSTANCE_NORM,
        alike=("x", "weight", "bias"),
    ),
    Row("rms_norm", "F.rms_norm(x, normalized_shape, weight=weight, eps=eps)", norms.RMS_NORM),
    Row(
        "embedding",
        "F.embedding(x, weight, padding_idx=padding_idx, scale_grad_by_freq=scale_grad_by_freq)",
        embeddings.EMBEDDING,
    ),
    Row(
        "embedding_bag",
        "F.embedding_bag(x, weight, offsets=offsets, mode=mode, per_sample_weights=per_sample_weights, "
        "include_last_offset=include_last_offset, padding_idx=padding_idx)",
        embeddings.EMBEDDING_BAG,
    ),
    Row(
        "segment_reduce",
        "torch.segment_reduce(x, reduce, lengths=lengths, initial=initial)",
        embeddings.SEGMENT_REDUCE,
    ),
    Row("dropout", _dropout, layers.DROPOUT),
    Row("scaled_dot_product_attention", _attention, layers.ATTENTION, alike=("q", "k", "v")),
    Row(
        "cross_entropy",
        "F.cross_entropy(x, target, weight=weight, ignore_index=ignore_index, reduction=reduction, "
        "label_smoothing=label_smoothing)",
        losses.CROSS_ENTROPY,
    ),
    Row("nll_loss", "F.nll_loss(x, target, weight=weight, ignore_index=ignore_index, reduction=reduction)", losses.NLL),
    Row(
        "ctc_loss",
        "F.ctc_loss(x, targets, input_lengths, target_lengths, blank=blank, reduction=reduction, "
        "zero_infinity=zero_infinity)",
        losses.CTC,
    ),
    Row("mse_loss", "F.mse_loss(x, target, reduction=reduction)", losses.MSE),
    Row("l1_loss", "F.l1_loss(x, target, reduction=reduction)", losses.L1),
    Row(
        "binary_cross_entropy",
        "F.binary_cross_entropy(x, target, reduction=reduction)",
        losses.BCE,
        alike=("x", "target"),
    ),
    Row(
        "binary_cross_entropy_with_logits",
        "F.binary_cross_entropy_with_logits(x, target, reduction=reduction)",
        losses.BCE_LOGITS,
    ),
)
