"""GFX's framework-neutral graphs: types, operations, graphs, and what is computed from them."""

from .partition import partition

__all__ = ["partition"]
