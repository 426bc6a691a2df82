"""Workers: threads that share the blocks of one chain, as NumPy's ufuncs leave the interpreter to others while they compute."""

from __future__ import annotations

import itertools
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar

FEW = 2
"""Blocks for each thread at least."""


class Workers:
    """As many threads as a stream asks for, one unless told, as NumPy has. Safe to share between threads, and after a fork."""

    def __init__(self) -> None:
        self._asked: ContextVar[int | None] = ContextVar("threads", default=None)
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._lock = threading.Lock()

    @contextmanager
    def limited(self, threads: int | None) -> Iterator[None]:
        """Inside, so many threads compute (None: as outside)."""
        token = self._asked.set(self._asked.get() if threads is None else threads)
        try:
            yield
        finally:
            self._asked.reset(token)

    def share(self, work: Callable[[int, int], None], count: int) -> None:
        """Call `work(first, end)` on ranges that cover `count` blocks, on this thread where there are few."""
        threads = min(self._asked.get() or 1, count // FEW)
        if threads < 2:
            work(0, count)
            return
        ends = [count * at // threads for at in range(threads + 1)]
        pool = self._pool()
        others = [pool.submit(work, *pair) for pair in itertools.pairwise(ends[1:])]
        try:
            work(0, ends[1])
        finally:
            for other in others:
                other.result()

    def _pool(self) -> ThreadPoolExecutor:
        process = os.getpid()  # threads do not outlive a fork
        with self._lock:
            if process not in self._pools:
                self._pools[process] = ThreadPoolExecutor(max(1, (os.cpu_count() or 1) - 1), "gfx-numpy")
            return self._pools[process]
