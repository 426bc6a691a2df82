"""Index arrays: positions are whole numbers of any width in NumPy and JAX; PyTorch takes bytes for a mask, and no other narrow ones."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.dtypes import DTYPES, framework_of
from gfx_ir.graph import Value
from gfx_ir.op import OpDef

from ..interfaces import Capturing

_MASK, _POSITIONS = DTYPES["bool"], DTYPES["int32"]
_NARROW = 16
"""Bits of dtypes that PyTorch does not take for positions, and that int32 holds."""


def positions(tracer: Capturing, op: OpDef, args: tuple) -> tuple:
    """The arguments of an op that indexes, with index arrays that mean the same wherever it runs; of an open dtype they are taken to be no
    bytes, with a guard."""
    at = op.params.index(op.index)
    index = args[at]
    if type(index) is tuple and len(index) == 1 and type(index[0]) is list:
        index = index[0]
    if type(index) is tuple:
        made: Any = tuple([_same_everywhere(tracer, op, item) for item in index])
    else:
        made = _same_everywhere(tracer, op, index)
    return (*args[:at], made, *args[at + 1 :])


def _same_everywhere(tracer: Capturing, op: OpDef, item: Any) -> Any:
    if type(item) is not Value or not item.is_tensor or tracer.record.is_boolean(item):
        return item
    dtype = tracer.record.dtype(item)
    if dtype is None:
        tracer.assumed.kinds(op.name, [item], "bi")
        return item
    if dtype.kind not in "iu" or dtype.bits > _NARROW:
        return item
    if framework_of(tracer.promotion) != "torch":
        return ops.astype(item, _POSITIONS)
    return ops.astype(item, _MASK) if dtype.kind == "u" else item
