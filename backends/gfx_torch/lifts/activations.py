"""Activations: torch's calls in terms of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import build, ops
from gfx_ir.lifting.ranks import most, spread

from ..lifting import ask_rank, dtype_like, is_on, kind, known_rank, known_size, refuse, shape_of

Lifts = dict[str, Callable[..., Any]]


def _relu(input: Any, inplace: bool = False) -> Any:
    return ops.relu(input)


def leaky_relu(input: Any, negative_slope: Any = 0.01, inplace: bool = False) -> Any:
    """F.leaky_relu."""
    return ops.leaky_relu(input, negative_slope)


def elu(input: Any, alpha: Any = 1.0, inplace: bool = False) -> Any:
    """F.elu."""
    return ops.elu(input, alpha)


def gelu(input: Any, *, approximate: Any = "none") -> Any:
    """F.gelu."""
    return ops.gelu(input, approximate)


def silu(input: Any, inplace: bool = False) -> Any:
    """F.silu."""
    return ops.silu(input)


def softplus(input: Any, beta: Any = 1, threshold: Any = 20) -> Any:
    """F.softplus."""
    return (
        ops.softplus(input, float(beta), float(threshold))
        if not is_number_open(beta, threshold)
        else ops.softplus(input, beta, threshold)
    )


def is_number_open(*values: Any) -> bool:
    """Whether one of these is an open value."""
    return any(hasattr(value, "node") for value in values)


def implicit_dim(input: Any, dim: Any) -> Any:
    """F.softmax without dim: axis 0 for 0, 1 or 3 axes, else axis 1."""
    if dim is not None:
        return dim
    return 0 if ask_rank(input, 2, "softmax without dim") in (0, 1, 3) else 1


def softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """F.softmax."""
    return ops.softmax(input, axis=implicit_dim(input, dim), dtype=dtype)


def log_softmax(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """F.log_softmax."""
    return ops.log_softmax(input, axis=implicit_dim(input, dim), dtype=dtype)


def softmin(input: Any, dim: Any = None, _stacklevel: int = 3, dtype: Any = None) -> Any:
    """F.softmin."""
    return ops.softmax(ops.negative(input), axis=implicit_dim(input, dim), dtype=dtype)


def _torch_softmax(input: Any, dim: Any, dtype: Any = None) -> Any:
    return ops.softmax(input, axis=dim, dtype=dtype)


def _torch_log_softmax(input: Any, dim: Any, dtype: Any = None) -> Any:
    return ops.log_softmax(input, axis=dim, dtype=dtype)


def safe_softmax(input: Any, dim: Any, dtype: Any = None) -> Any:
    """torch.ops.aten._safe_softmax: 0 where nothing is to be seen along the axis."""
    unseen = ops.all(ops.equal(input, float("-inf")), axis=dim, keepdims=True)
    found = ops.softmax(ops.where(unseen, 0, input), axis=dim, dtype=dtype)
    return ops.where(unseen, 0, found)


def logsigmoid(input: Any) -> Any:
    """F.logsigmoid."""
    return ops.logsigmoid(input)


def hardtanh(input: Any, min_val: Any = -1.0, max_val: Any = 1.0, inplace: bool = False) -> Any:
    """F.hardtanh; whole numbers stay whole, and bounds are cut to such."""
    return ops.hardtanh(input, *(_as_element(input, bound) for bound in (min_val, max_val)))


def _as_element(input: Any, number: Any) -> Any:
    """A number as torch compares it with the elements of a tensor that holds whole numbers; of an open dtype if it is one."""
    whole = kind(input) in ("i", "u") or (not kind(input) and isinstance(number, float) and number.is_integer())
    return int(number) if isinstance(number, float) and whole else number


def relu6(input: Any, inplace: bool = False) -> Any:
    """F.relu6."""
    return ops.hardtanh(input, 0, 6)


def hardsigmoid(input: Any, inplace: bool = False) -> Any:
    """relu6(x + 3) / 6."""
    return ops.divide(ops.hardtanh(ops.add(input, 3), 0, 6), 6)


def hardswish(input: Any, inplace: bool = False) -> Any:
    """x * hardsigmoid(x)."""
    return ops.divide(ops.multiply(input, ops.hardtanh(ops.add(input, 3), 0, 6)), 6)


def mish(input: Any, inplace: bool = False) -> Any:
    """x * tanh(softplus(x))."""
    return ops.mish(input)


def selu(input: Any, inplace: bool = False) -> Any:
    """The self-normalising elu (Klambauer et al., 2017), with torch's constants."""
    alpha, scale = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
    return ops.multiply(scale, ops.elu(input, alpha))


def celu(input: Any, alpha: Any = 1.0, inplace: bool = False) -> Any:
    """F.celu."""
    return ops.celu(input, alpha)


