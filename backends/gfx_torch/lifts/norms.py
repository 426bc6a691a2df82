"""Normalisation: torch's calls in terms of ops, those of its own kernels too, which give the statistics beside the result."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Written
from gfx_ir.build import host
from gfx_ir.dtypes import DTYPES
from gfx_ir.errors import ShapeError
from gfx_ir.lifting.ranks import of_one_size, require
from gfx_ir.ops._body import widened

from ..lifting import asked_sizes, cast_like, dtype_like, is_on, is_sizes, kernels, known_rank, known_size
from .layers import Lifts, each


def moved(old: Any, new: Any, momentum: Any) -> Any:
    """(1 - momentum) * old + momentum * new, in the dtype of `old`: running statistics, through which no gradient flows."""
    new = ops.stop_gradient(new)
    kept = 1 - momentum if isinstance(momentum, (int, float)) else ops.subtract(1.0, momentum)
    return cast_like(ops.add(ops.multiply(old, kept), ops.multiply(new, momentum)), old)


def unbiased(variance: Any, elements: Any) -> Any:
    """The variance of a batch as an estimate of that of all."""
    return ops.multiply(variance, host("/", elements, host("-", elements, 1)))


def is_empty(x: Any) -> bool:
    """Whether x is known to have no elements: it changes no statistics."""
    return any(known_size(x, axis) == 0 for axis in range(known_rank(x) or 0))


def _trained(
    input: Any, running_mean: Any, running_var: Any, weight: Any, bias: Any, momentum: Any, eps: Any
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Batch norm by the batch's own statistics: the result, the mean, the variance, the new running statistics."""
    out, mean, var = ops.batch_norm_train(input, weight, bias, eps)
    if running_mean is None or is_empty(input):
        return out, mean, var, {}
    elements = host("//", ops.numel(input), ops.size(input, 1))
    new = {
        "running_mean": moved(running_mean, mean, momentum),
        "running_var": moved(running_var, unbiased(var, elements), momentum),
    }
    return out, mean, var, new


def _of_channels(call: str, input: Any, *given: Any) -> None:
    """Hold what there is of numbers for each channel against being vectors, of as many as there are where that is known."""
    for x in given:
        if x is not None:
            require(call, x, "==", 1)
            if (known_rank(input) or 0) > 1 and known_size(input, 1) is not None:
                of_one_size(call, input, 1, x, 0)


def batch_norm(
    input: Any,
    running_mean: Any,
    running_var: Any,
    weight: Any = None,
    bias: Any = None,
    training: Any = False,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """F.batch_norm; in training it writes the running statistics."""
    _of_channels("F.batch_norm", input, running_mean, running_var, weight, bias)
    if is_empty(input) and known_rank(input) == 1:
        return input
    if not is_on(training, "F.batch_norm"):
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    out, _, _, new = _trained(input, running_mean, running_var, weight, bias, momentum, eps)
    return Written(out, new) if new else out


def torch_batch_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: Any,
    momentum: Any,
    eps: Any,
    cudnn_enabled: Any = True,
) -> Any:
    """torch.batch_norm."""
    return batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def native_batch_norm(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, training: Any, momentum: Any, eps: Any
) -> Any:
    """torch.native_batch_norm: the result, the mean and 1 / sqrt(var + eps) of the batch, empty where it is not trained."""
    if not is_on(training, "torch.native_batch_norm"):
        none = ops.zeros((0,), dtype=dtype_like(running_mean))
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps), none, none
    out, mean, var, new = _trained(input, running_mean, running_var, weight, bias, momentum, eps)
    result = out, *_given((mean, ops.rsqrt(ops.add(var, eps))), input, weight)
    return Written(result, new) if new else result


def batch_norm_kernel(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    training: Any,
    momentum: Any = None,
    eps: Any = None,
) -> Any:
    """aten._native_batch_norm_legit, which may be given no running statistics: the flag stands in their place then."""
    if eps is None:
        training, momentum, eps, running_mean, running_var = running_mean, running_var, training, None, None
    return native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps)


def batch_norm_with_update(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: Any, eps: Any
) -> Any:
    """aten._batch_norm_with_update: native_batch_norm in training, and what a GPU would keep."""
    found = native_batch_norm(input, weight, bias, running_mean, running_var, True, momentum, eps)
    kept = ops.zeros((0,), dtype=DTYPES["uint8"])
    return Written((*found.result, kept), found.values) if isinstance(found, Written) else (*found, kept)


def _given(statistics: tuple[Any, ...], input: Any, weight: Any) -> tuple[Any, ...]:
    """Statistics in the dtype in which torch gives them: that of the weight, else of the input."""
    return tuple(cast_like(part, input if weight is None else weight) for part in statistics)


