"""NumPy's scalars among the tensors that the traced function sees."""

from __future__ import annotations

from gfx_ir.graph import Value
from gfx_ir.infer.number_conditions import Conditions
from gfx_ir.op import active

from .proxy import Proxy


def scalar(x: Proxy) -> Conditions | None:
    """When a tensor is a number of NumPy's; None: it is an array."""
    if x.backend is None or not x.backend.numbers or x.base is not None or not isinstance(x.value, Value):
        return None
    found: Conditions | None = active.builder.record.number_when(x.value)
    return found


def number_when(x: Proxy) -> Conditions | None:
    """The same of what an index gave, too, which is a view of one place or a number."""
    found: Conditions | None = x.base.conditions if hasattr(x.base, "conditions") else scalar(x)
    return found
