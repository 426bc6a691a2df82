"""Resizing: F.interpolate and its older names."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from gfx_ir import ops
from gfx_ir.backend import Row
from gfx_ir.build import host
from gfx_ir.ops import _seen

from ..lifting import ask_rank, each, kernels, kind, refuse

_MODES = {"linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}
_ALL_MODES = ("nearest", "nearest-exact", "area", *_MODES)
_AXES = {"linear": 1, "bilinear": 2, "trilinear": 3, "bicubic": 2}
_LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}


def interpolate(
    input: Any,
    size: Any = None,
    scale_factor: Any = None,
    mode: str = "nearest",
    align_corners: Any = None,
    recompute_scale_factor: Any = None,
    antialias: Any = False,
) -> Any:
    """F.interpolate."""
    if mode not in ("nearest", "nearest-exact") and kind(input) in ("i", "u"):
        refuse(
            f"F.interpolate(mode={mode!r}) of whole numbers rounds in its own way, and has no counterpart",
            "resize x.float(), and round the result",
        )
    if mode not in _ALL_MODES:
        refuse(f"F.interpolate knows no mode {mode!r}", f"it knows {', '.join(_ALL_MODES)}")
    given = size if size is not None else scale_factor
    count = len(given) if isinstance(given, (tuple, list)) else _AXES.get(mode)
    count = count or ask_rank(input, 4, "F.interpolate resizes the axes behind the second") - 2
    factors = None
    if size is None:
        factors = tuple(scale_factor) if isinstance(scale_factor, (tuple, list)) else (scale_factor,) * count
        size = tuple(_scaled(ops.size(input, at - count), factor) for at, factor in enumerate(factors))
    size = each(size, count)
    if mode == "area":
        return ops.adaptive_avg_pool(input, size)
    scale = None if factors is None or recompute_scale_factor else tuple(float(f) for f in factors)
    return ops.interpolate(input, size, scale, _MODES.get(mode, mode), bool(align_corners), bool(antialias))


def _scaled(size: Any, factor: Any) -> Any:
    if isinstance(factor, int) or (isinstance(factor, float) and factor == int(factor)):
        return host("*", size, int(factor))
    return host("int", host("*", size, factor))


def upsample_nearest(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """F.upsample_nearest."""
    return interpolate(input, size, scale_factor)


def upsample_bilinear(input: Any, size: Any = None, scale_factor: Any = None) -> Any:
    """F.upsample_bilinear: corners meet."""
    return interpolate(input, size, scale_factor, "bilinear", True)


def smoothed(mode: str) -> Any:
    """aten._upsample_bilinear2d_aa and its like."""

    def fn(
        input: Any, output_size: Any, align_corners: Any, scales_h: Any = None, scales_w: Any = None,
        scale_factors: Any = None,
    ) -> Any:  # fmt: skip
        factors = scale_factors if scales_h is None and scales_w is None else (scales_h, scales_w)
        if output_size is None:
            return interpolate(input, None, factors, mode, align_corners, None, True)
        scale = None if factors is None else tuple(map(float, factors))
        return ops.interpolate(input, tuple(output_size), scale, _MODES[mode], bool(align_corners), True)

    return fn


def _as_scaled(args: SimpleNamespace) -> bool:
    """Whether the sizes are what F.interpolate makes of the factors: it takes one or the other, its kernels take both."""
    have = [_seen.size_of(args.x, at - len(args.size)) for at in range(len(args.size))]
    return all(
        not isinstance(out, int) or (isinstance(n, int) and int(n * factor) == out)
        for n, out, factor in zip(have, args.size, args.scale)
    )


def _spelling(args: SimpleNamespace) -> str:
    if args.scale is not None and not _as_scaled(args):
        return ""
    named = {"linear": _LINEAR[len(args.size)], "cubic": "bicubic"}.get(args.mode, args.mode)
    places = "size=size" if args.scale is None else "scale_factor=scale"
    mode = "" if named == "nearest" else f", mode='{named}'"
    options = ", align_corners=align_corners, antialias=antialias" if named in _AXES else ""
    return f"F.interpolate(x, {places}{mode}{options})"


def grid_sample(
    input: Any, grid: Any, mode: str = "bilinear", padding_mode: str = "zeros", align_corners: Any = None
) -> Any:
    """F.grid_sample."""
    dims = ask_rank(input, 4, "F.grid_sample") - 2
    return ops.grid_sample(input, grid, mode, padding_mode, bool(align_corners), dims)


_SAMPLED, _OUTSIDE = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")


def grid_sampler(input: Any, grid: Any, interpolation_mode: int, padding_mode: int, align_corners: Any) -> Any:
    """torch.grid_sampler, whose modes are numbers."""
    return grid_sample(input, grid, _SAMPLED[interpolation_mode], _OUTSIDE[padding_mode], align_corners)


def affine_grid(theta: Any, size: Any, align_corners: Any = None) -> Any:
    """F.affine_grid."""
    if not isinstance(size, (tuple, list)):
        refuse("F.affine_grid needs to know how many axes there are", "write size as a tuple")
    return ops.affine_grid(theta, tuple(size), bool(align_corners))


ROWS = (
    Row(
        "grid_sample",
        "F.grid_sample(x, grid, mode=mode, padding_mode=padding, align_corners=align_corners)",
        {
            "F.grid_sample": grid_sample,
            "torch.grid_sampler torch.grid_sampler_2d torch.grid_sampler_3d": grid_sampler,
        },
        keep=("align_corners",),
        alike=("x", "grid"),
    ),
    Row(
        "affine_grid",
        "F.affine_grid(theta, size, align_corners=align_corners)",
        {"F.affine_grid": affine_grid},
        keep=("align_corners",),
    ),
    Row(
        "interpolate",
        _spelling,
        {
            "F.interpolate F.upsample": interpolate,
            "F.upsample_nearest": upsample_nearest,
            "F.upsample_bilinear": upsample_bilinear,
            **{kernels(f"_upsample_{mode}2d_aa"): smoothed(mode) for mode in ("bilinear", "bicubic")},
        },
    ),
)
