"""Equality of two calls' captures: programs, arrays, and what each leaves for the next."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar

import numpy as np

from gfx_ir.program import Program
from gfx_ir.text import to_text

from ..control.writes import Write
from ..python.remembered import Left


class Capture(Protocol):
    """What a capture gives, as far as later calls are concerned."""

    program: Program
    slots: dict[str, Write]
    left: Left
    notes: list[str]


T = TypeVar("T", bound=Capture)


def settled(first: Capture, later: Capture) -> bool:
    """Whether a later call finds nothing that a call after it finds otherwise, and sets nothing up again."""
    return later.left.refusal is None and not first.left.again(later.left)


def same(a: Program, b: Program) -> bool:
    """Whether two programs read alike, wherever their lines stand, and hold the same arrays."""
    return to_text(a, spans=False) == to_text(b, spans=False) and same_arrays(a.params, b.params)


def same_arrays(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    """Whether they hold the same arrays by the same paths."""
    return a.keys() == b.keys() and all(x is b[name] or _equal(x, b[name]) for name, x in a.items())


def _equal(x: Any, y: Any) -> bool:
    return type(x) is type(y) is np.ndarray and x.dtype == y.dtype and np.array_equal(x, y)
