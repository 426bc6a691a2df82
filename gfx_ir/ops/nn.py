"""Layers and activations of neural networks, as patterns over other ops.

Names: those that torch.nn.functional and ONNX share. Every body works without shapes: axes count from the end,
sizes are read from the arguments.
"""

from __future__ import annotations

import math
from typing import Any

from ..build import host
from ..dtypes import bool_
from ..op import Contraction, Trait
from . import _seen
from ._body import element_of, named, scaled
from ._catalogue import ops
from ._row import composite, op
from ._shapes import elementwise, promote

FAMILY = "nn"
_ACTIVATION = Trait.TOTAL | Trait.APART | Trait.STEADY


# ---------------------------------------------------------------- activations
op(
    FAMILY,
    "relu(x)",
    "np.maximum(x, 0)",
    infer=elementwise(promote),
    traits=_ACTIVATION | Trait.NOT_NEGATIVE,
)


@composite(FAMILY, traits=_ACTIVATION)
def leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """x where it is positive, negative_slope * x elsewhere."""
    return ops.where(ops.greater(x, 0), x, ops.multiply(x, negative_slope))


@composite(FAMILY, traits=_ACTIVATION)
def elu(x: Any, alpha: Any = 1.0) -> Any:
    """x where it is positive, alpha * (exp(x) - 1) elsewhere (arXiv:1511.07289)."""
    positive = named("positive", ops.greater(x, 0))
    below = ops.expm1(ops.where(positive, 0.0, x))  # no overflow, nor its gradient, on the side not taken
    return ops.where(positive, x, scaled(below, alpha))


@composite(FAMILY, traits=_ACTIVATION)
def celu(x: Any, alpha: Any = 1.0) -> Any:
    """x where it is positive, alpha * (exp(x / alpha) - 1) elsewhere (arXiv:1704.07483)."""
    positive = named("positive", ops.greater(x, 0))
    below = ops.where(positive, 0.0, x)
    below = ops.expm1(below if alpha == 1 else ops.divide(below, alpha))
    return ops.where(positive, x, scaled(below, alpha))


@composite(FAMILY, traits=_ACTIVATION)
def hardtanh(x: Any, min_val: Any = -1.0, max_val: Any = 1.0) -> Any:
    """x within two bounds, where it is beyond them the bound; unlike that of clip, its derivative at the bounds is 0."""
    below = ops.where(ops.less_equal(x, min_val), min_val, x)
    return ops.where(ops.greater_equal(x, max_val), max_val, below)


@composite(FAMILY, traits=_ACTIVATION)
def gelu(x: Any, approximate: str = "none") -> Any:
    """x times the normal distribution's probability of being below x (arXiv:1606.08415); "tanh" approximates it."""
    if approximate == "tanh":
        cube = ops.multiply(ops.multiply(x, x), x)
        inner = ops.multiply(ops.add(x, ops.multiply(cube, 0.044715)), math.sqrt(2 / math.pi))
        return ops.multiply(ops.multiply(x, 0.5), ops.add(ops.tanh(inner), 1.0))
    if approximate != "none":
        raise ValueError(f'gelu is exact ("none") or approximated by "tanh", not by {approximate!r}')
    return ops.multiply(ops.multiply(x, 0.5), ops.add(ops.erf(ops.multiply(x, math.sqrt(0.5))), 1.0))


@composite(FAMILY, traits=_ACTIVATION)
def silu(x: Any) -> Any:
    """x * sigmoid(x)."""
    return ops.multiply(x, ops.sigmoid(x))


@composite(FAMILY, traits=_ACTIVATION)
def mish(x: Any) -> Any:
    """x * tanh(softplus(x)) (arXiv:1908.08681)."""
    return ops.multiply(x, ops.tanh(ops.softplus(x)))


@composite(FAMILY, traits=_ACTIVATION | Trait.NOT_NEGATIVE)
def softplus(x: Any, beta: Any = 1.0, threshold: Any = 20.0) -> Any:
    """log(1 + exp(beta * x)) / beta, x itself where beta * x exceeds the threshold."""
    if beta == 1.0:
        return ops.where(ops.greater(x, threshold), x, ops.logaddexp(x, 0.0))
    scaled = named("scaled", ops.multiply(x, beta))
    return ops.where(ops.greater(scaled, threshold), x, ops.divide(ops.logaddexp(scaled, 0.0), beta))


@composite(FAMILY, traits=_ACTIVATION)
def logsigmoid(x: Any) -> Any:
    """log(sigmoid(x)), without overflow."""
    return ops.negative(ops.logaddexp(ops.negative(x), 0.0))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST | Trait.APART | Trait.NOT_NEGATIVE | Trait.AXES, noun="weights")
