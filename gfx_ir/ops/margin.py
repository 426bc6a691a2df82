"""Losses of pairs, margins and distributions, as patterns over other ops. `reduction` is "mean", "sum" or "none"."""

from __future__ import annotations

import math
from typing import Any

from ..build import host
from ..dtypes import int32
from ._body import as_wide_as, element_of, named, narrow, widened
from ._catalogue import ops
from ._row import composite
from ._seen import type_of
from .loss import reduced

FAMILY = "nn"


def _above(x: Any) -> Any:
    return ops.maximum(x, 0)


@composite(FAMILY)
def margin_ranking_loss(x1: Any, x2: Any, target: Any, margin: Any = 0.0, reduction: str = "mean") -> Any:
    """max(0, margin - target * (x1 - x2)); target is 1 where x1 is to be the larger one, else -1."""
    gap = named("gap", ops.multiply(ops.negative(target), ops.subtract(x1, x2)))
    element = element_of(x1)
    whole = element is not None and element.kind not in "fc"  # which become floats by the margin
    return reduced(_above(gap if margin == 0 and not whole else ops.add(gap, host("float", margin))), reduction)


@composite(FAMILY)
def hinge_embedding_loss(x: Any, target: Any, margin: Any = 1.0, reduction: str = "mean") -> Any:
    """x where target is 1, max(0, margin - x) where it is -1."""
    far = ops.where(ops.not_equal(target, 1), _above(ops.subtract(margin, x)), 0)
    near = ops.where(ops.not_equal(target, -1), x, 0)
    return reduced(ops.add(far, near), reduction)


@composite(FAMILY)
def soft_margin_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """log(1 + exp(-target * x))."""
    return reduced(ops.log1p(ops.exp(ops.multiply(ops.negative(target), x))), reduction)


@composite(FAMILY)
def multilabel_soft_margin_loss(x: Any, target: Any, weight: Any = None, reduction: str = "mean") -> Any:
    """The mean over the last axis of the cross entropies of sigmoid(x), times the class's weight."""
    yes = ops.multiply(target, ops.logsigmoid(x))
    no = ops.multiply(ops.subtract(1, target), ops.logsigmoid(ops.negative(x)))
    losses = named("losses", ops.negative(ops.add(yes, no)))
    if weight is not None:
        losses = ops.multiply(losses, weight)
    return reduced(ops.mean(losses, axis=-1), reduction)


@composite(FAMILY)
def gaussian_nll_loss(
    x: Any, target: Any, var: Any, full: bool = False, eps: float = 1e-6, reduction: str = "mean"
) -> Any:
    """The negative log-likelihood of target under a normal distribution of mean x and variance var, which is at least eps
    and which no gradient moves beyond that bound; `full`: with the constant term."""
    lifted = ops.stop_gradient(ops.subtract(ops.maximum(var, eps), var))
    bounded = named("bounded", ops.add(var, lifted))
    error = ops.divide(ops.square(ops.subtract(x, target)), bounded)
    losses = named("losses", ops.multiply(0.5, ops.add(ops.log(bounded), error)))
    if full:
        losses = ops.add(losses, 0.5 * math.log(2 * math.pi))
    return reduced(losses, reduction)


@composite(FAMILY)
def poisson_nll_loss(
    x: Any, target: Any, log_input: bool = True, full: bool = False, eps: float = 1e-8, reduction: str = "mean"
) -> Any:
    """The negative log-likelihood of target under a Poisson distribution of rate exp(x), or of x where not `log_input`.

    `full` adds Stirling's approximation of log(target!) where target is above 1.
    """
    if log_input:
        losses = ops.subtract(ops.exp(x), ops.multiply(target, x))
    else:
        losses = ops.subtract(x, ops.multiply(target, ops.log(ops.add(x, eps))))
    losses = named("losses", losses)
    if full:
        large = named("large", ops.where(ops.greater(target, 1), target, 1))
        half = ops.multiply(0.5, ops.log(ops.multiply(2 * math.pi, large)))
        stirling = ops.add(ops.subtract(ops.multiply(large, ops.log(large)), large), half)
        losses = ops.add(losses, ops.where(ops.greater(target, 1), stirling, 0))
    return reduced(losses, reduction)


@composite(FAMILY)
def cosine_similarity(x1: Any, x2: Any, axis: Any = 1, eps: Any = 1e-8) -> Any:
    """The cosine of the angle between vectors along an axis, each norm at least eps; x1 and x2 are broadcast before."""
    product = named("product", ops.multiply(x1, x2))
    if narrow(product):
        return as_wide_as(product, ops.cosine_similarity(widened(x1), widened(x2), axis, eps))
    known = [type_of(x).dims for x in (x1, x2)]
    if None in known or known[0] != known[1]:
        x1, x2 = (ops.broadcast_to(x, ops.shape(product)) for x in (x1, x2))
    norms = (ops.maximum(ops.vector_norm(x, axis=axis), eps) for x in (x1, x2))
    return ops.divide(ops.sum(product, axis=axis), ops.multiply(*norms))


