"""NumPy's scalars among the tensors that the traced function sees."""

from __future__ import annotations

from typing import Any

from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import Conditions
from gfx_ir.op import active

from .lost import Lost
from .proxy import Proxy


def scalar(x: Proxy) -> Conditions | None:
    """When a tensor is a number of NumPy's; None: it is an array."""
    return _scalar(x, _base(x))


def number_when(x: Proxy) -> Conditions | None:
    """The same of what an index gave, too, which is a view of one place or a number."""
    base = _base(x)
    found: Conditions | None = base.conditions if hasattr(base, "conditions") else _scalar(x, base)
    return found


def _scalar(x: Proxy, base: Any) -> Conditions | None:
    if x.backend is None or not x.backend.numbers or base is not None or not isinstance(x.value, Value):
        return None
    found: Conditions | None = active.builder.record.number_when(x.value)
    return found


def _base(x: Proxy) -> Any:
    """What a tensor shares memory with, whatever is not known of its value since."""
    base = x.base
    while isinstance(base, Lost):
        base = base.before
    return base
