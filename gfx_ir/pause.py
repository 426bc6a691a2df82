"""No garbage collection while a graph is made or walked: its nodes are alive, and a collection would only read them."""

from __future__ import annotations

import gc
import threading
from contextlib import ContextDecorator

_LOCK = threading.Lock()
_MANY = 500_000  # objects made since the last collection


class _Own(threading.local):
    """How many blocks one thread is in."""

    depth = 0


class _Pause:
    def __init__(self) -> None:
        self.threads, self.was_enabled, self.own = 0, False, _Own()


_PAUSE = _Pause()


class _Paused(ContextDecorator):
    """Has no state of its own: a thread that paused already only counts."""

    def __enter__(self) -> None:
        own = _PAUSE.own
        own.depth += 1
        if own.depth > 1:
            return
        with _LOCK:
            if _PAUSE.threads == 0:
                _PAUSE.was_enabled = gc.isenabled()
                gc.disable()
            _PAUSE.threads += 1

    def __exit__(self, *raised: object) -> None:
        own = _PAUSE.own
        own.depth -= 1
        if own.depth:
            return
        with _LOCK:
            _PAUSE.threads -= 1
            if _PAUSE.threads == 0 and _PAUSE.was_enabled:
                gc.enable()
            overdue = _PAUSE.threads > 0 and _PAUSE.was_enabled and gc.get_count()[0] > _MANY
        if overdue:  # the others are always at work: their blocks never all end
            gc.collect()


_PAUSED = _Paused()


def collection_paused() -> _Paused:
    """Inside, the cyclic collector rests; it goes on when the last such block on any thread ends. Also a decorator."""
    return _PAUSED
