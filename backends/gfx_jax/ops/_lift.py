"""What the lifts of all families share."""

from __future__ import annotations

from typing import Any

import jax

from gfx_ir.graph import Value
from gfx_ir.lifting import (
    Dialect,
    Lifted,
    ask_rank,
    element,
    expect,
    kind_of,
    literal,
    rank,
    swapped,
    unknown_dtype,
    words,
)
from gfx_ir.op import OpDef, Trait
from gfx_ir.ops import _seen

_SILENT = {
    "where": (None, True),
    "promote_integers": (True,),
    "method": (None, "scan", "scan_unrolled", "sort", "compare_all"),
    "copy": (None, True, False),
}
JNP = Dialect("jnp", "Array", silent=_SILENT)
refuse = JNP.refuse


def unary(op: OpDef) -> Lifted:
    """The lift of a function of one array; options that frameworks add must be left out."""
    return words.unary(op, JNP)


def plain(x: Any) -> bool:
    """Whether x may be a Python number when the code runs, which has no methods of an array."""
    return _seen.is_plain(x)


def precise(call: str, precision: Any) -> None:
    """A precision tells the hardware how fast it may be: the products are the same within the dtype. Raises MissingOp for
    an algorithm that is asked for by name."""
    for asked in precision if isinstance(precision, (tuple, list)) else (precision,):
        if asked is not None and not isinstance(asked, (str, jax.lax.Precision)):
            refuse(call, precision=asked)


def whole(x: Any) -> bool:
    """Whether x is known to hold integers or truth values, which functions of jax.lax do not take as floats."""
    found = _seen.dtype(x) if isinstance(x, Value) else getattr(x, "dtype", None)
    return isinstance(x, int) or (found is not None and found.kind in "biu")


def halves(x: Any, text: str) -> str:
    """A spelling of a function of x alone, computed in float32 where x is known to have fewer bits."""
    found = _seen.dtype(x) if isinstance(x, Value) else getattr(x, "dtype", None)
    half = getattr(found, "name", "") in ("float16", "bfloat16")
    return f"{text.replace('(x', '(x.astype(jnp.float32)', 1)}.astype(x.dtype)" if half else text


def each(values: Any, count: int) -> tuple:
    """One number for each axis. Raises MissingOp for numbers that are only known when the code runs."""
    if not literal(tuple(values)):
        refuse("windows whose sizes are open", sizes=values)
    return tuple(values) * (count if len(values) == 1 else 1)


__all__ = [
    "JNP", "ask_rank", "each", "element", "expect", "halves", "kind_of", "literal", "plain", "precise", "rank", "refuse", "swapped", "unary",
    "unknown_dtype", "whole",
]  # fmt: skip


def told(size: Any) -> Any:
    """The size of a type that a number of elements is, where that is asked of an array whose type tells it; else as it is."""
    node = getattr(size, "node", None)
    found = _seen.size_of(*node.args[:2]) if node is not None and Trait.LENGTH in node.op.traits else None
    return size if found is None else found
