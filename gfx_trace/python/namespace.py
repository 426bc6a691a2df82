"""What `x.__array_namespace__()` gives in captured code."""

from __future__ import annotations

from typing import Any

from gfx_ir import ops
from gfx_ir.op import active


class Namespace:
    """The array API standard's namespace under capture."""

    def __getattr__(self, name: str) -> Any:
        op = getattr(ops, name)

        def function(*args: Any, **kwargs: Any) -> Any:
            return active.builder.calls.call(op, args, kwargs)

        return function
