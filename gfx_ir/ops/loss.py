"""Losses, as patterns over other ops. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

from typing import Any

from ..build import host
from ..op import Trait
from ._body import element_of, named
from ._catalogue import ops
from ._row import composite

FAMILY = "nn"


def reduced(losses: Any, reduction: str) -> Any:
    """The mean or sum of the losses, or all of them."""
    if reduction == "none":
        return losses
    if reduction == "sum":
        return ops.sum(losses)
    if reduction == "mean":
        return ops.mean(losses)
    raise ValueError(f'reduction is "mean", "sum" or "none", not {reduction!r}')


@composite(FAMILY, noun="loss")
def mse_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """(x - target)**2."""
    return reduced(ops.square(ops.subtract(x, target)), reduction)


@composite(FAMILY)
def l1_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """abs(x - target)."""
    return reduced(ops.abs(ops.subtract(x, target)), reduction)


@composite(FAMILY)
def binary_cross_entropy_with_logits(x: Any, target: Any, reduction: str = "mean") -> Any:
    """Cross entropy of a probability `target` and sigmoid(x), without overflow; smooth also at 0, where heads begin."""
    losses = named("losses", ops.subtract(ops.multiply(ops.subtract(1, target), x), ops.logsigmoid(x)))
    return reduced(losses, reduction)


@composite(FAMILY, noun="loss")
def binary_cross_entropy(x: Any, target: Any, reduction: str = "mean") -> Any:
    """Cross entropy of a probability `target` and a probability x, whose logarithms are at least -100; smooth also where x is 0 or 1, as
    saturated sigmoids are."""
    yes, no = _log_of_share(x), _log_of_share(ops.subtract(1, x))
    losses = ops.negative(ops.add(ops.multiply(target, yes), ops.multiply(ops.subtract(1, target), no)))
    return reduced(named("losses", losses), reduction)


def _log_of_share(x: Any) -> Any:
    some = ops.greater(x, 0)
    return ops.where(some, ops.maximum(ops.log(ops.where(some, x, 1)), -100), -100)


@composite(FAMILY, traits=Trait.CHECKS)
def nll_loss(x: Any, target: Any, weight: Any = None, ignore_index: Any = -100, reduction: str = "mean") -> Any:
    """The negative log-probability of each target class, times the class's weight.

    x is (N, C, ...) of log-probabilities, target (N, ...) of class numbers; positions whose target is `ignore_index`
    count nothing. "mean" divides by the sum of the weights that count.
    """
    valid = named("valid", ops.not_equal(target, ignore_index))
    labels = named("labels", ops.where(valid, target, 0))
    losses = named(
        "losses", ops.negative(ops.squeeze(ops.take_along_axis(x, ops.expand_dims(labels, 1), axis=1), axis=1))
    )
    if weight is None:
        counts = named("counts", ops.astype(valid, ops.dtype_of(x)))
    else:
        counts = named("counts", ops.where(valid, ops.take(weight, labels, axis=0), 0.0))
        losses = named("losses", ops.multiply(losses, counts))
    losses = named("losses", ops.where(valid, losses, 0.0))
    if reduction == "mean":
        return ops.divide(ops.sum(losses), ops.sum(counts))
    return reduced(losses, reduction)


def _of_probabilities(log_probs: Any, target: Any, weight: Any, reduction: str, label_smoothing: Any) -> Any:
    """The cross entropy of probabilities; "mean" divides by the number of positions, whatever their weights."""
    if label_smoothing != 0.0:
        share = host("/", label_smoothing, ops.size(log_probs, 1))
        target = ops.add(ops.multiply(target, host("-", 1.0, label_smoothing)), share)
    by_class = ops.moveaxis(ops.multiply(log_probs, target), 1, -1)
    if weight is not None:
        by_class = ops.multiply(by_class, weight)
    return reduced(ops.negative(ops.sum(by_class, axis=-1)), reduction)


@composite(FAMILY, traits=Trait.CHECKS, noun="loss")
def cross_entropy(
    x: Any,
    target: Any,
    weight: Any = None,
    ignore_index: Any = -100,
    reduction: str = "mean",
    label_smoothing: Any = 0.0,
) -> Any:
    """nll_loss of log_softmax(x); x is (N, C, ...), target (N, ...) of class numbers, or (N, C, ...) of probabilities.

    `label_smoothing` moves that share of the target's probability to all classes alike (arXiv:1512.00567).
    """
    log_probs = named("log_probs", ops.log_softmax(x, axis=1))
    element = element_of(target)
    if element is not None and element.kind == "f":
        return _of_probabilities(log_probs, target, weight, reduction, label_smoothing)
    losses = named("losses", ops.nll_loss(log_probs, target, weight, ignore_index, reduction))
    if label_smoothing == 0.0:
        return losses
    valid = named("valid", ops.not_equal(target, ignore_index))
    by_class = ops.moveaxis(log_probs, 1, -1)
    if weight is not None:
        by_class = ops.multiply(by_class, weight)
    spread = named("spread", ops.where(valid, ops.negative(ops.sum(by_class, axis=-1)), 0.0))
    if reduction == "mean" and weight is None:
        spread = named("spread", ops.divide(ops.sum(spread), ops.sum(ops.astype(valid, ops.dtype_of(x)))))
    elif reduction == "mean":
        labels = named("labels", ops.where(valid, target, 0))
        counts = named("counts", ops.where(valid, ops.take(weight, labels, axis=0), 0.0))
        spread = named("spread", ops.divide(ops.sum(spread), ops.sum(counts)))
    else:
        spread = reduced(spread, reduction)
    share = host("/", label_smoothing, ops.size(x, 1))
    kept = host("-", 1.0, label_smoothing)
    return ops.add(ops.multiply(losses, kept), ops.multiply(spread, share))