def glu(input: Any, dim: Any = -1) -> Any:
    """The first half times the sigmoid of the second."""
    if known_size(input, dim) is not None and known_size(input, dim) % 2:  # type: ignore[operator]
        refuse("F.glu needs an even number of elements along its dim")
    a, b = ops.split(input, 2, axis=dim)
    return ops.multiply(a, ops.sigmoid(b))


def prelu(input: Any, weight: Any) -> Any:
    """x where positive, else weight * x; one weight, or one for each channel (axis 1)."""
    if known_rank(weight) == 0 or known_size(weight, 0) == 1:
        weight = weight if known_rank(input) else ops.reshape(weight, ())
    else:
        rank = ask_rank(input, 2, "F.prelu with a weight for each channel")
        weight = spread("F.prelu", input, ops.reshape(weight, (-1, *(1,) * (rank - 2))))
    return ops.where(ops.greater(input, 0), input, ops.multiply(weight, input))


def softsign(input: Any) -> Any:
    """x / (1 + |x|)."""
    return ops.divide(input, ops.add(1, ops.abs(input)))


def tanhshrink(input: Any) -> Any:
    """x - tanh(x)."""
    return ops.subtract(input, ops.tanh(input))


def softshrink(input: Any, lambd: Any = 0.5) -> Any:
    """x moved towards 0 by lambd, 0 within."""
    moved = ops.subtract(ops.abs(input), lambd)
    return ops.where(ops.greater(moved, 0), ops.multiply(ops.sign(input), moved), ops.multiply(input, 0))


def hardshrink(input: Any, lambd: Any = 0.5) -> Any:
    """x, 0 within lambd of 0; no number stays none."""
    return ops.where(ops.less_equal(ops.abs(input), lambd), ops.zeros_like(input), input)


def threshold(input: Any, threshold: Any, value: Any, inplace: bool = False) -> Any:
    """x where it is above the threshold or no number, else value."""
    bound, value = _as_element(input, threshold), _as_element(input, value)
    return ops.where(ops.less_equal(input, bound), value, input)


def order(p: Any) -> Any:
    """The order of a norm as ops take it: a whole number as such."""
    return int(p) if isinstance(p, float) and p == int(p) else p


def normalize(input: Any, p: Any = 2.0, dim: Any = 1, eps: Any = 1e-12) -> Any:
    """x over its norm along dim, which is at least eps."""
    norm = ops.vector_norm(input, axis=dim, keepdims=True, ord=order(p))
    return ops.divide(input, ops.maximum(norm, eps))


def rrelu(input: Any, lower: Any = 1.0 / 8, upper: Any = 1.0 / 3, training: Any = False, inplace: bool = False) -> Any:
    """x where positive, else x times a slope drawn for each element, or the mean slope outside of training."""
    if not is_on(training, "F.rrelu"):
        return ops.leaky_relu(input, (lower + upper) / 2)
    like = {"dtype": dtype_like(input), "device": ops.device_of(input)}
    slope = ops.uniform(build.next_key(), shape_of(input), lower, upper, **like)
    return ops.where(ops.greater(input, 0), input, ops.multiply(input, slope))


def torch_rrelu(input: Any, lower: Any = 1.0 / 8, upper: Any = 1.0 / 3, training: Any = False) -> Any:
    """torch.rrelu."""
    return rrelu(input, lower, upper, training)


RELU: Lifts = {"F.relu": _relu, "torch.relu Tensor.relu": _relu}
LEAKY_RELU: Lifts = {"F.leaky_relu": leaky_relu}
ELU: Lifts = {"F.elu": elu}
GELU: Lifts = {"F.gelu": gelu}
SILU: Lifts = {"F.silu": silu}
SOFTPLUS: Lifts = {"F.softplus": softplus}
SOFTMAX: Lifts = {"F.softmax": softmax, "torch.softmax Tensor.softmax torch.special.softmax": _torch_softmax}
LOG_SOFTMAX: Lifts = {
    "F.log_softmax": log_softmax,
    "torch.log_softmax Tensor.log_softmax torch.special.log_softmax": _torch_log_softmax,
}
MISH: Lifts = {"F.mish": mish}
CELU: Lifts = {"F.celu torch.celu": celu}
HARDTANH: Lifts = {"F.hardtanh": hardtanh, "F.relu6": relu6}
LOGSIGMOID: Lifts = {"F.logsigmoid": logsigmoid}
LIFTS: Lifts = {
    "F.softmin": softmin,
    "F.hardsigmoid": hardsigmoid,
    "F.hardswish": hardswish,
    "F.selu torch.selu": selu,
    "F.glu": glu,
    "F.prelu torch.prelu Tensor.prelu": most("F.prelu", prelu, None, 1),
    "F.softsign": softsign,
    "F.tanhshrink": tanhshrink,
    "F.softshrink": softshrink,
    "F.hardshrink torch.hardshrink": hardshrink,
    "F.threshold torch.threshold": threshold,
    "F.normalize": normalize,
    "torch.ops.aten._safe_softmax.default": safe_softmax,
    "F.rrelu": rrelu,
    "torch.rrelu": torch_rrelu,
}
