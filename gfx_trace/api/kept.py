"""State of the author's objects: what a call finds in them, and what it leaves there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.errors import GuardError
from gfx_ir.loading import owner_of

from ..control.state import Write


class Kept:
    """The places of a program's state that are attributes and items of objects: calls replace what stands there, and so may the author
    between two calls, who sets a model back."""

    def __init__(self, slots: Mapping[str, Write]) -> None:
        self.writes = {path: write for path, write in slots.items() if write.slot is not None}
        self._left = {path: _read(write, write.slot.old) for path, write in self.writes.items() if write.slot}

    def anew(self, params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Params that the objects hold otherwise than the last call left them. Raises GuardError where the capture does not stand for
        what they hold."""
        for path, write in self.writes.items():
            assert write.slot is not None
            now, left = write.slot.found(write.slot.get()), self._left[path]
            if write.param is None or now is left or (write.rebuild is not None and now == left):
                continue
            self._left[path] = now
            if write.rebuild is None and (owner := owner_of(now)) is not None:
                stays(path, params[write.param], now, owner)
                yield write.param, now
            elif type(now) is write.rebuild:
                yield write.param, np.asarray(now)
            else:
                raise GuardError(f"{path!r} held {_said(left)} before, and holds {_said(now)}", hint="capture it again")

    def leave(self, path: str, value: Any) -> None:
        """Put what a call made in the place of what stood there."""
        write = self.writes[path]
        assert write.slot is not None
        self._left[path] = value if write.rebuild is None else write.rebuild(value)
        write.slot.set(self._left[path])


def _read(write: Write, held: Any) -> Any:
    """What a place held before the first call: of a number for which an array stood in the capture that number."""
    return held if write.rebuild is None or write.param is None else write.rebuild(held)


def _said(x: Any) -> str:
    return type(x).__name__ if owner_of(x) is not None else repr(x)


def stays(path: str, held: Any, value: Any, owner: Backend) -> Backend:
    """The framework of an array that state holds. Raises GuardError where what replaces it has another shape or dtype: the graph
    stands for what it found there."""
    source = owner_of(held) or owner
    for what, before, after in (
        ("shape", tuple(source.shape_of(held)), tuple(owner.shape_of(value))),
        ("dtype", source.dtype_of(held), owner.dtype_of(value)),
    ):
        if before != after and not (what == "dtype" and source is not owner):  # JAX may hold it in fewer bits
            raise GuardError(
                f"{path!r} of {what} {before} is replaced by {what} {after}",
                hint=f"let it have the {what} before the capture that it has after a call",
            )
    return source
