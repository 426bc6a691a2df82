"""Broadcasting of shapes: the shape that arrays of some shapes have against each other, where their ranks are known."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from .. import ops
from ..dtypes import bool_
from ..errors import MissingOp
from ..graph import Value
from ..op import lookup
from ..trees import parts_of


def broadcast_shapes(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """The lift of a framework's `own` function of that name, which takes shapes, or numbers for shapes of one axis: of known sizes it gives
    or raises what that does. It raises MissingOp where a rank is open, or two sizes are that may differ."""

    def lift(*shapes: Any) -> Any:
        if not parts_of(Value, shapes):
            return tuple(own(*shapes))
        known = [(shape,) if isinstance(shape, int) else shape for shape in shapes]
        if any(isinstance(shape, Value) for shape in known):
            raise MissingOp(
                f"{name} of open ranks has no counterpart", hint="give the arguments' shapes: gfx.TensorSpec"
            )
        rank = max(map(len, known), default=0)
        columns = [[shape[at] for shape in known if len(shape) >= -at] for at in range(-rank, 0)]
        return tuple([_one_of(name, [n for n in column if isinstance(n, Value) or n != 1]) for column in columns])

    return lift


def _one_of(name: str, sizes: list[Any]) -> Any:
    """The one size that all of these are, none of them the number 1."""
    if len({(n.type or n) if isinstance(n, Value) else n for n in sizes}) > 1:
        raise MissingOp(f"{name} of sizes that may differ has no counterpart", hint="give them Dims of one name")
    return sizes[0] if sizes else 1


def in_one_shape(*tensors: Any) -> tuple:
    """All in their common shape."""
    known = [x.type.dims if x.type is not None else None for x in tensors]
    if len(tensors) < 2:
        return tensors
    if all(dims is not None and all(isinstance(size, int) for size in dims) for dims in known):
        shape: Any = np.broadcast_shapes(*map(tuple, known))  # type: ignore[arg-type]
    else:  # that of a sum, so that no rank need be known
        zeros = [ops.zeros_like(x, dtype=bool_) for x in tensors]
        shape = lookup("shape")(functools.reduce(ops.logical_or, zeros))
    return tuple(ops.broadcast_to(x, shape) for x in tensors)


def of_parts(real: Any, imag: Any) -> Any:
    """Complex numbers of two parts, which broadcast, one of them a number or not; where the rank of one is not known, both have one shape."""
    tensors = [x for x in (real, imag) if isinstance(x, Value)]
    if len(tensors) == 1:
        real, imag = (x if isinstance(x, Value) else ops.full_like(tensors[0], x) for x in (real, imag))
    known = [x.type.dims if x.type is not None else None for x in (real, imag)]
    alike = None in known or known[0] == known[1]
    return ops.as_complex(*((real, imag) if alike else in_one_shape(real, imag)))
