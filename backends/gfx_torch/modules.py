"""torch.nn's module classes in their functional form.

Each function takes `m`, which reads as the module does (`m.weight` is a Value or None, `m.stride` plain data;
`m.write(name, value)` writes a buffer), then what the module's forward takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torch import nn

from gfx_ir import ops
from gfx_ir.backend import Lift, Written
from gfx_ir.build import host

from . import attention, kinds, layouts
from .lifting import ask_rank, dtype_like, floating, refuse
from .lifts import activations as act
from .lifts import embeddings, layers, losses, matrices, norms, pools, recurrent, shapes, shuffles
from .scalars import on_scalars


def _conv(dims: int) -> Callable[..., Any]:
    call = layers.conv(dims)

    def fn(m: Any, input: Any) -> Any:
        padding = m.padding
        if m.padding_mode != "zeros":
            input, padding = _padded(m, input, dims), 0
        return call(input, m.weight, m.bias, m.stride, padding, m.dilation, m.groups)

    return fn


def _padded(m: Any, input: Any, dims: int) -> Any:
    mode = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[m.padding_mode]
    if isinstance(m.padding, str):
        refuse(f"a convolution with padding={m.padding!r} and padding_mode={m.padding_mode!r} has no counterpart")
    return ops.pad(input, tuple((n, n) for n in layers.each(m.padding, dims)), mode=mode)


def _batch_norm(m: Any, input: Any) -> Any:
    mean = None if m.training else m.running_mean
    if mean is not None:
        return ops.batch_norm(input, mean, m.running_var, m.weight, m.bias, m.eps)
    out, mean, var = ops.batch_norm_train(input, m.weight, m.bias, m.eps)
    if m.training and m.track_running_stats and m.running_mean is not None:
        _update_statistics(m, input, mean, var)
    return out


def _update_statistics(m: Any, input: Any, mean: Any, var: Any) -> None:
    """Move the running statistics towards those of the batch; without a momentum they are the mean of all batches."""
    momentum = m.momentum
    if m.num_batches_tracked is not None:
        count = ops.add(m.num_batches_tracked, 1)
        m.write("num_batches_tracked", count)
        if momentum is None:
            momentum = ops.divide(1.0, ops.astype(count, dtype_like(mean)))
    if norms.is_empty(input):
        return
    elements = host("//", ops.numel(input), ops.size(input, 1))
    m.write("running_mean", norms.moved(m.running_mean, mean, momentum))
    m.write("running_var", norms.moved(m.running_var, norms.unbiased(var, elements), momentum))


def _instance_norm(dims: int) -> Callable[..., Any]:
    def fn(m: Any, input: Any) -> Any:
        single = ask_rank(input, dims + 2, f"InstanceNorm{dims}d") == dims + 1
        x = ops.expand_dims(input, 0) if single else input
        own = m.training or not m.track_running_stats
        momentum = 0.0 if m.momentum is None else m.momentum
        out = norms.instance_norm(x, m.running_mean, m.running_var, m.weight, m.bias, own, momentum, m.eps)
        if isinstance(out, Written):
            for name, value in out.values.items():
                m.write(name, value)
            out = out.result
        return ops.squeeze(out, axis=0) if single else out

    return fn


def _embedding(m: Any, input: Any) -> Any:
    settings = (m.padding_idx, m.max_norm, m.norm_type, m.scale_grad_by_freq, m.sparse)
    out = embeddings.embedding(input, m.weight, *settings)
    if not isinstance(out, Written):
        return out
    m.write("weight", out.values["weight"])
    return out.result


def _dropout(m: Any, input: Any) -> Any:
    return layers.dropout(input, m.p, bool(m.training))


def _channel_dropout(dims: int) -> Callable[..., Any]:
    call = layers.channel_dropout(dims)
    return lambda m, input: call(input, m.p, bool(m.training))


def _pool(call: Callable[..., Any], settings: str) -> Callable[..., Any]:
    """A pooling whose module has the settings under the names that its function has for them."""
    names = settings.split()
    return lambda m, input: call(input, **{name: getattr(m, name) for name in names})


def _unflatten(m: Any, input: Any) -> Any:
    return shapes.unflatten(input, m.dim, tuple(m.unflattened_size))


def _pad(dims: int, mode: str) -> Callable[..., Any]:
    def fn(m: Any, input: Any) -> Any:
        return shapes.pad(input, layers.each(m.padding, 2 * dims), mode, getattr(m, "value", None))

    return fn


_softmax, _softmin, _log_softmax = map(on_scalars, (act.softmax, act.softmin, act.log_softmax))


def _softmax2d(m: Any, input: Any) -> Any:
    return ops.softmax(input, axis=-3)


def _cross_entropy(m: Any, input: Any, target: Any) -> Any:
    return losses.cross_entropy(
        input, target, m.weight, ignore_index=m.ignore_index, reduction=m.reduction, label_smoothing=m.label_smoothing
    )


def _bce_with_logits(m: Any, input: Any, target: Any) -> Any:
    return losses.bce_with_logits(input, target, m.weight, reduction=m.reduction, pos_weight=m.pos_weight)


def _flatten(m: Any, input: Any) -> Any:
    return ops.flatten(input, m.start_dim, m.end_dim)


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "Linear": lambda m, input: ops.linear(input, m.weight, m.bias),
    "Bilinear": lambda m, input1, input2: matrices.bilinear(input1, input2, m.weight, m.bias),
    "Identity": lambda m, input: input,
    "LayerNorm": lambda m, input: ops.layer_norm(input, tuple(m.normalized_shape), m.weight, m.bias, m.eps),
    "GroupNorm": lambda m, input: ops.group_norm(input, m.num_groups, m.weight, m.bias, m.eps),
    "RMSNorm": lambda m, input: ops.rms_norm(input, tuple(m.normalized_shape), m.weight, m.eps),
    "Embedding": _embedding,
    "Dropout": _dropout,
    "Flatten": _flatten,
    "Unflatten": _unflatten,
    "ReLU": lambda m, input: ops.relu(input),
    "ReLU6": lambda m, input: act.relu6(input),
    "LeakyReLU": lambda m, input: ops.leaky_relu(input, m.negative_slope),
    "PReLU": lambda m, input: act.prelu(input, m.weight),
    "ELU": lambda m, input: ops.elu(input, m.alpha),
    "CELU": lambda m, input: act.celu(input, m.alpha),
    "SELU": lambda m, input: act.selu(input),
    "GELU": lambda m, input: ops.gelu(input, m.approximate),
    "SiLU": lambda m, input: ops.silu(input),
    "Mish": lambda m, input: ops.mish(input),
    "Tanh": lambda m, input: ops.tanh(input),
    "Sigmoid": lambda m, input: ops.sigmoid(input),
    "LogSigmoid": lambda m, input: ops.logsigmoid(input),
    "Softplus": lambda m, input: act.softplus(input, m.beta, m.threshold),
    "Softsign": lambda m, input: act.softsign(input),
    "Tanhshrink": lambda m, input: act.tanhshrink(input),
    "Softshrink": lambda m, input: act.softshrink(input, m.lambd),
    "Hardshrink": lambda m, input: act.hardshrink(input, m.lambd),
    "Hardtanh": lambda m, input: act.hardtanh(input, m.min_val, m.max_val),
    "Hardsigmoid": lambda m, input: act.hardsigmoid(input),
    "Hardswish": lambda m, input: act.hardswish(input),
    "Threshold": lambda m, input: act.threshold(input, m.threshold, m.value),
    "GLU": lambda m, input: act.glu(input, m.dim),
    "Softmax": lambda m, input: _softmax(input, m.dim),
    "Softmin": lambda m, input: _softmin(input, m.dim),
    "LogSoftmax": lambda m, input: _log_softmax(input, m.dim),
    "Softmax2d": _softmax2d,
    "PairwiseDistance": lambda m, x1, x2: ops.pairwise_distance(
        floating(x1), floating(x2), act.order(m.norm), m.eps, m.keepdim
    ),
    "CosineSimilarity": lambda m, x1, x2: ops.cosine_similarity(x1, x2, m.dim, m.eps),
    "PixelShuffle": lambda m, input: shuffles.pixel_shuffle(input, m.upscale_factor),
    "MultiheadAttention": attention.multihead_attention,
    "CrossEntropyLoss": _cross_entropy,
    "NLLLoss": lambda m, input, target: losses.nll_loss(
        input, target, m.weight, ignore_index=m.ignore_index, reduction=m.reduction
    ),
    "MSELoss": lambda m, input, target: ops.mse_loss(input, target, m.reduction),
    "L1Loss": lambda m, input, target: losses.l1_loss(input, target, reduction=m.reduction),
    "SmoothL1Loss": lambda m, input, target: losses.smooth_l1_loss(input, target, reduction=m.reduction, beta=m.beta),
    "HuberLoss": lambda m, input, target: losses.huber_loss(input, target, m.reduction, m.delta),
    "BCELoss": lambda m, input, target: losses.binary_cross_entropy(input, target, m.weight, reduction=m.reduction),
    "BCEWithLogitsLoss": _bce_with_logits,
    "KLDivLoss": lambda m, input, target: losses.kl_div(input, target, reduction=m.reduction, log_target=m.log_target),
}
_FUNCTIONS |= recurrent.MODULES
_MAX = "kernel_size stride padding dilation ceil_mode return_indices"
_MEAN = "kernel_size stride padding ceil_mode count_include_pad"
for _n in (1, 2, 3):
    _FUNCTIONS |= {
        f"Conv{_n}d": _conv(_n),
        f"BatchNorm{_n}d": _batch_norm,
        f"InstanceNorm{_n}d": _instance_norm(_n),
        f"Dropout{_n}d": _channel_dropout(_n),
        f"MaxPool{_n}d": _pool(pools.max_pool(_n), _MAX),
        f"AvgPool{_n}d": _pool(pools.avg_pool(_n), _MEAN if _n == 1 else f"{_MEAN} divisor_override"),
        f"AdaptiveAvgPool{_n}d": _pool(pools.adaptive_avg_pool(_n), "output_size"),
        f"AdaptiveMaxPool{_n}d": _pool(pools.adaptive_max_pool(_n), "output_size return_indices"),
        f"ConstantPad{_n}d": _pad(_n, "constant"),
        f"ZeroPad{_n}d": _pad(_n, "constant"),
        f"ReflectionPad{_n}d": _pad(_n, "reflect"),
        f"ReplicationPad{_n}d": _pad(_n, "replicate"),
        f"CircularPad{_n}d": _pad(_n, "circular"),
    }


def _asks_inplace(m: Any, *args: Any, **kwargs: Any) -> bool:
    """Whether the module writes its first input (the one after `m`)."""
    return bool(getattr(m, "inplace", False))


def _takes_inplace(cls: type) -> bool:
    """Whether modules of a class can be asked to write their input."""
    return "inplace" in inspect.signature(cls).parameters


MODULES: dict[type, Lift] = {
    getattr(nn, name): Lift(
        f"nn.{name}",
        kinds.refusing(fn, f"nn.{name}", 1),
        writes=_takes_inplace(getattr(nn, name)) and _asks_inplace,
        rows=layouts.ROWS.get(name, False),
    )
    for name, fn in _FUNCTIONS.items()
    if hasattr(nn, name)
}
