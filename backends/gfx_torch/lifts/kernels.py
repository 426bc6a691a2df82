"""Kernels of PyTorch that have no function of their own in its public API, but stand in what its tracers record."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.build import host

from ..lifting import ask_rank, dtype_of, kernels, known_size, refuse, shape_of


def chunk_cat(tensors: Any, dim: int, num_chunks: int) -> Any:
    """aten._chunk_cat: each tensor padded with zeros to chunks of equal size along dim, what lies behind dim made flat."""
    return ops.concat(tuple(_chunked(x, dim, num_chunks) for x in tensors), axis=_axis(tensors[0], dim) + 1)


def _axis(x: Any, dim: int) -> int:
    return dim % ask_rank(x, 1, "aten._chunk_cat")


def _chunked(x: Any, dim: int, count: int) -> Any:
    axis = _axis(x, dim)
    size = known_size(x, axis)
    if size is None:
        refuse("aten._chunk_cat of an axis whose size is open has no counterpart", "give the arguments' shapes")
    each = -(-size // count)
    if each * count != size:
        rank = ask_rank(x, 1, "aten._chunk_cat")
        x = ops.pad(x, tuple((0, each * count - size if at == axis else 0) for at in range(rank)))
    lead = tuple(ops.size(x, at) for at in range(axis))
    return ops.reshape(x, (*lead, count, -1))


def _inside(x: Any, indices: Any) -> tuple:
    """The index of elements of x, at its ends where it would lie outside."""
    found = []
    for axis, index in enumerate(indices):
        last = host("-", ops.size(x, axis), 1)
        found.append(slice(None) if index is None else ops.clip(index, 0, last))
    return tuple(found)


def masked_index(input: Any, mask: Any, indices: Any, fill: Any) -> Any:
    """aten._unsafe_masked_index: x[indices] where the mask is true, else `fill`."""
    return ops.where(mask, ops.getitem(input, _inside(input, indices)), fill)


def masked_index_put(input: Any, mask: Any, indices: Any, values: Any) -> Any:
    """aten._unsafe_masked_index_put_accumulate: values added at x[indices] where the mask is true."""
    return ops.index_put(input, _inside(input, indices), ops.where(mask, values, 0), True)


def softmax_backward(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """aten._softmax_backward_data: what flows back through a softmax that gave `output`."""
    flow = ops.multiply(grad_output, output)
    total = ops.sum(flow, axis=dim, keepdims=True)
    return _as(ops.subtract(flow, ops.multiply(output, total)), input_dtype)


def log_softmax_backward(grad_output: Any, output: Any, dim: int, input_dtype: Any) -> Any:
    """aten._log_softmax_backward_data: what flows back through a log_softmax that gave `output`."""
    total = ops.sum(grad_output, axis=dim, keepdims=True)
    return _as(ops.subtract(grad_output, ops.multiply(ops.exp(output), total)), input_dtype)


def _as(x: Any, dtype: Any) -> Any:
    return x if dtype_of(x) == dtype else ops.astype(x, dtype)


def dropout_backward(grad_output: Any, mask: Any, scale: Any) -> Any:
    """aten.native_dropout_backward: what flows back through a dropout that kept `mask`."""
    return ops.multiply(ops.multiply(grad_output, mask), scale)


def max_pool_backward(
    grad_output: Any, input: Any, kernel_size: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: Any,
    indices: Any,
) -> Any:  # fmt: skip
    """aten.max_pool2d_with_indices_backward: what flows back to the elements that were the largest, by their numbers."""
    rank = ask_rank(input, 4, "max_pool2d_with_indices_backward")
    lead = tuple(ops.size(input, at) for at in range(rank - 2))
    plane, at, flow = (ops.reshape(x, (*lead, -1)) for x in (ops.zeros_like(input), indices, grad_output))
    return ops.reshape(ops.scatter(plane, at, flow, rank - 2, "add"), shape_of(input))


LIFTS = {
    kernels("_chunk_cat"): chunk_cat,
    kernels("_unsafe_masked_index"): masked_index,
    kernels("_unsafe_masked_index_put_accumulate"): masked_index_put,
    kernels("_softmax_backward_data"): softmax_backward,
    kernels("_log_softmax_backward_data"): log_softmax_backward,
    kernels("native_dropout_backward"): dropout_backward,
    kernels("max_pool2d_with_indices_backward"): max_pool_backward,
}
