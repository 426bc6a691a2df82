"""Resizing: https://docs.jax.dev/en/latest/_autosummary/jax.image.resize.html."""

from __future__ import annotations

from types import SimpleNamespace

import jax

from gfx_ir.backend import Row
from gfx_ir.ops import _seen
from gfx_ir.ops._body import narrow
from gfx_ir.template import Spelling

_HAS_CUBIC = hasattr(jax.image.ResizeMethod, "CUBIC_PYTORCH")


def _quotients(args: SimpleNamespace, last: int) -> bool:
    """Whether the factors are the quotients of the sizes, by which jax.image.resize goes."""
    if args.scale is None:
        return True
    return all(
        float(factor).is_integer() or (isinstance(size, int) and isinstance(out, int) and size * factor == out)
        for factor, size, out in zip(args.scale, _sizes(args, last), args.size)
    )


def _repeats(args: SimpleNamespace, last: int) -> bool:
    """Whether each element is repeated a whole number of times: there all ways to take the nearest agree."""
    if args.scale is not None:
        return all(float(factor).is_integer() for factor in args.scale)
    return all(isinstance(n, int) and isinstance(m, int) and m % n == 0 for n, m in zip(_sizes(args, last), args.size))


def _sizes(args: SimpleNamespace, last: int) -> list:
    count = len(args.size) + last
    return [_seen.size_of(args.x, at - count) for at in range(len(args.size))]


def _method(args: SimpleNamespace, last: int) -> str:
    if args.mode == "nearest-exact" or (args.mode == "nearest" and _repeats(args, last)):
        return "'nearest'"
    if args.mode == "linear" or (args.mode == "cubic" and args.antialias):
        return f"'{args.mode}', antialias={args.antialias}"
    return "'cubic-pytorch', antialias=False" if args.mode == "cubic" and _HAS_CUBIC else ""


def _resized(last: int) -> Spelling:
    """jax.image.resize of x with `last` axes behind those that change; "" where it means something else."""

    def spelling(args: SimpleNamespace) -> str:
        method = "" if args.align_corners or not _quotients(args, last) else _method(args, last)
        if not method or (narrow(args.x) and method != "'nearest'"):  # it weighs in the dtype of x
            return ""
        behind = " + x.shape[-1:]" if last else ""
        return f"jax.image.resize(x, x.shape[:{-len(args.size) - last}] + size{behind}, {method})"

    return spelling


ROWS = (Row("interpolate", _resized(0)), Row("interpolate_channels_last", _resized(1)))
