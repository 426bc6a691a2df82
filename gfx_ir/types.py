"""What a tensor is without its data: LogicalTensor, and TensorSpec, the form of it that users write."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Union

from . import host
from .dtypes import DType, dtype
from .errors import FormatError
from .host import Dim, DimLike


@dataclass(frozen=True)
class Opaque:
    """A layout that only the device knows which made it, by the name that the device has for it."""

    id: str

    def __str__(self) -> str:
        return f"opaque({self.id})"


Layout = Union[str, Opaque]
LAYOUTS = ("any", "strided")
_OPAQUE = re.compile(r"opaque\(([\w.:-]+)\)")


def layout_of(text: Any) -> Layout | None:
    """The layout that is written so: "any", "strided" or "opaque(name)"; None for anything else."""
    found = _OPAQUE.fullmatch(text) if isinstance(text, str) else None
    return Opaque(found[1]) if found else text if text in LAYOUTS else None


@dataclass(frozen=True)
class LogicalTensor:
    """dtype (None: unknown), dims (None: unknown rank; each known, symbolic or None), strides, layout; no data.

    `layout`: "any" (who makes it chooses), "strided", or Opaque. `weak`: follows from Python scalars alone, so that it counts in
    promotion only by its kind. `id`: of the value whose type it is.
    """

    dtype: DType | None = None
    dims: tuple[DimLike | None, ...] | None = None
    strides: tuple[int | None, ...] | None = None
    layout: Layout = "any"
    weak: bool = False
    id: int | None = None

    @classmethod
    def of(
        cls, id: int, dtype_: Any, dims: Sequence[int | None] | None = None, strides: Sequence[int | None] | None = None,
        layout: Layout = "strided",
    ) -> LogicalTensor:  # fmt: skip
        """A value by its id, as compilers of partitions take it; sizes and strides of -1 are unknown."""
        known = [None if sizes is None else tuple([None if n == -1 else n for n in sizes]) for sizes in (dims, strides)]
        return cls(None if dtype_ is None else dtype(dtype_), known[0], known[1], layout, id=id)

    @property
    def rank(self) -> int | None:
        """Number of dims, None where unknown."""
        return None if self.dims is None else len(self.dims)

    @property
    def known(self) -> bool:
        """Whether dtype and every dim are plain numbers."""
        return self.dtype is not None and self.dims is not None and all(isinstance(d, int) for d in self.dims)

    def size(self) -> DimLike | None:
        """Number of elements: none along an axis without places, however many there are along others."""
        if self.dims is None or None in self.dims:
            return 0 if self.dims is not None and 0 in self.dims else None
        return host.product([d for d in self.dims if d is not None])

    def with_(self, **changes: Any) -> LogicalTensor:
        """A copy with some fields changed."""
        return replace(self, **changes)

    def __str__(self) -> str:
        name = self.dtype.short if self.dtype else "?"
        dims = "..." if self.dims is None else ", ".join("?" if d is None else str(d) for d in self.dims)
        return f"{'weak ' if self.weak else ''}{name}[{dims}]"


@dataclass(frozen=True)
class TensorSpec:
    """What a tensor argument may be: `TensorSpec((2, Dim("T")), "float32")`. A str in `shape` names a Dim."""

    shape: Sequence[int | str | Dim | None] | None
    dtype: Any = "float32"

    def logical(self) -> LogicalTensor:
        """The LogicalTensor it stands for."""
        dims = None if self.shape is None else tuple(host.parse(d) if isinstance(d, str) else d for d in self.shape)
        return LogicalTensor(None if self.dtype is None else dtype(self.dtype), dims)


_LOGICAL = re.compile(r"^(weak )?([a-z0-9?]+)\[(.*)\]$")


def item_type(type_: LogicalTensor) -> LogicalTensor:
    """The type of an item along the first axis of a tensor."""
    return replace(type_, dims=None if type_.dims is None else type_.dims[1:], strides=None, layout="any", id=None)


def slice_type(type_: LogicalTensor, axis: int, size: DimLike | None) -> LogicalTensor:
    """The type of a slice of a tensor, of this size along an axis."""
    dims = None if type_.dims is None else (*type_.dims[:axis], size, *type_.dims[axis + 1 :])
    return replace(type_, dims=dims, strides=None, layout="any", id=None)


def parse_logical(text: str) -> LogicalTensor:
    """Read `f32[2, B, ?]`, the text form of a LogicalTensor. Raises FormatError on anything else."""
    match = _LOGICAL.match(text.strip())
    if not match:
        raise FormatError(f"{text!r} is no tensor type; write it as f32[2, 3] or i64[B, T]")
    weak, name, inside = match.groups()
    try:
        element = None if name == "?" else dtype(name)
    except TypeError as error:
        raise FormatError(str(error)) from None
    if inside.strip() == "...":
        return LogicalTensor(element, None, weak=bool(weak))
    parts = [p.strip() for p in _split(inside)] if inside.strip() else []
    return LogicalTensor(element, tuple(None if p == "?" else host.parse(p) for p in parts), weak=bool(weak))


def _split(text: str) -> list[str]:
    """Split at the commas outside of parentheses."""
    parts, depth, start = [], 0, 0
    for at, char in enumerate(text):
        depth += (char == "(") - (char == ")")
        if char == "," and not depth:
            parts.append(text[start:at])
            start = at + 1
    return [*parts, text[start:]]
