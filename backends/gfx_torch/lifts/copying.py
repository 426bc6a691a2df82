"""The forms of views that copy, and those that promise not to be written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.autograd.forward_ad import UnpackedDualTensor

from gfx_ir import ops

from ..lifting import ask_rank, names, sizes
from . import shapes, splitting
from .arranging import as_strided, copied, slice_, unfold, view_as_complex, view_as_real
from .indexing import narrow, select


def _view(input: Any, *size: Any) -> Any:
    return ops.reshape(input, sizes(size))


def _t(input: Any) -> Any:
    return ops.swapaxes(input, 0, 1) if ask_rank(input, 2, "torch.t_copy") == 2 else input


def _with_sizes(input: Any, split_sizes: Any, dim: Any = 0) -> Any:
    return splitting.split(input, tuple(split_sizes), dim)


VIEWS: dict[str, Callable[..., Any]] = {
    "alias": lambda input: input,
    "detach": lambda input: ops.stop_gradient(input),
    "as_strided": as_strided,
    "diagonal": lambda input, offset=0, dim1=0, dim2=1: ops.diagonal(input, offset, dim1, dim2),
    "expand": lambda input, size, *, implicit=False: ops.expand(input, sizes((size,))),
    "narrow": narrow,
    "permute": lambda input, dims: ops.permute_dims(input, tuple(dims)),
    "select": select,
    "slice": slice_,
    "split": lambda input, split_size, dim=0: splitting.split(input, split_size, dim),
    "split_with_sizes": _with_sizes,
    "squeeze": shapes.squeeze,
    "t": _t,
    "transpose": lambda input, dim0, dim1: ops.swapaxes(input, dim0, dim1),
    "unbind": splitting.unbind,
    "unfold": unfold,
    "unsqueeze": lambda input, dim: ops.expand_dims(input, dim),
    "view": _view,
    "view_as_complex": view_as_complex,
    "view_as_real": view_as_real,
}


def _unpack_dual(tensor: Any, *, level: Any = None) -> Any:
    """Captured code derives by transformations, which give no tangents to see."""
    return UnpackedDualTensor(tensor, None)


LIFTS = {
    "torch.autograd.forward_ad.unpack_dual": _unpack_dual,
    **{f"torch.{name}_copy": copied(view) for name, view in VIEWS.items()},
    "torch.unsafe_chunk Tensor.unsafe_chunk": splitting.chunk,
    "torch.unsafe_split Tensor.unsafe_split": splitting.split,
    f"{names('split_with_sizes')} torch.unsafe_split_with_sizes Tensor.unsafe_split_with_sizes": _with_sizes,
}
