"""Layers and activations: https://docs.jax.dev/en/latest/jax.nn.html, and jax.lax for convolution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import jax

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.dtypes import bool_
from gfx_ir.lifting.masks import told_mask
from gfx_ir.ops import _seen

from . import _joins
from . import _pooling as pooling
from ._lift import each, element, expect, kind_of, precise, rank, refuse, unary
from ._padding import window_edges


# ---------------------------------------------------------------- activations
def _relu(x: Any) -> Any:
    """Of booleans the whole numbers that a number beside them makes of them."""
    return ops.relu(ops.multiply(x, 1) if kind_of(x) == "b" else x)


def _gelu(x: Any, approximate: bool = True) -> Any:
    expect("jax.nn.gelu", "approximate", approximate, True, False)
    return ops.gelu(x, approximate="tanh" if approximate else "none")


def _softmax(name: str) -> Any:
    def lift(x: Any, axis: Any = -1, where: Any = None) -> Any:
        refuse(f"jax.nn.{name}", where=where)
        if axis is None or isinstance(axis, (tuple, list)):
            shifted = ops.subtract(x, ops.logsumexp(x, axis=axis, keepdims=True))
            return shifted if name == "log_softmax" else ops.exp(shifted)
        return (ops.log_softmax if name == "log_softmax" else ops.softmax)(x, axis=axis)

    return lift


def _glu(x: Any, axis: int = -1) -> Any:
    left, right = ops.split(x, 2, axis=axis)
    return ops.multiply(left, ops.sigmoid(right))


def _elu(x: Any, alpha: Any = 1.0) -> Any:
    """alpha may be an array, with axes of its own."""
    if _seen.is_plain(alpha) or _seen.rank(alpha) == 0:
        return ops.elu(x, alpha)
    return ops.where(ops.greater(x, 0), x, ops.multiply(alpha, ops.expm1(ops.where(ops.greater(x, 0), 0, x))))


def _celu(x: Any, alpha: Any = 1.0) -> Any:
    if _seen.is_plain(alpha) or _seen.rank(alpha) == 0:
        return ops.celu(x, alpha)
    return ops.where(ops.greater(x, 0), x, _elu(ops.divide(x, alpha), alpha))


def _selu(x: Any) -> Any:
    return ops.multiply(1.0507009873554805, ops.elu(x, 1.6732632423543772))


def _hard_sigmoid(x: Any) -> Any:
    return ops.divide(ops.hardtanh(ops.add(x, 3.0), 0.0, 6.0), 6.0)


def _leaky_relu(x: Any, negative_slope: Any = 0.01) -> Any:
    """Its derivative at 0 is 1, that of the op the slope."""
    return ops.where(ops.greater_equal(x, 0), x, ops.multiply(x, negative_slope))


def _hard_tanh(x: Any) -> Any:
    """Its derivative at the bounds is 1."""
    return ops.where(ops.greater(x, 1), 1, ops.where(ops.less(x, -1), -1, x))


def _hardtanh(args: SimpleNamespace) -> str:
    """A function of JAX gives floats."""
    return "jax.nn.relu6(x)" if args.min_val == 0 and args.max_val == 6 and kind_of(args.x) == "f" else ""


def _squareplus(x: Any, b: Any = 4) -> Any:
    return ops.divide(ops.add(x, ops.sqrt(ops.add(ops.square(x), b))), 2)


def _standardize(
    x: Any, axis: Any = -1, mean: Any = None, variance: Any = None, epsilon: Any = 1e-05, where: Any = None, *,
    algorithm: str = "fast",
) -> Any:  # fmt: skip
    refuse("jax.nn.standardize", where=where)
    mean = ops.mean(x, axis=axis, keepdims=True) if mean is None else mean
    if variance is None:
        variance = ops.var(x, axis=axis, keepdims=True)
    return ops.multiply(ops.subtract(x, mean), ops.rsqrt(ops.add(variance, epsilon)))


def _attention(
    query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, *, scale: Any = None, is_causal: bool = False,
    **options: Any,
) -> Any:  # fmt: skip
    """jax.nn.dot_product_attention: (batch, time, heads, width), as many heads of keys as of queries."""
    options.pop("implementation", None)
    refuse("jax.nn.dot_product_attention", **options)
    q, k, v = (ops.swapaxes(x, -3, -2) for x in (query, key, value))
    for x in (query, key):
        if isinstance(_seen.size_of(x, -2), int) and _seen.size_of(x, -2) != _seen.size_of(query, -2):
            refuse("jax.nn.dot_product_attention with fewer heads of keys", key=key)
    if mask is not None and not is_causal:
        mask, is_causal = told_mask(q, k, mask)
    if mask is None:
        return ops.swapaxes(ops.scaled_dot_product_attention(q, k, v, bias, is_causal=is_causal, scale=scale), -3, -2)
    if is_causal:
        mask = ops.logical_and(mask, ops.tril(ops.ones((ops.size(q, -2), ops.size(k, -2)), dtype=bool_)))
    hidden = mask if bias is None else ops.where(mask, bias, -math.inf)
    found = ops.scaled_dot_product_attention(q, k, v, hidden, scale=scale)
    seen = ops.any(mask, axis=-1, keepdims=True)  # where none is, JAX gives the mean of all values, and the op 0
    return ops.swapaxes(ops.where(seen, found, ops.mean(v, axis=-2, keepdims=True)), -3, -2)


def _softplus_spelling(args: SimpleNamespace) -> str:
    usual = args.beta in (1, 1.0) and isinstance(args.threshold, (int, float)) and args.threshold >= 20
    return "jax.nn.softplus(x)" if usual else "softplus(x, beta=beta, threshold=threshold)"


def _softmax_spelling(name: str) -> Any:
    return lambda a: f"jax.nn.{name}({'x' if a.dtype is None else 'x.astype(dtype)'}, axis=axis)"


# ---------------------------------------------------------------- convolution
def _conv_spelling(args: SimpleNamespace) -> str:
    """lax.conv_general_dilated of (N, C, ...) with (O, I, ...), which are its own defaults."""
    text = _convolution(args, "")
    return text if args.bias is None else f"{text} + bias[:{', None' * args.dims}]"


def _channels_last_spelling(args: SimpleNamespace) -> str:
    """The same of (N, ..., C) with (..., I, O); a kernel of one place is a matrix, and XLA's product is the faster one."""
    if _is_product(args):
        return f"x @ weight[{', '.join('0' * args.dims)}]{' + bias' if args.bias is not None else ''}"
    places = "DHW"[3 - args.dims :]
    text = _convolution(args, f', dimension_numbers=("N{places}C", "{places}IO", "N{places}C")')
    return text if args.bias is None else f"{text} + bias"


