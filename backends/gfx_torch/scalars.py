"""Tensors of no axes: torch lets most functions of an axis take one as a vector of one element."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Value

from .lifting import known_rank, known_size

NAMES = frozenset(
    "sum nansum mean nanmean prod all any max min amax amin aminmax argmax argmin count_nonzero var std var_mean std_mean"
    " median nanmedian mode kthvalue quantile nanquantile sort argsort msort topk logsumexp logcumsumexp cumsum cumprod"
    " cummax cummin softmax log_softmax softmin norm vector_norm flip transpose transpose_copy swapaxes swapdims squeeze"
    " squeeze_copy index_add index_copy index_fill index_reduce index_select repeat_interleave"
    " normalize diff roll trapezoid trapz cumulative_trapezoid".split()
)
"""Functions that do, by the last part of their names."""


def on_scalars(fn: Callable[..., Any]) -> Callable[..., Any]:
    """The lift `fn` of such a function, for tensors of no axes too."""
    default = getattr(inspect.signature(fn).parameters.get("dim"), "default", None)
    always = isinstance(default, int) or fn.__name__ in ("msort",)

    @functools.wraps(fn)
    def lift(*args: Any, **kwargs: Any) -> Any:
        x = args[0] if args else kwargs.get("input")
        told = always or kwargs.get("dim") is not None or any(map(_is_dim, args[1:]))
        if not (told and isinstance(x, Value) and x.is_tensor and known_rank(x) == 0):
            return fn(*args, **kwargs)
        vector = ops.reshape(x, (1,))
        if args:
            return _without_axis(fn(vector, *args[1:], **kwargs))
        return _without_axis(fn(**{**kwargs, "input": vector}))

    return lift


def _is_dim(arg: Any) -> bool:
    return (isinstance(arg, int) and not isinstance(arg, bool)) or (isinstance(arg, (tuple, list)) and arg != ())


def _without_axis(found: Any) -> Any:
    if isinstance(found, tuple) and hasattr(found, "_make"):
        return found._make(map(_without_axis, found))
    if isinstance(found, (tuple, list)):
        return type(found)(map(_without_axis, found))
    one = isinstance(found, Value) and known_rank(found) == 1 and known_size(found, 0) == 1
    return ops.reshape(found, ()) if one else found
