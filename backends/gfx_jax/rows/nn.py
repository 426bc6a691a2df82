"""Layers and activations: https://docs.jax.dev/en/latest/jax.nn.html, and jax.lax for convolution."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.ops import _seen

from . import _pooling as pooling
from ._lift import each, expect, rank, refuse, unary


# ---------------------------------------------------------------- activations
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


def _celu(x: Any, alpha: Any = 1.0) -> Any:
    below = ops.multiply(alpha, ops.expm1(ops.divide(ops.minimum(x, 0.0), alpha)))
    return ops.add(ops.maximum(x, 0.0), below)


def _selu(x: Any) -> Any:
    return ops.multiply(1.0507009873554805, ops.elu(x, 1.6732632423543772))


def _hard_sigmoid(x: Any) -> Any:
    return ops.divide(ops.clip(ops.add(x, 3.0), 0.0, 6.0), 6.0)


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
    if mask is not None:  # JAX's own number, not -inf: a query that sees no key gets the mean of all values
        low = host("*", -0.7, ops.finfo(ops.dtype_of(query), "max"))
        bias = ops.where(mask, 0.0 if bias is None else bias, low)
    q, k, v = (ops.swapaxes(x, -3, -2) for x in (query, key, value))
    for x in (query, key):
        if isinstance(_seen.size_of(x, -2), int) and _seen.size_of(x, -2) != _seen.size_of(query, -2):
            refuse("jax.nn.dot_product_attention with fewer heads of keys", key=key)
    found = ops.scaled_dot_product_attention(q, k, v, bias, is_causal=is_causal, scale=scale)
    return ops.swapaxes(found, -3, -2)


def _softplus_spelling(args: SimpleNamespace) -> str:
    usual = args.beta in (1, 1.0) and isinstance(args.threshold, (int, float)) and args.threshold >= 20
    return "jax.nn.softplus(x)" if usual else "softplus(x, beta=beta, threshold=threshold)"


def _softmax_spelling(name: str) -> Any:
    return lambda a: f"jax.nn.{name}({'x' if a.dtype is None else 'x.astype(dtype)'}, axis=axis)"


# ---------------------------------------------------------------- convolution
def _conv_spelling(args: SimpleNamespace) -> str:
    """lax.conv_general_dilated, its numbers written out; (N, C, ...) and (O, I, ...) are its own defaults."""
    count = args.dims
    stride, dilation = each(args.stride, count), each(args.dilation, count)
    if isinstance(args.padding, str):
        padding = repr(args.padding.upper())
    else:
        widths = each(args.padding, count)
        padding = str([(p, p) for p in widths]) if any(widths) else '"VALID"'
    options = f"window_strides={stride}, padding={padding}"
    if any(d != 1 for d in dilation):
        options += f", rhs_dilation={dilation}"
    if not (type(args.groups) is int and args.groups == 1):
        options += ", feature_group_count=groups"
    single = rank(args.x) == count + 1
    text = f"jax.lax.conv_general_dilated({'x[None]' if single else 'x'}, weight, {options}){'[0]' if single else ''}"
    return text if args.bias is None else f"{text} + bias[:{', None' * count}]"


_AXES = {1: "W", 2: "HW", 3: "DHW"}


def _layout(numbers: Any, count: int) -> tuple[str, str, str]:
    """Letters of lhs, rhs and out. Raises MissingOp for what is not written in letters."""
    axes = _AXES.get(count, "")
    if numbers is None:
        return f"NC{axes}", f"OI{axes}", f"NC{axes}"
    if not (isinstance(numbers, (tuple, list)) and len(numbers) == 3 and all(isinstance(s, str) for s in numbers)):
        refuse("a convolution", dimension_numbers=numbers)
    return tuple(numbers)


def _conv_general_dilated(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, lhs_dilation: Any = None, rhs_dilation: Any = None,
    dimension_numbers: Any = None, feature_group_count: int = 1, batch_group_count: int = 1, precision: Any = None,
    preferred_element_type: Any = None, **options: Any,
) -> Any:  # fmt: skip
    name = "lax.conv_general_dilated"
    refuse(name, precision=precision, preferred_element_type=preferred_element_type, **options)
    expect(name, "batch_group_count", batch_group_count, 1)
    count = len(window_strides)
    if lhs_dilation is not None and any(d != 1 for d in lhs_dilation):
        refuse(name, lhs_dilation=lhs_dilation)
    left, right, out = _layout(dimension_numbers, count)
    axes = "".join(letter for letter in left if letter not in "NC")
    x, weight = _permuted(lhs, left, f"NC{axes}"), _permuted(rhs, right, f"OI{axes}")
    x, padding = _padded(x, padding, window_strides)
    found = ops.conv(
        x, weight, stride=tuple(window_strides), padding=padding, dilation=tuple(rhs_dilation or (1,) * count),
        groups=feature_group_count, dims=count,
    )  # fmt: skip
    return _permuted(found, f"NC{axes}", out)


def _permuted(x: Any, order: str, wanted: str) -> Any:
    return x if order == wanted else ops.permute_dims(x, tuple(order.index(letter) for letter in wanted))


def _padded(x: Any, padding: Any, strides: Any) -> tuple[Any, Any]:
    """What is left to pad before, and the convolution's own padding, which is the same on both sides."""
    if isinstance(padding, str):
        expect("a convolution", "padding", padding.lower(), "same", "valid")
        if padding.lower() == "same" and any(s != 1 for s in strides):
            refuse("a convolution with strides and", padding=padding)
        return x, padding.lower()
    pairs = tuple((p, p) if isinstance(p, int) else tuple(p) for p in padding)
    if all(low == high and low >= 0 for low, high in pairs):
        return x, tuple(low for low, _ in pairs)
    if any(p < 0 for pair in pairs for p in pair):
        refuse("a convolution with negative padding,", padding=padding)
    return ops.pad(x, pairs), (0,) * len(pairs)