def _is_product(args: SimpleNamespace) -> bool:
    """Whether each place of a convolution is the kernel's one place times the channels there."""
    single = all(_seen.size_of(args.weight, axis) == 1 for axis in range(args.dims))
    moves = any(step != 1 for step in each(args.stride, args.dims))
    pads = not isinstance(args.padding, str) and any(each(args.padding, args.dims))
    return single and not moves and not pads and type(args.groups) is int and args.groups == 1


def _convolution(args: SimpleNamespace, numbers: str) -> str:
    """Without the bias, its numbers written out; `numbers` say which axes are which."""
    count = args.dims
    stride, dilation = each(args.stride, count), each(args.dilation, count)
    if isinstance(args.padding, str):
        padding = repr(args.padding.upper())
    else:
        widths = each(args.padding, count)
        padding = str([(p, p) for p in widths]) if any(widths) else '"VALID"'
    options = f"{stride}, {padding}{numbers}"
    if any(d != 1 for d in dilation):
        options += f", rhs_dilation={dilation}"
    if not (type(args.groups) is int and args.groups == 1):
        options += ", feature_group_count=groups"
    single = rank(args.x) == count + 1
    return f"jax.lax.conv_general_dilated({'x[None]' if single else 'x'}, weight, {options}){'[0]' if single else ''}"


