"""ATen's functions whose arguments or results are not those of a torch function of that name.

Signatures: https://github.com/pytorch/pytorch/blob/main/aten/src/ATen/native/native_functions.yaml. What ATen gives besides for its
backward pass is computed where it is a statistic, and left out behind the results else.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import build, ops
from gfx_ir.dtypes import dtype
from gfx_ir.op import OpDef

from ..lifting import known_rank, refuse, shape_of
from .casts import to
from .indexing import copy_, getitem
from .layers import each
from .norms import kernels, native_batch_norm
from .shapes import pad


def _no_stats(input: Any, weight: Any, bias: Any, training: Any, momentum: Any, eps: Any) -> Any:
    return native_batch_norm(input, weight, bias, None, None, training, momentum, eps)


def _no_training(
    input: Any, weight: Any, bias: Any, running_mean: Any, running_var: Any, momentum: Any, eps: Any
) -> Any:
    return native_batch_norm(input, weight, bias, running_mean, running_var, False, momentum, eps)


def native_dropout(input: Any, p: Any, train: Any) -> tuple:
    """The result, and what was kept."""
    if train is False:
        return input, ops.ones_like(input, dtype=dtype("bool"))
    kept = ops.bernoulli(build.next_key(), 1 - p, shape_of(input), device=ops.device_of(input))
    return ops.where(kept, ops.divide(input, 1 - p), ops.zeros_like(input)), kept


def convolution(
    input: Any, weight: Any, bias: Any, stride: Any, padding: Any, dilation: Any, transposed: Any, output_padding: Any,
    groups: Any,
) -> Any:  # fmt: skip
    """Every convolution, and those that are transposed."""
    rank = known_rank(weight)
    if rank is None:
        refuse("a convolution whose weight is of unknown rank has no counterpart")
    dims = rank - 2
    strides, paddings, dilations = (each(item, dims) for item in (stride, padding, dilation))
    if not transposed:
        return ops.conv(input, weight, bias, strides, paddings, dilations, groups, dims)
    more = each(output_padding, dims)
    return ops.conv_transpose(input, weight, bias, strides, paddings, more, dilations, groups, dims)


def _softmax(op: OpDef) -> Callable[..., Any]:
    def fn(input: Any, dim: Any, half_to_float: Any) -> Any:
        return op(input, axis=dim, dtype=dtype("float32") if half_to_float else None)

    return fn


def elu(input: Any, alpha: Any = 1, scale: Any = 1, input_scale: Any = 1) -> Any:
    """scale * (x where x > 0, else alpha * (exp(input_scale * x) - 1))."""
    if scale == 1 and input_scale == 1:
        return ops.elu(input, alpha)
    below = ops.multiply(ops.expm1(ops.multiply(ops.minimum(input, 0), input_scale)), alpha * scale)
    return ops.where(ops.greater(input, 0), ops.multiply(input, scale), below)


def _index(input: Any, indices: Any) -> Any:
    return getitem(input, tuple(slice(None) if item is None else item for item in indices))


_SCALED = ("backward", "ortho", "forward")
"""By how much ATen divides: nothing, the root of the number of elements, that number; on the way there."""


def _fft_r2c(input: Any, dim: Any, normalization: int, onesided: Any) -> Any:
    op = ops.rfftn if onesided else ops.fftn
    return op(input, s=None, axes=tuple(dim), norm=_SCALED[normalization])


def _fft_c2r(input: Any, dim: Any, normalization: int, last_dim_size: Any) -> Any:
    sizes = (*(ops.size(input, axis) for axis in dim[:-1]), last_dim_size)
    return ops.irfftn(input, s=sizes, axes=tuple(dim), norm=_SCALED[2 - normalization])


def _fft_c2c(input: Any, dim: Any, normalization: int, forward: Any) -> Any:
    if forward:
        return ops.fftn(input, s=None, axes=tuple(dim), norm=_SCALED[normalization])
    return ops.ifftn(input, s=None, axes=tuple(dim), norm=_SCALED[2 - normalization])


def _svd(A: Any, full_matrices: Any = False, compute_uv: Any = True, *, driver: Any = None) -> tuple:
    return ops.svd(A, full_matrices=bool(full_matrices))


def _upsampled(mode: str) -> Callable[..., Any]:
    def fn(input: Any, output_size: Any, align_corners: Any, *scales: Any) -> Any:
        given = tuple(scale for scale in scales if scale is not None)
        scale = given if given and len(given) == len(output_size) else None
        return ops.interpolate(input, tuple(output_size), scale, mode, bool(align_corners))

    return fn


def _nearest(input: Any, output_size: Any, *scales: Any) -> Any:
    return _upsampled("nearest")(input, output_size, False, *scales)


def _padded(mode: str) -> Callable[..., Any]:
    return lambda input, padding: pad(input, padding, mode)


def _same(input: Any) -> Any:
    return input


def _to_copy(input: Any, *, dtype: Any = None, device: Any = None) -> Any:
    return to(input, dtype=dtype, device=device, copy=True)


_KERNELS: dict[str, Callable[..., Any]] = {
    "_fft_c2c": _fft_c2c,
    "_fft_c2r": _fft_c2r,
    "_fft_r2c": _fft_r2c,
    "_linalg_det": lambda A: (ops.det(A),),
    "_linalg_eigh": lambda A, UPLO="L", compute_v=True: ops.eigh(A, uplo=UPLO.upper()),
    "_linalg_slogdet": lambda A: ops.slogdet(A),
    "_linalg_svd": _svd,
    "_log_softmax": _softmax(ops.log_softmax),
    "_native_batch_norm_legit_no_training": _no_training,
    "_softmax": _softmax(ops.softmax),
    "_to_copy": _to_copy,
    "alias lift_fresh": _same,
    "convolution": convolution,
    "copy": copy_,
    "elu": elu,
    "native_dropout": native_dropout,
    "reflection_pad1d reflection_pad2d reflection_pad3d": _padded("reflect"),
    "replication_pad1d replication_pad2d replication_pad3d": _padded("replicate"),
    "upsample_bicubic2d": _upsampled("cubic"),
    "upsample_bilinear2d upsample_trilinear3d upsample_linear1d": _upsampled("linear"),
    "upsample_nearest1d upsample_nearest2d upsample_nearest3d": _nearest,
}
LIFTS = {
    **{kernels(*names.split()): fn for names, fn in _KERNELS.items()},
    "torch.ops.aten._native_batch_norm_legit.no_stats": _no_stats,
    "torch.ops.aten._unsafe_index.Tensor torch.ops.aten.index.Tensor": _index,
    "torch.ops.prims.convert_element_type.default": lambda input, dtype: to(input, dtype=dtype, copy=True),
}