@composite(FAMILY)
def cosine_embedding_loss(x1: Any, x2: Any, target: Any, margin: Any = 0.0, reduction: str = "mean") -> Any:
    """1 - cos where target is 1, max(0, cos - margin) where it is -1; cos is of the last axes of x1 and x2."""
    tiny = 1e-12
    product = ops.sum(ops.multiply(x1, x2), axis=-1)
    first = ops.add(ops.sum(ops.multiply(x1, x1), axis=-1), tiny)
    second = ops.add(ops.sum(ops.multiply(x2, x2), axis=-1), tiny)
    cosine = named("cosine", ops.divide(product, ops.sqrt(ops.multiply(first, second))))
    near = ops.where(ops.equal(target, 1), ops.subtract(1, cosine), 0)
    far = ops.where(ops.equal(target, -1), _above(ops.subtract(cosine, margin)), 0)
    return reduced(ops.add(near, far), reduction)


@composite(FAMILY)
def cdist(x1: Any, x2: Any, p: Any = 2) -> Any:
    """The p-norm of the difference of every row of x1, (..., P, M), and every row of x2, (..., R, M); equal rows pass no derivative on."""
    off = named("off", ops.subtract(ops.expand_dims(x1, -2), ops.expand_dims(x2, -3)))
    apart = named("apart", ops.any(ops.not_equal(off, 0), axis=-1))
    far = ops.where(ops.expand_dims(apart, -1), off, 1.0)
    return ops.where(apart, ops.vector_norm(far, axis=-1, ord=p), 0.0)


@composite(FAMILY)
def pairwise_distance(x1: Any, x2: Any, p: Any = 2.0, eps: float = 1e-6, keepdims: bool = False) -> Any:
    """The p-norm over the last axis of x1 - x2 + eps."""
    return ops.vector_norm(ops.add(ops.subtract(x1, x2), eps), axis=-1, keepdims=keepdims, ord=p)


@composite(FAMILY)
def triplet_margin_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    margin: Any = 1.0,
    p: Any = 2.0,
    eps: float = 1e-6,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """max(0, margin + d(anchor, positive) - d(anchor, negative)), d the p-norm over the last axis.

    `swap`: of the negative's distances to anchor and positive the smaller one counts (Balntas et al., BMVC 2016).
    """
    near = named("near", ops.pairwise_distance(anchor, positive, p, eps))
    far = named("far", ops.pairwise_distance(anchor, negative, p, eps))
    if swap:
        far = ops.minimum(far, ops.pairwise_distance(positive, negative, p, eps))
    return reduced(_above(ops.subtract(ops.add(margin, near), far)), reduction)


@composite(FAMILY)
def multi_margin_loss(
    x: Any, target: Any, p: int = 1, margin: float = 1.0, weight: Any = None, reduction: str = "mean"
) -> Any:
    """The mean over the other classes of max(0, margin - x[target] + x[class])**p; x is (N, C) or (C,), target class numbers."""
    labels = named("labels", ops.expand_dims(target, -1))
    correct = ops.take_along_axis(x, labels, axis=-1)
    gaps = named("gaps", _above(ops.add(ops.subtract(margin, correct), x)))
    gaps = gaps if p == 1 else ops.square(gaps)
    if weight is not None:
        gaps = ops.multiply(gaps, ops.take(weight, labels, axis=0))
    others = ops.not_equal(ops.arange(ops.size(x, -1)), labels)
    return reduced(ops.mean(ops.where(others, gaps, 0), axis=-1), reduction)


@composite(FAMILY)
def multilabel_margin_loss(x: Any, target: Any, reduction: str = "mean") -> Any:
    """The sum over labels and other classes of max(0, 1 - x[label] + x[class]), over the number of classes.

    x is (N, C) or (C,); the labels of each row of target (N, C) or (C,) end where the first negative number stands.
    """
    ended = ops.cumulative_sum(ops.astype(ops.less(target, 0), int32), axis=-1)
    valid = named("valid", ops.expand_dims(ops.equal(ended, 0), -1))
    labels = named("labels", ops.where(ops.equal(ended, 0), target, 0))
    classes = ops.arange(ops.size(x, -1))
    chosen = ops.logical_and(valid, ops.equal(ops.expand_dims(labels, -1), classes))
    others = ops.logical_not(ops.any(chosen, axis=-2, keepdims=True))
    correct = ops.expand_dims(ops.take_along_axis(x, labels, axis=-1), -1)
    gaps = _above(ops.add(ops.subtract(1, correct), ops.expand_dims(x, -2)))
    counted = ops.where(ops.logical_and(valid, others), gaps, 0)
    return reduced(ops.divide(ops.sum(counted, axis=(-2, -1)), ops.size(x, -1)), reduction)
