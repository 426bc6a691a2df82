"""Forms: what authors write where the catalogue has one op. Those under "but for rounding" differ from its body in that."""

from __future__ import annotations

import math
from typing import Any

from ..graph import Value
from ..ops._catalogue import ops
from ..types import LogicalTensor
from .ways import anything, number, one_of, require


# ---------------------------------------------------------------------- the same to the last bit
def biased(x: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, groups: Any, dims: Any) -> Any:
    """A bias added to what a convolution gives, one number for each channel."""
    axes, index = anything(), anything()
    require((axes, dims), _one_a_channel, "a shape with all but its channels 1")
    require((index, dims), _indexes_channels, "an index that puts the channels in their place")
    channels = one_of(ops.reshape(bias, axes), ops.getitem(bias, index))
    return ops.add(ops.conv(x, weight, None, stride, padding, dilation, groups, dims), channels)


def _one_a_channel(both: tuple) -> bool:
    shape, dims = both
    at = len(shape) - dims - 1 if type(shape) is tuple else -1
    return at >= 0 and all(type(size) is int and size == 1 for n, size in enumerate(shape) if n != at)


def _indexes_channels(both: tuple) -> bool:
    index, dims = both
    at = len(index) - dims - 1 if type(index) is tuple else -1
    return at >= 0 and index[at] == slice(None) and all(item is None for n, item in enumerate(index) if n != at)


def above_zero(x: Any) -> Any:
    """The larger of x and 0, in the dtype of x."""
    zero = anything()
    require((x, zero), _zero_beside, "a 0 that leaves x its dtype")
    return ops.maximum(x, zero)


def _zero_beside(both: tuple) -> bool:
    x, zero = both
    known = x.type.dtype if type(x) is Value and isinstance(x.type, LogicalTensor) else None
    if type(zero) is int:
        return zero == 0 and (known is None or known.kind != "b")
    return type(zero) is float and zero == 0 and known is not None and known.kind == "f"


# ---------------------------------------------------------------------- but for rounding
def gelu_by_erf(x: Any) -> Any:
    """x * (1 + erf(x / sqrt(2))) / 2, in any order."""
    inner = one_of(ops.divide(x, math.sqrt(2)), ops.multiply(x, one_of(math.sqrt(0.5), 1 / math.sqrt(2))))
    return _half(x, ops.add(ops.erf(inner), number(1)))


def gelu_by_tanh(x: Any) -> Any:
    """x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2, in any order."""
    cube = one_of(ops.pow(x, number(3)), ops.multiply(x, ops.multiply(x, x)), ops.multiply(x, ops.square(x)))
    inner = ops.multiply(ops.add(x, ops.multiply(cube, 0.044715)), math.sqrt(2 / math.pi))
    return _half(x, ops.add(ops.tanh(inner), number(1)))


def _half(x: Any, factor: Any) -> Any:
    half = number(0.5)
    return one_of(
        ops.multiply(ops.multiply(x, half), factor),
        ops.multiply(ops.multiply(x, factor), half),
        ops.multiply(x, ops.multiply(factor, half)),
    )


def _squared(x: Any, mean: Any) -> Any:
    """The square of x - mean, a difference that may be computed again."""
    again = ops.subtract(x, mean)
    return one_of(ops.square(again), ops.pow(again, number(2)), ops.multiply(again, again))


def _scaled(out: Any, weight: Any, bias: Any) -> Any:
    out = out if weight is None else ops.multiply(out, weight)
    return out if bias is None else ops.add(out, bias)


def _normal(x: Any, var: Any, eps: Any) -> Any:
    wide = ops.add(var, eps)
    return one_of(ops.divide(x, ops.sqrt(wide)), ops.multiply(x, ops.rsqrt(wide)))


def layer_norm_by_hand(x: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """(x - mean) / sqrt(mean((x - mean)**2) + eps) * weight + bias over the last axis."""
    mean = ops.mean(x, axis=-1, keepdims=True)
    var = one_of(ops.mean(_squared(x, mean), axis=-1, keepdims=True), ops.var(x, axis=-1, keepdims=True))
    return _scaled(_normal(ops.subtract(x, mean), var, eps), weight, bias)


def rms_norm_by_hand(x: Any, weight: Any = None, eps: Any = 1e-6) -> Any:
    """x / sqrt(mean(x**2) + eps) * weight over the last axis."""
    square = one_of(ops.square(x), ops.pow(x, number(2)), ops.multiply(x, x))
    return _scaled(_normal(x, ops.mean(square, axis=-1, keepdims=True), eps), weight, None)


def softmax_still(x: Any, axis: Any) -> Any:
    """exp(x - max) / sum, whose gradient leaves the maximum out: it is the same."""
    return _shares(ops.subtract(x, ops.stop_gradient(ops.max(x, axis=axis, keepdims=True))), axis)


def softmax_of_one(x: Any, axis: Any) -> Any:
    """The same, where one of equal maxima has the derivative, which cancels out."""
    return _shares(ops.subtract(x, ops.max(x, axis=axis, keepdims=True, one=True)), axis)


def log_softmax_of_one(x: Any, axis: Any) -> Any:
    """Its logarithm."""
    shifted = ops.subtract(x, ops.max(x, axis=axis, keepdims=True, one=True))
    return ops.subtract(shifted, ops.log(ops.sum(ops.exp(shifted), axis=axis, keepdims=True)))


def _shares(shifted: Any, axis: Any) -> Any:
    exps = ops.exp(shifted)
    return ops.divide(exps, ops.sum(exps, axis=axis, keepdims=True))


def attention_by_hand(q: Any, k: Any, v: Any, scale: Any) -> Any:
    """softmax(q @ k.T * scale) @ v."""
    turned = one_of(ops.swapaxes(k, -2, -1), ops.swapaxes(k, -1, -2), ops.matrix_transpose(k))
    return ops.matmul(ops.softmax(ops.multiply(ops.matmul(q, turned), scale), axis=-1), v)


def attention_divided(q: Any, k: Any, v: Any, scale: Any) -> Any:
    """softmax(q @ k.T / scale) @ v, of a scale that is a number."""
    turned = one_of(ops.swapaxes(k, -2, -1), ops.swapaxes(k, -1, -2), ops.matrix_transpose(k))
    require(scale, lambda x: type(x) in (int, float) and x != 0, "a number")
    return ops.matmul(ops.softmax(ops.divide(ops.matmul(q, turned), scale), axis=-1), v)
