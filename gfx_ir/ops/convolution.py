"""Convolution and pooling over the last axes, channels first, as torch.nn.functional and ONNX have them.

Sizes: https://docs.pytorch.org/docs/stable/generated/torch.nn.Conv2d.html and its neighbours. A tuple of one entry
counts for every axis.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from .. import host
from ..errors import ShapeError, misfit
from ..host import DimLike
from ..op import ChannelsLast, Contraction, Trait
from ..types import LogicalTensor
from . import _costs
from ._row import op
from ._shapes import Dims, as_type, dims_text, dividing, fixed, promote, size_arg

FAMILY = "nn"
Size = DimLike | None


def each_axis(values: Any, count: int, name: str) -> tuple:
    """One value for each axis. Raises ShapeError where there are others."""
    if isinstance(values, int):
        return (values,) * count
    if len(values) == 1:
        return tuple(values) * count
    if len(values) != count:
        raise ShapeError(f"{name} {tuple(values)} does not fit {count} axes")
    return tuple(values)


def _positive(size: Size, what: str) -> Size:
    if isinstance(size, int) and size <= 0:
        raise ShapeError(f"{what} is larger than what it goes over")
    return size


def _windows(size: Size, kernel: Any, stride: Any, padding: Any, dilation: Any = 1, ceil: bool = False) -> Size:
    """How many windows there are along an axis of this size."""
    if size is None or kernel is None or not fixed(kernel, stride, padding, dilation):
        return None
    room = host.sub(host.add(size, 2 * padding), dilation * (kernel - 1) + 1)
    count = host.add(host.floordiv(host.add(room, stride - 1 if ceil else 0), stride), 1)
    if ceil:  # no window begins behind the elements and the padding before them
        last = host.add(host.floordiv(host.sub(host.add(size, padding), 1), stride), 1)
        count = host.extremum("min", count, last)
    return _positive(count, "a window")


# ---------------------------------------------------------------- convolution
def _conv_size(size: Size, kernel: Size, stride: Any, padding: Any, dilation: Any) -> Size:
    if padding == "same":
        if stride != 1:
            raise ShapeError('padding="same" goes with stride 1 only')
        return size
    return _windows(size, kernel, stride, 0 if padding == "valid" else padding, dilation)


def _check_channels(channels: Size, weight: Dims, groups: Any) -> None:
    if weight is None or not fixed(groups):
        return
    inputs = None if weight[1] is None else host.mul(weight[1], groups)
    if host.same(channels, inputs) is False:
        raise misfit(f"the weight takes {inputs} channels, the input has {channels}")
    if isinstance(weight[0], int) and weight[0] % groups:
        raise ShapeError(f"{weight[0]} output channels do not make {groups} groups")


def _conv_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    operands = [as_type(a, rules) for a in (args.x, args.weight, args.bias) if a is not None]
    x, weight = operands[0].dims, operands[1].dims
    dtype, count = promote(operands, rules)[0], args.dims
    if weight is not None and len(weight) != count + 2:
        raise ShapeError(f"a convolution over {count} axes takes a weight of {count + 2}, not {dims_text((weight,))}")
    if x is None:
        return LogicalTensor(dtype)
    if len(x) not in (count + 1, count + 2):
        raise ShapeError(f"a convolution over {count} axes takes (N, C, ...) or (C, ...), not {dims_text((x,))}")
    _check_channels(x[-count - 1], weight, args.groups)
    padding = each_axis((args.padding,) if isinstance(args.padding, str) else args.padding, count, "padding")
    stride, dilation = each_axis(args.stride, count, "stride"), each_axis(args.dilation, count, "dilation")
    kernel = (None,) * count if weight is None else weight[2:]
    sizes = [_conv_size(*each) for each in zip(x[-count:], kernel, stride, padding, dilation)]
    return LogicalTensor(dtype, (*x[: -count - 1], None if weight is None else weight[0], *sizes))


op(
    FAMILY,
    "conv(x, weight, bias=None, stride=(1,), padding=(0,), dilation=(1,), groups=1, dims=2)",
    "conv(x, weight, bias=bias, stride=stride, padding=padding, dilation=dilation, groups=groups, dims=dims)",
    infer=_conv_type,
    traits=Trait.RANK_OF_FIRST | Trait.FLOATS,
    channels_last=ChannelsLast("conv_channels_last", ("weight",), lambda args: args.dims),
    contraction=Contraction(("x", "weight"), "bias", channels=0, before_places=True),
    compute=_costs.conv,
    doc="Correlation of x (N, C, ...) or (C, ...) with weight (O, C / groups, ...) over the last `dims` axes; padding "
    'is a tuple of what is added before and after each axis, "same" (stride 1) or "valid".',
)


# ---------------------------------------------------------------- pooling
def _pooled(x: LogicalTensor, dtype: Any, sizes: Sequence[Size]) -> LogicalTensor:
    return LogicalTensor(dtype, None if x.dims is None else (*x.dims[: len(x.dims) - len(sizes)], *sizes))


def pool_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, count = as_type(args.x, rules), len(args.kernel)
    dtype = dividing((x,), rules)[0] if hasattr(args, "count_include_pad") else x.dtype
    if x.dims is None:
        return LogicalTensor(dtype)
    if len(x.dims) not in (count + 1, count + 2):
        raise ShapeError(f"pooling over {count} axes takes (N, C, ...) or (C, ...), not {dims_text((x.dims,))}")
    kernel, stride = args.kernel, each_axis(args.stride, count, "stride")
    padding = each_axis(args.padding, count, "padding")
    dilation = each_axis(getattr(args, "dilation", 1), count, "dilation")
    if fixed(kernel, padding) and any(2 * p > k for p, k in zip(padding, kernel)):
        raise ShapeError(f"padding {padding} is more than half of the window {tuple(kernel)}")
    spatial = x.dims[-count:]
    sizes = [_windows(*each, args.ceil_mode) for each in zip(spatial, kernel, stride, padding, dilation)]
    return _pooled(x, dtype, sizes)


def adaptive_type(args: SimpleNamespace, rules: str) -> LogicalTensor:
    x, count = as_type(args.x, rules), len(args.output_size)
    if x.dims is None:
        return LogicalTensor(x.dtype)
    if len(x.dims) not in (count + 1, count + 2):
        raise ShapeError(f"pooling to {count} axes takes (N, C, ...) or (C, ...), not {dims_text((x.dims,))}")
    asked = zip(args.output_size, x.dims[-count:])
    return _pooled(x, x.dtype, [here if size is None else size_arg(size) for size, here in asked])


op(
    FAMILY,
    "max_pool(x, kernel, stride, padding=(0,), dilation=(1,), ceil_mode=False)",
    "max_pool(x, kernel, stride, padding=padding, dilation=dilation, ceil_mode=ceil_mode)",
    infer=pool_type,
    traits=Trait.RANK_OF_FIRST | Trait.STEADY,
    channels_last=ChannelsLast("max_pool_channels_last", places=lambda args: len(args.kernel)),
    compute=_costs.pool,
    doc="The largest element of each window over the last axes; padding never wins.",
)
op(
    FAMILY,
    "avg_pool(x, kernel, stride, padding=(0,), ceil_mode=False, count_include_pad=True, divisor=None)",
    "avg_pool(x, kernel, stride, padding=padding, ceil_mode=ceil_mode, count_include_pad=count_include_pad, "
    "divisor=divisor)",
    infer=pool_type,
    traits=Trait.RANK_OF_FIRST,
    channels_last=ChannelsLast("avg_pool_channels_last", places=lambda args: len(args.kernel)),
    compute=_costs.pool,
    doc="The mean of each window over the last axes; padding counts as 0, or not at all without `count_include_pad`; "
    "where there is a `divisor`, the sum of each window divided by it.",
)
for _name, _what in (("avg", "mean"), ("max", "largest element")):
    op(
        FAMILY,
        f"adaptive_{_name}_pool(x, output_size)",
        f"adaptive_pool(x, output_size, np.{'mean' if _name == 'avg' else 'max'})",
        infer=adaptive_type,
        traits=Trait.RANK_OF_FIRST,
        channels_last=ChannelsLast(f"adaptive_{_name}_pool_channels_last", places=lambda args: len(args.output_size)),
        compute=_costs.input_elements,
        doc=f"The {_what} of each of output_size (None: one an element) windows, which overlap where they must.",
    )