def softmax(x: Any, axis: int = -1, dtype: Any = None) -> Any:
    """exp(x) / sum(exp(x)) along an axis, without overflow; computed in `dtype` where one is given."""
    if dtype is not None:
        x = ops.astype(x, dtype)
    if _seen.size_of(x, axis) == 0:
        return ops.exp(x)
    exps = named("exps", ops.exp(ops.subtract(x, ops.max(x, axis=axis, keepdims=True))))
    return ops.divide(exps, ops.sum(exps, axis=axis, keepdims=True))


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST | Trait.APART | Trait.AXES, noun="log_probs")
def log_softmax(x: Any, axis: int = -1, dtype: Any = None) -> Any:
    """log(softmax(x)) along an axis, without overflow; computed in `dtype` where one is given."""
    if dtype is not None:
        x = ops.astype(x, dtype)
    if _seen.size_of(x, axis) == 0:
        return ops.exp(x)
    shifted = named("shifted", ops.subtract(x, ops.max(x, axis=axis, keepdims=True)))
    return ops.subtract(shifted, ops.log(ops.sum(ops.exp(shifted), axis=axis, keepdims=True)))


# ---------------------------------------------------------------- layers
@composite(FAMILY, traits=Trait.FLOATS | Trait.ROW_BY_ROW, contraction=Contraction(("x", "weight"), "bias", channels=0))
def linear(x: Any, weight: Any, bias: Any = None) -> Any:
    """x @ weight.T + bias; weight is (out features, in features)."""
    out = ops.matmul(x, ops.matrix_transpose(weight))
    return out if bias is None else ops.add(out, bias)


@composite(FAMILY, traits=Trait.CHECKS)
def embedding(x: Any, weight: Any, padding_idx: Any = None, scale_grad_by_freq: bool = False) -> Any:
    """The rows of weight that x numbers. Gradients: row `padding_idx` gets none; with scale_grad_by_freq what a row gets is divided by
    how often x numbers it."""
    rows = ops.take(weight, x, axis=0)
    if padding_idx is None and not scale_grad_by_freq:
        return rows
    still = named("still", ops.stop_gradient(rows))
    if scale_grad_by_freq:
        none = ops.zeros((ops.size(weight, 0),), dtype=ops.dtype_of(weight))
        often = ops.take(ops.index_put(none, ops.reshape(x, (-1,)), 1, True), x, axis=0)
        rows = ops.add(still, ops.divide(ops.subtract(rows, still), ops.expand_dims(often, -1)))
    return rows if padding_idx is None else ops.where(ops.expand_dims(ops.equal(x, padding_idx), -1), still, rows)


@composite(FAMILY, traits=Trait.SHAPE_OF_FIRST | Trait.STEADY)
def dropout(x: Any, p: Any = 0.5, key: Any = None) -> Any:
    """x with a share p of its elements, drawn with `key`, set to 0 and the others divided by 1 - p."""
    if p == 0:
        return x
    if p == 1:
        return ops.zeros_like(x)
    keep_rate = host("-", 1.0, p)
    keep = named("keep", ops.bernoulli(key, keep_rate, ops.shape(x)))
    return ops.where(keep, ops.divide(x, keep_rate), 0.0)


@composite(FAMILY)
def scaled_dot_product_attention(
    q: Any,
    k: Any,
    v: Any,
    mask: Any = None,
    dropout: Any = 0.0,
    is_causal: bool = False,
    scale: Any = None,
    key: Any = None,
) -> Any:
    """softmax(q * scale @ k.T + mask) @ v over the last two axes (arXiv:1706.03762).

    Shapes: q (..., L, E), k (..., S, E), v (..., S, Ev), the result (..., L, Ev). `mask`, broadcast to (..., L, S), is
    boolean (True: attend) or added to the scores; `is_causal` lets query i see the keys up to i; a query that sees no
    key gives 0. `scale` is 1 / sqrt(E) where it is None. A dropout that is not 0 takes a `key`.
    """
    if scale is None:
        scale = host("/", 1.0, host("math.sqrt", ops.size(q, -1)))
    scores = named("scores", ops.matmul(scaled(q, scale), ops.matrix_transpose(k)))
    if is_causal:
        causal = named("causal", ops.tril(ops.ones((ops.size(q, -2), ops.size(k, -2)), dtype=bool_)))
        scores = named("scores", ops.where(causal, scores, -math.inf))
    if mask is None:
        weights = ops.softmax(scores, axis=-1)
    else:
        scores = named("scores", _masked(scores, mask))
        unseen = named("unseen", ops.all(ops.equal(scores, -math.inf), axis=-1, keepdims=True))
        weights = ops.where(unseen, 0.0, ops.softmax(ops.where(unseen, 0.0, scores), axis=-1))
    if dropout != 0.0:
        weights = ops.dropout(weights, dropout, key)
    return ops.matmul(weights, v)


def _masked(scores: Any, mask: Any) -> Any:
    """The scores under a boolean or additive mask; which of the two is asked at run time where the dtype is unknown."""
    element = element_of(mask)
    if element == bool_:
        return ops.where(mask, scores, -math.inf)
    if element is not None:
        return ops.add(scores, mask)
    is_boolean = host("==", ops.dtype_of(mask), bool_)
    return ops.where(is_boolean, ops.where(mask, scores, -math.inf), ops.add(scores, mask))
