"""Pooling that tells where its elements lie, or goes over windows drawn at random; and what puts elements back there.

Positions are numbers in the plane of the pooled axes, row by row, as torch.nn.functional and ONNX have them.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from .. import dtypes
from ..build import host
from ..types import LogicalTensor
from . import _costs
from ._body import named
from ._catalogue import ops
from ._row import composite, op
from ._shapes import index_dtype
from .convolution import adaptive_type, pool_type

FAMILY = "nn"


def _with_positions(rule: Any) -> Any:
    def infer(args: SimpleNamespace, rules: str) -> tuple[LogicalTensor, LogicalTensor]:
        values = rule(args, rules)
        return values, LogicalTensor(
            dtypes.int64 if dtypes.framework_of(rules) == "torch" else index_dtype(rules), values.dims
        )

    return infer


op(
    FAMILY,
    "max_pool_with_indices(x, kernel, stride, padding=(0,), dilation=(1,), ceil_mode=False)",
    "max_pool_with_indices(x, kernel, stride, padding, dilation, ceil_mode)",
    infer=_with_positions(pool_type),
    kinds=("tensor", "tensor"),
    compute=_costs.pool,
    doc="The largest element of each window over the last axes, and its position.",
)
op(
    FAMILY,
    "adaptive_max_pool_with_indices(x, output_size)",
    "adaptive_max_pool_with_indices(x, output_size)",
    infer=_with_positions(adaptive_type),
    kinds=("tensor", "tensor"),
    compute=_costs.input_elements,
    doc="adaptive_max_pool, and the position of each element.",
)


@composite(FAMILY)
def max_unpool(x: Any, indices: Any, output_size: tuple) -> Any:
    """Zeros of (N, C, *output_size) with the elements of x (N, C, ...) at their positions, which max_pool_with_indices gives."""
    total: Any = 1
    for size in output_size:
        total = host("*", total, size)
    lead = ops.size(x, 0), ops.size(x, 1)
    plane = ops.zeros((*lead, total), dtype=ops.dtype_of(x))
    positions, elements = (ops.reshape(part, (*lead, -1)) for part in (indices, x))
    return ops.reshape(ops.scatter(plane, positions, elements, 2), (*lead, *output_size))


def _begins(samples: Any, size: Any, kernel: int, out: int) -> Any:
    """Where along an axis of `size` the windows of each plane begin: the last one ends with the axis."""
    last = host("-", size, kernel)
    samples = ops.expand_dims(samples, -1)
    end = ops.full_like(samples, last)
    if out == 1:
        return end
    step = host("/", last, out - 1)
    moved = ops.add(ops.arange(out - 1, dtype=ops.dtype_of(samples)), samples)
    whole = ops.floor(ops.multiply(moved, step))
    return ops.concat((ops.subtract(whole, ops.floor(ops.multiply(samples, step))), end), axis=-1)


@composite(FAMILY, kinds=("tensor", "tensor"))
def fractional_max_pool(x: Any, samples: Any, kernel: tuple, output_size: tuple) -> Any:
    """The largest element of each of output_size windows, and its position (Graham, arXiv:1412.6071).

    x is (N, C, ...); samples (N, C, number of axes), uniform on [0, 1), moves the windows of each plane.
    """
    count = len(kernel)
    places: Any = None
    for axis, (elements, out) in enumerate(zip(kernel, output_size)):
        size = ops.size(x, 2 + axis)
        sample = ops.getitem(
            samples, (..., axis if count == 3 else count - 1 - axis)
        )  # torch: of two axes the last first
        begins = named("begins", _begins(sample, size, elements, out))
        window = named("window", ops.arange(elements))
        along = ops.add(ops.expand_dims(ops.astype(begins, ops.dtype_of(window)), -1), window)
        others = (n for n in range(2, 2 + 2 * count) if n not in (2 + axis, 2 + count + axis))
        along = ops.expand_dims(along, tuple(others))
        places = along if places is None else ops.add(ops.multiply(places, size), along)
    lead = ops.size(x, 0), ops.size(x, 1)
    return _largest(x, named("windows", ops.reshape(places, (*lead, *output_size, -1))))


def _largest(x: Any, windows: Any) -> tuple:
    """The largest of the elements of x at the positions `windows` (N, C, ..., elements), and its position."""
    lead = ops.size(x, 0), ops.size(x, 1)
    plane = ops.reshape(x, (*lead, -1))
    elements = ops.take_along_axis(plane, ops.reshape(windows, (*lead, -1)), axis=2)
    elements = named("elements", ops.reshape(elements, ops.shape(windows)))
    best = ops.expand_dims(ops.argmax(elements, axis=-1), -1)
    positions = ops.squeeze(ops.take_along_axis(windows, best, axis=-1), axis=-1)
    return ops.max(elements, axis=-1), positions


@composite(FAMILY)
def local_response_norm(x: Any, size: int, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Any:
    """x / (k + alpha * mean of the squares of `size` neighbouring channels)**beta (Krizhevsky et al., 2012); x is (N, C, ...)."""
    squares = ops.reshape(ops.square(x), (ops.size(x, 0), 1, ops.size(x, 1), -1))
    padded = named("padded", ops.pad(squares, ((size // 2, (size - 1) // 2), (0, 0))))
    means = ops.reshape(ops.avg_pool(padded, (size, 1), (1, 1)), ops.shape(x))
    return ops.divide(x, ops.pow(ops.add(ops.multiply(means, alpha), k), beta))
