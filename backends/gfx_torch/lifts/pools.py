"""Pooling: torch.nn.functional's calls in terms of ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import build, ops
from gfx_ir.build import host
from gfx_ir.dtypes import float64
from gfx_ir.lifting.ranks import of_one_shape, require

from ..lifting import Pair, dtype_like, fixed_int, known_rank, known_size, refuse
from .layers import Lifts, batched, each


def _stride(stride: Any, kernel: tuple) -> tuple:
    return kernel if stride is None or stride == [] or stride == () else each(stride, len(kernel))


def flag(value: Any, name: str) -> bool:
    """A flag that decides how many results there are. Raises MissingOp where it is open."""
    if not isinstance(value, (bool, int)):
        refuse(f"{name} must be known at capture")
    return bool(value)


def paired(input: Any, dims: int, call: Callable[[Any], tuple]) -> Pair:
    """Apply `call`, which has two results, to a batch, as `batched` does."""
    if known_rank(input) != dims + 1:
        return Pair(*call(input))
    return Pair(*(ops.squeeze(x, axis=0) for x in call(ops.expand_dims(input, 0))))


def max_pool(dims: int) -> Callable[..., Any]:
    """F.max_pool1d, 2d, 3d."""

    def fn(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = False,
    ) -> Any:
        kernel = each(kernel_size, dims)
        settings = (kernel, _stride(stride, kernel), each(padding, dims), each(dilation, dims), ceil_mode)
        if flag(return_indices, "return_indices"):
            return paired(input, dims, lambda x: ops.max_pool_with_indices(x, *settings))
        return batched(input, dims, lambda x: ops.max_pool(x, *settings))

    return fn


def with_indices(dims: int) -> Callable[..., Any]:
    """F.max_pool1d_with_indices and its like."""
    call = max_pool(dims)

    def fn(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        dilation: Any = 1,
        ceil_mode: Any = False,
        return_indices: Any = True,
    ) -> Any:
        return call(input, kernel_size, stride, padding, dilation, ceil_mode, True)

    return fn


def avg_pool(dims: int) -> Callable[..., Any]:
    """F.avg_pool1d, 2d, 3d. The means of whole numbers are cut to whole numbers."""

    def fn(
        input: Any,
        kernel_size: Any,
        stride: Any = None,
        padding: Any = 0,
        ceil_mode: Any = False,
        count_include_pad: Any = True,
        divisor_override: Any = None,
    ) -> Any:
        kernel, found = each(kernel_size, dims), build.dtype_of(input)
        settings = (kernel, _stride(stride, kernel), each(padding, dims), ceil_mode, count_include_pad)
        whole = found is not None and found.kind in "iu"
        x = ops.astype(input, float64) if whole else input
        out = batched(x, dims, lambda x: ops.avg_pool(x, *settings, divisor_override))
        return ops.astype(ops.trunc(out), found) if whole else out

    return fn


def adaptive_avg_pool(dims: int) -> Callable[..., Any]:
    """F.adaptive_avg_pool1d, 2d, 3d."""
    return lambda input, output_size: batched(input, dims, lambda x: ops.adaptive_avg_pool(x, each(output_size, dims)))


def adaptive_max_pool(dims: int) -> Callable[..., Any]:
    """F.adaptive_max_pool1d, 2d, 3d."""

    def fn(input: Any, output_size: Any, return_indices: Any = False) -> Any:
        size = each(output_size, dims)
        if flag(return_indices, "return_indices"):
            return paired(input, dims, lambda x: ops.adaptive_max_pool_with_indices(x, size))
        return batched(input, dims, lambda x: ops.adaptive_max_pool(x, size))

    return fn


def adaptive_with_indices(dims: int) -> Callable[..., Any]:
    """torch.adaptive_max_pool1d, F.adaptive_max_pool2d_with_indices and its like."""
    call = adaptive_max_pool(dims)
    return lambda input, output_size, return_indices=True: call(input, output_size, True)


def fractional(dims: int, indices: bool = False) -> Callable[..., Any]:
    """F.fractional_max_pool2d, 3d."""

    def fn(
        input: Any,
        kernel_size: Any,
        output_size: Any = None,
        output_ratio: Any = None,
        return_indices: Any = indices,
        _random_samples: Any = None,
    ) -> Any:
        if output_size is None:
            ratio = each(output_ratio, dims)
            sizes = (ops.size(input, at - dims) for at in range(dims))
            output_size = tuple(host("int", host("*", size, r)) for size, r in zip(sizes, ratio))
        output_size = tuple(fixed_int(n, "the output size") for n in each(output_size, dims))
        kernel = tuple(fixed_int(n, "the size of a window") for n in each(kernel_size, dims))
        single = known_rank(input) == dims + 1
        x = ops.expand_dims(input, 0) if single else input
        samples = _random_samples
        if single and samples is not None:  # torch reads as many as there are planes
            samples = ops.getitem(samples, slice(None, 1))
        if samples is None:
            shape = (ops.size(x, 0), ops.size(x, 1), dims)
            samples = ops.uniform(build.next_key(), shape, dtype=dtype_like(x), device=ops.device_of(x))
        found = ops.fractional_max_pool(x, samples, kernel, output_size)
        values, at = (ops.squeeze(part, axis=0) for part in found) if single else found
        return Pair(values, at) if flag(return_indices, "return_indices") else values

    return fn


def max_unpool(dims: int) -> Callable[..., Any]:
    """F.max_unpool1d, 2d, 3d."""

    def fn(
        input: Any, indices: Any, kernel_size: Any, stride: Any = None, padding: Any = 0, output_size: Any = None
    ) -> Any:
        of_one_shape(f"torch.max_unpool{dims}d", input, indices)
        kernel = each(kernel_size, dims)
        size = tuple(output_size)[-dims:] if output_size is not None else _unpooled(input, kernel, stride, padding)
        if known_rank(input) != dims + 1:
            return ops.max_unpool(input, indices, size)
        single = (ops.expand_dims(x, 0) for x in (input, indices))
        return ops.squeeze(ops.max_unpool(*single, size), axis=0)

    return fn


def _unpooled(input: Any, kernel: tuple, stride: Any, padding: Any) -> tuple:
    """The sizes from which such a pooling gives those of input."""
    count, found = len(kernel), []
    for at, (k, s, p) in enumerate(zip(kernel, _stride(stride, kernel), each(padding, count))):
        steps = host("*", host("-", ops.size(input, at - count), 1), s)
        found.append(host("+", steps, k - 2 * p))
    return tuple(found)


def lp_pool(dims: int) -> Callable[..., Any]:
    """F.lp_pool1d, 2d, 3d: the root of the sum of powers of each window, as torch computes it from the mean."""

    def fn(input: Any, norm_type: Any, kernel_size: Any, stride: Any = None, ceil_mode: Any = False) -> Any:
        kernel, elements = each(kernel_size, dims), 1
        for k in kernel:
            elements *= k
        zeros = (0,) * dims
        powers = ops.pow(input, norm_type)
        means = batched(powers, dims, lambda x: ops.avg_pool(x, kernel, _stride(stride, kernel), zeros, ceil_mode))
        signed = ops.multiply(ops.sign(means), ops.relu(ops.abs(means)))
        return ops.pow(ops.multiply(signed, elements), 1.0 / norm_type)

    return fn


def local_response_norm(input: Any, size: Any, alpha: Any = 1e-4, beta: Any = 0.75, k: Any = 1.0) -> Any:
    """F.local_response_norm."""
    if known_size(input, 0) == 0:
        return input
    require("torch.local_response_norm", input, ">=", 3)
    return ops.local_response_norm(input, fixed_int(size, "the number of channels"), alpha, beta, k)


EACH = (1, 2, 3)
MAX_POOL: Lifts = {f"F.max_pool{n}d torch.max_pool{n}d": max_pool(n) for n in EACH}
MAX_WITH_INDICES: Lifts = {
    **{f"F.max_pool{n}d_with_indices": with_indices(n) for n in EACH},
    "torch.max_pool1d_with_indices": with_indices(1),
}
AVG_POOL: Lifts = {f"F.avg_pool{n}d torch.avg_pool{n}d": avg_pool(n) for n in EACH}
ADAPTIVE_AVG: Lifts = {f"F.adaptive_avg_pool{n}d torch.adaptive_avg_pool{n}d": adaptive_avg_pool(n) for n in EACH}
ADAPTIVE_MAX: Lifts = {f"F.adaptive_max_pool{n}d": adaptive_max_pool(n) for n in EACH}
ADAPTIVE_WITH_INDICES: Lifts = {
    **{f"F.adaptive_max_pool{n}d_with_indices": adaptive_with_indices(n) for n in EACH},
    "torch.adaptive_max_pool1d": adaptive_with_indices(1),
}
FRACTIONAL: Lifts = {
    **{f"F.fractional_max_pool{n}d": fractional(n) for n in (2, 3)},
    **{f"F.fractional_max_pool{n}d_with_indices": fractional(n, True) for n in (2, 3)},
}
LIFTS: Lifts = {
    **{f"F.max_unpool{n}d": max_unpool(n) for n in EACH},
    **{f"F.lp_pool{n}d": lp_pool(n) for n in EACH},
}
LOCAL_RESPONSE: Lifts = {"F.local_response_norm": local_response_norm}