def instance_norm(
    input: Any,
    running_mean: Any = None,
    running_var: Any = None,
    weight: Any = None,
    bias: Any = None,
    use_input_stats: Any = True,
    momentum: Any = 0.1,
    eps: Any = 1e-5,
) -> Any:
    """Each channel of each sample normalised over its positions; it writes running statistics where there are any."""
    _of_channels("F.instance_norm", input, running_mean, running_var, weight, bias)
    if not is_on(use_input_stats, "F.instance_norm", "use_input_stats"):
        return ops.batch_norm(input, running_mean, running_var, weight, bias, eps)
    out = ops.instance_norm(input, weight, bias, eps)
    if running_mean is None:
        return out
    channels = ops.reshape(widened(input), (ops.size(input, 0), ops.size(input, 1), -1))
    means = ops.mean(channels, axis=(0, 2))
    variances = ops.mean(unbiased(ops.var(channels, axis=2), ops.size(channels, 2)), axis=0)
    new = {"running_mean": moved(running_mean, means, momentum), "running_var": moved(running_var, variances, momentum)}
    return Written(out, new)


def torch_instance_norm(
    input: Any,
    weight: Any,
    bias: Any,
    running_mean: Any,
    running_var: Any,
    use_input_stats: Any,
    momentum: Any,
    eps: Any,
    cudnn_enabled: Any = True,
) -> Any:
    """torch.instance_norm."""
    return instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def _of_axes(call: str, shape: Any, *given: Any) -> None:
    """Hold what there is of weights against having as many axes as are normalised."""
    for x in given if type(shape) is tuple else ():
        if x is not None:
            require(call, x, "==", len(shape))


def _some(shape: Any) -> Any:
    """The sizes of the axes that a norm is over. Raises ShapeError where there are none."""
    if not len(shape):
        raise ShapeError("a norm is over one axis at least, and gets no sizes")
    return shape


def layer_norm(input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """F.layer_norm."""
    shape = asked_sizes(normalized_shape)
    shape = shape if is_sizes(shape) else _some(each(shape, 1))
    _of_axes("torch.layer_norm's weights", shape, weight, bias)
    return ops.layer_norm(input, shape, weight, bias, eps)


def torch_layer_norm(
    input: Any, normalized_shape: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5, cudnn_enable: Any = True
) -> Any:
    """torch.layer_norm."""
    return layer_norm(input, normalized_shape, weight, bias, eps)


def native_layer_norm(input: Any, normalized_shape: Any, weight: Any, bias: Any, eps: Any) -> tuple[Any, ...]:
    """torch.native_layer_norm: the result, the means and 1 / sqrt(var + eps)."""
    over = tuple(range(-len(each(normalized_shape, 1)), 0))
    statistics = _statistics(input, over, eps, keepdims=True)
    return layer_norm(input, normalized_shape, weight, bias, eps), *_given(statistics, input, weight)


def _statistics(x: Any, axis: Any, eps: Any, keepdims: bool = False) -> tuple[Any, Any]:
    mean, var = (f(widened(x), axis=axis, keepdims=keepdims) for f in (ops.mean, ops.var))
    return mean, ops.rsqrt(ops.add(var, eps))


def group_norm(input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5) -> Any:
    """F.group_norm."""
    for x in (weight, bias):
        if x is not None:
            require("torch.group_norm's weights", x, "==", 1)
    return ops.group_norm(input, num_groups, weight, bias, eps)


def torch_group_norm(
    input: Any, num_groups: Any, weight: Any = None, bias: Any = None, eps: Any = 1e-5, cudnn_enabled: Any = True
) -> Any:
    """torch.group_norm."""
    return group_norm(input, num_groups, weight, bias, eps)


def native_group_norm(
    input: Any, weight: Any, bias: Any, N: Any, C: Any, HxW: Any, group: Any, eps: Any
) -> tuple[Any, ...]:
    """torch.native_group_norm: the result, the means and 1 / sqrt(var + eps) of the groups."""
    rows = ops.reshape(input, (N, group, host("//", host("*", C, HxW), group)))
    statistics = _statistics(rows, -1, eps)
    return group_norm(input, group, weight, bias, eps), *_given(statistics, input, weight)


def rms_norm(input: Any, normalized_shape: Any, weight: Any = None, eps: Any = None) -> Any:
    """F.rms_norm."""
    shape = _some(each(normalized_shape, 1))
    _of_axes("torch.rms_norm's weights", shape, weight)
    return ops.rms_norm(input, shape, weight, eps)


BATCH_NORM: Lifts = {"F.batch_norm": batch_norm, "torch.batch_norm": torch_batch_norm}
INSTANCE_NORM: Lifts = {"F.instance_norm": instance_norm, "torch.instance_norm": torch_instance_norm}
LAYER_NORM: Lifts = {"F.layer_norm": layer_norm, "torch.layer_norm": torch_layer_norm}
GROUP_NORM: Lifts = {"F.group_norm": group_norm, "torch.group_norm": torch_group_norm}
RMS_NORM: Lifts = {"F.rms_norm torch.rms_norm": rms_norm}
LIFTS: dict[str, Callable[..., Any]] = {
    f"torch.native_layer_norm {kernels('native_layer_norm')}": native_layer_norm,
    f"torch.native_group_norm {kernels('native_group_norm')}": native_group_norm,
    f"torch.native_batch_norm {kernels('native_batch_norm')}": native_batch_norm,
    kernels("_native_batch_norm_legit"): batch_norm_kernel,
    kernels("_batch_norm_with_update"): batch_norm_with_update,
}