def _conv(
    lhs: Any, rhs: Any, window_strides: Any, padding: Any, precision: Any = None, preferred_element_type: Any = None
) -> Any:
    return _conv_general_dilated(
        lhs, rhs, window_strides, padding, precision=precision, preferred_element_type=preferred_element_type
    )


ROWS = (
    Row("relu", "jax.nn.relu(x)", {"jax.nn.relu": unary(ops.relu)}),
    Row(
        "leaky_relu",
        "jax.nn.leaky_relu(x, negative_slope=negative_slope)",
        {"jax.nn.leaky_relu": lambda x, negative_slope=0.01: ops.leaky_relu(x, negative_slope)},
    ),
    Row(
        "elu",
        "jax.nn.elu(x, alpha=alpha)",
        {
            "jax.nn.elu": lambda x, alpha=1.0: ops.elu(x, alpha),
            "jax.nn.celu": _celu,
            "jax.nn.selu": _selu,
            "jax.nn.relu6": lambda x: ops.clip(x, 0.0, 6.0),
            "jax.nn.hard_tanh": lambda x: ops.clip(x, -1.0, 1.0),
            "jax.nn.hard_sigmoid": _hard_sigmoid,
            "jax.nn.hard_silu jax.nn.hard_swish": lambda x: ops.multiply(x, _hard_sigmoid(x)),
            "jax.nn.soft_sign": lambda x: ops.divide(x, ops.add(ops.abs(x), 1.0)),
        },
    ),
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
    Row("embedding", "weight[x]"),
    Row("conv", _conv_spelling, {"lax.conv_general_dilated": _conv_general_dilated, "lax.conv": _conv}),
    Row("max_pool", pooling.max_pool, {"lax.reduce_window": pooling.reduce_window}),
    Row("max_pool_with_indices", pooling.max_pool_with_indices),
    Row("avg_pool", pooling.avg_pool),
    Row("adaptive_avg_pool", pooling.adaptive_avg_pool),
    Row("adaptive_max_pool", "adaptive_max_pool(x, output_size)"),
    Row("adaptive_max_pool_with_indices", "adaptive_max_pool_with_indices(x, output_size)"),
    Row("layer_norm", None, {"jax.nn.standardize": _standardize}),
    Row("scaled_dot_product_attention", None, {"jax.nn.dot_product_attention": _attention}),
)
