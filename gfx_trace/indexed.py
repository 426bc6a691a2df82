"""`x.at[index].set(value)`: JAX's indexed updates."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gfx_ir import ops
from gfx_ir.graph import Value

from .interfaces import Capturing
from .proxy import Proxy

_COMBINED = {
    "multiply": "multiply", "mul": "multiply", "divide": "divide", "min": "minimum", "max": "maximum", "power": "pow",
}  # fmt: skip


class Indexed:
    """`x.at`, and with an index `x.at[index]`."""

    def __init__(self, tracer: Capturing, x: Proxy, index: Any = None, chosen: bool = False) -> None:
        self._tracer, self._x, self._index, self._chosen = tracer, x, index, chosen

    def __getitem__(self, index: Any) -> Indexed:
        return Indexed(self._tracer, self._x, index, True)

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if not self._chosen or name.startswith("__"):
            raise AttributeError(name)

        def update(value: Any = None, **options: Any) -> Proxy:
            if any(option not in ("indices_are_sorted", "unique_indices") for option in options):
                raise self._tracer.error(f"x.at[...].{name} with {', '.join(options)} has no row")
            return Proxy(self._update(name, value), self._x.backend)

        return update

    def _update(self, name: str, value: Any) -> Any:
        base, index, new = self._x.read(), self._tracer.unwrap(self._index), self._tracer.unwrap(value)
        if isinstance(new, (list, tuple)):
            arrays = all(isinstance(item, Value) and item.is_tensor for item in new)
            new = ops.stack(tuple(new)) if arrays else ops.as_tensor(new)
        if name == "get":
            return ops.getitem(base, index)
        if name == "set":
            return ops.index_put(base, index, new)
        if name in ("add", "subtract"):
            return ops.index_put(base, index, new if name == "add" else ops.negative(new), True)
        if name in _COMBINED:
            return ops.index_put(base, index, getattr(ops, _COMBINED[name])(ops.getitem(base, index), new))
        raise self._tracer.error(f"x.at[...].{name} has no row")
