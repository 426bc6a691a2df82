"""No garbage collection while a graph is made or walked: its nodes are alive, and a collection would only read them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_LOCK = threading.Lock()
_MANY = 500_000  # objects made since the last collection


class _Own(threading.local):
    """What one thread holds open."""

    depth = 0


class _Pause:
    def __init__(self) -> None:
        self.depth, self.was_enabled, self.own = 0, False, _Own()


_PAUSE = _Pause()


@contextmanager
def collection_paused() -> Iterator[None]:
    """Inside, the cyclic collector rests; it goes on when the last such block on any thread ends. Also a decorator."""
    with _LOCK:
        if _PAUSE.depth == 0:
            _PAUSE.was_enabled = gc.isenabled()
            gc.disable()
        _PAUSE.depth += 1
        _PAUSE.own.depth += 1
    try:
        yield
    finally:
        with _LOCK:
            _PAUSE.depth -= 1
            _PAUSE.own.depth -= 1
            if _PAUSE.depth == 0 and _PAUSE.was_enabled:
                gc.enable()
            others = _PAUSE.depth > 0 and _PAUSE.own.depth == 0
            overdue = others and _PAUSE.was_enabled and gc.get_count()[0] > _MANY
        if overdue:  # they are always at work: their blocks never all end
            gc.collect()
