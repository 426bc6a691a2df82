"""Padding by words: what "SAME" adds to each end of an axis, of open sizes too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax

from gfx_ir import host
from gfx_ir.bound import Bound
from gfx_ir.errors import OpenShape
from gfx_ir.host import DimLike


def window_edges(
    sizes: Sequence[DimLike | None], window: Sequence[int], strides: Sequence[int], padding: Any, name: str
) -> tuple[tuple[int, int], ...]:
    """(before, after) of each axis of these sizes, of a padding in words or in numbers. Raises OpenShape where it hangs on what is open."""
    if not isinstance(padding, str):
        return tuple((before, after) for before, after in padding)
    if padding.upper() != "VALID":
        sizes = [
            _alike(*axis, f"{name} with padding {padding!r} needs known sizes") for axis in zip(sizes, window, strides)
        ]
    return tuple(jax.lax.padtype_to_pads(tuple(sizes), tuple(window), tuple(strides), padding))  # type: ignore[arg-type]


def spread(size: DimLike | None, apart: int) -> DimLike | None:
    """The size of an axis whose elements are set so far apart."""
    if apart == 1 or size is None or size == 0:
        return size
    return host.add(host.mul(host.sub(size, 1), apart), 1)


def _alike(size: DimLike | None, width: int, stride: int, why: str) -> int:
    """A size that is padded as this one is."""
    if isinstance(size, int):
        return size
    if stride == 1:
        return width
    if size is None:
        raise OpenShape(why)
    steps = host.mul(-1, host.floordiv(host.mul(-1, size), stride))
    total = host.sub(host.add(host.mul(host.sub(steps, 1), stride), width), size)
    if not isinstance(total, int):
        raise OpenShape(why, within={dim.name: {Bound(step=stride)} for dim in host.atoms(size)})
    return host.evaluate(size, {dim.name: max(dim.min, 1) for dim in host.atoms(size)})
