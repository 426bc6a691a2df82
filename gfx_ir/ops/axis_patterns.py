"""Rearrangement by patterns of named axes as ops of their own, for code that keeps its calls of einops.

https://einops.rocks/api/rearrange
"""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

from ..errors import ShapeError
from ..op import Trait
from . import _seen, _views
from ._axis_patterns import EACH, Rearranging, parsed
from ._row import composite

FAMILY = "arrange"


def _of(x: Any, pattern: str, reduction: str, sizes: Mapping[str, Any]) -> Rearranging:
    found = parsed(pattern, reduction, tuple(sizes))
    if found is None:
        raise ShapeError(
            f"{pattern!r} is no pattern of {reduction}", hint="name each axis once, as in 'b (h d) -> b h d'"
        )
    count = _seen.rank(x)
    count = len(found.left) if count is None and EACH not in found.left else count
    return Rearranging(x, count, found, sizes, f"einops {pattern!r}")


def _put_back(args: SimpleNamespace, new: Any, index: int) -> Any:
    """The elements go back to where they were."""
    return _of(args.x, args.pattern, "rearrange", args.sizes).put(new)


@composite(FAMILY, put=_put_back, free_text=("pattern",))
def rearrange(x: Any, pattern: str, sizes: Mapping[str, Any]) -> Any:
    """x with its axes split, permuted and merged by a pattern of their names; `sizes` of those that the shape does not tell."""
    return _made(x, pattern, "rearrange", sizes)


@composite(FAMILY, put=_views.put_expanded, free_text=("pattern",))
def repeat_axes(x: Any, pattern: str, sizes: Mapping[str, Any]) -> Any:
    """x repeated along the axes that stand in the right side of a pattern alone, and arranged by it."""
    return _made(x, pattern, "repeat", sizes)


@composite(FAMILY, traits=Trait.APART, free_text=("pattern",))
def reduce_axes(x: Any, pattern: str, reduction: str, sizes: Mapping[str, Any]) -> Any:
    """x without the axes that stand in the left side of a pattern alone (min, max, sum, mean, prod, any, all), arranged by it."""
    return _made(x, pattern, reduction, sizes)


def _made(x: Any, pattern: str, reduction: str, sizes: Mapping[str, Any]) -> Any:
    return _of(x, pattern, reduction, sizes).made(reduction)
