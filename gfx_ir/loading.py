"""Loading: the backends that are installed, each imported at first use, and ops that a user adds to those that are loaded."""

from __future__ import annotations

import threading
from importlib import metadata
from typing import Any

from .backend import Backend
from .errors import BackendError
from .op import REGISTRY, OpDef, register

_LOCK = threading.Lock()
_LOADED: dict[str, Backend] = {}
GROUP = "gfx.backends"


def available() -> list[str]:
    """Names of the backends that are installed, loaded or not."""
    return sorted({entry.name for entry in metadata.entry_points(group=GROUP)})


def backend(name: str) -> Backend:
    """The backend of that name, its framework imported at first use. Raises BackendError where it is not installed."""
    if name in _LOADED:
        return _LOADED[name]
    with _LOCK:
        if name in _LOADED:
            return _LOADED[name]
        entries = [e for e in metadata.entry_points(group=GROUP) if e.name == name]
        if not entries:
            raise BackendError(f"there is no backend {name!r}", hint=f"installed: {', '.join(available()) or 'none'}")
        try:
            found = entries[0].load()
        except ImportError as error:
            raise BackendError(
                f"backend {name!r} cannot be loaded: {error}", hint=f"pip install 'gfx-trace[{name}]'"
            ) from error
        for op in list(REGISTRY.values()):
            made = found.spelled(op) if op.added else None
            if made is not None:
                found.take(op, made)
        _LOADED[name] = found
        return found


def add_op(op: OpDef) -> OpDef:
    """Register an op that a user spelled for some backends: those that are loaded take it at once, others when they are."""
    with _LOCK:
        rows = [(owner, owner.spelled(op)) for owner in _LOADED.values()]
        register(op)
        for owner, made in rows:
            if made is not None:
                owner.take(op, made)
        return op


def loaded() -> tuple[Backend, ...]:
    """The backends whose frameworks are imported already."""
    return tuple(_LOADED.values())


def owner_of(x: Any) -> Backend | None:
    """The loaded backend whose framework an array is of; None of what is none."""
    return next((owner for owner in loaded() if owner.is_tensor(x)), None)


def to_host(x: Any) -> Any:
    """An array of any loaded framework as NumPy; what is none, as it is."""
    owner = owner_of(x)
    return x if owner is None else owner.to_host(x)
