"""Profile: when each node and partition ran, and where; as a table, or as a trace that Chrome and Perfetto show."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..save import write_whole
from ..tables import table, text_of


@dataclass(frozen=True)
class Event:
    """What ran: its name, "node", "partition", "transfer" or "compile", the device, the thread, start and seconds, the line."""

    name: str
    kind: str
    device: str
    thread: int
    start: float
    seconds: float
    place: str = ""


class Profile:
    """Records events of the calls that it is given to. Threads share it. `nodes`: partitions run node by node, each of them timed."""

    def __init__(self, nodes: bool = False) -> None:
        self.nodes = nodes
        self.events: list[Event] = []
        self._start = time.perf_counter()

    @contextmanager
    def timed(self, name: str, kind: str, device: str, place: str = "") -> Iterator[None]:
        """Record what happens inside."""
        start = time.perf_counter()
        try:
            yield
        finally:
            seconds = time.perf_counter() - start
            self.events.append(Event(name, kind, device, threading.get_ident(), start - self._start, seconds, place))

    def totals(self) -> list[tuple[str, str, str, int, float, str]]:
        """(name, kind, device, how often, seconds, line) of each, the longest first."""
        found: dict[tuple[str, str, str, str], list[float]] = {}
        for event in self.events:
            found.setdefault((event.name, event.kind, event.device, event.place), []).append(event.seconds)
        rows = [
            (name, kind, device, len(times), sum(times), place) for (name, kind, device, place), times in found.items()
        ]
        return sorted(rows, key=lambda row: -row[4])

    def table(self) -> Any:
        """The totals as a rich table."""
        rows = [(n, k, d, count, f"{1000 * s:.3f}", place) for n, k, d, count, s, place in self.totals()]
        return table(("what", "kind", "device", "times", "ms", "line"), rows)

    def __rich__(self) -> Any:
        return self.table()

    def __str__(self) -> str:
        return text_of(self.table())

    def trace(self) -> dict[str, Any]:
        """The events in the Trace Event Format of Chrome."""
        rows = [
            {
                "name": e.name, "cat": e.kind, "ph": "X", "ts": 1e6 * e.start, "dur": 1e6 * e.seconds, "pid": e.device,
                "tid": e.thread, "args": {"line": e.place},
            }
            for e in self.events
        ]  # fmt: skip
        return {"traceEvents": rows, "displayTimeUnit": "ms"}

    def save(self, path: str | Path) -> None:
        """Write the trace; the file appears whole or not at all."""
        write_whole({Path(path): json.dumps(self.trace()).encode()})
