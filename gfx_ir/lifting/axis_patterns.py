"""Calls of patterns of named axes (einops): rearrangements, what is packed along one axis, products."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping, Sequence
from typing import Any

from .. import ops
from ..build import host
from ..errors import ShapeError
from ..graph import Value
from ..op import lookup
from ..ops._axis_patterns import EACH, REDUCTIONS, Pattern, Rearranging, Reduction, gone, merges, parsed, times
from ..ops._lazy import Lazy
from ..row import Row
from .words import ask_rank, rank

__all__ = ["around", "merges", "packed", "parsed", "rearranged", "subscripts", "unpacked"]


def rearranged(
    x: Any, pattern: Pattern, reduction: Reduction, given: Mapping[str, Any], call: str, whole: str = ""
) -> Any:
    """x (a list of arrays: stacked) as a pattern has it; `whole`: the text of the pattern, for one op in place of what it is made of.
    Raises ShapeError where its axes do not fit."""
    x = ops.stack(tuple(x), axis=0) if isinstance(x, (list, tuple)) else x
    count = rank(x) if EACH in pattern.left else ask_rank(x, call, len(pattern.left))
    if whole and isinstance(reduction, str) and (reduction not in REDUCTIONS or gone(pattern)):
        named = {"rearrange": ops.rearrange, "repeat": ops.repeat_axes}.get(reduction)
        return named(x, whole, dict(given)) if named else ops.reduce_axes(x, whole, reduction, dict(given))
    return Rearranging(x, count, pattern, given, call).made(reduction)


# ---------------------------------------------------------------- one axis of several
def around(pattern: Any) -> tuple[int, int] | None:
    """How many axes stand before and behind the `*` of a pattern; None: it is malformed."""
    names = pattern.split() if isinstance(pattern, str) else []
    sound = names.count("*") == 1 and len(set(names)) == len(names) and all(n == "*" or n.isidentifier() for n in names)
    return (names.index("*"), len(names) - names.index("*") - 1) if sound else None


def packed(tensors: Sequence[Any], before: int, after: int, call: str) -> tuple[Any, list[Any]]:
    """Arrays joined along one axis, into which each puts its axes but for the first and last few, and the shapes of these."""
    parts, shapes = [], []
    for x in tensors:
        count = rank(x)
        if count is not None and count < before + after:
            raise ShapeError(f"{call}: the pattern has {before + after} axes beside *, and the array {count}")
        if count is None:
            shape = host("getitem", lookup("shape")(x), slice(before, -after if after else None))
            ends = [ops.size(x, at) for at in (*range(before), *range(-after, 0))]
            x = ops.reshape(x, (*ends[:before], host("math.prod", shape), *ends[before:]))
        else:
            shape = tuple(ops.size(x, at) for at in range(before, count - after))
            x = ops.expand_dims(x, before) if not shape else x
            x = ops.flatten(x, before, before + len(shape) - 1) if len(shape) > 1 else x
        shapes.append(shape)
        parts.append(x)
    return (parts[0] if len(parts) == 1 else ops.concat(tuple(parts), axis=before)), shapes


def unpacked(x: Any, shapes: Sequence[Any], before: int, after: int, call: str) -> list[Any]:
    """The arrays that were packed into one."""
    count = ask_rank(x, call, before + 1 + after)
    if count != before + 1 + after:
        raise ShapeError(f"{call}: the pattern has {before + 1 + after} axes, and the array {count}")
    lengths = tuple(host("math.prod", shape) if isinstance(shape, Value) else times(shape) for shape in shapes)
    parts = [x] if len(shapes) == 1 else list(ops.split(x, lengths, axis=before))
    ends = [ops.size(x, at) for at in (*range(before), *range(-after, 0))]
    made = []
    for part, shape in zip(parts, shapes):
        if isinstance(shape, Value):
            part = ops.reshape(part, host("splice", *ends[:before], shape, *ends[before:]))
        elif len(shape) != 1 or part is x:
            part = ops.reshape(part, (*ends[:before], *shape, *ends[before:]))
        made.append(part)
    return made


# ---------------------------------------------------------------- products
def subscripts(pattern: Any) -> str | None:
    """The letters of a pattern of names, its first ones where they are free; None: it is malformed."""
    if not isinstance(pattern, str) or pattern.count("->") != 1 or re.search(r"[^\w\s.,>-]|\b\d", pattern):
        return None
    letters: dict[str, str] = {}
    for name in re.findall(r"[A-Za-z_]\w*", pattern):
        free = [c for c in (*name, *string.ascii_letters) if c.isalpha() and c not in letters.values()]
        if name not in letters and not free:
            return None
        letters.setdefault(name, free[0] if free else "")
    return re.sub(r"\s", "", re.sub(r"[A-Za-z_]\w*", lambda found: letters[found[0]], pattern))


# ---------------------------------------------------------------- calls that stay such
_SPELLED = {
    "rearrange": "einops.rearrange(x, pattern, **sizes)",
    "repeat_axes": "einops.repeat(x, pattern, **sizes)",
    "reduce_axes": "einops.reduce(x, pattern, reduction, **sizes)",
}
ROWS = tuple(Row(name, text) for name, text in _SPELLED.items())
"""einops has one spelling for all frameworks."""
IMPORTS = {"einops": "import einops"}
NAMES = {"einops": Lazy("einops")}
