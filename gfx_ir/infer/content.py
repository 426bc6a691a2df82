"""Content of values that follows from constants and shapes alone: computed where sizes are fixed, told as a sequence where not.

Only whole numbers that every dtype in question keeps are told, so that no framework rounds or wraps them another way, and fractions
that are written down: of these nothing is computed but what holds of them, as in a comparison.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from ..dtypes import DType
from ..errors import GfxError
from ..op import OpDef, Trait, evaluate
from ..rules import building
from ..trees import leaves, tree_map
from .comparisons import Told, kept
from .sequences import Seq, selected, sequence

LARGEST = 4096
"""Elements of what is computed at capture."""
_WORK = 2**20
"""Elements that computing it may take on the way, at most."""
_AS_WRITTEN = Trait.OF_NUMBERS | Trait.SELECTS | Trait.READS_AT | Trait.CASTS
"""What gives the numbers that it is given, or those next to them in a dtype."""
_PLAIN = (np.ndarray, bool, int, float, str, type(None), type(...), DType)
_FAMILIES = frozenset(("elementwise", "reduce", "search", "index", "shape", "arrange", "create"))
Content = np.ndarray | Told | None
"""An array, what is told of any sizes, or nothing that is known."""


def content(op: OpDef, args: tuple, dtype: DType, rank: int | None) -> Content:
    """What the only output of an op holds, of this dtype and rank. `args`: a tree with the content of each tensor, UNTOLD where that is
    not known; a host value that is open stands for itself."""
    written = dtype.kind == "f" and bool(op.traits & _AS_WRITTEN)
    compares = dtype.kind == "b" and op.traits & Trait.ELEMENTWISE
    if op.traits & Trait.UNTOLD or not (written or compares or all(map(_is_whole, leaves(args)))):
        return None
    if op.traits & Trait.MOVES:
        return args[0] if args[0] is not UNTOLD else None
    if op.family in _FAMILIES and all(isinstance(leaf, _PLAIN) for leaf in leaves(args)):
        found = _computed(op, args)
        if found is not None:
            return found if _exact(found, dtype) or (written and not _is_whole(found)) else None
    rule = op.sequence or (selected if op.traits & Trait.SELECTS else None)
    made = rule(tree_map(lambda leaf: None if leaf is UNTOLD else leaf, args), rank) if rule is not None else None
    return kept(dtype, made) if made is not None else None


def joined(sides: list[Content]) -> Content:
    """What one of several values holds, whichever of them it is: that which each of them does."""
    kinds = {side.dtype if isinstance(side, np.ndarray) else None for side in sides}
    if len(kinds) == 1 and None not in kinds:
        return sides[0] if all(np.array_equal(sides[0], side) for side in sides) else None  # type: ignore[arg-type]
    first, *others = [seen and replace(seen, ones=False) for seen in map(sequence, sides)]
    alike = first is not None and all(side == first and type(side.start) is type(first.start) for side in others)
    return first if alike else None


UNTOLD = type("Untold", (), {"__repr__": lambda self: "UNTOLD"})()
"""Stands for a tensor whose content is not known: None is a value of its own in an op's arguments."""


def _computed(op: OpDef, args: tuple) -> np.ndarray | None:
    sizes = [leaf if type(leaf) is int else leaf.size for leaf in leaves(args) if type(leaf) in (int, np.ndarray)]
    if math.prod(abs(size) for size in sizes if size) > _WORK:
        return None
    try:
        with building(None), np.errstate(all="ignore"):
            found = evaluate(op, args)
    except (GfxError, TypeError, ValueError, IndexError, ArithmeticError, AttributeError):
        return None  # what is wrong is said where it is captured
    made = np.asarray(found) if isinstance(found, (np.ndarray, np.generic, bool, int, float)) else None
    return made if made is not None and made.size <= LARGEST else None


def _is_whole(leaf: Any) -> bool:
    """Whether something is no array of finite floats of which some are fractions."""
    if not isinstance(leaf, np.ndarray) or leaf.dtype.kind != "f" or not np.all(np.isfinite(leaf)):
        return True
    return np.array_equal(leaf, np.floor(leaf))


def _exact(data: np.ndarray, dtype: DType) -> bool:
    """Whether an array holds whole numbers that its dtype, and those that it is computed with, keep."""
    if data.dtype == bool or not data.size:
        return True
    if data.dtype.kind not in "if" or not np.all(np.isfinite(data)) or not np.array_equal(data, np.floor(data)):
        return False
    ends = [Seq(end.item()) for end in (data.min(), data.max())]
    return all(kept(dtype, end) is not None and abs(end.start) < 2**31 for end in ends)
