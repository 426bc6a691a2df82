"""The dtype that a framework takes where none is given: lifts record it, and spellings leave it out."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from . import dtypes
from .dtypes import DType
from .graph import Value
from .op import active
from .trees import leaves

_HOST = {"bool": "b", "int": "i", "float": "f"}


def number_kind(tree: Any) -> str | None:
    """Kind of the numbers in a tree, known or open: b, i, f (also of none) or c; None where a tensor is among them."""
    kinds = [_kind(leaf) for leaf in leaves(tree)]
    known = [kind for kind in kinds if kind is not None]
    return max(known, key="bifc".index, default="f") if len(known) == len(kinds) else None


def _kind(leaf: Any) -> str | None:
    if isinstance(leaf, Value):
        return _HOST.get(leaf.kind)
    return dtypes.kind_of(leaf) if isinstance(leaf, (bool, int, float, complex)) else None


def dtype_for(tree: Any, rules: str) -> DType | None:
    """What `rules` make of the numbers in a tree; None where a tensor is among them."""
    kind = number_kind(tree)
    return None if kind is None else dtypes.default(kind, rules)


def float_here(rules: str) -> DType:
    """What `rules` make of a float of Python's, in the mode of the capture that is under way."""
    promotion = active.builder.promotion if active.builder is not None else rules
    return dtypes.default("f", promotion if dtypes.framework_of(promotion) == rules else rules)


def own(rules: str, *names: str) -> Callable[[SimpleNamespace], DType | None]:
    """For `Row.own`: the dtype that follows from the numbers of these arguments; a float's without names."""

    def found(args: SimpleNamespace) -> DType | None:
        given = tuple(value for value in (getattr(args, name) for name in names) if value is not None)
        return dtype_for(given, rules)

    return found


def own_float(*names: str) -> Callable[[SimpleNamespace], DType | None]:
    """For `Row.own`: the dtype of a float of NumPy's, where these arguments are numbers."""

    def found(args: SimpleNamespace) -> DType | None:
        numbers = number_kind(tuple(getattr(args, name) for name in names)) is not None
        return dtypes.float64 if numbers else None

    return found