def ordered(x: Any, axes: Sequence[int]) -> Any:
    """x with its axes in this order."""
    return x if tuple(axes) == tuple(range(len(axes))) else ops.permute_dims(x, tuple(axes))


def conv_general_dilated(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, lhs_dilation: Any = None, rhs_dilation: Any = None,
    dimension_numbers: Any = None, feature_group_count: int = 1, batch_group_count: int = 1, precision: Any = None,
    preferred_element_type: Any = None, **options: Any,
) -> Any:  # fmt: skip
    """lax.conv_general_dilated, as a convolution of (N, C, ...) with (O, I, ...)."""
    name, count = "lax.conv_general_dilated", len(window_strides)
    precise(name, precision)
    refuse(name, **options)
    if count not in (1, 2, 3):
        refuse(f"{name} of so many axes", window_strides=window_strides)
    if dimension_numbers is None or isinstance(dimension_numbers[0], str):
        rank = (1,) * (count + 2)
        dimension_numbers = jax.lax.conv_dimension_numbers(rank, rank, dimension_numbers)
    left, right, out = dimension_numbers
    if (dtype := element(preferred_element_type)) is not None:
        lhs, rhs = (x if _seen.dtype(x) == dtype else ops.astype(x, dtype) for x in (lhs, rhs))
    x, weight, dilation = ordered(lhs, left), ordered(rhs, right), tuple(rhs_dilation or (1,) * count)
    x, padding = _padded(x, weight, padding, tuple(window_strides), lhs_dilation, dilation)
    if batch_group_count != 1:
        x, feature_group_count = _groups_of_features(x, batch_group_count), batch_group_count
    found = ops.conv(
        x,
        weight,
        stride=tuple(window_strides),
        padding=padding,
        dilation=dilation,
        groups=feature_group_count,
        dims=count,
    )
    return ordered(found, tuple(tuple(out).index(axis) for axis in range(count + 2)))


def _groups_of_features(x: Any, groups: int) -> Any:
    """Groups of the batch as groups of channels."""
    size = _seen.length(x, 0, "batch_group_count needs a known batch") // groups
    split = ops.reshape(x, (groups, size, *(ops.size(x, axis) for axis in range(1, len(_seen.type_of(x).dims or ())))))
    return ops.flatten(ops.swapaxes(split, 0, 1), 1, 2)


def _padded(x: Any, weight: Any, padding: Any, strides: tuple, base: Any, dilation: tuple) -> tuple[Any, Any]:
    """What is left to pad and spread before, and the convolution's own padding, which is the same on both sides."""
    count, given = len(strides), padding
    steps = tuple(base or (1,) * count)
    dense = all(n == 1 for n in steps)
    if isinstance(padding, str):
        if dense and (padding.upper() == "VALID" or (padding.upper() == "SAME" and all(n == 1 for n in strides))):
            return x, padding.lower()
        why = f"padding {padding!r} needs the sizes of the kernel"
        widths = [(_seen.length(weight, axis + 2, why) - 1) * apart + 1 for axis, apart in enumerate(dilation)]
        padding = window_edges(x, range(2, count + 2), widths, strides, padding, "lax.conv_general_dilated", steps)
    pairs = tuple((p, p) if isinstance(p, int) else tuple(p) for p in padding)
    fixed = dense and all(isinstance(p, int) and p >= 0 for pair in pairs for p in pair)
    if fixed and all(low == high for low, high in pairs):
        return x, tuple(low for low, _ in pairs)
    if fixed or (dense and isinstance(given, str)):
        return ops.pad(x, pairs), (0,) * count
    config = ((0, 0, 0), (0, 0, 0), *((*pair, apart - 1) for pair, apart in zip(pairs, steps)))
    return _joins.lax_pad(x, 0, config), (0,) * count


