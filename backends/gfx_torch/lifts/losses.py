"""Losses: torch.nn.functional's calls in terms of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops

from ..lifting import known_rank, plain, refuse


def reduced(loss: Any, reduction: str) -> Any:
    """Mean, sum, or the elements."""
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        refuse(f"there is no reduction {reduction!r}; there are none, mean and sum")
    return ops.mean(loss) if reduction == "mean" else ops.sum(loss)


def cross_entropy(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: str = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    """F.cross_entropy."""
    plain("F.cross_entropy", size_average=size_average, reduce=reduce)
    return ops.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)


def nll_loss(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    ignore_index: Any = -100,
    reduce: Any = None,
    reduction: str = "mean",
) -> Any:
    """F.nll_loss."""
    plain("F.nll_loss", size_average=size_average, reduce=reduce)
    return ops.nll_loss(input, target, weight, ignore_index, reduction)


def _of_difference(name: str, op: Any) -> Callable[..., Any]:
    def fn(
        input: Any,
        target: Any,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        weight: Any = None,
    ) -> Any:
        plain(f"F.{name}", size_average=size_average, reduce=reduce, weight=weight)
        return op(input, target, reduction)

    return fn


mse_loss, l1_loss = _of_difference("mse_loss", ops.mse_loss), _of_difference("l1_loss", ops.l1_loss)


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: Any = 1.0
) -> Any:
    """Squared within beta, absolute beyond."""
    plain("F.smooth_l1_loss", size_average=size_average, reduce=reduce)
    if beta == 0:
        return ops.l1_loss(input, target, reduction)
    off = ops.abs(ops.subtract(input, target))
    near = ops.divide(ops.multiply(0.5, ops.square(off)), beta)
    return reduced(ops.where(ops.less(off, beta), near, ops.subtract(off, 0.5 * beta)), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: Any = 1.0, weight: Any = None) -> Any:
    """Squared within delta, absolute beyond, times delta."""
    plain("F.huber_loss", weight=weight)
    off = ops.abs(ops.subtract(input, target))
    far = ops.multiply(delta, ops.subtract(off, 0.5 * delta))
    return reduced(ops.where(ops.less_equal(off, delta), ops.multiply(0.5, ops.square(off)), far), reduction)


def bce_with_logits(
    input: Any,
    target: Any,
    weight: Any = None,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    pos_weight: Any = None,
) -> Any:
    """F.binary_cross_entropy_with_logits."""
    plain("F.binary_cross_entropy_with_logits", size_average=size_average, reduce=reduce)
    if weight is None and pos_weight is None:
        return ops.binary_cross_entropy_with_logits(input, target, reduction)
    positive = ops.multiply(target, ops.logsigmoid(input))
    if pos_weight is not None:
        positive = ops.multiply(pos_weight, positive)
    negative = ops.multiply(ops.subtract(1, target), ops.logsigmoid(ops.negative(input)))
    loss = ops.negative(ops.add(positive, negative))
    return reduced(loss if weight is None else ops.multiply(loss, weight), reduction)


def binary_cross_entropy(
    input: Any, target: Any, weight: Any = None, size_average: Any = None, reduce: Any = None, reduction: str = "mean"
) -> Any:
    """Of probabilities; logarithms are at least -100, as in torch."""
    plain("F.binary_cross_entropy", size_average=size_average, reduce=reduce)
    yes = ops.maximum(ops.log(input), -100)
    no = ops.maximum(ops.log(ops.subtract(1, input)), -100)
    loss = ops.negative(ops.add(ops.multiply(target, yes), ops.multiply(ops.subtract(1, target), no)))
    return reduced(loss if weight is None else ops.multiply(loss, weight), reduction)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: Any = False,
) -> Any:
    """target * (log(target) - input), 0 where the target is 0."""
    plain("F.kl_div", size_average=size_average, reduce=reduce)
    if log_target:
        loss = ops.multiply(ops.exp(target), ops.subtract(target, input))
    else:
        loss = ops.subtract(ops.xlogy(target, target), ops.multiply(target, input))
    if reduction == "batchmean":
        return ops.sum(loss) if known_rank(input) == 0 else ops.divide(ops.sum(loss), ops.size(input, 0))
    return reduced(loss, reduction)


CROSS_ENTROPY = {"F.cross_entropy": cross_entropy}
NLL = {"F.nll_loss": nll_loss}
MSE = {"F.mse_loss": mse_loss}
L1 = {"F.l1_loss": l1_loss}
BCE_LOGITS = {"F.binary_cross_entropy_with_logits": bce_with_logits}
LIFTS = {
    "F.smooth_l1_loss": smooth_l1_loss,
    "F.huber_loss": huber_loss,
    "F.binary_cross_entropy": binary_cross_entropy,
    "F.kl_div": kl_div,
}
