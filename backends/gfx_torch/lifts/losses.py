"""Losses: torch.nn.functional's calls in terms of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.lifting.ranks import of_one_shape

from .. import kinds
from ..lifting import ask_rank, kind, known_rank, refuse, require_index


def reduced(loss: Any, reduction: str) -> Any:
    """Mean, sum, or the elements."""
    if reduction == "none":
        return loss
    if reduction not in ("mean", "sum"):
        refuse(f"there is no reduction {reduction!r}; there are none, mean and sum")
    return mean(loss) if reduction == "mean" else ops.sum(loss)


def mean(loss: Any) -> Any:
    """The mean of a loss: as torch's mean it takes no whole numbers."""
    kinds.check("the mean of a loss", [loss], "fc")
    return ops.mean(loss)


def settled(reduction: str, size_average: Any, reduce: Any) -> str:
    """The reduction that the older flags of torch's losses ask for."""
    if size_average is None and reduce is None:
        return reduction
    if reduce is False:
        return "none"
    return "sum" if size_average is False else "mean"


def _batched(call: Callable[[Any, Any], Any], input: Any, target: Any, reduction: str) -> Any:
    """A loss of classes along axis 1; of a sample alone, which has them on its only axis, as of a batch."""
    if known_rank(input) != 1:
        return call(input, target)
    loss = call(ops.expand_dims(input, 0), ops.expand_dims(target, 0))
    return ops.squeeze(loss, axis=0) if reduction == "none" else loss


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
    if kind(target) in ("b", "u", "i"):
        require_index("F.cross_entropy's target", target, "int64", "uint8")
    reduction = settled(reduction, size_average, reduce)
    settings = (weight, ignore_index, reduction, label_smoothing)
    return _batched(lambda x, y: ops.cross_entropy(x, y, *settings), input, target, reduction)


def linear_cross_entropy(
    input: Any, linear_weight: Any, target: Any, *, linear_bias: Any = None, weight: Any = None,
    reduction: str = "mean", ignore_index: Any = None, label_smoothing: Any = 0.0, options: Any = None,
) -> Any:  # fmt: skip
    """F.linear_cross_entropy. `options` says how torch computes it, not what."""
    rank = ask_rank(linear_weight, 2, "F.linear_cross_entropy")
    if rank == 2:
        logits = ops.linear(input, linear_weight, linear_bias)
    else:
        rows = ops.reshape(linear_weight, (-1, ops.size(linear_weight, -1)))
        shape = (ops.size(input, 0), *(ops.size(linear_weight, axis) for axis in range(rank - 1)))
        logits = ops.reshape(ops.linear(input, rows), shape)
        logits = logits if linear_bias is None else ops.add(logits, linear_bias)
    ignored = -100 if ignore_index is None else ignore_index
    return cross_entropy(logits, target, weight, None, ignored, None, reduction, label_smoothing)


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
    reduction = settled(reduction, size_average, reduce)
    settings = (weight, ignore_index, reduction)
    return _batched(lambda x, y: ops.nll_loss(x, y, *settings), input, target, reduction)


def _weighted(losses: Any, weight: Any, reduction: str) -> Any:
    """Weighted losses; their mean is that over the sum of the weights."""
    losses = ops.multiply(losses, weight)
    if reduction != "mean":
        return reduced(losses, reduction)
    return ops.divide(ops.sum(losses), ops.sum(weight))


def _of_difference(name: str, op: Any) -> Callable[..., Any]:
    def fn(
        input: Any,
        target: Any,
        size_average: Any = None,
        reduce: Any = None,
        reduction: str = "mean",
        weight: Any = None,
    ) -> Any:
        reduction = settled(reduction, size_average, reduce)
        if weight is None:
            if reduction == "mean":
                kinds.check(f"F.{name} with reduction='mean'", [input, target], "fc")
            return op(input, target, reduction)
        return _weighted(op(input, target, "none"), weight, reduction)

    return fn


mse_loss, l1_loss = _of_difference("mse_loss", ops.mse_loss), _of_difference("l1_loss", ops.l1_loss)


def smooth_l1_loss(
    input: Any, target: Any, size_average: Any = None, reduce: Any = None, reduction: str = "mean", beta: Any = 1.0
) -> Any:
    """Squared within beta, absolute beyond."""
    reduction = settled(reduction, size_average, reduce)
    if beta == 0:
        return ops.l1_loss(input, target, reduction)
    off = ops.abs(ops.subtract(input, target))
    near = ops.divide(ops.multiply(0.5, ops.square(off)), beta)
    return reduced(ops.where(ops.less(off, beta), near, ops.subtract(off, 0.5 * beta)), reduction)


def huber_loss(input: Any, target: Any, reduction: str = "mean", delta: Any = 1.0, weight: Any = None) -> Any:
    """Squared within delta, absolute beyond, times delta."""
    off = ops.abs(ops.subtract(input, target))
    far = ops.multiply(delta, ops.subtract(off, 0.5 * delta))
    losses = ops.where(ops.less_equal(off, delta), ops.multiply(0.5, ops.square(off)), far)
    return reduced(losses if weight is None else ops.multiply(losses, weight), reduction)


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
    if None not in (known_rank(input), known_rank(target)):
        of_one_shape("torch.binary_cross_entropy_with_logits", input, target)
    reduction = settled(reduction, size_average, reduce)
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
    """F.binary_cross_entropy."""
    of_one_shape("torch.binary_cross_entropy", input, target)
    reduction = settled(reduction, size_average, reduce)
    if weight is None:
        return ops.binary_cross_entropy(input, target, reduction)
    return reduced(ops.multiply(ops.binary_cross_entropy(input, target, "none"), weight), reduction)


def kl_div(
    input: Any,
    target: Any,
    size_average: Any = None,
    reduce: Any = None,
    reduction: str = "mean",
    log_target: Any = False,
) -> Any:
    """target * (log(target) - input), 0 where the target is 0."""
    reduction = settled(reduction, size_average, reduce)
    if log_target:
        loss = ops.multiply(ops.exp(target), ops.subtract(target, input))
    else:
        loss = ops.subtract(ops.xlogy(target, target), ops.multiply(target, input))
    if reduction == "batchmean":
        return ops.sum(loss) if known_rank(input) == 0 else ops.divide(ops.sum(loss), ops.size(input, 0))
    return reduced(loss, reduction)


def ctc_loss(
    log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, blank: Any = 0, reduction: Any = "mean",
    zero_infinity: Any = False,
) -> Any:  # fmt: skip
    """F.ctc_loss."""
    lengths = (tuple(n) if isinstance(n, list) else n for n in (input_lengths, target_lengths))
    return ops.ctc_loss(log_probs, targets, *lengths, blank, reduction, zero_infinity)


CTC = {"F.ctc_loss": ctc_loss}
CROSS_ENTROPY = {"F.cross_entropy": cross_entropy}
NLL = {"F.nll_loss": nll_loss}
MSE = {"F.mse_loss": mse_loss}
L1 = {"F.l1_loss": l1_loss}
BCE = {"F.binary_cross_entropy": binary_cross_entropy}
BCE_LOGITS = {"F.binary_cross_entropy_with_logits": bce_with_logits}
LIFTS = {
    "F.linear_cross_entropy": linear_cross_entropy,
    "F.smooth_l1_loss": smooth_l1_loss,
    "F.huber_loss": huber_loss,
    "F.kl_div": kl_div,
}
