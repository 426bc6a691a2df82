"""Overloads of ATen: most mean what the torch function of that name means, with the same arguments in the same order."""

from __future__ import annotations

import types
from typing import Any

import torch
from torch.nn import functional as F

from gfx_ir.backend import Lift

_PREFIXES = {"special_": torch.special, "linalg_": torch.linalg, "fft_": torch.fft}
_PLACES = (torch, F, torch.Tensor)
_OVERLOADS = (type(torch.ops.aten.sin.default), type(torch.ops.aten.sin))
_SAME: dict[str, Any] = {
    "_adaptive_avg_pool2d": F.adaptive_avg_pool2d,
    "_adaptive_avg_pool3d": F.adaptive_avg_pool3d,
    "_cdist_forward": torch.cdist,
    "_pdist_forward": F.pdist,
    "_unsafe_view": torch.Tensor.view,
    "_reshape_alias": torch.Tensor.view,
    "adaptive_avg_pool1d": F.adaptive_avg_pool1d,
    "adaptive_avg_pool2d": F.adaptive_avg_pool2d,
    "adaptive_avg_pool3d": F.adaptive_avg_pool3d,
    "adaptive_max_pool2d": F.adaptive_max_pool2d_with_indices,
    "adaptive_max_pool3d": F.adaptive_max_pool3d_with_indices,
    "col2im": F.fold,
    "glu": F.glu,
    "hardsigmoid": F.hardsigmoid,
    "hardswish": F.hardswish,
    "hardtanh": F.hardtanh,
    "im2col": F.unfold,
    "index": torch.Tensor.__getitem__,
    "leaky_relu": F.leaky_relu,
    "lift_fresh_copy": torch.clone,
    "max_pool2d_with_indices": F.max_pool2d_with_indices,
    "max_pool3d_with_indices": F.max_pool3d_with_indices,
    "mish": F.mish,
    "pad": F.pad,
    "silu": F.silu,
    "softplus": F.softplus,
    "split": torch.split,
}
"""ATen's name → another function of the same arguments."""


def is_aten(fn: Any) -> bool:
    """Whether it is an overload of ATen, or all of those of a name."""
    return isinstance(fn, _OVERLOADS) and _name(fn)[0] == "aten"


def lift_of(fn: Any, functions: dict[Any, Lift]) -> Lift | None:
    """What an overload of ATen becomes that no row names; None where no function that is lifted means the same."""
    _, name = _name(fn)
    return next((functions[found] for found in _candidates(name) if found in functions), None)


def _name(fn: Any) -> tuple[str, str]:
    """(namespace, name) of "aten.add" or "aten.add.Tensor"."""
    namespace, name, *_ = str(fn).split(".")
    return namespace, name


def _candidates(name: str) -> list[Any]:
    """Functions that have the arguments of ATen's function of this name. Those of Python's take others, in another order."""
    if name in _SAME:
        return [_SAME[name]]
    places = [(module, name[len(prefix) :]) for prefix, module in _PREFIXES.items() if name.startswith(prefix)]
    found = [getattr(place, called, None) for place, called in (*places, *((place, name) for place in _PLACES))]
    return [fn for fn in found if fn is not None and not isinstance(fn, (types.FunctionType, type))]
