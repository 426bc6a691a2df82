"""Resizing: https://docs.jax.dev/en/latest/_autosummary/jax.image.resize.html."""

from __future__ import annotations

from types import SimpleNamespace

import jax

from gfx_ir.backend import Row
from gfx_ir.ops import _seen
from gfx_ir.ops._body import narrow

_HAS_CUBIC = hasattr(jax.image.ResizeMethod, "CUBIC_PYTORCH")


def _of_sizes_alone(args: SimpleNamespace) -> bool:
    """Whether the factors are the quotients of the sizes, by which jax.image.resize goes."""
    if args.scale is None:
        return True
    have = [_seen.size_of(args.x, at - len(args.size)) for at in range(len(args.size))]
    return all(
        float(factor).is_integer() or (isinstance(size, int) and isinstance(out, int) and size * factor == out)
        for factor, size, out in zip(args.scale, have, args.size)
    )


def _repeats(args: SimpleNamespace) -> bool:
    """Whether each element is repeated a whole number of times: there all ways to take the nearest agree."""
    if args.scale is not None:
        return all(float(factor).is_integer() for factor in args.scale)
    have = [_seen.size_of(args.x, at - len(args.size)) for at in range(len(args.size))]
    return all(isinstance(n, int) and isinstance(out, int) and out % n == 0 for n, out in zip(have, args.size))


def _method(args: SimpleNamespace) -> str:
    if args.mode == "nearest-exact" or (args.mode == "nearest" and _repeats(args)):
        return "'nearest'"
    if args.mode == "linear" or (args.mode == "cubic" and args.antialias):
        return f"'{args.mode}', antialias={args.antialias}"
    return "'cubic-pytorch', antialias=False" if args.mode == "cubic" and _HAS_CUBIC else ""


def _interpolate(args: SimpleNamespace) -> str:
    method = "" if args.align_corners or not _of_sizes_alone(args) else _method(args)
    if not method or (narrow(args.x) and method != "'nearest'"):  # it weighs in the dtype of x
        return ""
    return f"jax.image.resize(x, x.shape[:{-len(args.size)}] + size, {method})"


ROWS = (Row("interpolate", _interpolate),)
