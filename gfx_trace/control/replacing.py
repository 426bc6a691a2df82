"""Writes that later calls find otherwise than the first: why they are refused, or are state once the capture is made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.errors import UnsupportedConstruct
from gfx_ir.host import same
from gfx_ir.types import LogicalTensor

from ..heap.contents import row_of
from ..heap.slots import MISSING, Slot
from ..interfaces import Capturing
from ..python.faults import class_name
from ..python.remembered import Filled
from ..values.open_keys import KeyWanted
from ..values.proxy import Proxy
from .kept_sizes import wanted

NUMBERS = (int, float, bool)
"""Types of numbers that arrays can stand for."""


class Replaces(UnsupportedConstruct):
    """A number, an array or None is replaced (`before`), which later calls find otherwise than the first, and which the graph took for
    fixed. `becomes`: the type of the array that takes the place of a number or of None, and whose it is."""

    def __init__(
        self, what: str, slot: Slot, hint: str, path: str, before: Any, becomes: tuple[LogicalTensor, Backend] | None = None
    ) -> None:  # fmt: skip
        super().__init__(what, slot.span, hint)
        self.slot, self.path, self.before, self.becomes = slot, path, before, becomes
        self.wanted: KeyWanted | None = None  # sizes of arguments that have to be fixed for that
        self.together: Sequence[Replaces] = (self,)  # all that the same capture found replaced


def refusal_of(tracer: Capturing, slot: Slot, value: Any, old: Any) -> UnsupportedConstruct | None:
    """What a write to what outlives the call is refused with, where later calls hang on it; None: it is state."""
    lasting = _not_state(tracer, slot, value, old)
    if lasting is not None:
        return lasting
    if slot.kind == "item" and old is MISSING:
        what = (
            f"GFX cannot convert this write: the key {slot.name!r} is not there in the first call, and is in the next"
        )
        return UnsupportedConstruct(
            what, slot.span, "make it a tensor before the capture (a buffer), or return it instead"
        )
    if type(old) in NUMBERS:
        return changes(tracer, slot, old, value)
    if not begins(tracer, slot, value, old):
        return None
    other = f"a {class_name(tracer, old) or 'value'}" if _is_other(tracer, old) else "of other sizes"
    found = "None" if old is None else "not there" if old is MISSING else other
    what = f"GFX cannot convert this write: {slot.name!r} is {found} in the first call and no longer in the next, and the code asks for it"
    hint = "make it a tensor before the capture (a buffer), or an argument and a result"
    if old is not None or slot.kind not in ("attribute", "item"):
        return UnsupportedConstruct(what, slot.span, hint)
    refusal = Replaces(what, slot, hint, path_of(tracer, slot), None, _becomes(value))
    if refusal.becomes is not None:
        refusal.wanted = wanted(tracer, value.value)
    return refusal


def begins(tracer: Capturing, slot: Slot, value: Any, old: Any) -> bool:
    """Whether a slot is one that a call fills: what was None, not there, an empty list or its like, or an array that surely has other
    sizes than what replaces it."""
    if _is_other(tracer, old):
        return True
    given, becomes = tracer.known.get(id(old)), _becomes(value)
    if given is None or becomes is None or _is_filled(old) or slot.kind not in ("attribute", "item"):
        return False
    before, dims = given.value.type.dims, becomes[0].dims
    if before is None or dims is None:
        return False
    return len(before) != len(dims) or any(same(*pair) is False for pair in zip(before, dims))


def _is_other(tracer: Capturing, old: Any) -> bool:
    """Whether a slot holds neither a number nor an array: None, an empty list, or nothing."""
    return type(old) not in NUMBERS and not _is_filled(old) and tracer.arrays.array_owner(old) is None


def changes(tracer: Capturing, slot: Slot, old: Any, value: Any = None) -> UnsupportedConstruct:
    """The error for a write that replaces what is no tensor, and what the graph took for fixed, by `value`."""
    what = (
        "Python number"
        if isinstance(old, (int, float)) and not isinstance(old, np.generic)
        else class_name(tracer, old) or "value"
    )
    what = f"GFX cannot convert this write: {slot.name!r} is a {what} that changes from call to call, and its value is part of the graph"
    hint = "make it a buffer (a tensor), or an argument and a result; where the first call alone changes it, call it once before the capture"
    if type(old) in NUMBERS and slot.kind in ("attribute", "item"):
        becomes = _becomes(value)
        becomes = becomes if becomes is None or becomes[0].dims == () else None
        return Replaces(what, slot, hint, path_of(tracer, slot), old, becomes)
    return UnsupportedConstruct(what, slot.span, hint)


def _not_state(tracer: Capturing, slot: Slot, value: Any, old: Any) -> UnsupportedConstruct | None:
    """The refusal of a write that outlives the call, and is no state that a program can have."""
    what = "GFX cannot convert this write: "
    if slot.kind == "attribute" and is_made(tracer, value):
        what += f"the {type(value).__name__} that the code makes outlives the call"
        return UnsupportedConstruct(what, slot.span, "keep its tensors instead")
    if slot.kind in ("cell", "global") and not isinstance(old, (int, float)):
        what += f"the {'global' if slot.kind == 'global' else 'variable'} {slot.name!r} "
        what += "outlives the call" if slot.kind == "global" else "of a function around this one outlives the call"
        return UnsupportedConstruct(what, slot.span, "make it an attribute of an object, or an argument and a result")
    if slot.kind == "contents" or value is MISSING or isinstance(value, (list, dict, set)):
        what += f"the contents of a {type(slot.object).__name__} outlive the call"
        return UnsupportedConstruct(what, slot.span, "return them instead")
    return None


def _becomes(value: Any) -> tuple[LogicalTensor, Backend] | None:
    """The type of an array that a write puts in the place of a number or None, and whose it is; None of any other value."""
    if type(value) is not Proxy or value.weak or value.backend is None:
        return None
    type_ = value.value.type
    known = isinstance(type_, LogicalTensor) and type_.dims is not None and type_.dtype is not None
    return (type_, value.backend) if known else None


def path_of(tracer: Capturing, slot: Slot) -> str:
    """What a slot is called among the parameters: in a model by its module."""
    module = tracer.module_paths.get(id(slot.object))
    owner = module if module is not None else type(slot.object).__name__.lower()
    key = str(slot.key)
    key = key if key.isidentifier() or key.isdigit() else "value"  # a path has dots between its keys
    return f"{owner}.{key}" if owner else key


def is_made(tracer: Capturing, value: Any) -> bool:
    """Whether an object is one whose attributes the captured code set."""
    return tracer.journal.made.since(value) and row_of(type(value)) is None


def _is_filled(old: Any) -> bool:
    """Whether a slot holds what stands for what an earlier call left there."""
    return isinstance(old, Filled) or (isinstance(old, tuple) and bool(old) and all(map(_is_filled, old)))