def _conv(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, precision: Any = None, preferred_element_type: Any = None
) -> Any:
    return conv_general_dilated(
        lhs, rhs, window_strides, padding, precision=precision, preferred_element_type=preferred_element_type
    )


def _embedding(args: SimpleNamespace) -> str:
    """A helper where gradients are not those of indexing."""
    if args.scale_grad_by_freq:
        return "embedding_by_frequency(x, weight, padding_idx=padding_idx)"
    return "weight[x]" if args.padding_idx is None else "embedding(x, weight, padding_idx=padding_idx)"


ROWS = (
    Row("relu", "jax.nn.relu(x)", {"jax.nn.relu": _relu}),
    Row(
        "elu",
        "jax.nn.elu(x, alpha=alpha)",
        {
            "jax.nn.elu": _elu,
            "jax.nn.selu": _selu,
            "jax.nn.hard_tanh": _hard_tanh,
            "jax.nn.leaky_relu": _leaky_relu,
            "jax.nn.hard_sigmoid": _hard_sigmoid,
            "jax.nn.hard_silu jax.nn.hard_swish": lambda x: ops.multiply(x, _hard_sigmoid(x)),
            "jax.nn.soft_sign": lambda x: ops.divide(x, ops.add(ops.abs(x), 1.0)),
        },
    ),
    Row("celu", "jax.nn.celu(x, alpha=alpha)", {"jax.nn.celu": _celu}),
    Row("hardtanh", _hardtanh, {"jax.nn.relu6": lambda x: ops.hardtanh(x, 0.0, 6.0)}),
    Row(
        "gelu",
        lambda a: "jax.nn.gelu(x)" if a.approximate == "tanh" else "jax.nn.gelu(x, approximate=False)",
        {"jax.nn.gelu": _gelu},
    ),
    Row("silu", "jax.nn.silu(x)", {"jax.nn.silu jax.nn.swish": unary(ops.silu)}),
    Row("mish", "jax.nn.mish(x)", {"jax.nn.mish": unary(ops.mish)}),
    Row(
        "softplus",
        _softplus_spelling,
        {"jax.nn.softplus": lambda x: ops.softplus(x), "jax.nn.squareplus": _squareplus},
    ),
    Row("logsigmoid", "jax.nn.log_sigmoid(x)", {"jax.nn.log_sigmoid": unary(ops.logsigmoid)}),
    Row(
        "softmax",
        _softmax_spelling("softmax"),
        {"jax.nn.softmax": _softmax("softmax"), "jax.nn.glu": _glu},
        keep=("axis",),
    ),
    Row(
        "log_softmax",
        _softmax_spelling("log_softmax"),
        {"jax.nn.log_softmax": _softmax("log_softmax")},
        keep=("axis",),
    ),
    Row("embedding", _embedding),
    Row("conv", _conv_spelling, {"lax.conv_general_dilated": conv_general_dilated, "lax.conv": _conv}),
    Row("conv_channels_last", _channels_last_spelling),
    Row("max_pool", pooling.max_pool),
    Row("max_pool_channels_last", pooling.max_pool_channels_last),
    Row("max_pool_with_indices", pooling.max_pool_with_indices),
    Row("avg_pool", pooling.in_float32(pooling.avg_pool)),
    Row("avg_pool_channels_last", pooling.in_float32(pooling.avg_pool_channels_last)),
    Row("adaptive_avg_pool_channels_last", pooling.adaptive_avg_pool_channels_last),
    Row("adaptive_avg_pool", pooling.adaptive_avg_pool),
    Row("adaptive_max_pool", "adaptive_max_pool(x, output_size)"),
    Row("adaptive_max_pool_with_indices", "adaptive_max_pool_with_indices(x, output_size)"),
    Row("layer_norm", None, {"jax.nn.standardize": _standardize}),
    Row("scaled_dot_product_attention", None, {"jax.nn.dot_product_attention": _attention}),
)
