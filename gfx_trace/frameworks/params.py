"""Data of parameters, from one framework to another."""

from __future__ import annotations

from typing import Any

from gfx_ir.backend import Backend
from gfx_ir.loading import owner_of


def moved(x: Any, target: Backend) -> Any:
    """An array of any loaded framework as the target's; what is none goes through."""
    owner = None if target.is_tensor(x) else owner_of(x)
    return x if owner is None else target.from_host(owner.to_host(x))
