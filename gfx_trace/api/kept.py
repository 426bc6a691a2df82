"""State of the author's objects: what a call finds in them, and what it leaves there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from gfx_ir.backend import Backend
from gfx_ir.errors import GuardError
from gfx_ir.loading import owner_of

from ..control.replacing import NUMBERS
from ..control.writes import Write


class Kept:
    """The places of a program's state that are attributes and items of objects: calls replace what stands there, and so may the author
    between two calls, who sets a model back."""

    def __init__(self, slots: Mapping[str, Write]) -> None:
        self.writes = {path: write for path, write in slots.items() if write.slot is not None}
        self._left = {path: write.before for path, write in self.writes.items()}

    def anew(self, params: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """Params that the objects hold otherwise than the last call left them. Raises GuardError where the capture does not stand for
        what they hold."""
        for path, write in self.writes.items():
            assert write.slot is not None
            now, left = write.slot.found(write.slot.get()), self._left[path]
            if now is left or (type(now) is type(left) and type(now) in NUMBERS and now == left):
                continue
            if write.there is not None and write.there in params:  # what no call reads is none of them
                yield write.there, np.asarray(now is not None)
            if write.param is not None and write.param in params and (now is not None or write.there is None):
                yield write.param, _as_param(path, write, now, params[write.param])
            self._left[path] = now

    def leave(self, path: str, value: Any) -> None:
        """Put what a call made in the place of what stood there."""
        write = self.writes[path]
        assert write.slot is not None
        self._left[path] = value if write.rebuild is None else write.rebuild(value)
        write.slot.set(self._left[path])


def _as_param(path: str, write: Write, now: Any, held: Any) -> Any:
    """What stands in a place, as the parameter which has `held`. Raises GuardError where that is something else."""
    owner = owner_of(now)
    if owner is not None and write.rebuild is None:
        stays(path, held, now, owner)
        return now
    if type(now) not in NUMBERS or type(now) is not type(write.before):
        said = type(now).__name__ if owner is not None else repr(now)
        raise GuardError(
            f"{path!r} holds {said}, and what the capture stands for is another type", hint="capture it again"
        )
    source = owner_of(held)
    assert source is not None
    return source.from_host(np.asarray(now).astype(source.dtype_of(held).numpy))


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
